//! The web app in a real browser, against a real hub with the real Claude Code: what a person does on a phone and at a
//! desk. The steps are in `web/test`; here is what they meet.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use coop_testkit::agent::Hooks;
use coop_testkit::{Agent, Coop, Kind, Meeting, Options, Scenario, TestHub, coop};
use serde_json::{Value, json};

const VERSION: &str = "2.1.325";

/// An agent under coop, and a hub with a port beside it.
struct Stage {
    // The agent ends first.
    _sidecar: Coop,
    agent: Agent,
    hub: TestHub,
    session: u64,
}

impl Stage {
    #[track_caller]
    fn set(scenario: &str, args: &[&str]) -> Self {
        let meeting = Meeting::default();
        let args = args.iter().map(ToString::to_string).collect();
        let options = Options { hooks: Hooks::None, env: vec![meeting.env()], args, ..Options::default() };
        let scenario = Scenario::parse("web", scenario).unwrap();
        let agent = Agent::launch(Kind::Claude, VERSION, scenario, &options).unwrap();
        let settings = agent.home.join(".config/coop");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("config.toml"), SETTINGS).unwrap();
        in_path(&agent);
        std::fs::copy(web().join("public/icon-192.png"), agent.project.join("picture.png")).unwrap();
        let hub = TestHub::start(meeting, &agent.home, &["--port", "0"]);
        let mut command = Command::new(coop::binary());
        let env = agent.command.env.iter().map(|(name, value)| (name, value));
        command.args(["--agent", "claude", "--shutdown-timeout", "1", "--cwd"]).arg(&agent.project).arg("--");
        command.arg(&agent.command.program).args(&agent.command.args).env_clear().envs(env);
        let sidecar = Coop::run(command);
        let session =
            hub.session("an owned session", |session| session["control"] == "owned" && session["state"] == "idle");
        Self { _sidecar: sidecar, agent, session: session["id"].as_u64().unwrap(), hub }
    }

    /// Runs one of the scripts of `web/test`. It says itself what went wrong.
    #[track_caller]
    fn plays(&self, script: &str) {
        let url = format!("http://127.0.0.1:{}", self.hub.port().unwrap());
        let told = json!({ "url": url, "session": self.session, "project": self.agent.project });
        play(script, &self.hub, &self.agent.home, told);
    }
}

#[track_caller]
fn play(script: &str, hub: &TestHub, home: &Path, mut told: Value) {
    let web = web();
    told["coop"] = json!(coop::binary());
    let (name, value) = hub.meeting.env();
    let mut command = Command::new("node");
    command.arg(web.join("test").join(script)).current_dir(&web);
    command.env("HOME", home).env(name, value).env("COOP_STAGE", told.to_string());
    let status = command.status().expect("node, which https://nodejs.org has");
    assert!(status.success(), "web/test/{script} failed; what it saw is above");
}

impl Drop for Stage {
    /// Sessions that were started from the app outlive the hub.
    fn drop(&mut self) {
        let listed = self.hub.coop(&["ls", "--json"]);
        let all: Value = serde_json::from_slice(&listed.stdout).unwrap_or_default();
        let all = all["sessions"].as_array().or_else(|| all.as_array()).cloned().unwrap_or_default();
        for name in all.iter().filter_map(|session| session["name"].as_str()) {
            drop(self.hub.coop(&["stop", name]));
        }
    }
}

