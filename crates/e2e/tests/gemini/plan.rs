//! Plans.

use coop_api::Code;
use coop_e2e::Transport;
use coop_e2e::driven::meanings;
use serde_json::json;

use crate::{Told, launch, result};

const PLANS: &str = "
user: plan it
  plan: # Long plan
      | 1. Think
      | 2. Do
result: shorter, please
  plan: # Short plan
      | 1. Do
result: approved
  say: Implemented.
";

fn plans(told: Told) {
    let mut driven = launch(told, PLANS, &["--approval-mode", "plan"]);
    driven.nudge(Transport::Http, "plan it");
    let prompt = driven.read_prompt("plan");
    assert!(prompt["summary"].as_str().is_some_and(|plan| plan.contains("1. Think")), "{prompt}\n{}", driven.session);
    assert_eq!(meanings(&prompt), ["allow_session", "allow", "deny_with_text"], "{prompt}");
    for unfit in [json!({ "accept": true, "scope": "session" }), json!({ "option": 3 })] {
        let mut request = unfit;
        request["type"] = "respond".into();
        assert_eq!(driven.ask(Transport::Http, &request).unwrap_err().code, Code::BadRequest, "{request}");
    }
    driven.respond_by_keys(Transport::Ws, json!({ "accept": false, "text": "shorter, please" }));
    let second = driven.session.wait_json("/api/v1/agent/state", "the second plan", |state| {
        let asked = &state["prompt"];
        asked["ready"] == true && asked["summary"].as_str().is_some_and(|plan| plan.contains("Short plan"))
    });
    assert_ne!(second["prompt"]["prompt_id"], prompt["prompt_id"]);
    driven.respond_by_keys(Transport::Grpc, json!({ "accept": true }));
    driven.state("idle");
    driven.session.shows("Implemented.");
    result(&driven, "that approves the plan", |result| result.contains("approved"));
    let expected = ["idle", "working", "prompt", "working", "prompt", "working", "idle"];
    assert_eq!(driven.published(), expected, "{}", driven.session);
    driven.session.finish();
}

#[test]
fn a_plan_is_sent_back_with_words_and_approved() {
    plans(Told::WithHooks);
}

#[test]
fn a_plan_without_hooks() {
    plans(Told::WithoutHooks);
}
