//! What the agent is told at its start and when it wants to stop, and what is kept when it shortens its conversation.

use coop_e2e::Transport;
use serde_json::json;

use crate::launch;

#[test]
fn the_stop_gate_holds_until_it_is_resolved() {
    let scenario = "
user: work
  say: I am done.
user: not yet
  say: Now I am done.
user: again
  say: Done at once.
";
    let mut driven = launch("2.1.325", scenario, &[]);
    let config = json!({ "type": "stop_config", "mode": "gate", "prompt": "not yet: check the tests" });
    driven.ask(Transport::Http, &config).unwrap();
    driven.nudge(Transport::Http, "work");
    let blocked = driven.session.event("stop", |event| event["blocked"] == true);
    assert_eq!(blocked["reason"], "not yet: check the tests");
    driven.session.event("stop", |event| event["blocked"] == false);
    driven.state("idle");
    driven.session.shows("Now I am done.");
    driven.ask(Transport::Ws, &json!({ "type": "stop_resolve", "body": { "status": "done" } })).unwrap();
    driven.nudge(Transport::Http, "again");
    driven.session.event("stop", |event| event["blocked"] == false);
    driven.state("idle");
    driven.session.finish();
}
