//! Answers by keys: on captured screens, and on a question dialog that takes keys as the real one does.

mod fake;

use coop_core::agent::prompt::{Prompt, PromptContext, PromptId};
use coop_core::agent::respond::{Answer, Respond, Scope};
use coop_drivers::{AnswerError, Press, Progress, Reading};
use serde_json::json;

use crate::{gemini, read_screen, read_text};
use fake::{Fake, Outcome};

fn prompt(context: PromptContext) -> Prompt {
    Prompt { id: PromptId("p1".into()), context, ready: true, by_hook: false }
}

fn first(name: &str, respond: &Respond) -> Result<Press, AnswerError> {
    let reading = read_screen(name);
    let asked = prompt(reading.dialog.as_ref().unwrap().context.clone());
    gemini().press(&asked, respond, &reading, &mut Progress::default())
}

fn yes(scope: Scope) -> Respond {
    Respond { accept: Some(true), scope, ..Respond::default() }
}

fn no() -> Respond {
    Respond { accept: Some(false), ..Respond::default() }
}

fn option(number: u32) -> Respond {
    Respond { option: Some(number), ..Respond::default() }
}

#[test]
fn digits_and_escape() {
    let shell = "0.61.0/permission-allowed/dialog";
    let edit = "0.61.0/permission-edit/dialog";
    #[rustfmt::skip]
    let rows: Vec<(&str, Respond, &str)> = vec![
        (shell, yes(Scope::Once), "1"),
        (shell, yes(Scope::Session), "2"),
        (shell, no(), "Escape"),
        (shell, option(3), "3"),
        (edit, yes(Scope::Once), "1"),
        (edit, no(), "Escape"),
        (edit, option(4), "4"),
        ("0.61.0/write", yes(Scope::Session), "2"),
        ("0.61.0/enter-plan", yes(Scope::Once), "1"),
        ("words/mcp-tool", yes(Scope::Path), "4"),
        ("0.61.0/plan/dialog", yes(Scope::Once), "2"),
        ("0.61.0/plan/dialog", option(1), "1"),
        ("0.61.0/plan/dialog", no(), "Escape"),
        ("0.61.0/question/dialog", option(2), "2"),
        ("0.61.0/question/dialog", no(), "Escape"),
        ("0.61.0/trust", yes(Scope::Once), "1"),
        ("0.61.0/trust", no(), "3"),
        ("0.61.0/login-method", option(2), "2"),
        ("0.61.0/limit/dialog", yes(Scope::Once), "1"),
        ("0.61.0/limit/dialog", no(), "2"),
    ];
    for (name, respond, key) in rows {
        assert_eq!(first(name, &respond), Ok(Press::Keys(vec![key.to_owned()])), "{name} {respond:?}");
    }
}

#[test]
fn what_a_dialog_does_not_offer_is_refused() {
    let shell = "0.61.0/permission-allowed/dialog";
    let changed = Respond { updated_input: Some(json!({})), ..yes(Scope::Once) };
    for (name, respond) in [
        (shell, yes(Scope::Path)),
        (shell, changed),
        (shell, option(9)),
        ("0.61.0/login-method", no()),
        ("0.61.0/login-method", yes(Scope::Once)),
        ("0.61.0/plan/dialog", option(3)),
    ] {
        assert!(matches!(first(name, &respond), Err(AnswerError::Unfit(_))), "{name} {respond:?}");
    }
}

#[test]
fn a_key_is_pressed_once_and_again_only_when_it_was_lost() {
    let reading = read_screen("0.61.0/permission-allowed/dialog");
    let asked = prompt(reading.dialog.as_ref().unwrap().context.clone());
    let mut done = Progress::default();
    let mut next = |reading: &Reading, lost: bool| {
        if lost {
            done.retry();
        }
        gemini().press(&asked, &yes(Scope::Once), reading, &mut done).unwrap()
    };
    let one = Press::Keys(vec!["1".to_owned()]);
    assert_eq!(next(&reading, false), one);
    assert_eq!(next(&reading, false), Press::Wait);
    assert_eq!(next(&reading, true), one);
    assert_eq!(next(&read_screen("0.61.0/text/end"), false), Press::Done);
}

#[test]
fn another_command_is_another_dialog() {
    let first = read_screen("0.61.0/two-tools/first").dialog.unwrap();
    let second = read_screen("0.61.0/two-tools/second");
    let pressed = gemini().press(&prompt(first.context), &yes(Scope::Once), &second, &mut Progress::default());
    assert_eq!(pressed, Ok(Press::Wait));
}

