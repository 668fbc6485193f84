//! The verbs against a session that runs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use common::proxy::Proxy;
use common::{World, reads_until};
use rustix::process::Signal;

#[test]
fn without_sessions() {
    let world = World::new();
    assert!(world.verb(&["ls"]).starts_with("No session is running."));
    assert_eq!(world.verb(&["ls", "--json"]), "[]\n");
    let done = world.run(&["screen"]);
    assert_eq!((done.code, done.stderr.lines().next()), (Some(1), Some("coop: No session is running.")));
    let done = world.run(&["screen", "nobody"]);
    assert!(done.stderr.contains("There is no session `nobody`"), "{}", done.stderr);
    let done = world.run(&["screen", "-s", "http://127.0.0.1:1"]);
    assert!(done.stderr.contains("nobody is listening"), "{}", done.stderr);
}

#[test]
fn look_type_press_and_end() {
    let world = World::new();
    let mut running = world.start(&["--cols", "80", "--rows", "24", "--", "bash", "--norc"]);
    world.shows("bash", "$");

    let list = world.verb(&["ls"]);
    let pid = running.logged_pid().to_string();
    assert!(list.lines().nth(1).unwrap().starts_with("bash  shell  running  80x24"), "{list}");
    assert!(list.contains(&pid), "{list}");

    world.verb(&["input", "echo one$((1+0))", "--enter"]);
    world.shows("bash", "\none1\n$");
    world.verb(&["keys", "Up", "Enter"]);
    world.shows("bash", "\none1\n$ echo one$((1+0))\none1\n$");
    let screen = world.verb(&["screen"]);
    assert!(screen.ends_with("one1\n$\n"), "no empty rows at the end: {screen:?}");
    let json: serde_json::Value = serde_json::from_str(&world.verb(&["screen", "bash", "--json"])).unwrap();
    assert_eq!((json["cols"].as_u64(), json["rows"].as_u64()), (Some(80), Some(24)));
    assert!(world.verb(&["screen", "--format", "svg"]).contains("<svg"));
    assert!(world.verb(&["screen", "--format", "cells"]).contains("spans"));

    world.verb(&["input", "printf '\\033[31mred\\033[m\\n'", "--enter"]);
    world.shows("bash", "\nred\n");
    assert!(world.verb(&["screen", "--format", "ansi"]).contains("31mred"));

    world.verb(&["resize", "100", "30"]);
    let json: serde_json::Value = serde_json::from_str(&world.verb(&["screen", "--json"])).unwrap();
    assert_eq!((json["cols"].as_u64(), json["rows"].as_u64()), (Some(100), Some(30)));
    assert!(world.verb(&["events"]).contains("resize            100x30"));
    let refused = world.run(&["resize", "1", "30"]);
    assert!(refused.stderr.contains("columns go from 2"), "{}", refused.stderr);

    world.verb(&[
        "input",
        "-e",
        r#"sh -c "trap 'echo interrupted; exit' INT; echo waiting; while :; do sleep 0.1; done""#,
    ]);
    world.shows("bash", "\nwaiting");
    world.verb(&["signal", "INT"]);
    world.shows("bash", "\ninterrupted");
    let refused = world.run(&["signal", "NONSENSE"]);
    assert!(refused.stderr.contains("Unknown signal"), "{}", refused.stderr);

    let status = world.verb(&["status"]);
    assert!(status.contains("state    running") && status.contains(&format!("pid      {pid}")), "{status}");
    let json: serde_json::Value = serde_json::from_str(&world.verb(&["status", "--json"])).unwrap();
    assert_eq!(json["pid"].to_string(), pid);

    world.verb(&["stop"]);
    assert_eq!(running.wait().0, Some(129));
}

