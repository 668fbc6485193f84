//! Answers by keys: one at a time, for the dialog that is on the screen and no other.

use coop_core::agent::prompt::{Prompt, PromptContext, PromptId};
use coop_core::agent::respond::{Answer, Respond, Scope};
use coop_drivers::{AnswerError, Press, Progress, Reading};

use crate::{codex, file, read_screen, read_text};

fn prompt(context: PromptContext) -> Prompt {
    Prompt { id: PromptId("p1".into()), context, ready: true, by_hook: false }
}

/// The prompt as the screen shows it.
fn of(name: &str) -> (Prompt, Reading) {
    let reading = read_screen(name);
    (prompt(reading.dialog.clone().unwrap().context), reading)
}

fn first(name: &str, respond: &Respond) -> Result<Press, AnswerError> {
    let (prompt, reading) = of(name);
    codex().press(&prompt, respond, &reading, &mut Progress::default())
}

fn keys(names: &[&str]) -> Press {
    Press::Keys(names.iter().map(ToString::to_string).collect())
}

fn accept(yes: bool) -> Respond {
    Respond { accept: Some(yes), ..Respond::default() }
}

fn option(number: u32) -> Respond {
    Respond { option: Some(number), ..Respond::default() }
}

#[test]
fn one_key_for_each_answer() {
    let scoped = |scope| Respond { scope, ..accept(true) };
    let text = |text: &str| Respond { text: Some(text.into()), ..Respond::default() };
    #[rustfmt::skip]
    let rows = [
        ("0.166.0/permission-allowed/dialog", accept(true), Some("1")),
        ("0.166.0/permission-allowed/dialog", accept(false), Some("3")),
        ("0.166.0/permission-allowed/dialog", option(2), Some("2")),
        ("0.166.0/permission-allowed/dialog", scoped(Scope::Path), Some("2")),
        ("0.166.0/permission-allowed/dialog", scoped(Scope::Session), None),
        ("0.166.0/permission-allowed/dialog", option(4), None),
        ("0.166.0/permission-allowed/dialog", Respond { text: Some("because".into()), ..accept(false) }, Some("3")),
        ("0.166.0/permission-allowed/dialog", Respond { updated_input: Some(serde_json::json!({})), ..accept(true) }, None),
        ("0.166.0/permission-edit/dialog", accept(true), Some("1")),
        ("0.166.0/permission-edit/dialog", scoped(Scope::Session), Some("2")),
        ("words/cut", accept(true), Some("1")),
        ("0.166.0/plan/dialog", accept(true), Some("1")),
        ("0.166.0/plan/dialog", option(2), Some("2")),
        ("0.166.0/plan/dialog", accept(false), Some("3")),
        ("0.166.0/questions/second", accept(false), Some("Escape")),
        ("0.166.0/trust", accept(true), Some("Enter")),
        ("0.166.0/trust", accept(false), Some("Down")),
        ("0.166.0/hooks-review", option(2), Some("Down")),
        ("0.166.0/hooks-review", accept(true), None),
        ("0.166.0/model-migration", accept(false), Some("2")),
        ("0.166.0/login", text("sk-key"), None),
    ];
    for (name, respond, key) in rows {
        let pressed = first(name, &respond);
        match key {
            Some(key) => assert_eq!(pressed, Ok(keys(&[key])), "{name}: {respond:?}"),
            None => assert!(matches!(pressed, Err(AnswerError::Unfit(_))), "{name}: {respond:?}: {pressed:?}"),
        }
    }
}

#[test]
fn a_key_is_not_pressed_twice_nor_at_another_dialog() {
    let (prompt, reading) = of("0.166.0/permission-allowed/dialog");
    let driver = codex();
    let mut done = Progress::default();
    let mut press = |reading: &Reading| driver.press(&prompt, &accept(true), reading, &mut done).unwrap();
    assert_eq!(press(&reading), keys(&["1"]));
    assert_eq!(press(&reading), Press::Wait, "it is on its way");
    let other = file("0.166.0/permission-allowed/dialog.screen.txt").replace("touch made.txt", "rm -rf everything");
    assert_eq!(press(&read_text(&other, None)), Press::Done, "that is the next one");
    let fresh = &mut Progress::default();
    assert_eq!(driver.press(&prompt, &accept(true), &read_text(&other, None), fresh), Ok(Press::Wait));
    assert_eq!(driver.press(&prompt, &accept(true), &Reading::default(), fresh), Ok(Press::Wait), "not painted yet");
}

