//! A limit that lifts, and who tells the agent to go on.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use coop_e2e::{Driven, Transport};
use coop_testkit::Options;
use serde_json::{Value, json};

use crate::{VERSIONS, launch_with};

/// Parked until a limit lifts that is so many seconds ahead.
#[track_caller]
fn parked(version: &str, ahead: u64, rest: &str, coop: &[&str]) -> (Driven, Value) {
    let lifts = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + Duration::from_secs(ahead);
    let scenario = format!("user: work\n  error: 429 usage limit reached|{}, retry after 1s\n{rest}", lifts.as_secs());
    let options = Options { env: vec![("CLAUDE_CODE_MAX_RETRIES".into(), "0".into())], ..Options::default() };
    let mut driven = launch_with(version, &scenario, coop, options);
    driven.nudge(Transport::Http, "work");
    let state = driven.state("parked");
    assert_eq!(state["parked"]["resume_at_epoch_ms"], lifts.as_secs() * 1000, "{state}");
    (driven, state)
}

#[test]
fn it_is_told_to_go_on_when_the_limit_lifts() {
    for version in VERSIONS {
        let rest = "user: go on, please\n  say: Gone on.\n";
        let (mut driven, state) = parked(version, 12, rest, &["--resume-when-lifted=go on, please"]);
        let when = &state["parked"];
        assert_eq!(when["continues_at_epoch_ms"], when["resume_at_epoch_ms"], "{state}");
        let said = driven.session.event("lifted", |_| true);
        assert_eq!((&said["message"], &said["delivered"]), (&json!("go on, please"), &json!(true)), "{said}");
        assert_eq!(said["receipt"]["how"], "hook", "{said}");
        driven.said("Gone on.");
        driven.session.finish();
    }
}

#[test]
fn whoever_does_anything_first_has_it() {
    for version in VERSIONS {
        let rest = "user: mine\n  say: Yours.\n";
        let (mut driven, state) = parked(version, 3600, rest, &[]);
        assert_eq!(state["parked"]["continues_at_epoch_ms"], Value::Null, "off by default: {state}");
        for transport in Transport::ALL {
            let set = json!({ "type": "lifted_config", "enabled": true });
            let expected = json!({ "enabled": true, "message": "continue" });
            assert_eq!(driven.ask(transport, &set), Ok(expected.clone()), "{transport:?}");
            assert_eq!(driven.ask(transport, &json!({ "type": "lifted_config_request" })), Ok(expected));
        }
        let command = json!({ "type": "lifted_config", "enabled": true, "message": "/clear" });
        assert_eq!(driven.ask(Transport::Http, &command).unwrap_err().code, coop_api::Code::BadRequest);
        let planned = |state: &Value| state["parked"]["continues_at_epoch_ms"].is_u64();
        driven.session.wait_json("/api/v1/agent/state", "a plan", planned);
        // A key that does nothing is enough.
        driven.session.press("Escape");
        driven
            .session
            .wait_json("/api/v1/agent/state", "no plan", |state| state["state"] == "parked" && !planned(state));
        driven.nudge(Transport::Http, "mine");
        driven.said("Yours.");
        assert!(
            !driven.session.timed_events().iter().any(|(_, event)| event["type"] == "lifted"),
            "{}",
            driven.session
        );
        driven.session.finish();
    }
}
