//! Sessions that the hub starts, ends and goes on with: real Claude Code, under a coop that outlives the hub.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use coop_testkit::agent::Hooks;
use coop_testkit::{Agent, Kind, Meeting, Options, Scenario, TestHub};
use serde_json::{Value, json};

const SCENARIO: &str = "
user: hello
  wait: seen
  say: Hi there.
user: again
  say: Back again.
";

/// Ends what runs under coop, whatever became of the test.
struct Ends(TestHub);

impl Drop for Ends {
    fn drop(&mut self) {
        let listed = self.0.coop(&["ls", "--json"]);
        let all: Value = serde_json::from_slice(&listed.stdout).unwrap_or_default();
        let all = all["sessions"].as_array().or_else(|| all.as_array()).cloned().unwrap_or_default();
        for name in all.iter().filter_map(|session| session["name"].as_str()) {
            drop(self.0.coop(&["stop", name]));
        }
    }
}

/// A `claude` that is the one of the bench, and what finds it.
fn in_path(agent: &Agent) -> BTreeMap<String, String> {
    let folder = agent.home.join("bin");
    std::fs::create_dir(&folder).unwrap();
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let words = std::iter::once(&agent.command.program).chain(&agent.command.args);
    let words: Vec<String> = words.map(|word| quote(&word.to_string_lossy())).collect();
    let script = folder.join("claude");
    std::fs::write(&script, format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "))).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
    let env = agent.command.env.iter().map(|(name, value)| (text(name), text(value)));
    let mut env: BTreeMap<String, String> = env.filter(|(name, _)| !name.starts_with("COOP")).collect();
    let path = env.get("PATH").cloned().unwrap_or_default();
    env.insert("PATH".into(), format!("{}:{path}", folder.display()));
    env
}

#[test]
fn a_session_is_started_ended_and_gone_on_with() {
    let meeting = Meeting::default();
    let options = Options { hooks: Hooks::None, env: vec![meeting.env()], ..Options::default() };
    let scenario = Scenario::parse("started", SCENARIO).unwrap();
    let agent = Agent::launch(Kind::Claude, "2.1.325", scenario, &options).unwrap();
    let env = in_path(&agent);
    let mut ends = Ends(TestHub::start(meeting, &agent.home, &[]));
    let hub = &ends.0;
    let new = json!({ "agent": "claude", "cwd": agent.project, "env": env, "name": "started" });
    let started = hub.post("/api/v1/sessions", &new).unwrap();
    assert_eq!((&started["control"], &started["agent"]), (&json!("owned"), &json!("claude")), "{started:#}");
    let id = started["id"].clone();
    let idle = |hub: &TestHub, what: &str| {
        hub.session(what, |session| session["id"] == id && session["state"] == "idle" && session["control"] == "owned")
    };
    let says = |hub: &TestHub, message: &str, words: &str| {
        let nudge = json!({ "message": message, "wait": "turn_end", "timeout_secs": 60 });
        let said = hub.post(&format!("/api/v1/sessions/{id}/agent/nudge"), &nudge).unwrap();
        assert_eq!(said["last_message"], words, "{said:#}");
    };
    idle(hub, "its start");
    hub.post(&format!("/api/v1/sessions/{id}/agent/nudge"), &json!({ "message": "hello" })).unwrap();
    hub.session("its work", |session| session["id"] == id && session["state"] == "working");
    agent.model.signal("seen");
    hub.session("its words", |session| session["state"] == "idle" && session["last_message"] == "Hi there.");
    let twice = hub.post("/api/v1/sessions", &new).unwrap_err().to_string();
    assert!(twice.contains("already"), "{twice}");
    assert!(
        hub.post(&format!("/api/v1/sessions/{id}/resume"), &json!({})).unwrap_err().to_string().contains("not ended")
    );

    // It is beside the hub, and not below it.
    ends.0.crash();
    let hub = &ends.0;
    idle(hub, "that it goes on without the hub");
    // What it did before that is on its timeline, from its start on.
    let told = hub.json(&format!("/api/v1/sessions/{id}/timeline"));
    let states: Vec<&str> =
        told["moments"].as_array().unwrap().iter().filter_map(|one| one["state"].as_str()).collect();
    assert!(states.contains(&"working") && states.first() != Some(&"idle"), "{told:#}");
    hub.does(&["session", "end", &id.to_string()]);
    hub.session("its end", |session| session["id"] == id && session["control"] == "cold");

    let resumed = hub.post(&format!("/api/v1/sessions/{id}/resume"), &json!({ "env": env })).unwrap();
    assert_eq!((&resumed["control"], &resumed["id"]), (&json!("owned"), &id), "{resumed:#}");
    idle(hub, "that it is back");
    says(hub, "again", "Back again.");
    let conversation = hub.json(&format!("/api/v1/sessions/{id}/conversation"));
    assert!(conversation.to_string().contains("Hi there."), "it goes on: {conversation:#}");
    hub.does(&["session", "end", &id.to_string()]);
    hub.session("its end", |session| session["id"] == id && session["control"] == "cold");
}

#[test]
fn what_cannot_be_started_says_why() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let refused = |new: Value| hub.post("/api/v1/sessions", &new).unwrap_err().to_string();
    let nowhere = json!({ "PATH": home.path() });
    let said = refused(json!({ "agent": "claude", "cwd": home.path(), "env": nowhere }));
    assert!(said.contains("did not start") && said.contains("claude"), "{said}");
    assert!(refused(json!({ "agent": "sh", "cwd": "/" })).contains("no agent"));
    assert!(refused(json!({ "agent": "claude", "cwd": "x" })).contains("`cwd`"));
    let output = hub.coop(&["session", "end", "7"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("no session `7`"));
}
