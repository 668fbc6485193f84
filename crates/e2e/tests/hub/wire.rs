//! The hub without an agent: its streams, its files, its end, and strangers.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::channel;

use coop_e2e::http::Call;
use coop_e2e::{Address, Incoming, Ws};
use coop_testkit::{Meeting, TestHub};
use hyper::Method;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;

use crate::Background;

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

pub(crate) fn happens(hub: &TestHub, event: &str) {
    hub.post("/events", &json!({ "event_type": event, "session_id": "s1" })).unwrap();
}

/// The next reply of JSON-RPC; events are skipped.
pub(crate) async fn reply(ws: &mut Ws) -> Value {
    let is_reply = |message: &Incoming| matches!(message, Incoming::Json(said) if said["jsonrpc"] == "2.0");
    match ws.until(is_reply).await.pop() {
        Some(Incoming::Json(reply)) => reply,
        other => panic!("{other:?} is no reply"),
    }
}

#[test]
fn the_board_over_a_websocket() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let address = Address::Unix(hub.meeting.socket());
    runtime().block_on(async {
        let mut ws = Ws::connect(&address, "").await;
        let Incoming::Json(hello) = ws.next().await else { panic!("no greeting") };
        assert_eq!(hello["type"], "hello");
        tokio::task::block_in_place(|| happens(&hub, "prompt_submit"));
        let change = ws.next_of_type("state_change").await;
        assert_eq!((&change["next"], &change["session"]["session_id"]), (&json!("working"), &json!("s1")));

        // Asked on one connection, answered on another, and told to both.
        let mut other = Ws::greeted(&address, "").await;
        let call = json!({ "jsonrpc": "2.0", "id": "a", "method": "permission/request", "params": {
            "session_id": "s1", "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "toolu_1" } });
        ws.send(&call).await;
        let asked = other.next_of_type("pty_permission").await;
        assert_eq!(asked["payload"]["target"], "ls", "{asked:#}");
        let params = json!({ "tool_use_id": "toolu_1", "decision": "allow" });
        other.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "permission/respond", "params": params })).await;
        assert_eq!(reply(&mut other).await["result"]["delivered"], true);
        let decided = reply(&mut ws).await;
        assert_eq!((&decided["id"], &decided["result"]["decision"]), (&json!("a"), &json!("allow")));
        ws.send_message(Message::text("{")).await.unwrap();
        assert_eq!(reply(&mut ws).await["error"]["code"], -32700);

        // Where it was left.
        let after = change["id"].as_str().unwrap();
        let mut again = Ws::greeted(&address, &format!("?last_event_id={after}")).await;
        assert_eq!(again.next_of_type("resume").await["resume"], "ok");
        assert_eq!(again.next_of_type("pty_permission").await["payload"]["target"], "ls");
        again.next_of_type("pty_permission_resolved").await;
        again.send_message(Message::binary(vec![0])).await.unwrap();
        let closed = again.until(|message| matches!(message, Incoming::Closed { .. })).await.pop();
        assert!(matches!(closed, Some(Incoming::Closed { code: 1003, .. })), "{closed:?}");
        let wrong = Ws::try_connect(&address, "?last_event_id=x", &[]).await;
        assert_eq!(wrong.map(drop).map_err(|reply| reply.status), Err(400));
    });
}

#[test]
fn a_stream_is_resumed_a_hundred_times_without_loss_or_repeat() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let address = Address::Unix(hub.meeting.socket());
    let runtime = runtime();
    let mut ws = runtime.block_on(Ws::greeted(&address, ""));
    happens(&hub, "session_start");
    let first = runtime.block_on(ws.next_of_type("session"));
    let mut last = (first["id"].as_str().unwrap().to_owned(), first["seq"].as_u64().unwrap());
    for round in 0..100 {
        drop(ws);
        // What is missed, and what comes while it is there.
        happens(&hub, "prompt_submit");
        ws = runtime.block_on(Ws::greeted(&address, &format!("?last_event_id={}", last.0)));
        happens(&hub, "stop");
        runtime.block_on(async {
            assert_eq!(ws.next_of_type("resume").await["resume"], "ok");
            let mut changes = 0;
            while changes < 2 {
                let Incoming::Json(event) = ws.next().await else { panic!("the stream ended in round {round}") };
                let seq = event["seq"].as_u64().unwrap();
                assert_eq!(seq, last.1 + 1, "round {round}: {event:#}");
                last = (event["id"].as_str().unwrap().to_owned(), seq);
                changes += u32::from(event["type"] == "state_change");
            }
        });
    }
}

