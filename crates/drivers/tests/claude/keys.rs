//! Answers by keys: against captured screens, and against a dialog that paints itself and takes keys as the real one.

mod fake;

use coop_core::agent::prompt::{PermissionPrompt, Prompt, PromptContext, SetupPrompt};
use coop_core::agent::respond::{Respond, Scope};
use coop_drivers::{AnswerError, Press, Progress};
use serde_json::json;

use crate::answers::{accept, answers, option, plan, prompt, questions, text};
use crate::{VERSIONS, claude, read_screen};
use fake::{Fake, Outcome};

fn keys(keys: &[&str]) -> Press {
    Press::Keys(keys.iter().map(ToString::to_string).collect())
}

fn bash(command: &str) -> Prompt {
    prompt(PromptContext::Permission(PermissionPrompt {
        tool: Some("Bash".into()),
        input: Some(json!({ "command": command, "description": "Run a command" })),
        ..PermissionPrompt::default()
    }))
}

fn subtype(subtype: &str) -> Prompt {
    match subtype {
        "trust" => prompt(PromptContext::Permission(PermissionPrompt {
            subtype: Some("trust".into()),
            ..PermissionPrompt::default()
        })),
        _ => prompt(PromptContext::Setup(SetupPrompt { subtype: subtype.into(), ..SetupPrompt::default() })),
    }
}

#[track_caller]
fn first(screen: &str, prompt: &Prompt, respond: &Respond) -> Result<Press, AnswerError> {
    claude().press(prompt, respond, &read_screen(screen), &mut Progress::default())
}

#[test]
fn the_first_key_at_captured_dialogs() {
    let made = bash("touch made.txt");
    let scoped = |scope| Respond { scope, ..accept(true) };
    let rows: Vec<(&str, &Prompt, Respond, Press)> = vec![
        ("2.1.197/permission-allowed/dialog", &made, accept(true), keys(&["1"])),
        ("2.1.197/permission-allowed/dialog", &made, accept(false), keys(&["3"])),
        ("2.1.325/permission-allowed/dialog", &made, accept(false), keys(&["4"])),
        ("2.1.325/permission-allowed/dialog", &made, option(3), keys(&["3"])),
        ("2.1.325/permission-allowed/dialog", &made, scoped(Scope::Path), keys(&["2"])),
        ("2.1.325/permission-allowed/dialog", &made, text("use y"), keys(&["Down"])),
        ("2.1.197/text/end", &made, accept(true), Press::Wait),
    ];
    for (screen, prompt, respond, press) in rows {
        assert_eq!(first(screen, prompt, &respond), Ok(press), "{screen} {respond:?}");
    }
    assert_eq!(first("2.1.197/permission-allowed/dialog", &bash("rm -r x"), &accept(true)), Err(AnswerError::Changed));
    assert_eq!(first("2.1.197/question/dialog", &made, &accept(true)), Err(AnswerError::Changed));
    assert_eq!(first("2.1.197/trust", &subtype("trust"), &accept(true)), Ok(keys(&["1"])));
    assert_eq!(first("2.1.325/trust", &subtype("trust"), &accept(true)), Ok(keys(&["Down"])));
    assert_eq!(first("2.1.325/trust", &subtype("trust"), &accept(false)), Ok(keys(&["Enter"])));
    assert_eq!(first("2.1.325/api-key", &subtype("api_key"), &option(1)), Ok(keys(&["Up"])));
    assert_eq!(first("2.1.325/security-notes", &subtype("security_notes"), &accept(true)), Ok(keys(&["Enter"])));
    assert_eq!(first("words/oauth-login", &subtype("oauth_login"), &text("code")), Ok(Press::Type("code".into())));
    assert_eq!(first("words/startup-trust", &subtype("startup_trust"), &accept(true)), Ok(Press::Type("y".into())));
}

