//! `coop hook` against servers that answer, refuse, hang or are not there. It never fails and never says a word.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use common::{COOP, Done, World};
use serde_json::{Value, json};

/// Runs `coop hook` with this on its stdin.
fn hook(world: &World, event: &str, env: &[(&str, String)], stdin: &[u8]) -> Done {
    let mut command = world.command(COOP, &["hook", event]);
    command.env("COOP_SPOOL", spool(world)).envs(env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let given = stdin.to_vec();
    let writer = std::thread::spawn(move || to.write_all(&given));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().expect("all of stdin is read");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let done = Done { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{event}");
    done
}

fn spool(world: &World) -> PathBuf {
    world.path().join("spool")
}

/// What was kept, and forgets it.
fn spooled(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(spool(world)).unwrap_or_default();
    drop(std::fs::remove_file(spool(world)));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Reads one request to its end, and answers it with these bytes. Without any, it keeps the connection and says nothing.
fn serve(mut stream: impl Read + Write, answer: Option<&str>) -> String {
    let (mut got, mut piece, mut whole) = (Vec::new(), vec![0; 1 << 16], usize::MAX);
    while got.len() < whole {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "a whole request");
        got.extend_from_slice(&piece[..count]);
        if let Some((head, _)) = String::from_utf8_lossy(&got[..got.len().min(4096)]).split_once("\r\n\r\n") {
            let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
            whole = head.len() + 4 + length.parse::<usize>().unwrap();
        }
    }
    match answer {
        Some(answer) => stream.write_all(answer.as_bytes()).unwrap(),
        // Until the other side gives up.
        None => drop(stream.read(&mut piece)),
    }
    String::from_utf8(got).unwrap()
}

/// A session that answers one hook.
fn session(world: &World, answer: Option<String>) -> ((&'static str, String), Receiver<String>) {
    let path = world.path().join("fake.sock");
    drop(std::fs::remove_file(&path));
    let listener = UnixListener::bind(&path).unwrap();
    let (send, requests) = channel();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        send.send(serve(stream, answer.as_deref())).unwrap();
    });
    (("COOP_SOCKET", path.display().to_string()), requests)
}

fn ok(body: &str, headers: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
}

#[test]
fn the_answer_is_printed_as_it_is() {
    let world = World::new();
    let answer = "{\"hookSpecificOutput\": {\"decision\" : \"ä\"}}\n ";
    let (socket, requests) = session(&world, Some(ok(answer, "")));
    let env = [socket, ("COOP_HOOK_TOKEN", "h00k".into())];
    let done = hook(&world, "permission-request", &env, b"{\"tool_name\": \"Bash\"}");
    assert_eq!(done.stdout, answer);
    let request = requests.recv().unwrap();
    assert!(request.starts_with("POST /api/v1/hooks/PermissionRequest HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nauthorization: Bearer h00k\r\n"), "{request}");
    let age: u64 = request.split("x-coop-age-us: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    assert!(age < 30_000_000, "{age}");
    assert!(request.ends_with("\r\n\r\n{\"tool_name\": \"Bash\"}"), "{request}");
    assert_eq!(spooled(&world), Vec::<Value>::new(), "it was told");

    let (socket, _requests) = session(&world, Some("HTTP/1.1 204 No Content\r\n\r\n".into()));
    assert_eq!(hook(&world, "stop", &[socket], b"").stdout, "");
    assert_eq!(spooled(&world), Vec::<Value>::new());
}

#[test]
fn nobody_is_there() {
    let world = World::new();
    let gone = world.path().join("gone.sock");
    drop(UnixListener::bind(&gone).unwrap());
    for env in [
        vec![],
        vec![("COOP_SOCKET", gone.display().to_string())],
        vec![("COOP_SOCKET", world.path().join("never").display().to_string())],
        vec![("COOP_SOCKET", "x".repeat(200))],
        vec![("COOP_SOCKET", String::new()), ("COOP_URL", "http://127.0.0.1:1".into())],
        vec![("COOP_URL", "nonsense".into())],
    ] {
        assert_eq!(hook(&world, "PreToolUse", &env, b"{\n\"a\": 1}").stdout, "");
        let kept = spooled(&world);
        assert_eq!((kept.len(), &kept[0]["event"]), (1, &json!("PreToolUse")), "{env:?}");
        assert_eq!(kept[0]["payload"], json!({ "a": 1 }));
        assert!(kept[0]["at_ms"].as_u64().unwrap() > 1_700_000_000_000);
    }
    let nowhere = [("COOP_SPOOL", world.path().join("no/such/folder").display().to_string())];
    hook(&world, "Stop", &nowhere, b"{}");
}

#[test]
fn whoever_hangs_or_talks_nonsense_is_left() {
    let world = World::new();
    let (socket, _requests) = session(&world, None);
    let start = Instant::now();
    assert_eq!(hook(&world, "Stop", &[socket, ("COOP_HOOK_WAIT", "1".into())], b"{}").stdout, "");
    assert!(start.elapsed() >= Duration::from_secs(1) && start.elapsed() < Duration::from_secs(20));
    assert_eq!(spooled(&world).len(), 1);
    for answer in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 500 Oh\r\ncontent-length: 2\r\n\r\n{}", "220 smtp\r\n\r\n"] {
        let (socket, _requests) = session(&world, Some(answer.into()));
        assert_eq!(hook(&world, "Stop", &[socket], b"{}").stdout, "", "{answer:?}");
        assert_eq!(spooled(&world).len(), 1, "{answer:?}");
    }
}

/// A hub that takes no such request is asked once; the hook does not look for the next hub.
#[test]
fn request_that_the_hub_refuses_is_over_at_once() {
    let world = World::new();
    let path = world.path().join("hub.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let (send, calls) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let refused = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}";
            send.send(serve(stream.unwrap(), Some(refused))).unwrap();
        }
    });
    let hub = ("COOP_HUB", format!("unix:{}", path.display()));
    assert_eq!(hook(&world, "PermissionRequest", &[hub], b"no json").stdout, "");
    assert_eq!(calls.try_iter().count(), 1);
}

