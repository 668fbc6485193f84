//! What Claude Code asks before it starts. No hook fires and nothing is registered until it is answered.

use coop_testkit::{Dialog, Options};

use super::Claude;

const SCENARIO: &str = "user: hello\n  say: Hi there.\n";

fn asks(version: &str, dialog: Dialog) -> Claude {
    Claude::launch(version, SCENARIO, &Options { dialog: Some(dialog), ..Options::default() })
}

#[track_caller]
fn is_silent(claude: &Claude) {
    let sight = claude.sight();
    assert_eq!((sight.hook_names(), sight.states()), (vec![], vec![]));
    assert!(claude.registry().is_null());
}

pub(super) fn trust(version: &str) {
    let mut claude = asks(version, Dialog::Trust);
    claude.shows("Yes, I trust this folder");
    is_silent(&claude);
    choose(&claude, "Yes, I trust this folder", "Down");
    claude.hook("SessionStart");
    claude.submit("hello");
    claude.hook("Stop");
    claude.bench.finish();
}

pub(super) fn api_key(version: &str) {
    let mut claude = asks(version, Dialog::ApiKey);
    claude.shows("Detected a custom API key");
    is_silent(&claude);
    choose(&claude, "Yes", "Up");
    claude.hook("SessionStart");
    claude.submit("hello");
    claude.hook("Stop");
    claude.bench.finish();
}

/// Where options have no numbers they take no digits, and the first is not always Yes.
fn choose(claude: &Claude, option: &str, towards: &str) {
    let is_chosen =
        |screen: &str| screen.lines().any(|line| line.trim_start().starts_with('❯') && line.contains(option));
    claude.insist("the option chosen", towards, |sight| is_chosen(&sight.screen));
    claude.answer("Enter", option);
}

/// A home without a past begins with the look of the terminal.
pub(super) fn login(version: &str) {
    let claude = asks(version, Dialog::Login);
    claude.shows("Choose the text style");
    is_silent(&claude);
}
