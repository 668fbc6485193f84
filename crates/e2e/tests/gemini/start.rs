//! What the agent is started with, and what can be done with it.

use coop_e2e::Transport;
use serde_json::json;

use crate::{Told, begin, launch, options};

#[test]
fn what_can_be_done_is_said_truthfully() {
    for (told, gate) in [(Told::WithoutHooks, false), (Told::WithHooks, true)] {
        let mut driven = launch(told, "user: hello\n  say: Hi.\n", &[]);
        driven.turn(Transport::Http, "hello");
        let state = driven.state("idle");
        let can = &state["capabilities"];
        for (what, expected) in [
            ("nudge", true),
            ("respond_by_keys", true),
            ("respond_by_hook", false),
            ("nudge_while_working", false),
            ("interrupt", true),
            ("conversation", true),
            ("stop_gate", gate),
        ] {
            assert_eq!(can[what], expected, "{told:?} {what}: {state}");
        }
    }
}

/// The hooks of the user's settings do all that hooks of Gemini can.
#[test]
fn the_stop_gate_and_words_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.json");
    let config = json!({
        "stop": { "mode": "gate", "prompt": "not yet" },
        "start": { "text": "Always say please." },
    });
    std::fs::write(&path, config.to_string()).unwrap();
    let scenario = "user: work\n  say: I am done.\nuser: not yet\n  say: Now I am.\n";
    let coop = ["--agent-config", path.to_str().unwrap()];
    let mut driven = begin(scenario, &coop, options(Told::WithHooks, &[]));
    driven.state("idle");
    driven.nudge(Transport::Http, "work");
    let blocked = driven.session.event("stop", |event| event["blocked"] == true);
    assert_eq!(blocked["reason"], "not yet");
    driven.session.event("stop", |event| event["blocked"] == false);
    driven.session.shows("Now I am.");
    driven.state("idle");
    let told = driven.session.agent.model.requests().iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("Always say please."), "it was not told");
    driven.session.finish();
}

#[test]
fn it_ends_when_it_is_told_to() {
    let mut driven = launch(Told::WithoutHooks, "user: hello\n  say: Hi.\n", &[]);
    driven.ask(Transport::Http, &json!({ "type": "signal", "signal": "TERM" })).unwrap();
    driven.session.event("exit", |_| true);
}

/// In a home of the session's own, while conversations stay where the user has them.
#[test]
fn settings_servers_and_hooks_of_the_orchestrator() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mark) = (folder.path().join("agent.json"), folder.path().join("mcp"));
    // A server that says that it was started, and no more.
    let script = format!("touch '{}'; cat", mark.display());
    let config = json!({
        "settings": { "ui": { "hideTips": true } },
        "mcp": { "orchestra": { "command": "/bin/sh", "args": ["-c", script] } },
        "hooks": true,
    });
    std::fs::write(&path, config.to_string()).unwrap();
    let coop = ["--agent-config", path.to_str().unwrap()];
    let mut driven =
        begin("user: go\n  bash: touch x.txt\nresult\n  say: Gone.\n", &coop, options(Told::WithoutHooks, &[]));
    let own = driven.session.agent.home.join(".gemini/settings.json");
    let before = std::fs::read_to_string(&own).unwrap();
    driven.state("idle");
    driven.nudge(Transport::Http, "go");
    let prompt = driven.read_prompt("permission");
    assert_eq!(prompt["input_full"]["description"], "Run a command", "a hook told it: {prompt}");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true }));
    driven.state("idle");
    driven.session.until("the server", |_| mark.exists().then_some(()));
    assert!(!driven.session.screen().contains("Tips for getting started"), "{}", driven.session);
    driven.session.wait_json("/api/v1/conversation", "its last words", |page| page.to_string().contains("Gone."));
    let chats = driven.session.agent.home.join(".gemini/tmp/project/chats");
    assert!(std::fs::read_dir(chats).unwrap().count() == 1, "{}", driven.session);
    assert_eq!(std::fs::read_to_string(own).unwrap(), before, "the user's settings are left alone");
    driven.session.finish();
}
