//! What the agent is started with: `--agent-config`, the environment, and what it may say from inside.

use std::path::PathBuf;

use coop_e2e::{Driven, Transport};
use coop_testkit::{Options, coop};
use serde_json::{Value, json};

use crate::{VERSIONS, launch, launch_with, result};

/// A session with this `--agent-config`.
#[track_caller]
fn configured(version: &str, scenario: &str, config: &Value, coop: &[&str]) -> (Driven, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.json");
    std::fs::write(&path, config.to_string()).unwrap();
    let mut arguments = vec!["--agent-config", path.to_str().unwrap()];
    arguments.extend(coop);
    (launch_with(version, scenario, &arguments, Options::default()), folder)
}

/// What the model was told last, all of it.
fn told(driven: &Driven) -> String {
    let requests = driven.session.agent.model.requests();
    let turn = |request: &&Value| request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    requests.iter().rfind(turn).map(|request| request["messages"].to_string()).unwrap_or_default()
}

#[test]
fn what_it_is_told_at_its_start() {
    let scenario = "user: hello\n  say: Hi.\nuser: again\n  say: Hi again.\n";
    let config = json!({ "start": {
        "text": "You are agent number seven.",
        "shell": ["echo the folder has $(ls | wc -l) file"],
        "event": { "clear": { "text": "You were cleared." } },
    } });
    for version in VERSIONS {
        let (mut driven, _folder) = configured(version, scenario, &config, &[]);
        driven.nudge(Transport::Http, "hello");
        driven.state("idle");
        let first = told(&driven);
        assert!(first.contains("You are agent number seven."), "{first}");
        assert!(first.contains("the folder has 1 file"), "{first}");
        let clear = json!({ "type": "nudge", "message": "/clear", "command": true });
        driven.ask(Transport::Http, &clear).unwrap();
        driven.session.event("hook", |event| event["event"] == "SessionEnd");
        driven.session.event("hook", |event| event["event"] == "SessionStart");
        driven.session.until("the hook of the new session", |session| {
            let cleared =
                |line: &coop_testkit::HookLine| line.event == "SessionStart" && line.payload["source"] == "clear";
            session.agent.hook_lines().iter().any(cleared).then_some(())
        });
        driven.state("idle");
        driven.nudge(Transport::Http, "again");
        driven.state("idle");
        let second = told(&driven);
        assert!(second.contains("You were cleared.") && !second.contains("number seven"), "{second}");
        driven.session.finish();
    }
}

/// Each hook is a process that the agent has to start: there are none about tools that ask nothing, but for an
/// orchestrator that wants to hear of every tool.
#[test]
fn tools_cost_no_hook_unless_they_are_asked_for() {
    let scenario = "user: look\n  read: README.md\nresult\n  bash: echo seen\nresult: seen\n  say: Done.\n";
    let about_tools = |driven: &Driven| -> Vec<String> {
        let events = driven.session.timed_events();
        let hooks = events.iter().filter(|(_, event)| event["type"] == "hook" && event["tool"].is_string());
        hooks.map(|(_, event)| format!("{} {}", event["event"], event["tool"]).replace('"', "")).collect()
    };
    for (version, wanted) in VERSIONS.into_iter().flat_map(|version| [(version, false), (version, true)]) {
        let (mut driven, _folder) = configured(version, scenario, &json!({ "hooks": wanted }), &[]);
        driven.state("idle");
        let reply = driven.turn(Transport::Http, "look");
        assert_eq!(reply["last_message"], "Done.", "{reply}");
        driven.publishes(&["idle", "working", "idle"]);
        if wanted {
            driven.session.until("a hook before and after each tool", |_| {
                let mut hooks = about_tools(&driven);
                hooks.sort_unstable();
                let all = ["PostToolUse Bash", "PostToolUse Read", "PreToolUse Bash", "PreToolUse Read"];
                (hooks == all).then_some(())
            });
        } else {
            assert_eq!(about_tools(&driven), [] as [&str; 0], "{}", driven.session);
        }
        driven.session.finish();
    }
}

