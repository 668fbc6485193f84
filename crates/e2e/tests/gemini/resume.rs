//! A conversation that goes on under another coop.

use coop_e2e::{Driven, Transport};
use coop_testkit::Options;
use serde_json::json;

use crate::{Told, launch, options};

const SCENARIO: &str = "
user: one
  say: The first.
user: two
  say: The second.
user: three
  say: The third.
";

#[test]
fn the_latest_conversation_goes_on() {
    let mut driven = launch(Told::WithoutHooks, SCENARIO, &[]);
    for message in ["one", "two"] {
        driven.turn(Transport::Http, message);
    }
    let id = driven.state("idle")["session_id"].clone();
    let coop = ["--resume", "latest"].map(str::to_owned).to_vec();
    let options = Options { coop, ..options(Told::WithoutHooks, &[]) };
    let mut driven = Driven::of(driven.session.relaunch(&options));
    let state = driven.state("idle");
    assert_eq!(state["session_id"], id, "{state}");
    // What the log says of the time before is no state of this process.
    assert_eq!(driven.published(), ["idle"], "{}", driven.session);
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
    assert!(page.to_string().contains("The second."), "{page}");
    let reply = driven.turn(Transport::Http, "three");
    assert_eq!(reply["last_message"], "The third.", "{reply}");
    assert_eq!(driven.state("idle")["session_id"], id);
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
    assert_eq!(page.to_string().matches("The second.").count(), 1, "{page:#}");
    assert!(page.to_string().contains("The third."), "{page}");
    driven.session.finish();
}

#[test]
fn there_is_nothing_to_resume_in_a_new_folder() {
    coop_e2e::driven::rounds::nothing_to_resume("gemini", "GEMINI_CLI_HOME");
}
