//! `coop -- COMMAND`: how it starts, what it refuses, how it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use common::{LIMIT, World, alive_in_group, finish, reads_until, shows, start};
use coop_api::client::Client;
use rustix::process::Signal;

#[test]
fn a_program_that_cannot_be_executed_is_one_sentence() {
    let world = World::new();
    let done = world.run(&["--", "no-such-command"]);
    assert_eq!(done.code, Some(127));
    assert_eq!(done.stderr, "coop: `no-such-command` was not found: install it, or give the full path of it.\n");
    assert_eq!(done.stdout, "");
    assert!(!world.socket("no-such-command").exists());
}

#[test]
fn exit_codes_pass_through() {
    let world = World::new();
    for (args, code) in [
        (&["--", "sh", "-c", "exit 7"][..], 7),
        (&["--", "true"], 0),
        (&["--", "sh", "-c", "kill -9 $$"], 137),
        (&["--", "echo x | cat; exit 4"], 4),
        (&["--socket", "none", "--port", "0", "--", "false"], 1),
        (&["--cwd", "/no/such/folder", "--", "true"], 1),
        (&[], 2),
        (&["true"], 2),
        (&["--port", "x", "--", "true"], 2),
        (&["--socket", "none", "--", "true"], 2),
        (&["--cols", "1", "--", "true"], 2),
        (&["--name", "a/b", "--", "true"], 2),
        (&["--help"], 0),
        (&["--version"], 0),
    ] {
        let done = world.run(args);
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.stderr);
    }
}

#[test]
fn a_program_without_dashes_is_explained() {
    let done = World::new().run(&["claude"]);
    assert!(done.stderr.ends_with("To run a program, put it after two dashes: coop -- claude\n"), "{}", done.stderr);
}

#[test]
fn a_signal_ends_a_shell_and_coop_with_it() {
    for signal in [Signal::TERM, Signal::HUP] {
        let world = World::new();
        let mut running = world.start(&["--", "bash", "--norc", "-i"]);
        world.shows("bash", "$");
        let group = running.logged_pid();
        let asked = Instant::now();
        running.signal(signal);
        let (code, _) = running.wait();
        assert_eq!(code, Some(129), "bash was hung up, not killed");
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
        assert_eq!(alive_in_group(group), Vec::<String>::new());
        assert!(!world.socket("bash").exists());
    }
}

const DEAF: &str = "trap '' HUP; (trap '' HUP; sleep 1000) & echo ready; while :; do sleep 1; done";

#[test]
fn a_deaf_program_is_killed_with_all_that_belongs_to_it() {
    let world = World::new();
    let mut running = world.start(&["--shutdown-timeout", "1", "--", "sh", "-c", DEAF]);
    world.shows("sh", "ready");
    let group = running.logged_pid();
    let asked = Instant::now();
    running.signal(Signal::TERM);
    assert_eq!(running.wait().0, Some(137));
    assert!(asked.elapsed() > Duration::from_secs(1), "it had its time");
    let deadline = Instant::now() + LIMIT;
    while let left = alive_in_group(group)
        && !left.is_empty()
    {
        assert!(Instant::now() < deadline, "still there: {left:?}");
    }
}

#[test]
fn a_second_signal_does_not_wait() {
    let world = World::new();
    let mut running = world.start(&["--shutdown-timeout", "1000", "--", "sh", "-c", DEAF]);
    world.shows("sh", "ready");
    running.signal(Signal::TERM);
    running.logs("SIGTERM");
    running.signal(Signal::INT);
    assert_eq!(running.wait().0, Some(137));
}

#[test]
fn signals_we_were_told_to_ignore_are_ignored() {
    let world = World::new();
    // As `nohup` would; and with SIGCHLD ignored, nobody could ask how the program ended.
    let script = "trap '' HUP CHLD; exec coop -- sh -c 'echo ready; read line; exit 5'";
    let mut running = start(world.command("sh", &["-c", script]));
    world.shows("sh", "ready");
    running.signal(Signal::HUP);
    world.verb(&["input", "--enter", "go on"]);
    let (code, log) = running.wait();
    assert_eq!(code, Some(5), "{log}");
    assert!(!log.contains("SIGHUP"), "{log}");
}