#[test]
fn a_restart_keeps_the_session() {
    let world = World::new();
    let mut running = world.start(&["--linger", "--", "bash", "--norc"]);
    world.shows("bash", "$");
    let said = world.verb(&["restart", "--env", "WORD=second", "bash"]);
    assert!(said.starts_with("started again as process "), "{said}");
    world.shows("bash", "$");
    world.verb(&["input", "echo the $WORD one", "--enter"]);
    world.shows("bash", "\nthe second one\n");
    let json: serde_json::Value = serde_json::from_str(&world.verb(&["status", "--json"])).unwrap();
    assert_eq!(json["generation"], 2);
    // Also one that has exited, where coop lingers.
    world.verb(&["input", "exit 3", "--enter"]);
    running.logs("\"code\":3");
    let args = ["restart", "bash", "--json", "--", "--norc", "-c", "echo $WORD; read line"];
    let json: serde_json::Value = serde_json::from_str(&world.verb(&args)).unwrap();
    assert_eq!(json["generation"], 3, "{json}");
    world.shows("bash", "second");
    running.signal(Signal::TERM);
    assert_eq!(running.wait().0, Some(129));
}

#[test]
fn text_from_stdin_and_pastes() {
    let world = World::new();
    let _running = world.start(&["--", "sh", "-c", "stty -echo; printf '\\033[?2004hready'; cat -v"]);
    world.shows("sh", "ready");
    let mut child = world.coop(&["input", "-", "--paste", "--enter"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"from stdin").unwrap();
    assert!(child.wait().unwrap().success());
    world.shows("sh", "^[[200~from stdin^[[201~");
}

#[test]
fn keys_by_name() {
    let world = World::new();
    let list = world.verb(&["keys", "--list"]);
    assert!(list.contains("Enter  Return") && list.contains("F24") && list.contains("Ctrl  Control"), "{list}");
    let done = world.run(&["keys", "Entre"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("did you mean \"Enter\"?"), "{}", done.stderr);
}

#[test]
fn output_is_followed_to_its_end() {
    let world = World::new();
    let mut running = world.start(&["--", "sh", "-c", "echo first; read line; seq 1 5000; exit 2"]);
    world.shows("sh", "first");
    let mut follower = world.coop(&["output", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = follower.stdout.take().unwrap();
    let mut got = reads_until(&mut stdout, "first\r\n");
    world.verb(&["input", "go", "--enter"]);
    stdout.read_to_string(&mut got).unwrap();
    assert!(follower.wait().unwrap().success());
    let numbers: String = (1..=5000).map(|n| format!("{n}\r\n")).collect();
    assert_eq!(got, format!("first\r\ngo\r\n{numbers}"));
    assert_eq!(running.wait().0, Some(2));
}

#[test]
fn output_goes_on_after_a_lost_connection() {
    let world = World::new();
    let script = "stty -echo; echo ready; while read n; do seq $n $((n+999)); done";
    let args = ["--ring-size", "10000000", "--port", "0", "--", "sh", "-c", script];
    let mut running = world.start(&args);
    world.shows("sh", "ready");
    let proxy = Proxy::to(&running.logged_url());
    let mut follower = world.coop(&["output", "--follow", &proxy.url()]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = follower.stdout.take().unwrap();
    reads_until(&mut stdout, "ready\r\n");
    let mut expected = String::new();
    for n in (1..20_000).step_by(1000) {
        proxy.cut();
        world.verb(&["input", "--enter", &n.to_string()]);
        proxy.open();
        let numbers: String = (n..n + 1000).map(|n| format!("{n}\r\n")).collect();
        expected.push_str(&numbers);
    }
    let mut got = vec![0; expected.len()];
    stdout.read_exact(&mut got).unwrap();
    assert!(got == expected.as_bytes(), "something is missing or twice");
    world.verb(&["stop"]);
    running.wait();
    assert_eq!(follower.wait().unwrap().code(), Some(0), "told that it is over");
}

#[test]
fn output_that_is_kept_and_output_that_is_not() {
    let world = World::new();
    let args = ["--ring-size", "4096", "--linger", "--", "sh", "-c", "seq 10000 12000"];
    let mut running = world.start(&args);
    running.logs("has exited");
    let all = world.run(&["output"]);
    assert_eq!(all.stdout.len(), 4096);
    assert!(all.stdout.ends_with("12000\r\n"));
    let total = 2001 * 7;
    let from_start = world.run(&["output", "--offset", "0"]);
    assert!(from_start.stderr.contains(&format!("{} bytes of output are no longer kept", total - 4096)));
    assert_eq!(world.verb(&["output", "--follow", "--offset", &(total - 7).to_string()]), "12000\r\n");
}

#[test]
fn events_are_followed_to_the_exit() {
    let world = World::new();
    let _running = world.start(&["--", "sh", "-c", "printf '\\033]2;hello\\007'; read line; exit 6"]);
    let mut follower = world.coop(&["events", "--follow", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = follower.stdout.take().unwrap();
    let mut text = reads_until(&mut stdout, "hello\"}\n");
    world.verb(&["resize", "81", "25"]);
    world.verb(&["input", "go", "--enter"]);
    stdout.read_to_string(&mut text).unwrap();
    assert!(follower.wait().unwrap().success());
    let events: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["start", "title", "resize", "exit"], "{text}");
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4], "each once");
    assert_eq!(events[3]["code"], 6);
}

#[test]
fn stop_waits_and_can_kill() {
    let world = World::new();
    let deaf = "trap '' HUP; echo ready; while :; do sleep 1; done";
    let mut running = world.start(&["--shutdown-timeout", "1000", "--", "sh", "-c", deaf]);
    world.shows("sh", "ready");
    world.verb(&["stop", "--no-wait"]);
    assert!(world.verb(&["events"]).contains("coop stop"));
    world.verb(&["stop", "--now"]);
    assert_eq!(running.wait().0, Some(137));
}

#[test]
fn several_sessions_must_be_told_apart() {
    let world = World::new();
    let _one = world.start(&["--name", "one", "--", "cat"]);
    let _two = world.start(&["--name", "two", "--port", "0", "--", "cat"]);
    let done = world.run(&["screen"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("Running: one, two"), "{}", done.stderr);
    let socket = world.socket("one").display().to_string();
    for session in ["one", &socket, &format!("unix:{socket}")] {
        assert!(world.verb(&["status", session]).contains("name     one"));
        assert!(world.verb(&["status", "-s", session]).contains("name     one"));
    }
    let mut by_variable = world.coop(&["status"]);
    by_variable.env("COOP_SESSION", "two");
    assert!(common::finish(by_variable).stdout.contains("name     two"));
}

#[test]
fn the_dead_are_not_listed() {
    let world = World::new();
    let mut running = world.start(&["--", "cat"]);
    running.signal(Signal::KILL);
    running.wait();
    assert!(world.socket("cat").exists(), "left behind");
    assert!(world.verb(&["ls"]).starts_with("No session is running."));
    assert!(!world.socket("cat").exists());
}

#[test]
fn settings_for_a_sidecar_do_not_disturb_verbs() {
    let world = World::new();
    let mut command = world.coop(&["ls"]);
    command.env("COOP_PORT", "tcp://10.0.0.1:8080").env("COOP_SOCKET", "/x").env("COOP_SESSION", "");
    let done = common::finish(command);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let world = World::new();
    let done = common::finish(world.command("bash", &["-c", "set -o pipefail; coop schema | head -1"]));
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(0), "{\n", ""));
}

#[test]
fn what_is_made_from_the_definition() {
    let world = World::new();
    let schema: serde_json::Value = serde_json::from_str(&world.verb(&["schema"])).unwrap();
    assert!(schema["paths"]["/api/v1/screen"].is_object());
    assert!(world.verb(&["completions", "bash"]).contains("--grpc-port"));
    assert!(world.verb(&["man"]).contains(".SH"));
    assert!(world.verb(&["man", "attach"]).contains("take\\-over"));
    let tokens = [world.verb(&["token"]), world.verb(&["token"])];
    assert!(tokens[0] != tokens[1] && tokens[0].trim().len() == 64);
}

/// Every flag and variable of the documents coop was made from.
#[test]
fn the_help_names_everything() {
    let world = World::new();
    let mut command = world.coop(&["--help"]);
    command.env("COOP_AUTH_TOKEN", "s3cret");
    let help = common::finish(command).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for flag in [
        "--port",
        "--socket",
        "--host",
        "--grpc-port",
        "--port-grpc",
        "--auth-token",
        "--agent",
        "--agent-config",
        "--idle-grace",
        "--attach",
        "--cols",
        "--rows",
        "--ring-size",
        "--term",
        "--health-port",
        "--port-health",
        "--idle-timeout",
        "--log-format",
        "--log-level",
        "--resume",
        "--groom",
        "--name",
        "--linger",
        "--shutdown-timeout",
        "--scrollback",
        "--auth-token-file",
        "--allow-host",
        "--allow-origin",
        "--input-rate",
        "--cwd",
        "--welcome",
    ] {
        assert!(help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}]")), "{flag} is missing:\n{help}");
    }
    for variable in [
        "COOP_PORT",
        "COOP_SOCKET",
        "COOP_HOST",
        "COOP_GRPC_PORT",
        "COOP_AUTH_TOKEN",
        "COOP_AGENT",
        "COOP_AGENT_CONFIG",
        "COOP_IDLE_GRACE",
        "COOP_ATTACH",
        "COOP_COLS",
        "COOP_ROWS",
        "COOP_RING_SIZE",
        "COOP_HEALTH_PORT",
        "COOP_IDLE_TIMEOUT",
        "COOP_LOG_FORMAT",
        "COOP_LOG_LEVEL",
        "TERM",
    ] {
        assert!(help.contains(&format!("[env: {variable}]")), "{variable} is missing:\n{help}");
    }
    assert!(!help.contains("s3cret"));
}

#[test]
fn a_program_that_is_no_agent() {
    let world = World::new();
    let _running = world.start(&["--", "sh", "-c", "echo ready; cat"]);
    world.shows("sh", "ready");
    let state = world.verb(&["state"]);
    assert!(state.contains("state    unknown"), "{state}");
    let json: serde_json::Value = serde_json::from_str(&world.verb(&["state", "sh", "--json"])).unwrap();
    assert_eq!((&json["state"], &json["prompt"]), (&"unknown".into(), &serde_json::Value::Null));
    assert_eq!(world.verb(&["wait", "idle", "unknown"]), "unknown\n");
    assert_eq!(world.run(&["wait", "idle", "--timeout", "0"]).code, Some(3), "the time is over");
    assert_eq!(world.run(&["wait", "asleep"]).code, Some(2), "no such state");
    for line in [
        &["explain"][..],
        &["nudge", "hello"],
        &["nudge", "--wait", "--when", "now", "--command", "/clear"],
        &["respond", "--accept", "--scope", "session"],
        &["respond", "--deny", "--text", "no"],
        &["respond", "--option", "2"],
        &["interrupt"],
        &["conversation"],
        &["transcripts"],
        &["transcripts", "1"],
        &["send", "{}"],
    ] {
        let done = world.run(line);
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{line:?}");
        assert!(done.stderr.starts_with("coop: There is no driver for this program."), "{line:?}: {}", done.stderr);
    }
    for line in [
        &["respond"][..],
        &["respond", "--accept", "--deny"],
        &["respond", "--option", "0"],
        &["respond", "--deny", "--scope", "session"],
        &["nudge", "--when", "later", "x"],
        &["send", "done"],
        &["hook"],
        &["hook", "Stop", "now"],
    ] {
        assert_eq!(world.run(line).code, Some(2), "{line:?}");
    }
}

#[test]
fn watching_ends_with_the_program() {
    let world = World::new();
    let mut running = world.start(&["--", "sh", "-c", "echo ready; cat"]);
    world.shows("sh", "ready");
    let mut watching = world.coop(&["state", "--watch"]).stdout(Stdio::piped()).spawn().unwrap();
    reads_until(watching.stdout.as_mut().unwrap(), "state    unknown\n");
    world.verb(&["stop"]);
    assert_eq!(watching.wait().unwrap().code(), Some(0));
    assert_eq!(running.wait().0, Some(129));
}
