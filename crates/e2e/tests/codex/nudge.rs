//! Messages: each is confirmed once, or refused with a reason.

use coop_api::Code;
use coop_e2e::Transport;
use coop_e2e::driven::rounds::arrive;
use serde_json::json;

use crate::launch;

fn texts() -> Vec<String> {
    let long: String = (0..1000).map(|n| format!("word{n} ")).collect();
    vec![
        "short".into(),
        "two\nlines".into(),
        "tab\tand emoji 🦀 and ünïcödé".into(),
        "a path /tmp/x y and #tag".into(),
        "/srv/project is a folder".into(),
        "? is no shortcut here".into(),
        long.trim().into(),
        format!("{}\n{}", "x".repeat(5000), "y".repeat(5000)),
    ]
}

#[test]
fn each_message_arrives_once_and_whole() {
    let scenario = "user\n  say: Taken.\n".repeat(texts().len());
    arrive(launch(&scenario, &[], &[]), &texts(), &["log"]);
}

#[test]
fn what_cannot_be_delivered_is_refused_and_changes_nothing() {
    let scenario = "user: hold\n  say: Holding on\n  wait: go\n  say: Held.\nuser: more\n  say: More.\n";
    let mut driven = launch(scenario, &[], &[]);
    for transport in Transport::ALL {
        for message in ["", "  ", "/clear", "!ls", " !ls"] {
            let refused = driven.ask(transport, &json!({ "type": "nudge", "message": message })).unwrap_err();
            assert_eq!(refused.code, Code::BadRequest, "{message:?} over {transport:?}");
        }
    }
    driven.session.types("half a thought");
    driven.session.shows("half a thought");
    let refused = driven.ask(Transport::Http, &json!({ "type": "nudge", "message": "hold" })).unwrap_err();
    assert_eq!(refused.code, Code::DraftPresent);
    let replaced = json!({ "type": "nudge", "message": "hold", "replace_draft": true });
    let reply = driven.ask(Transport::Http, &replaced).unwrap();
    assert_eq!(reply["delivered"], true, "{reply}\n{}", driven.session);
    driven.session.shows("Holding on");
    let busy = driven.ask(Transport::Ws, &json!({ "type": "nudge", "message": "more" })).unwrap_err();
    assert_eq!(busy.code, Code::AgentBusy);
    driven.session.agent.model.signal("go");
    driven.state("idle");
    driven.nudge(Transport::Http, "more");
    driven.state("idle");
    driven.session.finish();
}

#[test]
fn a_message_and_its_turn_in_one_call() {
    let mut driven = launch("user: sum\n  say: It is four.\n", &[], &[]);
    let reply = driven.turn(Transport::Http, "sum");
    assert_eq!((&reply["state_after"], &reply["last_message"]), (&json!("idle"), &json!("It is four.")), "{reply}");
    driven.session.finish();
}

/// It cuts the answer that is under way, and goes on in the same turn.
#[test]
fn a_message_while_it_works() {
    let scenario = "user: hold\n  say: Holding on\n  wait: never\nuser: change course\n  say: Changed.\n";
    let mut driven = launch(scenario, &[], &[]);
    driven.nudge(Transport::Http, "hold");
    driven.session.shows("Holding on");
    let reply = driven.ask(Transport::Http, &json!({ "type": "nudge", "message": "change course", "when": "now" }));
    assert!(matches!(&reply, Ok(reply) if reply["delivered"] == true), "{reply:?}\n{}", driven.session);
    driven.session.shows("Changed.");
    driven.state("idle");
    driven.publishes(&["idle", "working", "idle"]);
    driven.session.finish();
}

/// Commands are typed by those who say so.
#[test]
fn the_conversation_is_shortened_and_a_new_one_begun() {
    let scenario = "
user: one
  say: The first.
user: summary
  say: We talked.
user: two
  say: The second.
user: three
  say: The third.
";
    let mut driven = launch(scenario, &[], &[]);
    driven.turn(Transport::Http, "one");
    let first = driven.state("idle")["session_id"].clone();
    assert!(first.is_string());
    let command = |text: &str| json!({ "type": "nudge", "message": text, "command": true, "timeout_secs": 30 });
    driven.ask(Transport::Http, &command("/compact")).unwrap();
    driven.session.shows("Context compacted");
    driven.state("idle");
    driven.turn(Transport::Http, "two");
    driven.publishes(&["idle", "working", "idle", "working", "idle", "working", "idle"]);
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
    let kinds: Vec<&str> = page["entries"].as_array().unwrap().iter().filter_map(|e| e["kind"].as_str()).collect();
    assert!(kinds.contains(&"compaction"), "{page}");

    // A new conversation has another log, which exists with its first message.
    driven.session.submit("/clear");
    driven.session.hides("The second.");
    driven.turn(Transport::Http, "three");
    let second = driven.state("idle")["session_id"].clone();
    assert_ne!(first, second);
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
    assert!(page.to_string().contains("The third.") && !page.to_string().contains("The first."), "{page}");
    driven.session.finish();
}