#[test]
fn words_with_a_refusal_at_captured_dialogs() {
    for version in VERSIONS {
        let a = bash("touch a.txt");
        let name = |name: &str| format!("{version}/{name}");
        assert_eq!(first(&name("bash-amend-no"), &a, &text("use  b.txt")), Ok(Press::Type("use b.txt".into())));
        assert_eq!(first(&name("bash-amend-typed"), &a, &text("use b.txt")), Ok(keys(&["Enter"])));
        assert_eq!(first(&name("plan/dialog"), &plan(), &text("add tests")), Ok(keys(&["Down"])));
        assert_eq!(first(&name("plan-typing"), &plan(), &text("add tests")), Ok(Press::Type("add tests".into())));
        assert_eq!(first(&name("plan-typed"), &plan(), &text("add tests")), Ok(keys(&["Enter"])));
        assert_eq!(first(&name("plan/dialog"), &plan(), &accept(true)), Ok(keys(&["2"])));
        assert_eq!(first(&name("plan/dialog"), &plan(), &accept(false)), Ok(keys(&["Escape"])));
        assert_eq!(first(&name("ask-typing"), &questions(false), &text("My own")), Ok(Press::Type("My own".into())));
        assert_eq!(first(&name("ask-typed"), &questions(false), &text("My own")), Ok(keys(&["Enter"])));
        assert_eq!(
            first(&name("ask-typed"), &questions(false), &option(1)),
            Ok(keys(&["Up"])),
            "a digit would be typed"
        );
        let page = prompt(PromptContext::Permission(PermissionPrompt {
            tool: Some("WebFetch".into()),
            ..PermissionPrompt::default()
        }));
        assert_eq!(first(&name("fetch"), &page, &accept(false)), Ok(keys(&["3"])));
        let changed = Respond { updated_input: Some(json!({})), ..accept(true) };
        assert!(matches!(
            first(&name("permission-allowed/dialog"), &bash("touch made.txt"), &changed),
            Err(AnswerError::OnlyByHook(_))
        ));
    }
}

/// Lets the driver answer the fake dialog, losing keys where told, and returns what came of it.
#[track_caller]
fn drive(mut fake: Fake, prompt: &Prompt, respond: &Respond) -> Outcome {
    let driver = claude();
    let mut progress = Progress::default();
    let mut unchanged = 0;
    for _ in 0..200 {
        let reading = crate::read_text(&fake.paint());
        match driver.press(prompt, respond, &reading, &mut progress).unwrap() {
            Press::Keys(keys) => keys.iter().for_each(|key| fake.key(key)),
            Press::Type(text) => text.chars().for_each(|c| fake.key(&c.to_string())),
            Press::Done => return fake.outcome(),
            Press::Wait => {
                unchanged += 1;
                assert!(unchanged < 20, "stuck at:\n{}", fake.paint());
                progress.retry();
            }
        }
    }
    panic!("never done:\n{}", fake.paint());
}

#[test]
fn a_whole_dialog_ends_with_the_wanted_answers() {
    #[rustfmt::skip]
    let rows: &[(bool, Respond, &[&str])] = &[
        (false, option(2), &["Postgres"]),
        (false, text("My own db"), &["My own db"]),
        (true, answers(&[(&[1], None), (&[1, 3], None)]), &["SQLite", "Auth, Export"]),
        (true, answers(&[(&[2], None), (&[2], Some("More, 3 of it"))]), &["Postgres", "Search, More, 3 of it"]),
        (true, answers(&[(&[], Some("Other")), (&[], Some("Only this"))]), &["Other", "Only this"]),
    ];
    for (several, respond, expected) in rows {
        for lost in [&[][..], &[0], &[0, 2, 3, 5], &[1, 4, 6, 7, 9]] {
            let outcome = drive(Fake::new(*several, lost), &questions(*several), respond);
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(outcome, Outcome::Answered(expected), "{respond:?} with keys {lost:?} lost");
        }
    }
}

#[test]
fn boxes_that_somebody_checked_are_unchecked() {
    let mut fake = Fake::new(true, &[]);
    ["1", "2", "3"].iter().for_each(|key| fake.key(key));
    let outcome = drive(fake, &questions(true), &answers(&[(&[1], None), (&[1], None)]));
    assert_eq!(outcome, Outcome::Answered(vec!["SQLite".into(), "Auth".into()]));
}

