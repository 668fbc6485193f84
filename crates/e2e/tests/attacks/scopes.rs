//! A device that asks for more than its scope permits, by what a request carries.

use coop_e2e::http::Call;
use serde_json::{Value, json};

use crate::Stage;

#[test]
fn answer_that_replaces_the_command_needs_drive() {
    let stage = Stage::new();
    let params = json!({ "session_id": "s1", "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| stage.hub.post("/rpc", &ask).unwrap());
        let id = stage.hub.prompt("the request", |prompt| prompt["session_id"] == "s1")["id"].clone();
        let replaced = json!({ "accept": true, "updated_input": { "command": "rm -rf /srv" } });
        let over_http = Call::post(format!("/api/v1/prompts/{id}/answer"), &replaced);
        assert_eq!(stage.send("answer", over_http).status, 403);
        let params = json!({ "id": id, "decision": "allow", "updated_input": { "command": "rm -rf /srv" } });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/respond", "params": params });
        for call in [call.clone(), json!([call])] {
            let said = stage.send("answer", Call::post("/rpc", &call)).json();
            let said = said.get(0).cloned().unwrap_or(said);
            assert_eq!(said["error"]["code"], -32003, "{said}");
        }
        let over_proxy = Call::post(stage.path("/agent/respond"), &replaced);
        assert_eq!(stage.send("answer", over_proxy).status, 403);
        let plain = Call::post(format!("/api/v1/prompts/{id}/answer"), &json!({ "accept": true }));
        assert_eq!(stage.send("answer", plain).status, 200);
        assert_eq!(asking.join().unwrap()["result"]["decision"], "allow");
    });
}

#[test]
fn session_cannot_claim_the_number_of_another() {
    let stage = Stage::new();
    let claimed = stage.id.to_string();
    let start = json!({ "event_type": "session_start", "session_id": claimed, "cwd": "/srv" });
    assert_eq!(stage.send("hooks", Call::post("/events", &start)).status, 200);
    let params = json!({ "session_id": claimed, "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| stage.hub.post("/rpc", &ask).unwrap());
        // It asks, and so comes first on the board.
        let asked = stage.hub.prompt("the request", |prompt| prompt["session_id"] == claimed.as_str());
        assert_ne!(asked["session"], stage.id);
        let screen = stage.screen_after("for the first");
        assert!(screen.contains("for the first"), "{screen}");
        stage.hub.does(&["answer", &asked["id"].to_string(), "deny"]);
        asking.join().unwrap();
    });
}

#[test]
fn token_of_hooks_touches_no_session_of_the_machine() {
    let stage = Stage::new();
    let report = |kind: &str, cwd: &str| json!({ "event_type": kind, "session_id": "local", "cwd": cwd });
    stage.hub.post("/events", &report("prompt_submit", "/srv/own")).unwrap();
    let works = |session: &Value| session["session_id"] == "local" && session["state"] == "working";
    stage.hub.session("a session of this machine", works);
    for kind in ["stop", "session_start", "tool_call"] {
        assert_eq!(stage.send("hooks", Call::post("/events", &report(kind, "/evil"))).status, 200);
    }
    let still = stage.hub.session("the session, as it was", works);
    assert_eq!(still["cwd"], "/srv/own", "{still}");
    // A session that the network reported is the network's.
    let far = |kind: &str| json!({ "event_type": kind, "session_id": "far", "cwd": "/srv/far" });
    for kind in ["prompt_submit", "stop"] {
        assert_eq!(stage.send("hooks", Call::post("/events", &far(kind))).status, 200);
    }
    stage.hub.session("a session of elsewhere", |session| session["session_id"] == "far" && session["state"] == "idle");
}

#[test]
fn token_of_hooks_makes_no_device() {
    let stage = Stage::new();
    let origin = format!("http://{}", stage.tcp().host());
    let login = Call::post("/login", &json!({ "token": stage.tokens["hooks"] })).header("origin", origin);
    assert_eq!(stage.runtime.block_on(login.send(&stage.tcp())).status, 403);
    assert_eq!(stage.hub.json("/api/v1/devices")["devices"], json!([]));
}

#[test]
fn recording_of_what_is_typed_needs_drive() {
    let stage = Stage::new();
    let status = |scope: &str, query: &str| {
        let call = Call::get(stage.path(&format!("/recording?{query}"))).token(Some(&stage.tokens[scope]));
        stage.runtime.block_on(call.begin(&stage.tcp())).status().as_u16()
    };
    for (scope, query, expected) in [
        ("view", "from=now&input=true", 403),
        ("view", "from=start&input=true", 403),
        ("answer", "input=true&from=now", 403),
        ("view", "from=now", 200),
        ("drive", "from=now&input=true", 200),
    ] {
        assert_eq!(status(scope, query), expected, "{scope} {query}");
    }
    // The caller cannot raise the limit that the hub sets.
    let raised = Call::get(stage.path("/recording?from=now&input=true")).header("coop-scope", "admin");
    assert_eq!(stage.send("view", raised).status, 403);
}

#[test]
fn variables_that_load_code_need_admin() {
    let stage = Stage::new();
    let cwd = stage.home.path().to_str().unwrap();
    let started = |name: &str| json!({ "agent": "claude", "cwd": cwd, "env": { name: "/tmp/x" } });
    for name in ["PATH", "LD_PRELOAD", "LD_AUDIT", "NODE_OPTIONS", "BASH_ENV", "HOME", "GIT_SSH_COMMAND"] {
        let start = stage.send("drive", Call::post("/api/v1/sessions", &started(name)));
        assert!(start.status == 403 && start.text().contains(name), "{}", start.text());
        let restart = json!({ "env": { name: "/tmp/x" } });
        let restart = stage.send("drive", Call::post(stage.path("/session/restart"), &restart));
        assert_eq!(restart.status, 403, "{}", restart.text());
        let unset = json!({ "unset": [name] });
        assert_eq!(stage.send("drive", Call::post(stage.path("/session/restart"), &unset)).status, 403);
    }
    // Over the WebSocket that the hub joins to the sidecar's.
    let said = stage.runtime.block_on(async {
        let bearer = format!("Bearer {}", stage.tokens["drive"]);
        let mut ws = stage.websocket(&[("authorization", &bearer)]).await;
        assert_eq!(ws.next().await.kind(), "hello");
        ws.send(&json!({ "type": "restart", "env": { "LD_PRELOAD": "/tmp/x" }, "id": 7 })).await;
        ws.next_of_type("error").await
    });
    assert_eq!(said["code"], "FORBIDDEN", "{said}");
    let pid = |value: Value| value["pid"].clone();
    let before = pid(stage.hub.json(&stage.path("/health")));
    assert!(before.is_number() && before == pid(stage.hub.json(&stage.path("/health"))), "nothing was restarted");
}
