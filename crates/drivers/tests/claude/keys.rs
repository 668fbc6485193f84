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
        input: Some(json!({ "command": command })),
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
        ("2.1.197/question/dialog", &made, accept(true), Press::Wait),
    ];
    for (screen, prompt, respond, press) in rows {
        assert_eq!(first(screen, prompt, &respond), Ok(press), "{screen} {respond:?}");
    }
    assert_eq!(first("2.1.197/permission-allowed/dialog", &bash("rm -r x"), &accept(true)), Ok(Press::Wait));
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
