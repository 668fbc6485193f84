//! A conversation that goes on after coop and the agent were ended.

use coop_e2e::{Driven, Transport};
use coop_testkit::Options;
use serde_json::json;

use crate::{VERSIONS, launch};

const SCENARIO: &str = "
user: one
  say: The first.
user: two
  say: The second.
user: summary
  say: <summary>We counted.</summary>
user: three
  say: The third.
user: four
  say: The fourth.
user: summary
  say: <summary>We counted on.</summary>
";

#[track_caller]
fn compact(driven: &mut Driven, number: u64) {
    let command = json!({ "type": "nudge", "message": "/compact", "command": true, "timeout_secs": 30 });
    driven.ask(Transport::Http, &command).unwrap();
    let saved = driven.session.event("transcript:saved", |_| true);
    assert_eq!(saved["number"], number, "{saved}");
    driven.session.hook("PostCompact");
    driven.state("idle");
}

#[test]
fn the_latest_conversation_goes_on() {
    for version in VERSIONS {
        let mut driven = launch(version, SCENARIO, &[]);
        for message in ["one", "two"] {
            driven.nudge(Transport::Http, message);
            driven.state("idle");
        }
        compact(&mut driven, 1);
        let id = driven.state("idle")["session_id"].clone();

        let options = Options { coop: ["--resume", "latest"].map(str::to_owned).to_vec(), ..Options::default() };
        let mut driven = Driven::of(driven.session.relaunch(&options));
        let state = driven.state("idle");
        assert_eq!(state["session_id"], id, "{state}");
        // What the log says of the time before is no state of this process.
        let states: Vec<String> = (driven.session.timed_events().iter())
            .filter(|(_, event)| event["type"] == "state_change")
            .map(|(_, event)| event["next"].as_str().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(states, ["idle"], "{}", driven.session);
        let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
        assert!(page.to_string().contains("The second."), "{page}");
        for message in ["three", "four"] {
            driven.nudge(Transport::Http, message);
            driven.state("idle");
        }
        assert_eq!(driven.state("idle")["session_id"], id);
        compact(&mut driven, 2);
        driven.session.finish();
    }
}

#[test]
fn there_is_nothing_to_resume_in_a_new_folder() {
    coop_e2e::driven::rounds::nothing_to_resume("claude", "CLAUDE_CONFIG_DIR");
}
