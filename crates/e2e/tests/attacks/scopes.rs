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
