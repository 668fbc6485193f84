//! What the Gemini CLI asks before it starts. No hook tells, and its title says Ready.

use coop_testkit::{Dialog, Options};

use super::Gemini;

const SCENARIO: &str = "user: hello\n  say: Hi there.\n";

#[track_caller]
fn asks(dialog: Dialog, text: &str) -> Gemini {
    let gemini = Gemini::launch(SCENARIO, &Options { dialog: Some(dialog), ..Options::default() });
    gemini.shows(text);
    gemini.title("says Ready", |title| title.contains("Ready"));
    assert!(gemini.sight().hooks.is_empty());
    gemini
}

#[test]
fn trust() {
    let gemini = asks(Dialog::Trust, "Do you trust the files in this folder?");
    gemini.press("1");
    // Then it may restart or go on, and hooks run from the next start on: the file tells that it was answered.
    let trusted = gemini.agent.home.join(".gemini/trustedFolders.json");
    gemini.insist("the trusted folder", "1", |_| {
        std::fs::read_to_string(&trusted).is_ok_and(|text| text.contains("TRUST_FOLDER"))
    });
}

#[test]
fn login() {
    asks(Dialog::Login, "How would you like to authenticate");
}
