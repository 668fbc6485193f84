//! Agents under coop, and whoever else asks.

use std::process::Command;

use coop_e2e::{Address, Sse, in_time};
use coop_testkit::agent::Hooks;
use coop_testkit::tmux::Tmux;
use coop_testkit::{Agent, Coop, Kind, Meeting, Options, Scenario, TestHub, coop};
use serde_json::json;

const SCENARIO: &str = "
user: ask me
  bash: touch made.txt
result
  say: Made.
user: for the session
  bash: mkdir -p one
result
  bash: mkdir -p one
result
  say: Both.
user: ruled
  bash: mkdir ruled
result
  say: Ruled.
";

#[test]
fn an_agent_under_coop_is_owned_and_answered_through_the_hub() {
    let meeting = Meeting::default();
    let (name, folder) = meeting.env();
    let options = Options { hooks: Hooks::None, env: vec![(name, folder)], ..Options::default() };
    let scenario = Scenario::parse("owned", SCENARIO).unwrap();
    let agent = Agent::launch(Kind::Claude, "2.1.325", scenario, &options).unwrap();
    // It needs a token, which the hub was told.
    let token = agent.home.join("token");
    std::fs::write(&token, "secret\n").unwrap();
    let hub = TestHub::start(meeting, &agent.home, &["--sidecar-token-file", token.to_str().unwrap()]);
    let mut command = Command::new(coop::binary());
    let env = agent.command.env.iter().map(|(name, value)| (name, value));
    command.args(["--agent", "claude", "--shutdown-timeout", "1", "--cwd"]).arg(&agent.project).arg("--");
    command.arg(&agent.command.program).args(&agent.command.args).env_clear().envs(env);
    command.env("COOP_AUTH_TOKEN", "secret");
    let sidecar = Coop::run(command);

    let idle = |session: &serde_json::Value| session["control"] == "owned" && session["state"] == "idle";
    let session = hub.session("an owned session", idle);
    let path = |rest: &str| format!("/api/v1/sessions/{}{rest}", session["id"]);
    hub.until("/api/v1/sessions", "one of it", |all| (all["sessions"].as_array()?.len() == 1).then_some(()));
    assert_eq!(hub.json(&path(""))["project"], "project");
    assert_eq!(hub.json(&path("/agent/state"))["agent"], "claude", "every request of the session is there");
    // The hub is no session.
    assert!(!hub.does(&["ls"]).contains("hub"));

    let nudged = hub.post(&path("/agent/nudge"), &json!({ "message": "ask me" })).unwrap();
    assert_eq!(nudged["delivered"], true, "{nudged}");
    // The dialog may be told before what it is about, and the card then says more.
    let asked = hub.prompt("a permission", |prompt| prompt["text"] == "touch made.txt");
    assert_eq!((&asked["via"], &asked["session"]), (&json!("sidecar"), &session["id"]), "{asked:#}");
    assert_eq!(asked["kind"], "permission", "{asked:#}");
    hub.does(&["answer", &asked["id"].to_string(), "allow"]);
    hub.session("its end", |session| session["state"] == "idle" && session["last_message"] == "Made.");
    assert!(agent.project.join("made.txt").exists());
    assert_eq!(hub.settled(&asked["id"])["outcome"], "allow");

    // For the session: the hub remembers what it showed.
    hub.post(&path("/agent/nudge"), &json!({ "message": "for the session" })).unwrap();
    let asked = hub.prompt("a permission", |prompt| prompt["suggestion"] == "Bash(mkdir -p one)");
    hub.does(&["answer", &asked["id"].to_string(), "allow", "--session"]);
    hub.session("its end", |session| session["state"] == "idle" && session["last_message"] == "Both.");
    assert!(agent.project.join("one").exists());
    let last = &hub.json("/api/v1/history?limit=1")["history"][0];
    assert_eq!((&last["outcome"], &last["by"]), (&json!("allow"), &json!("session memory")), "{last:#}");

    hub.does(&["rules", "add", "allow", "Bash(mkdir:*)"]);
    hub.post(&path("/agent/nudge"), &json!({ "message": "ruled" })).unwrap();
    hub.session("its end", |session| session["state"] == "idle" && session["last_message"] == "Ruled.");
    assert!(agent.project.join("ruled").exists());

    drop(sidecar);
    hub.session("its end", |ended| ended["id"] == session["id"] && ended["state"] == "exited");
}

/// An agent in somebody's tmux is only watched, until coop is attached to it, and again when that has let go.
#[test]
fn an_agent_in_a_tmux_is_attached_and_let_go() {
    let meeting = Meeting::default();
    let options = Options { hooks: Hooks::None, env: vec![meeting.env()], ..Options::default() };
    let scenario = Scenario::parse("attached", SCENARIO).unwrap();
    let agent = Agent::launch(Kind::Claude, "2.1.325", scenario, &options).unwrap();
    let hub = TestHub::start(meeting, &agent.home, &[]);
    let tmux = Tmux::around(&agent);
    let session = hub.session("an agent that nobody told of", |session| session["control"] == "observed");

    let mut command = Command::new(coop::binary());
    let env = agent.command.env.iter().map(|(name, value)| (name, value));
    command.args(["--attach", "tmux:work", "--agent", "claude", "--tmux-socket"]).arg(&tmux.socket);
    command.env_clear().envs(env);
    let sidecar = Coop::run(command);
    let idle = |session: &serde_json::Value| session["control"] == "attached" && session["state"] == "idle";
    let attached = hub.session("an attached session", idle);
    assert_eq!((&attached["id"], &attached["answerable"]), (&session["id"], &json!(true)), "{attached:#}");
    let nudge = format!("/api/v1/sessions/{}/agent/nudge", session["id"]);
    let nudged = hub.post(&nudge, &json!({ "message": "ask me" })).unwrap();
    assert_eq!(nudged["delivered"], true, "{nudged}");
    let asked = hub.prompt("a permission", |prompt| prompt["text"] == "touch made.txt");
    hub.does(&["answer", &asked["id"].to_string(), "allow"]);
    hub.session("its end", |session| session["state"] == "idle" && session["last_message"] == "Made.");
    assert!(agent.project.join("made.txt").exists());

    drop(sidecar);
    let left = hub.session("one that is only watched", |session| session["control"] == "observed");
    assert_eq!((&left["id"], &left["state"]), (&session["id"], &json!("idle")), "it runs on: {left:#}");
    assert!(hub.post(&nudge, &json!({ "message": "again" })).is_err(), "nobody is there to type");
}