#[test]
fn strangers_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let state = home.path().join(".local/state/coop");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in ["hub.db", "hub.token"] {
        assert_eq!(mode(&state.join(file)), 0o600, "{file}");
    }
    assert_eq!((mode(&state), mode(&hub.meeting.socket())), (0o700, 0o600));
    let token = std::fs::read_to_string(state.join("hub.token")).unwrap();
    let token = token.trim();
    let tcp = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], hub.port().unwrap())));
    let socket = Address::Unix(hub.meeting.socket());
    let stop = json!({ "session_id": "../../etc/passwd", "cwd": "../..", "transcript_path": "/etc/passwd" });
    let huge = format!("{{\"session_id\":\"s\",\"x\":\"{}\"}}", "x".repeat(50 << 20));
    let deep = "[".repeat(100_000);
    let board = || Call::get("/api/v1/sessions").token(Some(token));
    runtime().block_on(async {
        for (what, to, call, status) in [
            ("no token", &tcp, Call::get("/api/v1/sessions"), 401),
            ("a wrong token", &tcp, Call::get("/api/v1/prompts").token(Some("x")), 401),
            ("a hook without a token", &tcp, Call::post("/api/v1/hooks/Stop", &stop), 401),
            ("a hook with a wrong one", &tcp, Call::post("/api/v1/hooks/Stop", &stop).token(Some("x")), 401),
            ("an answer without one", &tcp, Call::post("/api/v1/prompts/1/answer", &json!({ "accept": true })), 401),
            ("a call without one", &tcp, Call::post("/rpc", &json!([])), 401),
            ("the end without one", &tcp, Call::post("/api/v1/shutdown", &json!({})), 401),
            ("the right token", &tcp, board(), 200),
            ("a page elsewhere", &tcp, board().header("origin", "https://evil.example"), 403),
            ("a page elsewhere, by the socket", &socket, board().header("origin", "https://evil.example"), 403),
            ("too much", &socket, Call::new("POST", "/api/v1/hooks/Stop").body(huge), 413),
            ("too deep", &socket, Call::new("POST", "/api/v1/hooks/Stop").body(deep), 400),
            ("no JSON", &socket, Call::new("POST", "/api/v1/hooks/Stop").body("{"), 400),
            ("a name that is a path", &socket, Call::post("/api/v1/hooks/..%2fx", &stop), 400),
            ("a session that is a path", &socket, Call::get("/api/v1/sessions/..%2f..%2fetc%2fpasswd"), 404),
            ("a path behind a session", &socket, Call::get("/api/v1/sessions/1/..%2f..%2fdocs"), 404),
            (
                "an agent that is a path",
                &socket,
                Call::post("/api/v1/hooks/Stop", &stop).header("x-coop-agent", "../codex"),
                400,
            ),
            ("an id that is a path", &socket, Call::post("/api/v1/hooks/Stop", &stop), 204),
        ] {
            assert_eq!(call.send(to).await.status, status, "{what}");
        }
        for (query, first) in [("", Some(json!({ "type": "auth", "token": "x" }))), ("?token=x", None)] {
            let mut ws = Ws::connect(&tcp, query).await;
            if let Some(first) = first {
                ws.send(&first).await;
            }
            let end = ws.next().await;
            assert!(matches!(end, Incoming::Closed { code: 4401, .. }), "{end:?}");
        }
        let mut ws = Ws::connect(&tcp, "").await;
        ws.send(&json!({ "type": "auth", "token": token })).await;
        assert_eq!(ws.next().await.kind(), "hello");
        let page = Ws::try_connect(&socket, "", &[("origin", "https://evil.example")]).await;
        assert_eq!(page.map(drop).map_err(|reply| reply.status), Err(403));
    });
    // It is shown as it is, and opens nothing.
    let session = hub.session("the stranger", |session| session["session_id"] == "../../etc/passwd");
    assert_eq!(session["control"], "hooked", "{session:#}");
}

