//! No wrong state is ever published, and the right one soon: `make accuracy` says how soon, with each source switched off.

use std::time::Duration;

use coop_e2e::Transport;
use coop_e2e::accuracy::measure;

use crate::{VERSIONS, launch};

#[test]
fn published_states_are_the_truth() {
    for version in VERSIONS {
        let measured = measure(version, "");
        assert!(measured.wrong.is_empty(), "{measured}");
        for kind in ["working", "prompt", "idle", "interrupt"] {
            assert!(measured.count(kind) > 0, "{kind} was never timed: {measured}");
            // The bound itself is measured by `make accuracy` on a quiet machine; here only that no timer had to help.
            let slowest = measured.percentile(kind, 100).unwrap();
            assert!(slowest < Duration::from_secs(2), "{kind} took {slowest:?}: {measured}");
        }
    }
}

/// Each hook is a process that the agent has to start, and it reads more often than it does anything else.
#[test]
fn tools_that_only_read_cost_no_hook() {
    let scenario = "user: look\n  read: README.md\nresult\n  bash: echo seen\nresult: seen\n  say: Done.\n";
    for version in VERSIONS {
        let mut driven = launch(version, scenario, &[]);
        let reply = driven.turn(Transport::Http, "look");
        assert_eq!(reply["last_message"], "Done.", "{reply}");
        driven.session.event("hook", |event| event["event"] == "PostToolUse");
        let hooks: Vec<String> = (driven.session.timed_events().iter())
            .filter(|(_, event)| event["type"] == "hook" && event["tool"].is_string())
            .map(|(_, event)| format!("{} {}", event["event"], event["tool"]).replace('"', ""))
            .collect();
        assert_eq!(hooks, ["PreToolUse Bash", "PostToolUse Bash"], "{}", driven.session);
        driven.publishes(&["idle", "working", "idle"]);
        driven.session.finish();
    }
}