/// Whoever has no agent at all, but the words of the bridge.
#[test]
fn anybody_may_ask_and_hostile_input_is_harmless() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0", "--auth-token", "secret"]);
    let started =
        json!({ "event_type": "session_start", "session_id": "s1", "cwd": "/srv/shop", "git_branch": "main" });
    hub.post("/events", &started).unwrap();
    hub.post("/events", &json!({ "event_type": "prompt_submit", "session_id": "s1" })).unwrap();
    let session = hub.session("the session", |session| session["session_id"] == "s1" && session["state"] == "working");
    assert_eq!((&session["project"], &session["branch"]), (&json!("shop"), &json!("main")), "{session:#}");
    hub.post("/events", &json!({ "event_type": "stop", "session_id": "s1", "error": "overloaded" })).unwrap();
    hub.session("its failure", |session| session["state"] == "error" && session["error"]["kind"] == "overloaded");
    assert!(hub.post("/events", &json!({ "event_type": "nothing", "session_id": "s1" })).is_err());

    let command = "rm \u{202e}x\u{1b}[2J";
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": {
        "session_id": "s1", "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "toolu_1" } });
    let decision = std::thread::scope(|scope| {
        let asking = scope.spawn(|| hub.post("/rpc", &call).unwrap());
        let asked = hub.prompt("the request", |prompt| prompt["tool_use_id"] == "toolu_1");
        assert_eq!((&asked["text"], &asked["input"]["command"]), (&json!("rm <U+202E>x␛[2J"), &json!(command)));
        let params = json!({ "tool_use_id": "toolu_1", "decision": "deny", "message": "No." });
        let respond = json!({ "jsonrpc": "2.0", "id": 2, "method": "permission/respond", "params": params });
        assert_eq!(hub.post("/rpc", &respond).unwrap()["result"]["delivered"], true);
        assert_eq!(hub.post("/rpc", &respond).unwrap()["error"]["code"], -32001, "the first answer was the only one");
        asking.join().unwrap()
    });
    assert_eq!((&decision["result"]["decision"], &decision["result"]["message"]), (&json!("deny"), &json!("No.")));
    for (body, code) in [
        (json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/what" }), -32601),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": {} }), -32602),
        (json!({ "id": 1, "method": "permission/pending" }), -32600),
        (json!([]), -32600),
    ] {
        assert_eq!(hub.post("/rpc", &body).unwrap()["error"]["code"], code, "{body}");
    }
    for path in ["/api/v1/sessions/..%2f..%2fetc", "/api/v1/sessions/77", "/api/v1/sessions/77/agent/state"] {
        assert!(hub.json(path)["error"].is_string(), "{path}");
    }
    assert!(hub.post("/api/v1/prompts/1/answer", &json!({ "accept": true })).is_err(), "it is over");
}

#[test]
fn the_board_is_followed_and_resumed() {
    let home = tempfile::tempdir().unwrap();
    let mut hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let address = Address::Unix(hub.meeting.socket());
    let open = |id: &str| {
        let headers: Vec<_> = (!id.is_empty()).then_some(("last-event-id", id)).into_iter().collect();
        runtime.block_on(Sse::open(&address, "", &headers))
    };
    let next = |stream: &mut Sse, kind: &str| runtime.block_on(in_time(kind, stream.next_of_type(kind)));
    let happens = |hub: &TestHub, event: &str| {
        hub.post("/events", &json!({ "event_type": event, "session_id": "s1" })).unwrap();
    };
    let mut stream = open("");
    happens(&hub, "prompt_submit");
    let change = next(&mut stream, "state_change");
    assert_eq!((&change.data["next"], &change.data["session"]["session_id"]), (&json!("working"), &json!("s1")));
    drop(stream);
    happens(&hub, "stop");
    let mut stream = open(&change.id);
    assert_eq!(next(&mut stream, "resume").data["resume"], "ok");
    assert_eq!(next(&mut stream, "state_change").data["next"], "idle", "what was missed comes first");
    drop(stream);
    hub.crash();
    let mut stream = open(&change.id);
    assert_eq!(next(&mut stream, "resume").data["resume"], "ok", "the next hub goes on where this one was");
    let missed = next(&mut stream, "state_change");
    assert_eq!((&missed.data["next"], &missed.data["session"]["session_id"]), (&json!("idle"), &json!("s1")));
    happens(&hub, "prompt_submit");
    let fresh = next(&mut stream, "state_change");
    assert_eq!((&fresh.data["prev"], &fresh.data["next"]), (&json!("exited"), &json!("starting")), "seen again");
    assert_eq!(next(&mut stream, "state_change").data["next"], "working");
    drop(stream);
    let mut stream = open(&missed.id);
    assert_eq!(next(&mut stream, "resume").data["resume"], "ok");
    assert_eq!(next(&mut stream, "state_change").id, fresh.id, "none twice, none left out");
}