#[test]
fn words_of_a_refusal_are_said_afterwards() {
    let words = Respond { text: Some("use make".into()), ..no() };
    let asked = |name: &str| prompt(read_screen(name).dialog.unwrap().context);
    let shell = asked("0.61.0/permission-allowed/dialog");
    assert_eq!(gemini().follow_up(&shell, &words).as_deref(), Some("use make"));
    assert_eq!(gemini().follow_up(&shell, &no()), None);
    assert_eq!(gemini().follow_up(&asked("0.61.0/plan/dialog"), &words), None, "a plan takes them itself");
    assert_eq!(first("0.61.0/permission-allowed/dialog", &words), Ok(Press::Keys(vec!["Escape".to_owned()])));
}

#[test]
fn a_plan_takes_words() {
    let dialog = read_screen("0.61.0/plan/dialog");
    let asked = prompt(dialog.dialog.as_ref().unwrap().context.clone());
    let respond = Respond { text: Some("please also add tests".into()), ..no() };
    let mut done = Progress::default();
    let mut next = |reading: &Reading| gemini().press(&asked, &respond, reading, &mut done).unwrap();
    assert_eq!(next(&dialog), Press::Keys(vec!["3".to_owned()]));
    let screen = crate::file("0.61.0/plan/dialog.screen.txt");
    let chosen = read_text(&screen.replace("● 1.", "  1.").replace("  3.  Type", "● 3.  Type"));
    assert_eq!(next(&chosen), Press::Type("please also add tests".into()));
    assert_eq!(next(&chosen), Press::Wait);
    assert_eq!(next(&read_screen("0.61.0/plan-feedback")), Press::Keys(vec!["Enter".to_owned()]));
}

/// Presses until the dialog is gone or nothing more is pressed.
fn play(mut fake: Fake, respond: &Respond) -> Outcome {
    let asked = prompt(fake.context());
    let mut done = Progress::default();
    let mut idle = 0;
    while idle < 3 {
        match gemini().press(&asked, respond, &read_text(&fake.paint()), &mut done).unwrap() {
            Press::Keys(keys) => keys.iter().for_each(|key| fake.key(key)),
            Press::Type(text) => fake.paste(&text),
            Press::Done => break,
            Press::Wait => {
                idle += 1;
                done.retry();
            }
        }
    }
    fake.outcome()
}

fn answers(answers: &[(&[u32], Option<&str>)]) -> Respond {
    let answer =
        |(options, text): &(&[u32], Option<&str>)| Answer { options: options.to_vec(), text: text.map(str::to_owned) };
    Respond { answers: answers.iter().map(answer).collect(), ..Respond::default() }
}

#[test]
fn questions() {
    #[rustfmt::skip]
    let rows: Vec<(Respond, Vec<&str>)> = vec![
        (answers(&[(&[1], None), (&[1, 3], None)]), vec!["SQLite", "Auth, Export"]),
        (answers(&[(&[2], None), (&[4], None)]), vec!["Postgres", "Auth, Search, Export"]),
        (answers(&[(&[], Some("mine")), (&[2], Some("a wiki"))]), vec!["mine", "Search, a wiki"]),
    ];
    for (respond, expected) in &rows {
        for visible in [3, 9] {
            for lost in [&[][..], &[0], &[1], &[2], &[1, 3], &[4, 5]] {
                let outcome = play(Fake::new(true, visible, lost), respond);
                let expected = expected.iter().map(ToString::to_string).collect();
                assert_eq!(outcome, Outcome::Answered(expected), "{respond:?} {visible} {lost:?}");
            }
        }
    }
    assert_eq!(play(Fake::new(false, 9, &[]), &option(2)), Outcome::Answered(vec!["Postgres".into()]));
    assert_eq!(play(Fake::new(false, 9, &[]), &no()), Outcome::Cancelled);
}

#[test]
fn boxes_whoever_has_moved_the_pointer() {
    for visible in [3, 9] {
        for moved in 0..6 {
            let outcome = play(Fake::boxes(visible).moved(moved), &answers(&[(&[1, 3], None)]));
            assert_eq!(outcome, Outcome::Answered(vec!["Auth, Export".into()]), "{visible} {moved}");
        }
    }
}