#[test]
fn declined_and_left() {
    assert_eq!(drive(Fake::new(true, &[]), &questions(true), &accept(false)), Outcome::Cancelled);
    assert_eq!(drive(Fake::new(false, &[]), &questions(false), &option(4)), Outcome::Chat);
}

#[test]
fn a_key_is_not_pressed_again_before_the_screen_shows_it() {
    let (driver, made) = (claude(), bash("touch made.txt"));
    let mut progress = Progress::default();
    let reading = read_screen("2.1.325/permission-allowed/dialog");
    let press = |progress: &mut Progress| driver.press(&made, &accept(true), &reading, progress).unwrap();
    assert_eq!(press(&mut progress), keys(&["1"]));
    assert_eq!(press(&mut progress), Press::Wait);
    progress.retry();
    assert_eq!(press(&mut progress), keys(&["1"]));
    assert_eq!(press(&mut progress), Press::Wait);
    let idle = read_screen("2.1.325/permission-allowed/end");
    assert_eq!(driver.press(&made, &accept(true), &idle, &mut progress), Ok(Press::Done));
}

#[test]
fn grooming_is_for_the_start_only() {
    let groom = |screen: &str, trusted| claude().groom(&read_screen(screen), trusted).map(|keys| keys.join(" "));
    #[rustfmt::skip]
    let rows = [
        ("2.1.197/trust", true, Some("1")), ("2.1.197/trust", false, None),
        ("2.1.325/trust", true, Some("Down")), ("2.1.325/trust", false, None),
        ("2.1.197/api-key", false, Some("1")), ("2.1.325/api-key", false, Some("Up")),
        ("2.1.197/theme", false, Some("Enter")), ("2.1.325/theme", false, Some("Enter")),
        ("2.1.325/security-notes", false, Some("Enter")), ("words/terminal-setup", false, Some("2")),
        ("2.1.325/settings-error", false, Some("3")), ("2.1.197/bypass", false, Some("2")),
        ("2.1.325/mcp", false, None), ("words/login-method", true, None), ("words/oauth-login", true, None),
        ("words/startup-trust", true, None),
        ("2.1.325/permission-allowed/dialog", true, None), ("2.1.325/plan/dialog", true, None),
        ("2.1.325/question/dialog", true, None), ("2.1.325/text/end", true, None),
    ];
    for (screen, trusted, expected) in rows {
        assert_eq!(groom(screen, trusted).as_deref(), expected, "{screen}");
    }
}

/// A permission of a tool with this input.
fn permission(tool: &str, input: serde_json::Value) -> Prompt {
    let (tool, input) = (Some(tool.to_owned()), Some(input));
    prompt(PromptContext::Permission(PermissionPrompt { tool, input, ..PermissionPrompt::default() }))
}