#[test]
fn a_file_in_place_of_the_socket_is_left_alone() {
    let world = World::new();
    let path = world.path().join("precious.sock");
    std::fs::write(&path, "precious").unwrap();
    let done = world.run(&["--socket", path.to_str().unwrap(), "--", "true"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("precious.sock exists and is not a socket"), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn a_path_that_is_too_long_is_explained() {
    let world = World::new();
    let path = world.path().join("x".repeat(120));
    let done = world.run(&["--socket", path.to_str().unwrap(), "--", "true"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("too long"), "{}", done.stderr);
}

#[test]
fn a_port_in_use_is_named_with_its_flag() {
    let world = World::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for flag in ["--port", "--grpc-port", "--health-port"] {
        let done = world.run(&[flag, &port, "--", "touch", "started"]);
        assert_eq!(done.code, Some(1));
        assert!(done.stderr.contains(&format!("Port {port} on 127.0.0.1 is in use")), "{}", done.stderr);
        assert!(done.stderr.contains(&format!("with {flag}")), "{}", done.stderr);
    }
}

#[test]
fn other_machines_need_a_token() {
    let world = World::new();
    let args = ["--host", "0.0.0.0", "--port", "0", "--", "true"];
    let refused = world.run(&args);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("needs a token") && refused.stderr.contains("coop token"), "{}", refused.stderr);
    let with_token = |token: &str| {
        let mut command = world.coop(&args);
        command.env("COOP_AUTH_TOKEN", token);
        finish(command).code
    };
    assert_eq!(with_token(""), Some(2), "an empty one is none");
    assert_eq!(with_token("secret"), Some(0));
}

#[test]
fn names_are_numbered() {
    let world = World::new();
    let _first = world.start(&["--", "bash", "--norc"]);
    let mut second = world.start(&["--", "/bin/bash", "--norc"]);
    assert!(world.socket("bash").exists() && world.socket("bash-2").exists());
    let taken = world.run(&["--name", "bash", "--", "true"]);
    assert!(taken.stderr.contains("`bash` is already running"), "{}", taken.stderr);
    second.signal(Signal::TERM);
    second.wait();
    let _third = world.start(&["--", "bash", "--norc"]);
    assert!(world.socket("bash-2").exists(), "free again");
}

#[test]
fn those_that_start_at_once_get_names_of_their_own() {
    let world = World::new();
    let mut starting: Vec<_> = (0..6).map(|_| common::spawn(world.coop(&["--", "cat"]))).collect();
    let names: BTreeSet<String> = starting
        .iter_mut()
        .map(|running| {
            let line: serde_json::Value = serde_json::from_str(&running.logs("the program has started")).unwrap();
            line["name"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(names.len(), 6);
    let list = world.verb(&["ls"]);
    assert!(names.iter().all(|name| list.contains(name)), "each can be reached: {list}");
}

#[test]
fn the_token_is_needed_and_stays_with_coop() {
    let world = World::new();
    let file = world.path().join("token");
    std::fs::write(&file, "s3cret\n").unwrap();
    let args = ["--auth-token-file", file.to_str().unwrap(), "--", "sh", "-c", "env; echo done; cat"];
    let mut running = world.start(&args);
    let refused = world.run(&["status"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("COOP_AUTH_TOKEN"), "{}", refused.stderr);
    assert!(world.verb(&["ls"]).contains("needs a token"));
    let screen = world.verb(&["screen", "--token", "s3cret", "--scrollback", "100"]);
    assert!(!screen.contains("s3cret") && !screen.contains("COOP_AUTH_TOKEN"), "{screen}");
    running.signal(Signal::TERM);
    assert!(!running.wait().1.contains("s3cret"), "nor is it logged");
}

#[test]
fn the_program_knows_its_session_and_nothing_else() {
    let world = World::new();
    let mut command =
        world.coop(&["--port", "0", "--", "sh", "-c", "env | grep -E '^(COOP|TERM)' | sort; echo done; cat"]);
    command.envs([("COOP_COLS", "123"), ("COOP_AUTH_TOKEN", "s3cret"), ("TERM", "dumb"), ("COOP_LOG_LEVEL", "info")]);
    let mut running = start(command);
    let url = running.logged_url();
    let client = Client::new(url.parse().unwrap(), Some("s3cret".into()));
    let screen = shows(&client, "done");
    let lines: Vec<&str> = screen.lines().take_while(|line| *line != "done").collect();
    let socket = format!("COOP_SOCKET={}", world.socket("sh").display());
    let (hook_token, others): (Vec<&str>, Vec<&str>) =
        lines.iter().partition(|line| line.starts_with("COOP_HOOK_TOKEN="));
    assert_eq!(others, ["COOP=1", "COOP_INSIDE_AGENT=sh", &socket, &format!("COOP_URL={url}"), "TERM=xterm-256color"]);
    assert_eq!(hook_token.len(), 1, "its hooks have a token of their own");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let health = runtime.block_on(client.health()).unwrap();
    assert_eq!(health.terminal.unwrap().cols, 123, "a setting from the environment");
}

#[test]
fn a_coop_inside_a_coop_is_a_session_of_its_own() {
    let world = World::new();
    let inner = "COOP_PORT=1 coop -- sh -c 'echo inner is $COOP_SOCKET; coop status; cat'";
    let _outer = world.start(&["--name", "outer", "--", "sh", "-c", inner]);
    let screen = world.shows("outer", "the program has started");
    assert!(screen.contains("use flags instead of COOP_PORT"), "{screen}");
    let screen = world.shows("sh", "clients");
    assert!(screen.contains(&format!("inner is {}", world.socket("sh").display())), "{screen}");
    assert!(screen.contains("name     sh"), "verbs inside are about the session they are in: {screen}");
    assert_eq!(world.run(&["screen"]).code, Some(2), "outside, there are two");
}

#[test]
fn a_signal_ends_also_what_would_linger() {
    let world = World::new();
    let mut running = world.start(&["--linger", "--", "sh", "-c", "echo ready; read line"]);
    world.shows("sh", "ready");
    running.signal(Signal::TERM);
    assert_eq!(running.wait().0, Some(129));
}

#[test]
fn what_lingers_can_still_be_looked_at() {
    let world = World::new();
    let mut running = world.start(&["--linger", "--", "sh", "-c", "echo last words; exit 3"]);
    running.logs("has exited");
    assert!(world.verb(&["screen"]).contains("last words"));
    assert!(world.verb(&["ls"]).contains("exited (3)"));
    running.signal(Signal::TERM);
    assert_eq!(running.wait().0, Some(3));
}

#[test]
fn an_idle_session_ends() {
    let done = World::new().run(&["--idle-timeout", "0.3", "--", "cat"]);
    assert_eq!(done.code, Some(129), "{}", done.stderr);
}

#[test]
fn no_flag_is_silently_ignored() {
    let world = World::new();
    let config = world.path().join("config.json");
    std::fs::write(&config, "{}").unwrap();
    let config = config.to_str().unwrap();
    let done = world.run(&["--groom", "manual", "--idle-grace", "5", "--agent-config", config, "--", "true"]);
    assert_eq!(done.code, Some(0));
    assert!(done.stderr.contains("--agent-config, --idle-grace, --groom has no effect"), "{}", done.stderr);
    for (args, says) in [
        (["--attach", "tmux:x"], "it goes without a command"),
        (["--resume", "x"], "--resume needs an agent that coop knows"),
        (["--agent-config", "/no/such/file"], "cannot be read"),
        (["--agent-config", common::COOP], "is not JSON"),
        (["--log-level", "a=b=c"], "is no log level"),
    ] {
        let done = world.run(&[&args[..], &["--", "true"]].concat());
        assert_eq!(done.code, Some(2), "{args:?}");
        assert!(done.stderr.contains(says), "{args:?}: {}", done.stderr);
    }
}

#[test]
fn the_agent_is_known_by_its_name() {
    let world = World::new();
    let agent = world.path().join("codex");
    std::fs::write(&agent, "#!/bin/sh\ncat\n").unwrap();
    std::fs::set_permissions(&agent, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let _known = world.start(&["--", agent.to_str().unwrap()]);
    // Arguments for the agent may be added, so it must be a program that takes some.
    let other = world.path().join("other");
    std::fs::copy(&agent, &other).unwrap();
    let _told = world.start(&["--agent", "gemini", "--", other.to_str().unwrap()]);
    let list = world.verb(&["ls"]);
    assert!(list.contains("codex  codex ") && list.contains("other  gemini "), "{list}");
}

#[test]
fn the_welcome_can_be_copied() {
    let world = World::new();
    let mut running = world.start(&["--welcome", "--", "bash", "--norc"]);
    let text = reads_until(running.stdout.as_mut().unwrap(), "Ctrl-C here");
    let value = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap().trim().to_owned();
    let (url, token) = (value("address"), value("token"));
    assert_eq!(token.len(), 64);
    assert!(text.contains(&format!("curl -H 'Authorization: Bearer {token}' {url}/api/v1/screen/text")));
    let typed = text.lines().find(|line| line.contains(" input ")).unwrap();
    let done = finish(world.command("sh", &["-c", typed]));
    assert_eq!(done.code, Some(0), "{typed}: {}", done.stderr);
    shows(&Client::new(url.parse().unwrap(), Some(token)), "\nhello");
}
