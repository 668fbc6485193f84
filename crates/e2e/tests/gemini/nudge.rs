//! Messages: each is confirmed once, or refused with a reason.

use coop_api::Code;
use coop_e2e::Transport;
use coop_e2e::driven::rounds::arrive;
use serde_json::json;

use crate::{Told, launch};

fn texts() -> Vec<String> {
    let long: String = (0..1000).map(|n| format!("word{n} ")).collect();
    vec![
        "short".into(),
        "two\nlines".into(),
        "tab\tand emoji 🦀 and ünïcödé".into(),
        "a path /tmp/x y and #tag".into(),
        "!ls is no command here".into(),
        "? is no shortcut here".into(),
        "it ends with a \\".into(),
        long.trim().into(),
        format!("{}\n{}", "x".repeat(4000), "y".repeat(4000)),
    ]
}

fn arrives(told: Told, receipts: &[&str]) {
    let scenario = "user\n  say: Taken.\n".repeat(texts().len());
    arrive(launch(told, &scenario, &[]), &texts(), receipts);
}

#[test]
fn each_message_arrives_once_and_whole() {
    arrives(Told::WithoutHooks, &["log"]);
}

#[test]
fn each_message_arrives_once_and_whole_with_hooks() {
    arrives(Told::WithHooks, &["hook", "log"]);
}

#[test]
fn what_cannot_be_delivered_is_refused_and_changes_nothing() {
    let mut driven =
        launch(Told::WithoutHooks, "user: hold\n  wait: go\n  say: Held.\nuser: more\n  say: Done.\n", &[]);
    for transport in Transport::ALL {
        for message in ["", "  ", "/clear"] {
            let refused = driven.ask(transport, &json!({ "type": "nudge", "message": message })).unwrap_err();
            assert_eq!(refused.code, Code::BadRequest, "{message:?} over {transport:?}");
        }
    }
    driven.session.types("half a thought");
    driven.session.shows("half a thought");
    let refused = driven.ask(Transport::Http, &json!({ "type": "nudge", "message": "hold" })).unwrap_err();
    assert_eq!(refused.code, Code::DraftPresent);
    let replace = json!({ "type": "nudge", "message": "hold", "replace_draft": true });
    let reply = driven.ask(Transport::Http, &replace).unwrap();
    assert_eq!(reply["delivered"], true, "{reply}\n{}", driven.session);
    let busy = driven.ask(Transport::Ws, &json!({ "type": "nudge", "message": "more" })).unwrap_err();
    assert_eq!(busy.code, Code::AgentBusy);
    // Whoever waits for it to be idle is queued by coop, so that the message is known to arrive.
    driven.session.agent.model.signal("go");
    let later = driven.ask(Transport::Grpc, &json!({ "type": "nudge", "message": "more", "when": "idle" })).unwrap();
    assert_eq!(later["delivered"], true, "{later}");
    driven.state("idle");
    driven.session.finish();
}

#[test]
fn a_message_and_its_turn_in_one_call() {
    let scenario = "user: sum\n  say: Let me see.\n  bash: true\nresult\n  say: It is four.\n";
    for told in [Told::WithoutHooks, Told::WithHooks] {
        let mut driven = launch(told, scenario, &["--approval-mode", "yolo"]);
        let reply = driven.turn(Transport::Http, "sum");
        assert_eq!((&reply["state_after"], &reply["last_message"]), (&json!("idle"), &json!("It is four.")), "{reply}");
        driven.session.finish();
    }
}
