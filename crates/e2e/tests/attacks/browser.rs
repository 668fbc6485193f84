//! Pages in the browser of the owner, and servers on other ports of the same host, which get its cookies.

use coop_api::Code;
use coop_e2e::http::{Call, Reply};
use coop_e2e::{Address, TestServer, Ws};
use serde_json::json;

use crate::Stage;

/// Logs in as the app does. Returns the cookie and the key.
async fn login(to: &Address, token: &str) -> (String, String) {
    let reply = Call::post("/login", &json!({ "token": token })).header("origin", format!("http://{}", to.host()));
    let reply = reply.send(to).await;
    let cookie = reply.header("set-cookie").split(';').next().unwrap().to_owned();
    (cookie, reply.json()["key"].as_str().unwrap().to_owned())
}

async fn status(to: &Address, path: &str, headers: &[(&str, &str)]) -> u16 {
    let call = headers.iter().fold(Call::get(path), |call, (name, value)| call.header(name, *value));
    call.send(to).await.status
}

/// What a server on another port can do with the cookie that every port of the host is sent.
async fn check(to: &Address, path: &str, token: &str) {
    let (cookie, key) = login(to, token).await;
    let (_, id) = cookie.split_once('=').unwrap();
    assert!(!cookie.contains(token) && !key.contains(token) && !token.contains(id), "the cookie holds the token");
    for (headers, expected) in [
        (vec![("cookie", cookie.clone())], 401),
        (vec![("authorization", format!("Bearer {id}"))], 401),
        (vec![("authorization", format!("Bearer {key}"))], 401),
        (vec![("coop-key", key.clone())], 401),
        (vec![("cookie", cookie.clone()), ("coop-key", id.to_owned())], 401),
        (vec![("cookie", cookie.clone()), ("coop-key", key.clone())], 200),
    ] {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(status(to, path, &headers).await, expected, "{headers:?}");
    }
    let origin = format!("http://{}", to.host());
    let protocols = format!("coop, coop.key.{key}");
    for (protocols, fine) in [(protocols.as_str(), true), ("coop", false)] {
        let headers = [("cookie", cookie.as_str()), ("origin", &origin), ("sec-websocket-protocol", protocols)];
        let mut ws = Ws::try_connect(to, "", &headers).await.unwrap();
        if fine {
            assert_eq!(ws.next().await.kind(), "hello");
        } else {
            // It may still bring a token. A wrong one ends it.
            ws.send(&json!({ "type": "auth", "token": id })).await;
            assert_eq!(ws.next().await.kind(), "");
        }
    }
    // What has left cannot come back.
    let out =
        Call::post("/logout", &json!({})).header("origin", &origin).header("cookie", &cookie).header("coop-key", &key);
    assert_eq!(out.send(to).await.status, 200);
    assert_eq!(status(to, path, &[("cookie", &cookie), ("coop-key", &key)]).await, 401);
}

#[tokio::test]
async fn cookie_of_a_session_is_no_token() {
    let server = TestServer::with("cat", |setup| setup.server.token = Some("right-token-of-the-session".into()));
    check(&server.tcp, "/api/v1/health", "right-token-of-the-session").await;
}

#[test]
fn cookie_of_a_hub_is_no_token() {
    let stage = Stage::new();
    let to = stage.tcp();
    stage.runtime.block_on(check(&to, "/api/v1/sessions", &stage.tokens["view"]));
    // A device that could make another would outlive its own end.
    let code: serde_json::Value = serde_json::from_str(&stage.hub.does(&["pair", "--json"])).unwrap();
    let paired = stage.runtime.block_on(Call::post("/api/v1/pair", &json!({ "code": code["code"] })).send(&to)).json();
    let again =
        Call::post("/login", &json!({ "token": paired["token"] })).header("origin", format!("http://{}", to.host()));
    assert_eq!(stage.runtime.block_on(again.send(&to)).problem().code, Code::Forbidden);
    assert_eq!(stage.hub.json("/api/v1/devices")["devices"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn page_of_the_same_name_and_another_scheme_is_another_origin() {
    let server = TestServer::with("cat", |setup| setup.server.token = Some("right".into()));
    let host = server.tcp.host();
    for (origin, proto, expected) in [
        (format!("http://{host}"), None, 200),
        (format!("https://{host}"), None, 403),
        (format!("https://{host}"), Some("https"), 200),
        (format!("http://{host}"), Some("https"), 403),
    ] {
        let call = Call::get("/api/v1/health").token(Some("right")).header("origin", &origin);
        let call = proto.into_iter().fold(call, |call, proto| call.header("x-forwarded-proto", proto));
        assert_eq!(call.send(&server.tcp).await.status, expected, "{origin} {proto:?}");
    }
}

#[test]
fn pages_cannot_be_framed() {
    let stage = Stage::new();
    let framed = |reply: &Reply| !reply.header("content-security-policy").contains("frame-ancestors 'none'");
    for path in ["/", "/pair", "/docs"] {
        let reply = stage.send("admin", Call::get(path));
        assert!(reply.status == 200 && !framed(&reply), "{path}");
    }
    let server = TestServer::start("cat");
    let reply = stage.runtime.block_on(Call::get("/docs").send(&server.tcp));
    assert!(reply.status == 200 && !framed(&reply));
}

#[test]
fn reply_of_a_session_is_no_page_of_the_hub() {
    let stage = Stage::new();
    for path in ["/screen", "/screen/text", "/screen/svg", "/recording?from=start"] {
        let reply = stage.send("view", Call::get(stage.path(path)));
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.header("content-security-policy").starts_with("sandbox;"), "{path}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
    }
}