#[test]
fn in_the_background_and_only_one() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let fails = |arguments: &[&str], why: &str| {
        let output = hub.coop(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{arguments:?}: {said}");
    };
    fails(&["hub"], "running already");
    let other = home.path().join("other.sock");
    fails(&["hub", "--socket", other.to_str().unwrap()], "hub has the ledger");
    assert!(!other.exists());
    assert!(hub.does(&["hub", "--daemon"]).contains("runs already"));
    hub.does(&["hub", "--stop"]);
    fails(&["hub", "--stop"], "No hub is running");
    fails(&["sessions"], "No hub is running");
    // As a crash leaves it.
    drop(std::os::unix::net::UnixListener::bind(hub.meeting.socket()).unwrap());
    fails(&["sessions"], "No hub is running");

    let background = Background(&hub);
    let said = hub.does(&["hub", "--daemon", "--port", "0"]);
    assert!(said.contains("hub.sock") && said.contains("http://127.0.0.1:") && said.contains("hub.token"), "{said}");
    assert!(hub.does(&["sessions"]).contains("No agent"));
    drop(background);
    fails(&["sessions"], "No hub is running");
    fails(&["hub", "--daemon", "--ledger", "/dev/null/x"], "did not start");
}

#[test]
fn a_hub_is_as_its_file_says() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    hub.does(&["hub", "--stop"]);
    let file = home.path().join(".config/coop/config.toml");
    assert!(hub.does(&["config", "check"]).contains("does not exist"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, hub.does(&["config", "show"])).unwrap();
    assert!(hub.does(&["config", "check"]).contains("it is right"));

    std::fs::write(&file, "[hub]\nport = 0\n\n[permissions]\nwiat = 5\n").unwrap();
    for arguments in [&["config", "check"][..], &["config", "show"], &["hub"], &["hub", "--daemon"]] {
        let output = hub.coop(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let named = format!("{}, line 5, `wiat`: unknown field", file.display());
        assert!(!output.status.success() && said.contains(&named), "{arguments:?}: {said}");
    }
    assert!(!hub.coop(&["doctor"]).status.success(), "it is wrong");
    std::fs::write(&file, "[hub]\nport = 0\n[permissions]\nwait = 1\n").unwrap();
    assert!(hub.does(&["config", "show"]).contains("wait = 1 "));
    let _background = Background(&hub);
    let said = hub.does(&["hub", "--daemon"]);
    assert!(said.contains("http://127.0.0.1:"), "{said}");
    let params = json!({ "session_id": "s1", "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    // Nobody answers, and it does not wait for the ten minutes of those who say nothing.
    assert_eq!(hub.post("/rpc", &call).unwrap()["result"]["decision"], "ask");
}

/// How often it is killed, each time somewhere else in what it does.
const KILLS: usize = 50;

#[test]
fn nothing_acknowledged_is_lost_by_kill_9() {
    let home = tempfile::tempdir().unwrap();
    let mut hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let mut acknowledged = Vec::new();
    for round in 0..KILLS {
        let (tell, told) = channel();
        let client = hub.client.clone();
        let work = std::thread::spawn(move || {
            let runtime = runtime();
            for step in 0.. {
                let command = format!("c{round}x{step}");
                let rule = json!({ "pattern": format!("Bash({command}:*)"), "effect": "deny" });
                let added = client.request::<_, Value>(Method::PUT, "/api/v1/rules", &rule);
                if runtime.block_on(added).is_err() {
                    return;
                }
                let params = json!({ "session_id": "s", "tool_name": "Bash", "tool_input": { "command": command } });
                let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
                let denied = runtime.block_on(client.request::<_, Value>(Method::POST, "/rpc", &call));
                if denied.is_ok_and(|reply| reply["result"]["decision"] == "deny") {
                    drop(tell.send(command));
                } else {
                    return;
                }
            }
        });
        // In the middle of something.
        acknowledged.extend(told.iter().take(round * 7 % 11 + 1));
        hub.crash();
        work.join().unwrap();
        acknowledged.extend(told.try_iter());
    }
    let rules = hub.json("/api/v1/rules");
    let patterns: Vec<&str> =
        rules["rules"].as_array().unwrap().iter().filter_map(|rule| rule["pattern"].as_str()).collect();
    let mut settled = Vec::new();
    let mut page = hub.json("/api/v1/history?limit=1000");
    while let Some(last) = page["history"].as_array().and_then(|rows| rows.last()).map(|row| row["id"].clone()) {
        settled.extend(page["history"].as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap().to_owned()));
        page = hub.json(&format!("/api/v1/history?limit=1000&before={last}"));
    }
    for command in &acknowledged {
        assert!(patterns.contains(&format!("Bash({command}:*)").as_str()), "{command}");
        assert_eq!(settled.iter().filter(|text| *text == command).count(), 1, "{command}");
    }
}
