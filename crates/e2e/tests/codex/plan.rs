//! Plans: its report says that it is done, and the screen that it asks.

use coop_api::Code;
use coop_e2e::Transport;
use coop_e2e::driven::meanings;
use coop_e2e::driven::talks::codex_plan_mode;
use serde_json::json;

use crate::launch;

const PLANS: &str = "
user: hello
  say: Hi there.
user: plan it
  plan: # Long plan
      | 1. Think
      | 2. Do
user: shorter, please
  plan: # Short plan
      | 1. Do
user: Implement the plan
  say: Implemented.
";

#[test]
fn a_plan_is_sent_back_with_words_and_approved() {
    let mut driven = launch(PLANS, &[], &[]);
    driven.turn(Transport::Http, "hello");
    codex_plan_mode(&driven);
    driven.nudge(Transport::Http, "plan it");
    driven.read_prompt("plan");
    let asked = driven.session.wait_json("/api/v1/agent/state", "the text of the plan", |state| {
        state["prompt"]["summary"].as_str().is_some_and(|plan| plan.contains("1. Think"))
    });
    let prompt = asked["prompt"].clone();
    assert_eq!(meanings(&prompt), ["allow", "answer", "deny"], "{prompt}");
    for unfit in [json!({ "accept": true, "scope": "session" }), json!({ "accept": false, "text": "/clear" })] {
        let mut request = unfit;
        request["type"] = "respond".into();
        assert_eq!(driven.ask(Transport::Http, &request).unwrap_err().code, Code::BadRequest, "{request}");
    }
    let busy = driven.ask(Transport::Http, &json!({ "type": "nudge", "message": "shorter" })).unwrap_err();
    assert_eq!(busy.code, Code::AgentBusy, "the dialog would take the words");

    driven.respond_by_keys(Transport::Ws, json!({ "accept": false, "text": "shorter, please" }));
    let second = driven.session.wait_json("/api/v1/agent/state", "the second plan", |state| {
        let asked = &state["prompt"];
        asked["ready"] == true && asked["summary"].as_str().is_some_and(|plan| plan.contains("Short plan"))
    });
    assert_ne!(second["prompt"]["prompt_id"], prompt["prompt_id"]);
    driven.respond_by_keys(Transport::Grpc, json!({ "accept": true }));
    driven.state("idle");
    driven.session.shows("Implemented.");
    let expected = ["idle", "working", "idle", "working", "prompt", "idle", "working", "prompt", "working", "idle"];
    driven.publishes(&expected);
    driven.session.finish();
}

/// A key in the dialog makes it report that it is idle.
#[test]
fn keys_in_the_dialog_do_not_end_it() {
    let scenario = "user: hello\n  say: Hi there.\nuser: plan it\n  plan: # A plan\n";
    let mut driven = launch(scenario, &[], &[]);
    driven.turn(Transport::Http, "hello");
    codex_plan_mode(&driven);
    driven.nudge(Transport::Http, "plan it");
    driven.read_prompt("plan");
    driven.session.press("Down");
    driven.session.reported("idle");
    driven.session.shows("› 2.");
    // Whoever answers by number moves nothing.
    driven.respond_by_keys(Transport::Http, json!({ "option": 3 }));
    driven.state("idle");
    driven.publishes(&["idle", "working", "idle", "working", "prompt", "idle"]);
    driven.session.finish();
}
