//! What the agent is started with, and what can be done with it.

use coop_e2e::{Driven, Transport};
use serde_json::{Value, json};

use crate::{begin, launch, options};

/// A session with this `--agent-config`.
fn configured(scenario: &str, config: &Value) -> (Driven, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.json");
    std::fs::write(&path, config.to_string()).unwrap();
    let coop = ["--agent-config", path.to_str().unwrap()];
    (begin(scenario, &coop, options(&[])), folder)
}

#[test]
fn settings_and_servers_of_the_orchestrator() {
    let marks = tempfile::tempdir().unwrap();
    let mark = marks.path().join("mcp");
    // A server that says that it was started, and no more.
    let server =
        json!({ "type": "stdio", "command": "/bin/sh", "args": ["-c", format!("touch '{}'", mark.display())] });
    let config = json!({
        "settings": {
            "developer_instructions": "Always say \"please\".",
            "shell_environment_policy": { "set": { "OF_THE_ORCHESTRATOR": "yes" } },
        },
        "mcp": { "orchestra": server },
    });
    let scenario = "user: go\n  bash: test \"$OF_THE_ORCHESTRATOR\" = yes && touch ruled.txt\nresult\n  say: Gone.\n";
    let (mut driven, _folder) = configured(scenario, &config);
    driven.state("idle");
    driven.nudge(Transport::Http, "go");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true }));
    driven.state("idle");
    assert!(driven.session.agent.project.join("ruled.txt").exists(), "{}", driven.session);
    driven.session.until("the server", |_| mark.exists().then_some(()));
    let told = driven.session.agent.model.requests().iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("Always say"), "the instructions did not arrive");
    driven.session.finish();
}

#[test]
fn what_can_be_done_is_said_truthfully() {
    let driven = launch("user: hello\n  say: Hi.\n", &[], &[]);
    let state = driven.state("idle");
    let can = &state["capabilities"];
    for (what, expected) in [
        ("nudge", true),
        ("respond_by_keys", true),
        ("respond_by_hook", false),
        ("nudge_while_working", true),
        ("interrupt", true),
        ("conversation", true),
        ("stop_gate", false),
    ] {
        assert_eq!(can[what], expected, "{what}: {state}");
    }
}

/// Hooks are there on demand, and run when the user has looked at them.
#[test]
fn hooks_on_demand() {
    let config = json!({ "hooks": true, "stop": { "mode": "gate", "prompt": "not yet" } });
    let scenario = "user: work\n  say: I am done.\nuser: work\n  say: Now I am.\n";
    let (mut driven, _folder) = configured(scenario, &config);
    let prompt = driven.read_prompt("setup");
    assert_eq!(prompt["subtype"], "hooks_review", "{prompt}");
    driven.respond_by_keys(Transport::Http, json!({ "option": 2 }));
    let state = driven.state("idle");
    assert_eq!(state["capabilities"]["stop_gate"], false, "not known yet: {state}");
    driven.nudge(Transport::Http, "work");
    let blocked = driven.session.event("stop", |event| event["blocked"] == true);
    assert_eq!(blocked["reason"], "not yet");
    driven.session.event("stop", |event| event["blocked"] == false);
    driven.session.shows("Now I am.");
    let state = driven.state("idle");
    assert_eq!(
        (&state["capabilities"]["stop_gate"], &state["capabilities"]["respond_by_hook"]),
        (&json!(true), &json!(false)),
        "{state}"
    );
    driven.session.finish();
}
