//! The token of the hooks: it reports what the agent does, and opens nothing else on any transport.

use coop_api::Code;
use coop_e2e::http::Call;
use coop_e2e::{TestServer, Ws, grpc};
use serde_json::json;

use crate::tokens::{calls, paths};

const MAIN: &str = "main-token";
const HOOK: &str = "hook-token";

fn server(token: Option<&str>, hook_token: Option<&str>) -> TestServer {
    TestServer::with("printf ready; cat", |setup| {
        setup.server.token = token.map(Into::into);
        setup.server.hook_token = hook_token.map(Into::into);
    })
}

#[tokio::test]
async fn hooks_take_either_token_and_no_other() {
    for (token, hook_token, rows) in [
        (Some(MAIN), Some(HOOK), [(None, 401), (Some("x"), 401), (Some(HOOK), 404), (Some(MAIN), 404)]),
        (Some(MAIN), None, [(None, 401), (Some("x"), 401), (Some(HOOK), 401), (Some(MAIN), 404)]),
        (None, Some(HOOK), [(None, 401), (Some("x"), 401), (Some(HOOK), 404), (Some(MAIN), 401)]),
        // Nobody needs a token where there is none.
        (None, None, [(None, 404), (Some("x"), 404), (Some(HOOK), 404), (Some(MAIN), 404)]),
    ] {
        let server = server(token, hook_token);
        for address in server.addresses() {
            for event in ["PermissionRequest", "stop", "start", "pre-tool-use"] {
                for (given, status) in rows {
                    let call = Call::post(format!("/api/v1/hooks/{event}"), &json!({})).token(given);
                    let reply = call.send(address).await;
                    let row = format!("{address:?} {event} {given:?} where {token:?} and {hook_token:?} are set");
                    assert_eq!(reply.status, status, "{row}");
                    // It came through to the session, which knows no agent.
                    let code = if status == 404 { Code::NoDriver } else { Code::Unauthorized };
                    assert_eq!(reply.problem().code, code, "{row}");
                }
            }
        }
    }
}

#[tokio::test]
async fn nothing_else_takes_the_token_of_the_hooks() {
    for token in [Some(MAIN), None] {
        let server = server(token, Some(HOOK));
        for address in server.addresses() {
            let others = paths().into_iter().filter(|(_, path)| path != "/api/v1/hooks/Stop");
            let near = ["/api/v1/hooks/", "/api/v1/hooks", "/api/v1/hooks/a/b", "/api/v1/hooks/../input"];
            let near = near.map(|path| ("POST", path.to_owned()));
            let methods = ["GET", "PUT", "DELETE"].map(|method| (method, "/api/v1/hooks/Stop".to_owned()));
            for (method, path) in others.chain(near).chain(methods) {
                let reply = Call::new(method, &path).token(Some(HOOK)).send(address).await;
                assert_eq!(reply.problem().code, Code::Forbidden, "{address:?} {method} {path}");
                let reply = Call::new(method, format!("{path}?token={HOOK}")).send(address).await;
                if !path.starts_with("/api/v1/hooks/") {
                    assert_eq!(reply.problem().code, Code::Forbidden, "{address:?} {method} {path} in the address");
                }
            }
        }
        for address in [&server.grpc, &server.tcp, &server.unix] {
            for path in calls() {
                let status = grpc::call(address, &path, Some(HOOK)).await.unwrap_err();
                assert_eq!(status.code(), tonic::Code::PermissionDenied, "{address:?} {path}: {status}");
            }
        }
        assert_eq!(server.session.status().bytes_written, 0, "nothing was typed");
        assert!(server.session.status().exit().is_none(), "nothing was ended");
    }
}

#[tokio::test]
async fn a_websocket_does_not_take_it() {
    let server = server(Some(MAIN), Some(HOOK));
    for address in server.addresses() {
        let bearer = format!("Bearer {HOOK}");
        for (query, headers) in [("", vec![("authorization", bearer.as_str())]), ("?token=hook-token", Vec::new())] {
            let refused = Ws::try_connect(address, query, &headers).await.err();
            assert_eq!(refused.map(|reply| reply.problem().code), Some(Code::Forbidden), "{query:?}");
        }
        let mut ws = Ws::connect(address, "").await;
        ws.send(&json!({ "type": "auth", "token": HOOK })).await;
        assert_eq!(ws.next_of_type("error").await["code"], "FORBIDDEN");
        assert_eq!(ws.until_closed().await.0, 4403);
        let mut ws = Ws::connect(address, &format!("?token={MAIN}")).await;
        ws.send(&json!({ "type": "auth", "token": HOOK })).await;
        assert_eq!(ws.until_closed().await.0, 4403, "nor later");
    }
}

/// A tool may have written a large file.
#[tokio::test]
async fn hooks_may_be_large() {
    let server = server(None, None);
    for (size, code) in [(3 << 20, Code::NoDriver), (15 << 20, Code::NoDriver), (17 << 20, Code::TooLarge)] {
        let body = json!({ "content": "x".repeat(size) });
        let reply = Call::post("/api/v1/hooks/PostToolUse", &body).send(&server.unix).await;
        assert_eq!(reply.problem().code, code, "{size}");
        let reply = Call::post("/api/v1/stop/resolve", &body).send(&server.unix).await;
        assert_eq!(reply.problem().code, Code::TooLarge, "only hooks: {size}");
    }
    let reply = Call::new("POST", "/api/v1/hooks/Stop").body("no json").send(&server.tcp).await;
    assert_eq!(reply.problem().code, Code::BadRequest);
    let reply = Call::new("POST", "/api/v1/hooks/Stop").body(vec![0xff, 0xfe]).send(&server.tcp).await;
    assert_eq!(reply.problem().code, Code::BadRequest);
    let reply = Call::new("POST", "/api/v1/hooks/Stop").header("x-coop-age-us", "old").send(&server.tcp).await;
    assert_eq!(reply.problem().code, Code::BadRequest);
}
