//! `codex exec --json`: no dialogs and no composer, only JSON on its standard output.

use crate::{begin, options};

#[test]
fn states_come_from_its_output() {
    let scenario = "user: hello\n  read: README.md\nresult: demo\n  say: Hi there.\n";
    for without in [&[][..], &["--without", "log"]] {
        let options = options(&["exec", "--json", "--skip-git-repo-check", "hello"]);
        let coop = [&["--linger"], without].concat();
        let mut driven = begin(scenario, &coop, options);
        let state = driven.state("exited");
        assert_eq!(state["last_message"], "Hi there.", "{state}");
        driven.session.event("state_change", |event| event["next"] == "exited");
        driven.publishes(&["working", "idle", "exited"]);
        driven.session.finish();
    }
}

#[test]
fn a_turn_that_fails() {
    let options = options(&["exec", "--json", "--skip-git-repo-check", "fail"]);
    let scenario = "user again: fail\n  error: 400 no such thing\n";
    let mut driven = begin(scenario, &["--linger"], options);
    driven.session.event("state_change", |event| event["next"] == "exited");
    driven.publishes(&["working", "error", "exited"]);
}
