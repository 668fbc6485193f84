//! Who may do what: every request and every call with every kind of token, and devices that come and go.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;

use coop_e2e::http::Call;
use coop_e2e::{Address, Incoming, Ws, in_time};
use coop_testkit::{Meeting, TestHub};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use crate::wire::{happens, reply, runtime};

/// The kinds of tokens, in the order of the columns below.
const SCOPES: [&str; 5] = ["hooks", "view", "answer", "drive", "admin"];

/// Who may send each request: `1` for each of `SCOPES`. Written down here once more, so that nobody opens one by mistake.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("POST", "/api/v1/pair", "11111"),
    ("POST", "/api/v1/hooks/{event}", "10001"),
    ("POST", "/events", "10001"),
    ("POST", "/api/v1/hosts/register", "10001"),
    ("POST", "/rpc", "11111"),
    ("GET", "/ws", "11111"),
    ("GET", "/api/v1/health", "01111"),
    ("GET", "/api/v1/sessions", "01111"),
    ("GET", "/api/v1/sessions/{id}", "01111"),
    ("GET", "/api/v1/sessions/{id}/conversation", "01111"),
    ("GET", "/api/v1/sessions/{id}/timeline", "01111"),
    ("GET", "/api/v1/prompts", "01111"),
    ("GET", "/api/v1/rules", "01111"),
    ("POST", "/api/v1/rules/test", "01111"),
    ("GET", "/api/v1/history", "01111"),
    ("GET", "/api/v1/search", "01111"),
    ("GET", "/api/v1/events", "01111"),
    ("GET", "/api/v1/push/key", "01111"),
    ("POST", "/api/v1/push/subscriptions", "01111"),
    ("DELETE", "/api/v1/push/subscriptions", "01111"),
    ("POST", "/api/v1/notify/test", "00011"),
    ("POST", "/api/v1/prompts/{id}/answer", "00111"),
    ("POST", "/api/v1/sessions/{id}/seen", "00111"),
    ("DELETE", "/api/v1/sessions/{id}/permissions", "00111"),
    ("POST", "/api/v1/sessions", "00011"),
    ("DELETE", "/api/v1/sessions/{id}", "00011"),
    ("POST", "/api/v1/sessions/{id}/resume", "00011"),
    ("PUT", "/api/v1/rules", "00001"),
    ("DELETE", "/api/v1/rules/{id}", "00001"),
    ("POST", "/api/v1/pair/codes", "00001"),
    ("GET", "/api/v1/devices", "00001"),
    ("DELETE", "/api/v1/devices/{id}", "00001"),
    ("POST", "/api/v1/shutdown", "00001"),
];

/// What is not in the description: the way to a session, pages, and what there is not.
const MORE: &[(&str, &str, &str)] = &[
    ("GET", "/docs", "01111"),
    ("GET", "/openapi.json", "01111"),
    ("GET", "/pair", "11111"),
    ("GET", "/", "11111"),
    ("GET", "/app.json", "11111"),
    ("POST", "/logout", "11111"),
    ("GET", "/api/v1/sessions/1/ws", "01111"),
    ("GET", "/api/v1/sessions/1/screen/text", "01111"),
    ("HEAD", "/api/v1/sessions/1/screen", "01111"),
    ("GET", "/api/v1/sessions/1/recording?from=start", "01111"),
    ("POST", "/api/v1/sessions/1/agent/respond", "00111"),
    ("POST", "/api/v1/sessions/1/agent/nudge", "00011"),
    ("POST", "/api/v1/sessions/1/input", "00011"),
    ("PUT", "/api/v1/sessions/1/config/stop", "00011"),
    ("POST", "/api/v1/sessions/1/shutdown", "00011"),
    ("POST", "/api/v1/sessions/1/hooks/Stop", "00001"),
    ("PATCH", "/api/v1/sessions/1/input", "00001"),
    ("POST", "/api/v1/nothing", "00001"),
    ("GET", "/api/v1/nothing", "00001"),
    ("POST", "//rpc", "00001"),
];

const CALLS: &[(&str, &str)] =
    &[("permission/pending", "01111"), ("permission/respond", "00111"), ("permission/request", "10001")];

fn tcp(hub: &TestHub) -> Address {
    Address::Tcp(SocketAddr::from(([127, 0, 0, 1], hub.port().unwrap())))
}

