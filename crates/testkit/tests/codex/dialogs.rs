//! What Codex asks before it starts. It reports nothing until it is answered.

use coop_testkit::agent::Hooks;
use coop_testkit::{Dialog, Options};

use super::Codex;

const SCENARIO: &str = "user: hello\n  say: Hi there.\n";

/// Waits for a dialog, and checks that nothing else tells of it.
#[track_caller]
fn asks(dialog: Dialog, text: &str) -> Codex {
    let hooks = if dialog == Dialog::HooksReview { Hooks::Record } else { Hooks::None };
    let codex = Codex::launch(SCENARIO, &Options { dialog: Some(dialog), hooks, ..Options::default() });
    codex.shows(text);
    // A key that comes as soon as it is painted makes it exit: "timed out discarding buffered terminal input".
    std::thread::sleep(std::time::Duration::from_secs(1)); // tidy: nothing tells when it is ready
    let sight = codex.sight();
    assert_eq!((sight.hook_names(), sight.states()), (vec![], vec![]));
    codex
}

#[track_caller]
fn goes_on(mut codex: Codex) {
    codex.ready();
    codex.submit("hello");
    codex.status("done");
    codex.0.finish();
}

#[test]
fn trust() {
    let codex = asks(Dialog::Trust, "Trust this folder?");
    codex.answer("Enter", "Trust this folder?");
    goes_on(codex);
}

#[test]
fn login() {
    asks(Dialog::Login, "Sign in with ChatGPT");
}

#[test]
fn hooks_review() {
    let codex = asks(Dialog::HooksReview, "Hooks need review");
    codex.press("2");
    codex.insist("the option chosen", "2", |sight| sight.screen.contains("› 2."));
    codex.answer("Enter", "Hooks need review");
    goes_on(codex);
}

#[test]
fn model_migration() {
    let codex = asks(Dialog::ModelMigration, "Meet GPT-6 Sol");
    codex.answer("2", "Meet GPT-6 Sol");
    goes_on(codex);
}
