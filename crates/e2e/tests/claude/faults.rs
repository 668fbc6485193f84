//! What coop hears of an agent breaks: the agent works on as if nobody had listened, and what is published is right
//! again within the bound.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use coop_e2e::{Driven, Transport};
use serde_json::{Value, json};

use crate::{VERSIONS, launch, log_files};

/// Within this, what is published is right again, whatever broke.
const RECOVERY: Duration = Duration::from_secs(12);

const SCENARIO: &str = "
user: first
  say: Heard.
user: ask
  bash: touch made.txt
result
  say: Made.
user: last
  say: Bye.
";

/// A process that was told where coop listens: the agent, or one of its hooks.
struct Told {
    pid: String,
    command: Vec<String>,
    env: HashMap<String, String>,
}

fn told(socket: &Path) -> Vec<Told> {
    let split = |bytes: Vec<u8>| -> Vec<String> {
        bytes.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
    };
    let processes = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let read = |name: &str| fs::read(entry.path().join(name)).ok().map(split);
        let env = read("environ")?.into_iter().filter_map(|line| {
            let (name, value) = line.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        let pid = entry.file_name().to_string_lossy().into_owned();
        Some(Told { pid, command: read("cmdline")?, env: env.collect() })
    });
    processes.filter(|process| process.env.get("COOP_SOCKET").is_some_and(|path| Path::new(path) == socket)).collect()
}

/// Where hooks leave what they cannot tell.
fn spool(driven: &Driven) -> PathBuf {
    let told = told(&driven.session.socket);
    told.iter().find_map(|process| process.env.get("COOP_SPOOL")).expect("an agent with a spool").into()
}