/// The tokens that lie beside the ledger, for their owner's eyes only.
fn tokens(home: &std::path::Path) -> [String; 5] {
    SCOPES.map(|scope| {
        let name = if scope == "admin" { "hub.token".to_owned() } else { format!("hub.{scope}.token") };
        let path = home.join(".local/state/coop").join(name);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{scope}");
        std::fs::read_to_string(path).unwrap().trim().to_owned()
    })
}

#[test]
fn every_request_with_every_token() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let (tcp, tokens) = (tcp(&hub), tokens(home.path()));
    happens(&hub, "session_start");
    let document = hub.json("/openapi.json");
    let mut described: BTreeMap<(String, String), bool> = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in
            item.as_object().unwrap().keys().filter(|key| ["get", "put", "post", "delete"].contains(&key.as_str()))
        {
            described.insert((method.to_uppercase(), path.clone()), false);
        }
    }
    for (method, path, _) in REQUESTS {
        let known = described.get_mut(&((*method).to_owned(), (*path).to_owned()));
        *known.unwrap_or_else(|| panic!("there is no {method} {path}")) = true;
    }
    let missing: Vec<_> = described.iter().filter(|(_, listed)| !**listed).map(|(request, _)| request).collect();
    assert!(missing.is_empty(), "say who may send {missing:?}");
    runtime().block_on(async {
        for (method, path, who) in REQUESTS.iter().chain(MORE) {
            let concrete = path.replace("{event}", "Stop").replace("{id}", "1");
            for ((scope, token), may) in SCOPES.iter().zip(&tokens).zip(who.chars()) {
                let may = may == '1';
                // They would answer, but one ends the hub, and one never ends.
                if may && (concrete == "/api/v1/shutdown" || concrete == "/api/v1/events") {
                    continue;
                }
                let call = Call::new(method, &concrete).header("content-type", "application/json").body("{}");
                let status = call.token(Some(token)).send(&tcp).await.status;
                assert_eq!(
                    ![401, 403].contains(&status) || (may && concrete == "/api/v1/pair"),
                    may,
                    "{scope}: {method} {path} is {status}"
                );
                assert!(may || status == 403, "{scope}: {method} {path} is {status}");
            }
            let status = Call::new(method, &concrete).body("{}").send(&tcp).await.status;
            let open = ["/pair", "/", "/app.json", "/logout", "/api/v1/pair", "/ws"].contains(path);
            assert!(open || status == 401, "without a token: {method} {path} is {status}");
        }
        for (method, who) in CALLS {
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": {} });
            for ((scope, token), may) in SCOPES.iter().zip(&tokens).zip(who.chars()) {
                let said = Call::post("/rpc", &call).token(Some(token)).send(&tcp).await.json();
                assert_eq!(said["error"]["code"] != -32003, may == '1', "{scope}: {method}: {said}");
                // In a batch too.
                let batch = Call::post("/rpc", &json!([call])).token(Some(token)).send(&tcp).await.json();
                assert_eq!(batch[0]["error"]["code"] != -32003, may == '1', "{scope}: {method}: {batch}");
                if *scope == "hooks" {
                    continue;
                }
                let mut ws = Ws::connect(&tcp, "").await;
                ws.send(&json!({ "type": "auth", "token": token })).await;
                assert_eq!(ws.next().await.kind(), "hello");
                ws.send(&call).await;
                let said = reply(&mut ws).await;
                assert_eq!(said["error"]["code"] != -32003, may == '1', "{scope}: {method}: {said}");
            }
        }
        // Whoever may not look is not let in to listen; and an address is no place for a token.
        let mut ws = Ws::connect(&tcp, &format!("?token={}", tokens[0])).await;
        let end = ws.next().await;
        assert!(matches!(end, Incoming::Closed { code: 4401, .. }), "{end:?}");
        for token in &tokens {
            assert_eq!(Call::get(format!("/api/v1/sessions?token={token}")).send(&tcp).await.status, 401);
        }
    });
    // It is still there.
    hub.session("the session", |session| session["session_id"] == "s1");
}

/// What `coop pair` shows.
fn code(hub: &TestHub, arguments: &[&str]) -> Value {
    let said = hub.does(&[&["pair", "--json"], arguments].concat());
    serde_json::from_str(&said).unwrap()
}

