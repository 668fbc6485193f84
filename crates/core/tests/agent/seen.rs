//! What only the screen shows.

use super::*;

#[test]
fn what_starts_must_look_ready_all_the_time() {
    check(
        "it starts once more",
        vec![
            at(0, Screen, IDLE, "starting"),
            at(300, Screen, Fact::Looks(Look::Unclear), "starting"),
            later(900, "starting"),
            at(1000, Screen, IDLE, "starting"),
            later(1501, "idle"),
        ],
    );
}

#[test]
fn what_is_only_seen_waits() {
    check(
        "no structured source at all",
        vec![
            at(0, Screen, WORKING, "working"),
            at(1000, Screen, IDLE, "working"),
            later(5900, "working"),
            later(6100, "idle"),
            at(7000, Screen, WORKING, "working"),
            at(8000, Screen, some_dialog(), "working"),
            later(8300, "prompt"),
        ],
    );
    check(
        "it says itself that it was interrupted",
        vec![
            at(0, Screen, WORKING, "working"),
            at(1000, Screen, Fact::Looks(Look::Interrupted), "working"),
            later(1240, "working"),
            later(1260, "idle"),
            at(2000, Screen, WORKING, "working"),
            // Still on the screen for a moment after the next message.
            at(2100, Screen, Fact::Looks(Look::Interrupted), "working"),
            at(2150, Screen, WORKING, "working"),
            later(4000, "working"),
        ],
    );
    check(
        "the work was seen, and that it was interrupted, though others tell of the turn",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(100, Screen, WORKING, "working"),
            at(1000, Screen, Fact::Looks(Look::Interrupted), "working"),
            of("t1", at(1100, Log, tool_done("a"), "working")),
            later(1340, "working"),
            later(1360, "idle"),
            of("t2", at(2000, Hook, started(), "working")),
            // As it still was when the message was typed.
            at(2010, Screen, Fact::Looks(Look::Interrupted), "working"),
            later(6000, "working"),
            at(6100, Screen, WORKING, "working"),
            later(20_000, "working"),
            of("t2", at(20_100, Hook, asks("b", "ls"), "prompt")),
            at(20_200, Screen, Fact::Looks(Look::Interrupted), "prompt"),
            later(25_000, "prompt"),
        ],
    );
    check(
        "dialogs of the start are told by nobody else",
        vec![at(0, Screen, setup("theme_picker"), "prompt"), at(2000, Registry, IDLE, "idle")],
    );
    check(
        "a dialog that hooks should have told of",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(1000, Screen, some_dialog(), "working"),
            later(2900, "working"),
            later(3100, "prompt"),
        ],
    );
    check(
        "hooks have died: the screen is believed in the end",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(1000, Screen, IDLE, "working"),
            later(5900, "working"),
            later(6200, "idle"),
            at(9000, Screen, WORKING, "idle"),
            later(11_200, "working"),
        ],
    );
}
