//! `-p … -o stream-json`: no dialogs and no input box, only JSON on its standard output.

use crate::{Told, begin, options};

const ARGS: &[&str] = &["--approval-mode", "yolo", "-o", "stream-json", "-p"];

#[test]
fn states_come_from_its_output() {
    let scenario = "user: hello\n  bash: true\nresult\n  say: Hi there.\n";
    for without in [&[][..], &["--without", "log"]] {
        let options = options(Told::WithoutHooks, &[ARGS, &["hello"]].concat());
        let coop = [&["--linger"], without].concat();
        let mut driven = begin(scenario, &coop, options);
        let state = driven.state("exited");
        assert_eq!(state["last_message"], "Hi there.", "{state}");
        driven.session.event("state_change", |event| event["next"] == "exited");
        assert_eq!(driven.published(), ["working", "idle", "exited"], "{without:?}: {}", driven.session);
        driven.session.finish();
    }
}

#[test]
fn a_turn_that_fails() {
    let options = options(Told::WithoutHooks, &[ARGS, &["fail"]].concat());
    let mut driven = begin("user again: fail\n  error: 400 no such thing\n", &["--linger"], options);
    driven.session.event("state_change", |event| event["next"] == "exited");
    assert_eq!(driven.published(), ["working", "error", "exited"], "{}", driven.session);
}