/// The states that were published, without the start.
fn published(driven: &Driven) -> Vec<String> {
    let events = driven.session.timed_events().into_iter().map(|(_, event)| event);
    let changes = events.filter(|event| event["type"] == "state_change" && event["prev"] != "starting");
    changes.map(|event| event["next"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Waits until this is what was published since the start.
#[track_caller]
pub(crate) fn publishes(driven: &Driven, states: &[&str]) {
    driven.session.until(&format!("states {states:?}"), |_| (published(driven) == states).then_some(()));
}

#[test]
fn a_hook_that_is_killed_while_it_waits_leaves_the_prompt_to_keys() {
    for version in VERSIONS {
        let mut driven = launch(version, SCENARIO, &[]);
        driven.session.limit = RECOVERY;
        driven.nudge(Transport::Ws, "first");
        driven.state("idle");
        driven.nudge(Transport::Ws, "ask");
        driven.prompt("permission");
        let by_hook = |driven: &Driven, how: bool| {
            let what = format!("a prompt with by_hook {how}");
            driven.session.wait_json("/api/v1/agent/state", &what, |state| state["prompt"]["by_hook"] == how);
        };
        by_hook(&driven, true);
        let parked = |process: &Told| process.command.iter().any(|word| word == "PermissionRequest");
        let hook = driven.session.until("a hook that waits", |session| told(&session.socket).into_iter().find(parked));
        assert!(Command::new("kill").args(["-9", &hook.pid]).status().unwrap().success());
        by_hook(&driven, false);
        let reply = driven.respond(Transport::Ws, json!({ "accept": true }));
        assert_eq!(reply["via"], "keys", "{reply}");
        driven.state("idle");
        assert!(driven.session.agent.project.join("made.txt").exists());
        driven.nudge(Transport::Ws, "last");
        publishes(&driven, &["working", "idle", "working", "prompt", "working", "idle", "working", "idle"]);
        driven.session.finish();
    }
}

/// Hooks leave a note; without even that, the agent's own files say what happened.
#[test]
fn without_a_socket_the_state_is_right_and_prompts_are_answered_by_keys() {
    for (version, with_spool) in [("2.1.197", true), ("2.1.325", true), ("2.1.197", false), ("2.1.325", false)] {
        let mut driven = launch(version, SCENARIO, &[]);
        driven.session.limit = RECOVERY;
        let (socket, away) = (driven.session.socket.clone(), driven.session.socket.with_extension("away"));
        if !with_spool {
            // As on a disk that is full: nothing can be written to it.
            fs::create_dir(spool(&driven)).unwrap();
        }
        fs::rename(&socket, &away).unwrap();
        driven.nudge(Transport::Ws, "first");
        publishes(&driven, &["working", "idle"]);
        driven.nudge(Transport::Ws, "ask");
        publishes(&driven, &["working", "idle", "working", "prompt"]);
        let reply = driven.respond(Transport::Ws, json!({ "accept": true }));
        assert_eq!(reply["via"], "keys", "{reply}");
        publishes(&driven, &["working", "idle", "working", "prompt", "working", "idle"]);
        assert!(driven.session.agent.project.join("made.txt").exists());
        fs::rename(&away, &socket).unwrap();
        let reply = driven.nudge(Transport::Http, "last");
        assert_eq!(reply["receipt"]["how"], "hook", "{reply}");
        driven.state("idle");
        driven.session.finish();
    }
}

#[test]
fn files_of_other_processes_in_the_registry_say_nothing() {
    for version in VERSIONS {
        let mut driven = launch(version, SCENARIO, &["--without", "hook,report"]);
        driven.session.limit = RECOVERY;
        let folder = driven.session.agent.home.join(".claude/sessions");
        // It is not written at once, nor in one piece.
        let (own, entry, since) = driven.session.until("its file in the registry", |_| {
            let mut paths = fs::read_dir(&folder).ok()?.flatten().map(|entry| entry.path());
            let own = paths.find(|path| path.extension() == Some("json".as_ref()))?;
            let entry: Value = serde_json::from_slice(&fs::read(&own).ok()?).ok()?;
            let since = entry["statusUpdatedAt"].as_u64()?;
            Some((own, entry, since))
        });
        let lie = |pid: u32, start: &str| {
            let mut lie = entry.clone();
            lie["pid"] = pid.into();
            lie["status"] = "busy".into();
            lie["procStart"] = start.into();
            lie["sessionId"] = "00000000-0000-4000-8000-000000000000".into();
            lie["statusUpdatedAt"] = (since + 60_000).into();
            lie.to_string()
        };
        // One of another process, one of a process that is gone, and its own number from before it was given again.
        fs::write(folder.join(format!("{}.json", std::process::id())), lie(std::process::id(), "1")).unwrap();
        fs::write(folder.join("4194304.json"), lie(4_194_304, "1")).unwrap();
        fs::write(&own, lie(driven.session.pid(), "1")).unwrap();
        driven.nudge(Transport::Ws, "first");
        publishes(&driven, &["working", "idle"]);
        driven.nudge(Transport::Ws, "ask");
        publishes(&driven, &["working", "idle", "working", "prompt"]);
        driven.respond(Transport::Ws, json!({ "accept": true }));
        driven.nudge_when_idle("last");
        publishes(&driven, &["working", "idle", "working", "prompt", "working", "idle", "working", "idle"]);
        driven.session.finish();
    }
}

/// The line that follows is one with it, and lost.
#[test]
fn a_torn_line_and_a_huge_one_in_the_log_lose_themselves_only() {
    for version in VERSIONS {
        let mut driven = launch(version, SCENARIO, &["--without", "hook,report"]);
        driven.session.limit = RECOVERY;
        driven.nudge(Transport::Ws, "first");
        publishes(&driven, &["working", "idle"]);
        let log = log_files(&driven).pop().expect("a log");
        let mut file = fs::OpenOptions::new().append(true).open(log).unwrap();
        file.write_all(format!("{{\"type\":\"user\",\"x\":\"{}\"}}\n", "x".repeat(11 << 20)).as_bytes()).unwrap();
        file.write_all(b"{\"type\":\"user\",\"message\":{\"content\":\"to").unwrap();
        driven.session.submit("ask");
        publishes(&driven, &["working", "idle", "working", "prompt"]);
        driven.respond(Transport::Ws, json!({ "accept": true }));
        driven.nudge_when_idle("last");
        publishes(&driven, &["working", "idle", "working", "prompt", "working", "idle", "working", "idle"]);
        driven.session.finish();
    }
}