#[test]
fn questions_one_after_the_other() {
    let call = serde_json::json!({ "questions": [
        { "question": "Which database?", "options": [{ "label": "SQLite" }, { "label": "Postgres" }] },
        { "question": "Which language?", "options": [{ "label": "Rust" }, { "label": "Go" }] },
    ] });
    let driver = codex();
    let asked = prompt(driver.own_dialog("request_user_input", &call, Some("call")).unwrap());
    let answer = |options: &[u32]| Answer { options: options.to_vec(), text: None };
    let respond = Respond { answers: vec![answer(&[2]), answer(&[1])], ..Respond::default() };
    let mut done = Progress::default();
    let (one, two) = (read_screen("0.166.0/questions/first"), read_screen("0.166.0/questions/second"));
    let mut press = |reading: &Reading| driver.press(&asked, &respond, reading, &mut done).unwrap();
    assert_eq!(press(&one), keys(&["2"]));
    assert_eq!(press(&one), Press::Wait);
    assert_eq!(press(&two), keys(&["1"]));
    assert_eq!(press(&read_screen("0.166.0/questions/end")), Press::Done);
    let few = Respond { answers: vec![answer(&[2])], ..Respond::default() };
    assert!(driver.press(&asked, &few, &one, &mut Progress::default()).is_err());
}

/// To the last option, Tab, the words, Enter.
#[test]
fn own_words_are_notes() {
    let noted = file("0.166.0/question-notes.screen.txt");
    let empty = noted.replace("use MySQL please", "Add notes");
    let closed = noted.replace("  › use MySQL please\n", "").replace("tab or esc to clear notes", "tab to add notes");
    let at_first = closed.replace("    1. SQLite", "  › 1. SQLite").replace("  › 4. None", "    4. None");
    let shown = read_text(&at_first, None);
    let asked = prompt(shown.dialog.clone().unwrap().context);
    let respond = Respond { text: Some("use MySQL please".into()), ..Respond::default() };
    let driver = codex();
    let mut done = Progress::default();
    for (screen, expected) in [
        (&at_first, keys(&["Down"])),
        (&closed, keys(&["Tab"])),
        (&empty, Press::Type("use MySQL please".into())),
        (&noted, keys(&["Enter"])),
    ] {
        let pressed = driver.press(&asked, &respond, &read_text(screen, None), &mut done);
        assert_eq!(pressed, Ok(expected), "{}", screen.lines().rev().take(10).collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn words_with_a_refusal_are_said_afterwards() {
    let said = |name: &str, respond: &Respond| codex().follow_up(&of(name).0, respond);
    let refuse = Respond { text: Some("because".into()), ..accept(false) };
    for name in ["0.166.0/permission-allowed/dialog", "0.166.0/plan/dialog", "0.166.0/questions/first"] {
        assert_eq!(said(name, &refuse).as_deref(), Some("because"), "{name}");
        assert_eq!(said(name, &accept(false)), None, "{name}");
    }
    assert_eq!(said("0.166.0/permission-allowed/dialog", &accept(true)), None);
}

#[test]
fn groom_answers_what_is_safe() {
    let groom = |name: &str, named| codex().groom(&read_screen(name), named);
    assert_eq!(groom("0.166.0/trust", true), Some(vec!["Enter".into()]));
    assert_eq!(groom("0.166.0/trust", false), None, "nobody named the folder");
    assert_eq!(groom("0.166.0/model-migration", false), Some(vec!["2".into()]));
    for name in ["hooks-review", "login", "permission-allowed/dialog", "plan/dialog", "text/end"] {
        assert_eq!(groom(&format!("0.166.0/{name}"), true), None, "{name}");
    }
}

#[test]
fn a_plan_is_put_away_where_it_stays_in_its_mode() {
    let (plan, _) = of("0.166.0/plan/dialog");
    let put_away = |name: &str| codex().is_dismissed(&plan.context, &read_screen(name));
    assert!(put_away("0.166.0/plan-mode"));
    assert!(!put_away("0.166.0/text/end"), "it may have been approved");
    assert!(!put_away("0.166.0/plan/dialog"));
    let (other, _) = of("0.166.0/permission-allowed/dialog");
    assert!(!codex().is_dismissed(&other.context, &read_screen("0.166.0/plan-mode")));
}
