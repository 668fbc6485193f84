//! What Codex asks before it starts. It reports nothing until it is answered.

use std::time::Duration;

use coop_testkit::agent::Hooks;
use coop_testkit::{Dialog, Options};

use super::Codex;

const SCENARIO: &str = "user: hello\n  say: Hi there.\n";
/// A key that comes sooner after a dialog is painted can make it exit: "timed out discarding buffered terminal input".
const DISCARDS: Duration = Duration::from_secs(1);
/// On a busy machine even that can be too soon. It is a fault of Codex, so it is started again.
const TRIES: u32 = 3;

/// Waits for a dialog, and checks that nothing else tells of it.
#[track_caller]
fn asks(dialog: Dialog, text: &str) -> Codex {
    let hooks = if dialog == Dialog::HooksReview { Hooks::Record } else { Hooks::None };
    let codex = Codex::launch(SCENARIO, &Options { dialog: Some(dialog), hooks, ..Options::default() });
    codex.shows(text);
    std::thread::sleep(DISCARDS); // tidy: nothing tells when it is ready
    let sight = codex.sight();
    assert_eq!((sight.hook_names(), sight.states()), (vec![], vec![]));
    codex
}

/// Answers a dialog, and goes on to a turn.
#[track_caller]
fn passes(dialog: Dialog, text: &str, answer: impl Fn(&Codex)) {
    for _ in 0..TRIES {
        let mut codex = asks(dialog, text);
        answer(&codex);
        let is_ready = codex.until("the prompt, or the end", |sight| match sight.exit {
            Some(_) if sight.screen.contains("discarding buffered terminal input") => Some(false),
            _ => Codex::is_ready(sight).then_some(true),
        });
        if is_ready {
            codex.submit("hello");
            codex.status("done");
            return codex.0.finish();
        }
    }
    panic!("{dialog:?}: it has lost its input {TRIES} times");
}

#[test]
fn trust() {
    passes(Dialog::Trust, "Trust this folder?", |codex| codex.answer("Enter", "Trust this folder?"));
}

#[test]
fn login() {
    asks(Dialog::Login, "Sign in with ChatGPT");
}

#[test]
fn hooks_review() {
    passes(Dialog::HooksReview, "Hooks need review", |codex| {
        codex.press("2");
        codex.insist("the option chosen", "2", |sight| sight.screen.contains("› 2."));
        codex.answer("Enter", "Hooks need review");
    });
}

#[test]
fn model_migration() {
    passes(Dialog::ModelMigration, "Meet GPT-6 Sol", |codex| codex.answer("2", "Meet GPT-6 Sol"));
}
