//! The page of opencode, on screens that were taken from it.

use std::path::Path;
use std::sync::Arc;

use coop_core::agent::prompt::PromptContext;
use coop_core::agent::respond::{Respond, Scope};
use coop_core::agent::{Look, Meaning};
use coop_drivers::{Page, Press, Progress, Reading};

use crate::{page, prompt, read};

fn opencode() -> Arc<Page> {
    page(include_str!("../../../../agents/opencode.toml"))
}

fn shown(capture: &str) -> Reading {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("testdata/opencode/1.18.33/{capture}.screen.txt"));
    read(&opencode(), &std::fs::read_to_string(file).unwrap(), None)
}

#[test]
fn states_and_drafts() {
    for (capture, look, draft, interrupted) in [
        ("start", Look::Idle, "", false),
        ("draft", Look::Idle, "half typed", false),
        ("idle", Look::Idle, "", false),
        ("wide", Look::Idle, "", false),
        ("working", Look::Working, "", false),
        ("working-escape", Look::Working, "", false),
        ("interrupted", Look::Idle, "", true),
        ("rejected", Look::Idle, "", false),
        ("error", Look::Idle, "", false),
    ] {
        let reading = shown(capture);
        let expected = (Some(look), Some(draft.to_owned()), interrupted);
        assert_eq!((reading.look, reading.draft, reading.interrupted), expected, "{capture}");
    }
}

#[test]
fn a_permission_says_what_it_is_for() {
    for capture in ["permission", "wide-permission"] {
        let dialog = shown(capture).dialog.unwrap();
        let PromptContext::Permission(permission) = &dialog.context else { panic!("{dialog:?}") };
        assert_eq!(permission.tool.as_deref(), Some("bash"), "{capture}");
        assert_eq!(permission.input.as_ref().unwrap()["command"], "touch made.txt", "{capture}");
        let meanings: Vec<Meaning> = permission.options.iter().map(|option| option.meaning).collect();
        assert_eq!(meanings, [Meaning::Allow, Meaning::AllowSession, Meaning::Deny], "{capture}");
    }
}

#[test]
fn a_question_has_its_options_also_beside_a_panel() {
    for capture in ["question", "wide-question"] {
        let dialog = shown(capture).dialog.unwrap();
        let PromptContext::Question(asked) = &dialog.context else { panic!("{dialog:?}") };
        assert_eq!(asked.questions[0].question, "Which colour?", "{capture}");
        let labels: Vec<&str> = dialog.options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!(labels, ["Red", "Blue", "Type your own answer"], "{capture}");
        assert_eq!(dialog.options[0].description.as_deref(), Some("warm"), "{capture}");
    }
}

/// What is allowed for longer is asked about once more.
#[test]
fn allowing_always_is_confirmed() {
    let respond = Respond { accept: Some(true), scope: Scope::Session, ..Respond::default() };
    let by_option = Respond { option: Some(2), ..Respond::default() };
    for respond in [respond, by_option] {
        let mut done = Progress::default();
        let (first, second) = (shown("permission"), shown("always"));
        let asked = prompt(&first);
        let mut press = |reading: &Reading| opencode().driver().press(&asked, &respond, reading, &mut done).unwrap();
        assert_eq!(press(&first), Press::Keys(vec!["Right".to_owned(), "Enter".to_owned()]));
        assert_eq!(press(&second), Press::Keys(vec!["Enter".to_owned()]));
        assert_eq!(press(&shown("working")), Press::Done);
    }
}