/// A `claude` that the hub finds and that is the one of the bench, with all that it needs.
fn in_path(agent: &Agent) {
    let quote = |text: &OsStr| format!("'{}'", text.to_string_lossy().replace('\'', "'\\''"));
    let fine = |name: &OsStr| !name.to_string_lossy().starts_with("COOP") && name != "PATH";
    let env = agent.command.env.iter().filter(|(name, _)| fine(name));
    let env: String =
        env.map(|(name, value)| format!("export {}={}\n", name.to_string_lossy(), quote(value))).collect();
    let words = std::iter::once(&agent.command.program).chain(&agent.command.args);
    let words: Vec<String> = words.map(|word| quote(word)).collect();
    let folder = agent.home.join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("claude");
    std::fs::write(&script, format!("#!/bin/sh\n{env}exec {} \"$@\"\n", words.join(" "))).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn web() -> PathBuf {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    assert!(web.join("node_modules").is_dir(), "the web app is not built: run `make web`");
    web.canonicalize().unwrap()
}

/// A command that keeps what it is told, and a push service on this machine.
const SETTINGS: &str =
    "[notify]\npush_services = ['127.0.0.1']\ncommand = ['sh', '-c', 'cat >> ~/told.jsonl; echo >> ~/told.jsonl']\n";

/// Whatever is asked, answered by taps.
const ASKED: &str = include_str!("asked.txt");

#[test]
fn what_is_asked_is_answered_by_taps() {
    let stage = Stage::set(ASKED, &[]);
    stage.plays("asked.mjs");
    for (file, made) in [("allowed.txt", true), ("denied.txt", false), ("typed.txt", true)] {
        assert_eq!(stage.agent.project.join(file).exists(), made, "{file}");
    }
}

/// Agents are hooks that are called by hand: what counts is which of them is answered.
#[test]
fn taps_in_the_dead_time_answer_nothing() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let url = format!("http://127.0.0.1:{}", hub.port().unwrap());
    play("double.mjs", &hub, home.path(), json!({ "url": url }));
}

/// What is said, read and typed, on good lines and bad ones.
const TALK: &str = include_str!("talk.txt");

#[test]
fn a_session_is_followed_and_driven() {
    // What hides in a text would hide in the file too.
    let talk = TALK.replace("{ESC}", "\u{1b}").replace("{RLO}", "\u{202e}").replace("{ZWSP}", "\u{200b}");
    Stage::set(&talk, &["--permission-mode", "acceptEdits"]).plays("talk.mjs");
}

#[test]
fn people_are_told_where_they_are() {
    Stage::set(ASKED, &[]).plays("push.mjs");
}

#[test]
fn the_app_over_tls() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0", "--tls"]);
    let (name, value) = hub.meeting.env();
    let mut command = Command::new(coop::binary());
    command.env("HOME", home.path()).env(name, value);
    command.args(["--name", "shell", "--", "sh", "-c", "echo hello over TLS; exec cat"]);
    let _sidecar = Coop::run(command);
    let session = hub.session("a session", |session| session["control"] == "owned");
    let url = format!("https://127.0.0.1:{}", hub.port().unwrap());
    play("tls.mjs", &hub, home.path(), json!({ "url": url, "session": session["id"] }));
}

/// A shell that says when it works and when it rests.
const PROMPT: [(&str, &str); 2] = [("PS1", r"\[\e]133;D;$?\a\e]133;A\a\]$ \[\e]133;B\a\]"), ("PS0", r"\e]133;C\a")];

#[test]
fn recordings_are_played() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let (name, value) = hub.meeting.env();
    let mut command = Command::new(coop::binary());
    let project = home.path().join("project");
    std::fs::create_dir(&project).unwrap();
    command.current_dir(project).env("HOME", home.path()).env(name, value).envs(PROMPT);
    command.args(["--name", "shell", "--cols", "80", "--rows", "24", "--port", "0", "--", "bash", "--norc"]);
    let sidecar = Coop::run(command);
    let session = hub.session("a shell", |session| session["control"] == "owned" && session["state"] == "idle");
    let address = sidecar.log_so_far.lines().find_map(|line| line.split_once("http://")?.1.split('"').next());
    let url = format!("http://127.0.0.1:{}", hub.port().unwrap());
    let alone = format!("http://{}", address.expect("it says where it listens"));
    play("recording.mjs", &hub, home.path(), json!({ "url": url, "session": session["id"], "alone": alone }));
}