/// A hub that is stopped takes the request and never replies. Only a decision is waited for longer.
#[test]
fn hub_that_does_not_reply_holds_up_no_agent() {
    let world = World::new();
    let path = world.path().join("hub.sock");
    // Connections are accepted by the system, and nothing reads them.
    let _listener = UnixListener::bind(&path).unwrap();
    let hub = ("COOP_HUB", format!("unix:{}", path.display()));
    let start = Instant::now();
    assert_eq!(hook(&world, "UserPromptSubmit", &[hub, ("COOP_HOOK_WAIT", "600".into())], b"{}").stdout, "");
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
}

#[test]
fn what_an_agent_may_give() {
    let world = World::new();
    let large = json!({ "content": "x".repeat(10 << 20) }).to_string();
    let (socket, requests) = session(&world, Some(ok("{}", "")));
    assert_eq!(hook(&world, "PostToolUse", &[socket], large.as_bytes()).stdout, "{}");
    assert!(requests.recv().unwrap().ends_with(&large));

    // More than coop takes, and more than is kept.
    hook(&world, "PostToolUse", &[], &vec![b'1'; 20 << 20]);
    hook(&world, "PostToolUse", &[], large.as_bytes());
    hook(&world, "PostToolUse", &[], b"not json \xff\n");
    hook(&world, "PostToolUse", &[], b"");
    let kept: Vec<Value> = spooled(&world).iter().map(|line| line["payload"].clone()).collect();
    assert_eq!(kept, [Value::Null, Value::Null, json!("not json \u{fffd}\n"), Value::Null]);
    hook(&world, "../../input", &[], b"{}");
}

#[test]
fn whoever_does_not_want_the_answer_hears_no_complaint() {
    let world = World::new();
    let (socket, _requests) = session(&world, Some(ok(&"x".repeat(1 << 20), "")));
    let mut command = world.command(COOP, &["hook", "Stop"]);
    command.env(socket.0, socket.1).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr), (Some(0), Vec::new()));
}

#[test]
fn commands_are_run_for_the_socket_and_not_for_a_port() {
    let world = World::new();
    let body = r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"text"}}"#;
    let answer = ok(body, "coop-shell: [\"echo from the shell\"]\r\n");
    let (socket, _requests) = session(&world, Some(answer.clone()));
    let printed: Value = serde_json::from_str(&hook(&world, "session_start", &[socket], b"{}").stdout).unwrap();
    assert_eq!(printed["hookSpecificOutput"]["additionalContext"], "text\nfrom the shell");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || serve(listener.accept().unwrap().0, Some(&answer)));
    assert_eq!(hook(&world, "SessionStart", &[("COOP_URL", url)], b"{}").stdout, body);
    assert!(server.join().unwrap().contains("POST /api/v1/hooks/SessionStart "));
}

/// In a session with a token: the hooks reach it, and their token opens nothing else.
#[test]
fn inside_a_session() {
    let world = World::new();
    let inside = "echo '{}' | coop hook Stop; echo hook $?; \
                  COOP_AUTH_TOKEN=$COOP_HOOK_TOKEN coop screen; echo screen $?; coop send '{}'; echo send $?; cat";
    let mut command = world.coop(&["--cols", "150", "--", "sh", "-c", inside]);
    command.env("COOP_AUTH_TOKEN", "s3cret").env("COOP_HOST", "127.0.0.1");
    let _running = common::start(command);
    let client =
        coop_api::client::Client::new(coop_api::client::Endpoint::Unix(world.socket("sh")), Some("s3cret".into()));
    let screen = common::shows(&client, "send 1");
    assert!(screen.starts_with("hook 0"), "{screen}");
    assert!(screen.contains("This token is for the hooks") && screen.contains("screen 1"), "{screen}");
    assert!(screen.contains("There is no driver for this program"), "{screen}");
}