#[test]
fn a_device_comes_with_a_code_and_goes_at_once() {
    let home = tempfile::tempdir().unwrap();
    let mut hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let to = tcp(&hub);
    happens(&hub, "session_start");
    let said = hub.does(&["pair"]);
    let url = format!("http://127.0.0.1:{}/pair#", hub.port().unwrap());
    assert!(said.contains(&url) && said.contains('█') && said.contains("good once"), "{said}");
    let shown = code(&hub, &["--name", "my phone"]);
    assert_eq!(shown["url"], format!("{url}{}", shown["code"].as_str().unwrap()));
    let runtime = runtime();
    let redeem = |typed: &str| Call::post("/api/v1/pair", &json!({ "code": typed, "name": "other" }));
    let paired = runtime.block_on(redeem(&shown["code"].as_str().unwrap().to_lowercase()).send(&to));
    assert_eq!(paired.status, 200);
    let paired = paired.json();
    assert_eq!((&paired["device"]["name"], &paired["device"]["scope"]), (&json!("my phone"), &json!("answer")));
    let token = paired["token"].as_str().unwrap().to_owned();
    let kept = std::fs::read(home.path().join(".local/state/coop/hub.db")).unwrap();
    let log = std::fs::read(home.path().join(".local/state/coop/hub.db-wal")).unwrap();
    let holds = |bytes: &[u8]| bytes.windows(token.len()).any(|part| part == token.as_bytes());
    assert!(!holds(&kept) && !holds(&log), "a token is in the ledger");
    let again = runtime.block_on(redeem(shown["code"].as_str().unwrap()).send(&to));
    assert_eq!(again.status, 401, "a code is good once");

    // It outlives the hub, and may answer, under its name.
    hub.crash();
    let to = tcp(&hub);
    let params = json!({ "session_id": "s1", "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let ask = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| hub.post("/rpc", &ask).unwrap());
        let id = hub.prompt("the request", |_| true)["id"].to_string();
        let answer = Call::post(format!("/api/v1/prompts/{id}/answer"), &json!({ "accept": true }));
        assert_eq!(runtime.block_on(answer.token(Some(&token)).send(&to)).status, 200);
        assert_eq!(asking.join().unwrap()["result"]["decision"], "allow");
        assert_eq!(hub.settled(&id.parse().unwrap())["by"], "my phone");
    });
    assert!(hub.does(&["devices", "list"]).contains("my phone"));
    runtime.block_on(async {
        assert_eq!(Call::get("/api/v1/devices").token(Some(&token)).send(&to).await.status, 403);
        let mut ws = Ws::connect(&to, "").await;
        ws.send(&json!({ "type": "auth", "token": token })).await;
        assert_eq!(ws.next().await.kind(), "hello");
        let events = Call::get("/api/v1/events").token(Some(&token)).begin(&to).await;
        assert_eq!(events.status(), 200);
        let id = paired["device"]["id"].to_string();
        tokio::task::block_in_place(|| assert!(hub.does(&["devices", "revoke", &id]).contains("my phone")));
        let end = ws.until(|message| matches!(message, Incoming::Closed { .. })).await.pop();
        assert!(matches!(end, Some(Incoming::Closed { code: 4401, .. })), "{end:?}");
        in_time("the end of the events", events.into_body().collect()).await.unwrap();
        assert_eq!(Call::get("/api/v1/sessions").token(Some(&token)).send(&to).await.status, 401);
    });
    assert!(hub.does(&["devices", "list"]).contains("No device"));
    let output = hub.coop(&["devices", "revoke", "99"]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("no device 99"));
}

#[test]
fn codes_cannot_be_guessed() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let to = tcp(&hub);
    let shown = code(&hub, &["--scope", "view"]);
    runtime().block_on(async {
        let guess = |typed: &str| Call::post("/api/v1/pair", &json!({ "code": typed }));
        let mut refused = None;
        // Each is wrong until there were too many of them.
        for _ in 0..12 {
            let reply = guess("AAAA-AAAA").send(&to).await;
            match reply.status {
                401 => {}
                429 => refused = Some(reply),
                other => panic!("{other}"),
            }
        }
        let refused = refused.expect("guesses are counted");
        assert!(!refused.header("retry-after").is_empty());
        // The owner of the code is not kept from it.
        assert_eq!(guess(shown["code"].as_str().unwrap()).send(&to).await.status, 200);
        assert_eq!(Call::get("/pair").send(&to).await.status, 200);
    });
    let wrong = hub.coop(&["pair", "--scope", "root"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn without_a_port_there_is_nowhere_to_come() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let output = hub.coop(&["pair"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("no port") && said.contains("--port"), "{said}");
    assert!(hub.does(&["pair", "--address", "https://hub.example/"]).contains("https://hub.example/pair#"));
}
