//! `claude -p`: no dialogs and no composer, only JSON on its standard output.

use coop_testkit::Options;

use crate::{VERSIONS, begin};

#[test]
fn states_come_from_its_output() {
    for version in VERSIONS {
        for groom in ["auto", "pristine"] {
            let args = ["-p", "--output-format", "stream-json", "--verbose", "hello"].map(str::to_owned).to_vec();
            let options = Options { args, ..Options::default() };
            let scenario = "user: hello\n  bash: echo seen\nresult: seen\n  say: Hi there.\n";
            let mut driven = begin(version, scenario, &["--groom", groom, "--linger"], options);
            let state = driven.state("exited");
            assert_eq!(state["last_message"], "Hi there.", "{state}");
            driven.session.event("state_change", |event| event["next"] == "exited");
            let states: Vec<String> = (driven.session.timed_events().iter())
                .filter(|(_, event)| event["type"] == "state_change")
                .map(|(_, event)| event["next"].as_str().unwrap_or_default().to_owned())
                .collect();
            assert_eq!(states, ["working", "idle", "exited"], "{groom}: {}", driven.session);
            driven.session.finish();
        }
    }
}
