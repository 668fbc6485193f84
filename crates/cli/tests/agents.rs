//! An agent that is one TOML file: written, checked, explained, and run. The agent is a shell script.
#![allow(clippy::unwrap_used, reason = "helpers of tests may")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use common::{World, finish};

/// Says what it does, one thing on the screen at a time, and goes on when a line comes through its gate.
const AGENT: &str = r#"#!/bin/sh
# Who opened the gate last may still hold it, and a read then ends without a line.
gate() { until read -r _ <"$0.gate"; do :; done; }
show() { printf '\033[2J\033[H'; printf "$@"; }
show 'ready> '
while read -r line; do
    show 'thinking\n'
    gate
    case $line in
    ask*) show 'Run it?\n  Yes  No\n'; read -r answer; show 'thinking\n'; gate ;;
    fail*) show 'Error: no network\n'; gate ;;
    esac
    show 'did %s %s\nready> ' "$line" "$answer"
done
"#;

const PAGE: &str = r#"
name = "my-agent"
title = "My Agent"
commands = ["my-agent"]
verified = false

[input]
interrupt = ["Ctrl-C"]

[timing]
idle_ms = 300

[[state]]
rule = "works"
state = "working"
any = ["thinking"]

[[state]]
rule = "failed"
state = "error"
any = ["Error:"]

[[state]]
rule = "idle"
state = "idle"
all = ["ready>"]

[[dialog]]
rule = "run"
kind = "permission"
all = ["Run it?"]
[[dialog.choice]]
label = "Yes"
keys = ["y", "Enter"]
[[dialog.choice]]
label = "No"
keys = ["n", "Enter"]

[[option]]
kind = ["permission"]
is = "Yes"
meaning = "allow"
[[option]]
kind = ["permission"]
is = "No"
meaning = "deny"
"#;

struct Fake {
    world: World,
    agent: PathBuf,
}

impl Fake {
    fn new() -> Self {
        let world = World::new();
        let agent = world.path().join("my-agent");
        fs::write(&agent, AGENT).unwrap();
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
        let gate = format!("{}.gate", agent.display());
        assert_eq!(finish(world.command("mkfifo", &[&gate])).code, Some(0));
        Self { world, agent }
    }

    /// Lets the agent go on.
    fn go_on(&self) {
        let gate = format!("echo >'{}.gate'", self.agent.display());
        assert_eq!(finish(self.world.command("timeout", &["30", "sh", "-c", &gate])).code, Some(0));
    }

    fn waits_for(&self, state: &str) {
        self.world.verb(&["wait", state, "--timeout", "60", "-s", "my-agent"]);
    }

    fn write(&self, file: &str, text: &str) -> String {
        let path = self.world.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

#[test]
fn one_file_adds_an_agent() {
    let fake = Fake::new();
    let file = fake.write(".config/coop/agents/my-agent.toml", PAGE);
    let said = fake.world.verb(&["agents", "check"]);
    assert!(said.contains(&file) && said.contains("all right, not verified"), "{said}");

    let _running = fake.world.start(&["--", fake.agent.to_str().unwrap()]);
    assert!(fake.world.verb(&["ls"]).contains("my-agent  my-agent "));
    fake.waits_for("idle");
    fake.world.verb(&["nudge", "ask me", "-s", "my-agent"]);
    fake.waits_for("working");
    fake.go_on();
    fake.waits_for("prompt");
    fake.world.verb(&["respond", "--accept", "-s", "my-agent"]);
    fake.waits_for("working");
    fake.go_on();
    fake.waits_for("idle");
    fake.world.shows("my-agent", "did ask me y");

    fake.world.verb(&["nudge", "fail now", "-s", "my-agent"]);
    fake.go_on();
    fake.waits_for("error");
    fake.go_on();
}

#[test]
fn what_is_wrong_names_file_line_and_key_and_exits_with_1() {
    let fake = Fake::new();
    let file = fake.write("pages/my-agent.toml", &PAGE.replace("state = \"error\"", "state = \"broken\""));
    let done = fake.world.run(&["agents", "check", &file]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains(&format!("{file}, line 20, `state`:")), "{done:?}");
    let done = fake.world.run(&["--agent", "nobody", "--", "true"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("There is no agent named nobody") && done.stderr.contains("opencode"), "{done:?}");
}

#[test]
fn a_screen_is_explained_and_pages_are_shown_and_listed() {
    let fake = Fake::new();
    fake.write(".config/coop/agents/my-agent.toml", PAGE);
    let screen = fake.write("asks.txt", "Run it?\n  Yes  No\n");
    let said = fake.world.verb(&["agents", "explain", "my-agent", "--screen", &screen]);
    for part in ["fits run", "state: prompt", "1. Yes (Allow, keys y Enter)"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let screen = fake.write("nothing.txt", "nothing that is known\n");
    let said = fake.world.verb(&["agents", "explain", "my-agent", "--screen", &screen]);
    assert!(said.contains("no rule fits"), "{said}");

    fake.write(".config/coop/agents/opencode.toml", "[timing]\nidle_ms = 77\n");
    let said = fake.world.verb(&["agents", "show", "opencode"]);
    assert!(said.contains("with ") && said.contains("idle_ms = 77") && said.contains("Ask anything"), "{said}");

    let mut list = fake.world.coop(&["agents", "list"]);
    list.env("PATH", format!("{}:/usr/bin:/bin", fake.world.path().display()));
    let listed = finish(list).stdout;
    let line = |name: &str| listed.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("claude").contains("driver") && line("opencode").contains("1.18.33"), "{listed}");
    assert!(line("my-agent").contains(fake.agent.to_str().unwrap()), "{listed}");
}

#[test]
fn patterns_of_the_screen_are_enough_for_an_unknown_program() {
    let fake = Fake::new();
    let screen = r#"{"screen": {"prompt": "^ready>", "working": ["^thinking"], "error": ["^Error:"]}}"#;
    let config = fake.write("config.json", screen);
    let agent = fake.agent.to_str().unwrap();
    let flags = ["--agent", "unknown", "--agent-config", &config, "--idle-grace", "0.3", "--", agent];
    let _running = fake.world.start(&flags);
    fake.waits_for("idle");
    fake.world.verb(&["nudge", "fail now", "-s", "my-agent"]);
    fake.waits_for("working");
    fake.go_on();
    fake.waits_for("error");
    fake.go_on();
}
