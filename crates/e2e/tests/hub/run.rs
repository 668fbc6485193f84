//! `coop run`: a session and the hub that shows it. There is one hub, and a newer coop replaces an older one.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use coop_e2e::Address;
use coop_e2e::http::Call;
use coop_testkit::{Coop, Meeting, TestHub};
use serde_json::Value;

use crate::{Background, Beside};

/// A session that ends when it is dropped.
fn run(hub: &TestHub, arguments: &[&str]) -> Coop {
    let mut command: Command = hub.command();
    command.arg("run").args(["--shutdown-timeout", "1"]).args(arguments).args(["--", "sh", "-c", "read line"]);
    Coop::run(command)
}

fn owned(hub: &TestHub, name: &str) -> Value {
    hub.session(name, |session| {
        let socket = session["socket"].as_str().unwrap_or_default();
        session["control"] == "owned" && socket.ends_with(&format!("/{name}.sock"))
    })
}

/// Where there was a hub, and is none any more.
fn without_hub(home: &tempfile::TempDir) -> TestHub {
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    hub.does(&["hub", "--stop"]);
    hub
}

#[test]
fn a_session_brings_its_hub_and_there_is_one() {
    let home = tempfile::tempdir().unwrap();
    let hub = without_hub(&home);
    let alone = run(&hub, &["--no-hub", "--name", "alone"]);
    assert!(!hub.coop(&["sessions"]).status.success(), "nobody wanted a hub");
    drop(alone);

    let _background = Background(&hub);
    let sessions: Vec<Coop> = std::thread::scope(|scope| {
        let names = ["one", "two", "three"];
        let starting: Vec<_> = names.map(|name| scope.spawn(|| run(&hub, &["--name", name]))).into_iter().collect();
        starting.into_iter().map(|started| started.join().unwrap()).collect()
    });
    for name in ["one", "two", "three"] {
        owned(&hub, name);
    }
    let started = sessions.iter().filter(|session| session.log_so_far.contains("a hub was started"));
    assert_eq!(started.count(), 1, "{sessions:#?}");
    assert!(hub.does(&["hub", "--daemon"]).contains("runs already"));
    drop(sessions);
    hub.session("it outlives them", |session| session["state"] == "exited");
}

/// A process that is stopped keeps its sockets and never replies.
#[test]
fn stopped_sidecar_is_unknown_and_holds_up_no_request() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let mut command: Command = hub.command();
    command.args(["--name", "still", "--shutdown-timeout", "1", "--", "bash", "--norc"]);
    let sidecar = Coop::run(command);
    let session = hub.session("an idle shell", |session| session["state"] == "idle" && session["control"] == "owned");
    let signal = |name: &str| {
        let pid = sidecar.process.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    signal("-STOP");
    let path = format!("/api/v1/sessions/{}/screen", session["id"]);
    let refused = hub.json(&path)["error"].to_string();
    assert!(refused.contains("has not replied"), "{refused}");
    let listed = hub.does(&["ls"]);
    assert!(listed.contains("still") && listed.contains("does not reply"), "{listed}");
    hub.session("that it is unknown", |session| session["state"] == "unknown");
    signal("-CONT");
    hub.session("that it is back", |session| session["state"] == "idle" && session["control"] == "owned");
}

