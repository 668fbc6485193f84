//! A report about the real Claude Code: decided again it is what it was, and no secret is in it.

use std::process::Command;

use coop_e2e::Transport;
use coop_testkit::coop;

use crate::launch;

#[test]
fn a_report_is_decided_again_and_has_no_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (evidence, report) = (path("evidence.jsonl"), path("report.jsonl"));
    let secret = "sk-ant-api03-0123456789abcdefghij";
    let scenario = format!("user: use {secret}\n  say: I will not.\n");
    let mut driven = launch("2.1.325", &scenario, &["--record-evidence", &evidence]);
    driven.nudge(Transport::Http, &format!("use {secret}"));
    let idle = driven.state("idle");
    let home = driven.session.agent.home.to_str().unwrap().to_owned();
    let run = |args: &[&str]| {
        let output = Command::new(coop::binary()).args(args).env("HOME", &home).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {said}");
        (String::from_utf8(output.stdout).unwrap(), said)
    };
    let socket = driven.session.socket.to_str().unwrap();
    let args = ["report", "-s", socket, "--evidence", &evidence, "-o", &report];
    let (_, said) = run(&[&args[..], &["--dry-run"]].concat());
    assert!(said.contains("pieces of evidence") && said.contains("Taken out:"), "{said}");
    assert!(!std::path::Path::new(&report).exists());
    run(&args);
    let text = std::fs::read_to_string(&report).unwrap();
    let id = idle["session_id"].as_str().unwrap();
    for hidden in [secret, home.as_str(), id, "sk-scripted"] {
        assert!(!text.contains(hidden), "{hidden} is in {text}");
    }
    assert!(text.contains("use masked-"), "{text}");
    let (states, _) = run(&["replay", &report]);
    let states: Vec<&str> = states.lines().filter_map(|line| line.split(" ms  ").nth(1)).collect();
    assert_eq!(states, ["idle", "working", "idle"], "{text}");
    let (explained, _) = run(&["replay", &report, "--explain"]);
    assert!(explained.contains("believed: ") && explained.contains("→ working"), "{explained}");
    assert!(explained.contains("It was believed to be: idle"), "{explained}");
    // The same of what coop remembers by itself.
    let (own, bare) = (path("own.jsonl"), path("bare.jsonl"));
    let (_, said) = run(&["report", "-s", socket, "-o", &own]);
    assert!(said.contains("all there was"), "{said}");
    let text = std::fs::read_to_string(&own).unwrap();
    for hidden in [secret, home.as_str(), id, "sk-scripted"] {
        assert!(!text.contains(hidden), "{hidden} is in {text}");
    }
    let (states, _) = run(&["replay", &own]);
    let states: Vec<&str> = states.lines().filter_map(|line| line.split(" ms  ").nth(1)).collect();
    assert_eq!(states, ["idle", "working", "idle"], "{text}");
    let (_, said) = run(&["report", "-s", socket, "--no-evidence", "-o", &bare]);
    assert!(said.contains("cannot be replayed"), "{said}");
    let none = Command::new(coop::binary()).args(["replay", &bare]).output().unwrap();
    assert!(!none.status.success() && String::from_utf8_lossy(&none.stderr).contains("no evidence"), "{none:?}");
    driven.session.finish();
}