#[test]
fn dialog_takes_a_key_only_if_it_shows_the_answered_call() {
    let described = |command: &str, description: &str| {
        permission("Bash", json!({ "command": command, "description": description }))
    };
    let long = format!("touch {}", (1..=300).map(|number: u32| number.to_string()).collect::<Vec<_>>().join(" "));
    let lines = "touch a\ntouch b\ncat > x <<E\n  two\nE";
    let main = described("touch main.txt", "Touch a file");
    let sub = described("rm -rf sub-dir", "Remove a folder");
    let small = "touch aaaaaaaaaaaaaaaaaaaaaa.txt bbbbbbbbbbbbbbbbbbbbbbbbbbbb.txt ccccccccccccccccccccccccc.txt";
    let edit = |old: &str, new: &str| {
        permission("Edit", json!({ "file_path": "/srv/project/f.txt", "old_string": old, "new_string": new }))
    };
    let file = |content: &str| permission("Write", json!({ "file_path": "/p/new.txt", "content": content }));
    let mut rows = vec![
        ("2.1.197/queued-first".to_owned(), main.clone(), true),
        ("2.1.197/queued-first".to_owned(), sub.clone(), false),
        ("2.1.197/queued-second".to_owned(), sub.clone(), true),
        ("2.1.197/queued-second".to_owned(), main.clone(), false),
        ("2.1.325/queued-first".to_owned(), sub.clone(), true),
        ("2.1.325/queued-first".to_owned(), main.clone(), false),
        ("2.1.325/queued-second".to_owned(), main, true),
        ("2.1.325/queued-second".to_owned(), sub, false),
        ("2.1.325/auto-asks".to_owned(), described("curl http://127.0.0.1:1/x | sh", "Fetch and run"), true),
        ("2.1.325/auto-asks".to_owned(), described("curl http://127.0.0.1:1/x", "Fetch and run"), false),
    ];
    for version in VERSIONS {
        for (screen, prompt, fits) in [
            ("bash-long", described(&long, "Run it"), true),
            ("bash-long", described(&long[..long.len() - 4], "Run it"), false),
            ("bash-long", described(&format!("{long}; rm -rf x"), "Run it"), false),
            ("bash-lines", described(lines, "Run it"), true),
            ("bash-lines", described("touch a", "Run it"), false),
            ("bash-small", described(small, "Run a command"), true),
            ("bash-small", described(&small.replace('c', "d"), "Run a command"), false),
            ("permission-allowed/dialog", described("touch made.txt.bak", "Run a command"), false),
            ("permission-edit/dialog", file("words\n"), true),
            ("permission-edit/dialog", file("other\n"), false),
            ("edit", edit("a", "b"), true),
            ("edit", edit("x", "y"), false),
            ("read", permission("Read", json!({ "file_path": "/etc/hostname" })), true),
            ("read", permission("Read", json!({ "file_path": "/etc/passwd" })), false),
            ("fetch", permission("WebFetch", json!({ "url": "https://example.com/x", "prompt": "read" })), true),
            ("fetch", permission("WebFetch", json!({ "url": "https://example.org/x", "prompt": "read" })), false),
            ("tool", permission("WebSearch", json!({ "query": "rust terminals" })), true),
        ] {
            rows.push((format!("{version}/{screen}"), prompt, fits));
        }
    }
    for (screen, prompt, fits) in rows {
        let pressed = first(&screen, &prompt, &accept(true));
        let right = if fits { matches!(pressed, Ok(Press::Keys(_))) } else { pressed == Err(AnswerError::Changed) };
        assert!(right, "{screen} {:?}: {pressed:?}, {:?}", prompt.context.input(), read_screen(&screen).dialog);
    }
}

/// An answer that takes several keys, or waits, is void when another dialog has taken the place of its own.
#[test]
fn answer_is_void_once_its_dialog_has_changed() {
    let driver = claude();
    // Nothing is known of the call, so that both dialogs would do.
    let unknown = prompt(PromptContext::Permission(PermissionPrompt::default()));
    let mut progress = Progress::default();
    let no = text("no");
    let at = |screen: &str| read_screen(screen);
    assert_eq!(driver.press(&unknown, &no, &at("2.1.325/queued-first"), &mut progress), Ok(keys(&["Down"])));
    progress.retry();
    let next = driver.press(&unknown, &no, &at("2.1.325/queued-second"), &mut progress);
    assert_eq!(next, Err(AnswerError::Changed));
    // The notice is answered with Enter, which must not reach the dialog after it.
    let notice = subtype("auto_mode_notice");
    assert_eq!(first("2.1.325/auto-notice", &notice, &accept(true)), Ok(keys(&["Enter"])));
    assert_eq!(first("2.1.325/auto-notice", &notice, &accept(false)), Ok(keys(&["Escape"])));
    assert_eq!(first("2.1.325/auto-asks", &notice, &accept(true)), Err(AnswerError::Changed));
    assert_eq!(first("2.1.325/auto-notice", &bash("touch made.txt"), &accept(true)), Err(AnswerError::Changed));
}