#[test]
fn what_coop_run_cannot_do_is_said_before_anything_is_started() {
    let home = tempfile::tempdir().unwrap();
    let hub = without_hub(&home);
    for (arguments, why) in [
        (&["run"][..], "no program to run"),
        (&["run", "--socket", "/tmp/elsewhere.sock", "--", "true"], "--no-hub"),
        (&["run", "--port", "x", "--", "true"], "--port"),
        (&["run", "claude"], "--"),
    ] {
        let output = hub.coop(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{arguments:?}: {said}");
        assert!(!hub.meeting.socket().exists(), "{arguments:?}");
    }
    // A hub that cannot be: the session is run all the same.
    let state = home.path().join("file");
    std::fs::write(&state, "").unwrap();
    let mut command = hub.command();
    let output = command.env("XDG_STATE_HOME", &state).args(["run", "--", "sh", "-c", "exit 7"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("the session is on no board"), "{said}");
}

#[test]
fn a_hub_of_this_version_or_a_newer_one_stays() {
    let home = tempfile::tempdir().unwrap();
    for version in [env!("CARGO_PKG_VERSION"), "999.0.0"] {
        let hub = TestHub::start(Meeting::default(), home.path(), &["--says-version", version]);
        assert!(hub.does(&["hub", "--daemon"]).contains("runs already"), "{version}");
        let session = run(&hub, &["--name", "one"]);
        owned(&hub, "one");
        assert_eq!(hub.json("/api/v1/health")["version"], version);
        drop(session);
    }
}

const WAITS: &str = "
user: wait for it
  bash: touch late.txt
result
  say: Late.
";

#[test]
fn a_newer_coop_replaces_an_older_hub_and_loses_no_request() {
    let arguments = ["--says-version", "0.0.1", "--port", "0"];
    let beside = Beside::launch_with("2.1.325", WAITS, true, &[], &arguments);
    let background = Background(&beside.hub);
    beside.bench.submit("wait for it");
    let first = beside.asks("permission");
    let session = run(&beside.hub, &["--name", "new"]);
    assert!(session.log_so_far.contains("of an older coop (0.0.1) and has been replaced"), "{}", session.log_so_far);
    assert_eq!(beside.hub.json("/api/v1/health")["version"], env!("CARGO_PKG_VERSION"));
    let again = beside.hub.prompt("the same again", |prompt| prompt["id"] != first["id"]);
    assert_eq!((&again["session"], &again["input"]), (&first["session"], &first["input"]), "{again:#}");
    assert_eq!(beside.hub.settled(&first["id"])["outcome"], "hub ended");
    beside.hub.does(&["answer", &again["id"].to_string(), "allow"]);
    beside.hub.session("Late.", |session| session["state"] == "idle" && session["last_message"] == "Late.");
    owned(&beside.hub, "new");
    // It is as the old one was started: with a port.
    let said = beside.hub.does(&["hub", "--daemon"]);
    assert!(said.contains("runs already") && said.contains("http://127.0.0.1:"), "{said}");
    // While its home is there.
    drop((session, background));
    beside.bench.finish();
}

#[test]
fn an_older_hub_with_a_token_of_its_own_stays_unless_it_is_told() {
    let home = tempfile::tempdir().unwrap();
    let arguments = ["--says-version", "0.0.1", "--port", "0", "--auth-token", "secret"];
    let hub = TestHub::start(Meeting::default(), home.path(), &arguments);
    let _background = Background(&hub);
    let session = run(&hub, &["--name", "one"]);
    assert!(session.log_so_far.contains("was given a token"), "{}", session.log_so_far);
    assert_eq!(hub.json("/api/v1/health")["version"], "0.0.1");
    owned(&hub, "one");
    let kept = std::fs::read_to_string(hub.meeting.socket().with_file_name("hub.json")).unwrap();
    assert!(kept.contains("--port") && !kept.contains("secret"), "{kept}");
    let mut command = hub.command();
    let output = command.env("COOP_AUTH_TOKEN", "secret").args(["run", "--", "true"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(hub.json("/api/v1/health")["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_welcome_says_where_the_board_is() {
    let home = tempfile::tempdir().unwrap();
    let hub = without_hub(&home);
    let _background = Background(&hub);
    let mut command = hub.command();
    command.args(["run", "--welcome", "--name", "one", "--", "sh", "-c", "read line"]).stdout(Stdio::piped());
    let mut session = Coop::run(command);
    let said = BufReader::new(session.process.stdout.take().unwrap());
    let mut lines = Vec::new();
    for line in said.lines().map_while(Result::ok) {
        let last = line.contains("hub --stop");
        lines.push(line);
        if last {
            break;
        }
    }
    let of = |name: &str| lines.iter().find_map(|line| line.trim().strip_prefix(name)).map(str::trim).unwrap();
    owned(&hub, "one");
    // As it stands, in a shell; printed, because there is no terminal here.
    let printed = of("board").strip_suffix(" board").map(|coop| format!("{coop} sessions")).unwrap();
    let coop = hub.command();
    let env = coop.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let typed = Command::new("sh").args(["-c", &printed]).env_clear().envs(env).output().unwrap();
    assert!(String::from_utf8_lossy(&typed.stdout).contains("owned"), "{typed:?}");
    let url = of("address").split(',').next().unwrap();
    let file = of("token").trim_start_matches("in ").split(';').next().unwrap();
    let token = std::fs::read_to_string(file).unwrap().trim().to_owned();
    let call = lines.iter().find(|line| line.trim().starts_with("curl ")).unwrap();
    assert!(call.contains(file) && call.ends_with(&format!("{url}/api/v1/sessions")), "{call}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let tcp = Address::Tcp(url.strip_prefix("http://").unwrap().parse().unwrap());
    let board = |token| Call::get("/api/v1/sessions").token(token);
    assert_eq!(runtime.block_on(board(Some(token.as_str())).send(&tcp)).status, 200);
    assert_eq!(runtime.block_on(board(None).send(&tcp)).status, 401);
}