#[test]
fn settings_and_servers_of_the_orchestrator() {
    let scenario = "
user: go
  bash: touch ruled.txt
result
  say: Not asked.
";
    for version in VERSIONS {
        let marks = tempfile::tempdir().unwrap();
        let mark = |name: &str| marks.path().join(name);
        // A server that says that it was started, and no more.
        let server = json!({ "command": "/bin/sh", "args": ["-c", format!("touch {}; cat", mark("mcp").display())] });
        let hook = format!("cat > {}", mark("hook").display());
        let config = json!({
            "settings": {
                "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": hook }] }] },
                "permissions": { "allow": ["Bash(touch:*)"] },
                "env": { "OF_THE_ORCHESTRATOR": "yes" },
            },
            "mcp": { "orchestra": server },
        });
        let (mut driven, _folder) = configured(version, scenario, &config, &[]);
        let turn = json!({ "type": "nudge", "message": "go", "wait": "turn_end", "timeout_secs": 30 });
        let reply = driven.ask(Transport::Http, &turn).unwrap();
        assert_eq!(reply["last_message"], "Not asked.", "{reply}\n{}", driven.session);
        let states = driven.session.timed_events();
        assert!(!states.iter().any(|(_, event)| event["next"] == "prompt"), "{}", driven.session);
        let heard = std::fs::read_to_string(mark("hook")).unwrap();
        assert!(heard.contains("ruled.txt"), "{heard}");
        // Those of the user's `--settings` run beside it.
        assert!(driven.session.agent.hook_lines().iter().any(|line| line.event == "PreToolUse"));
        driven.session.until("the server", |_| mark("mcp").exists().then_some(()));
        driven.session.finish();
    }
}

#[test]
fn the_environment_of_the_agent() {
    let scenario = "
user: show
  bash: env | grep -E '^(COOP|TERM)' | sort > env.txt
result
  say: Shown.
user: pipe
  bash: printf '{\"event\":\"notification\",\"data\":{\"notification_type\":\"of_the_pipe\"}}\\n' > \"$COOP_HOOK_PIPE\"
result
  say: Written.
";
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let mut driven = launch("2.1.325", scenario, &["--port", &port]);
    for (message, last) in [("show", "Shown."), ("pipe", "Written.")] {
        driven.nudge(Transport::Http, message);
        driven.prompt("permission");
        driven.respond(Transport::Http, json!({ "accept": true }));
        driven.state("idle");
        driven.session.shows(last);
    }
    let env = std::fs::read_to_string(driven.session.agent.project.join("env.txt")).unwrap();
    let value =
        |name: &str| env.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default();
    assert_eq!((value("COOP"), value("TERM")), ("1", "xterm-256color"), "{env}");
    assert_eq!(value("COOP_URL"), format!("http://127.0.0.1:{port}"), "{env}");
    assert_eq!(PathBuf::from(value("COOP_SOCKET")), driven.session.socket, "{env}");
    assert!(!value("COOP_HOOK_PIPE").is_empty() && value("COOP_AUTH_TOKEN").is_empty(), "{env}");
    driven.session.event("hook", |event| event["event"] == "Notification");
    driven.session.finish();
}

fn scenario_of_send() -> String {
    let coop = coop::binary().display();
    format!(
        "
user: work
  say: I think I am done.
user: not yet
  bash: {coop} send '{{\"status\":\"done\"}}'
result
  say: Now it is said.
"
    )
}

#[test]
fn the_agent_may_say_itself_that_it_is_done() {
    for version in VERSIONS {
        let config = json!({
            "stop": { "mode": "auto", "prompt": "not yet" },
            "settings": { "permissions": { "allow": ["Bash"] } },
        });
        let (mut driven, _folder) = configured(version, &scenario_of_send(), &config, &[]);
        driven.nudge(Transport::Http, "work");
        let blocked = driven.session.event("stop", |event| event["blocked"] == true);
        assert!(blocked["reason"].as_str().is_some_and(|reason| reason.contains("coop send")), "{blocked}");
        driven.session.event("stop", |event| event["blocked"] == false);
        driven.state("idle");
        result(&driven, "of coop send", |result| !result.contains("may not"));
        driven.session.finish();
    }
}

#[test]
fn in_the_mode_gate_it_may_not() {
    let config = json!({
        "stop": { "mode": "gate", "prompt": "not yet" },
        "settings": { "permissions": { "allow": ["Bash"] } },
    });
    let (mut driven, _folder) = configured("2.1.325", &scenario_of_send(), &config, &[]);
    driven.nudge(Transport::Http, "work");
    let blocked = driven.session.event("stop", |event| event["blocked"] == true);
    assert_eq!(blocked["reason"], "not yet");
    result(&driven, "of coop send", |result| result.contains("may not say by itself"));
    driven.state("idle");
    driven.session.finish();
}
