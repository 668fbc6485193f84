//! The token: on every path and every call, and in each of the places it may stand.

use coop_api::Code;
use coop_core::rate::Rate;
use coop_e2e::http::Call;
use coop_e2e::{Address, Clock, Sse, TestServer, Ws, grpc};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

const TOKEN: &str = "correct horse/battery+staple";
/// The same as it stands in a query.
const IN_QUERY: &str = "correct%20horse%2Fbattery%2Bstaple";

/// No token, none, nearly the right one.
const WRONG: [Option<&str>; 4] =
    [None, Some(""), Some("correct horse/battery+stapl"), Some("correct horse/battery+staples")];

fn server() -> TestServer {
    TestServer::with("printf ready; cat", |setup| {
        setup.server.token = Some(TOKEN.into());
        // Hundreds of wrong ones are tried.
        setup.server.wrong_tokens = Rate { per_second: 10_000, burst: 10_000 };
    })
}

/// Every method and path there is, but for `/ws`, which takes its token in other ways too.
pub(crate) fn paths() -> Vec<(&'static str, String)> {
    let document = serde_json::to_value(coop_server::openapi()).unwrap();
    let described = document["paths"].as_object().unwrap().iter().map(|(path, operations)| {
        let method = if operations.get("post").is_some() { "POST" } else { "GET" };
        (method, path.replace("{event}", "Stop").replace("{number}", "1"))
    });
    let others = ["/docs", "/openapi.json", "/nothing-here", "/assets"].map(|path| ("GET", path.to_owned()));
    described.chain(others).filter(|(_, path)| path != "/ws").collect()
}

/// Every call of every service, with those of reflection and health.
pub(crate) fn calls() -> Vec<String> {
    let coop = coop_api::catalog::REQUESTS.iter().map(|entry| entry.rpc);
    let coop = coop.chain(coop_api::catalog::STREAMS.iter().map(|stream| stream.rpc));
    let standard = [
        "grpc.health.v1.Health/Check",
        "grpc.health.v1.Health/Watch",
        "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        "coop.v1.Coop/Nothing",
    ];
    coop.map(|rpc| format!("/coop.v1.Coop/{rpc}")).chain(standard.map(|call| format!("/{call}"))).collect()
}

#[tokio::test]
async fn no_path_answers_without_the_token() {
    let server = server();
    for address in server.addresses() {
        for (method, path) in paths() {
            for token in WRONG {
                let reply = Call::new(method, &path).token(token).send(address).await;
                assert_eq!(reply.problem().code, Code::Unauthorized, "{address:?} {method} {path} {token:?}");
                assert_eq!(reply.header("www-authenticate"), "Bearer", "{path}");
            }
            let reply = Call::new(method, &path).header("authorization", format!("Basic {TOKEN}")).send(address).await;
            assert_eq!(reply.problem().code, Code::Unauthorized, "another scheme is no token");
        }
    }
    assert_eq!(server.session.status().bytes_written, 0, "nothing was typed");
    assert!(server.session.status().exit().is_none(), "nothing was ended");
}

#[tokio::test]
async fn every_path_answers_with_the_token() {
    let server = server();
    for address in server.addresses() {
        for (method, path) in paths() {
            // A stream does not end, and the end of the program comes last.
            if path.ends_with("/events") || path.ends_with("/shutdown") {
                continue;
            }
            let reply = Call::new(method, &path).token(Some(TOKEN)).send(address).await;
            assert!(![401, 403, 500].contains(&reply.status), "{address:?} {method} {path}: {}", reply.status);
        }
        let mut events = Sse::open(address, "?since=0", &[("authorization", &format!("Bearer {TOKEN}"))]).await;
        events.next_of_type("start").await;
    }
    grpc::call(&server.grpc, "/coop.v1.Coop/Shutdown", Some(TOKEN)).await.unwrap();
    let call = Call::post("/api/v1/shutdown", &json!({})).token(Some(TOKEN));
    assert_eq!(call.send(&server.unix).await.status, 200);
    server.exited().await;
}

/// What a browser opens by itself cannot have a header; what changes something never takes a token from the address.
#[tokio::test]
async fn a_token_in_the_address_works_where_a_browser_needs_it() {
    let server = server();
    for (path, status) in [
        ("/docs", 200),
        ("/openapi.json", 200),
        ("/api/v1/events", 200),
        ("/api/v1/screen", 401),
        ("/api/v1/output", 401),
        ("/metrics", 401),
    ] {
        let get = |token: &str| Call::get(format!("{path}?token={token}")).begin(&server.tcp);
        assert_eq!(get(IN_QUERY).await.status(), status, "{path}");
        assert_eq!(get("wrong").await.status(), 401, "{path}");
    }
    let typed = Call::post(format!("/api/v1/input?token={IN_QUERY}"), &json!({ "text": "x" })).send(&server.tcp).await;
    assert_eq!(typed.status, 401);
}

#[tokio::test]
async fn no_call_is_answered_without_the_token() {
    let server = server();
    for address in [&server.grpc, &server.tcp, &server.unix] {
        for path in calls() {
            for token in WRONG {
                let status = grpc::call(address, &path, token).await.unwrap_err();
                assert_eq!(status.code(), tonic::Code::Unauthenticated, "{address:?} {path} {token:?}: {status}");
            }
            // The end of the program is for another test.
            if !path.ends_with("/Shutdown") {
                let code = grpc::call(address, &path, Some(TOKEN)).await.err().map(|status| status.code());
                assert_ne!(code, Some(tonic::Code::Unauthenticated), "{address:?} {path}");
            }
        }
    }
}

async fn connect(to: &Address, query: &str, header: Option<&str>) -> Ws {
    let bearer = header.map(|token| format!("Bearer {token}"));
    let headers: Vec<_> = bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
    Ws::try_connect(to, query, &headers).await.unwrap()
}

#[tokio::test]
async fn a_websocket_says_nothing_before_it_has_the_token() {
    let server = server();
    let auth = |token: &str| json!({ "type": "auth", "token": token });
    let in_query = |token: &str| format!("?token={token}");
    let rows: [(String, Option<&str>, Option<Value>); 8] = [
        (String::new(), Some("wrong"), None),
        (in_query("wrong"), None, None),
        (in_query(""), None, None),
        (String::new(), None, Some(auth("wrong"))),
        (String::new(), None, Some(auth(""))),
        (String::new(), None, Some(json!({ "type": "ping" }))),
        (String::new(), None, Some(json!({ "type": "input", "text": "x" }))),
        // One that was wrong gets no second chance.
        (String::new(), Some("wrong"), Some(auth(TOKEN))),
    ];
    for address in server.addresses() {
        for (query, header, first) in &rows {
            let mut ws = connect(address, query, *header).await;
            if let Some(first) = first {
                // The other side may be quicker to close.
                drop(ws.send_message(Message::text(first.to_string())).await);
            }
            let (code, before) = ws.until_closed().await;
            assert_eq!((code, before), (4401, vec![]), "{query:?} {header:?} {first:?}");
        }
    }
    assert_eq!(server.session.status().bytes_written, 0, "nothing was typed");
}

#[tokio::test]
async fn a_websocket_opens_with_the_token_in_each_of_its_places() {
    let server = server();
    let first = json!({ "type": "auth", "token": TOKEN });
    for address in server.addresses() {
        for (query, header, first) in [
            (String::new(), Some(TOKEN), None),
            (format!("?token={IN_QUERY}&mode=state"), None, None),
            (String::new(), None, Some(&first)),
            // Said twice, as some clients do.
            (String::new(), Some(TOKEN), Some(&first)),
        ] {
            let mut ws = connect(address, &query, header).await;
            if let Some(first) = first {
                ws.send(first).await;
            }
            assert_eq!(ws.next().await.kind(), "hello", "{query:?} {header:?} {first:?}");
            assert_eq!(ws.ask(&json!({ "type": "ping" })).await["type"], "pong");
            ws.send(&json!({ "type": "auth", "token": "wrong" })).await;
            assert_eq!(ws.until_closed().await.0, 4401, "a wrong one later ends it");
        }
    }
}

#[tokio::test]
async fn a_websocket_that_stays_silent_is_closed() {
    let server = TestServer::with("cat", |setup| {
        setup.server.token = Some(TOKEN.into());
        setup.clock = Clock::Skippable;
    });
    let mut ws = connect(&server.tcp, "", None).await;
    server.skip_time();
    assert_eq!(ws.until_closed().await, (4401, vec![]));
}

#[tokio::test]
async fn the_health_port_needs_no_token_and_has_only_probes() {
    let server = server();
    for path in ["/livez", "/ready"] {
        let reply = Call::get(path).send(&server.health).await;
        assert_eq!((reply.status, reply.text().as_str()), (200, "ok\n"), "{path}");
    }
    let others = paths().into_iter().filter(|(_, path)| path != "/livez" && path != "/ready");
    for (method, path) in others.chain([("GET", "/ws".to_owned())]) {
        for token in [None, Some(TOKEN)] {
            let reply = Call::new(method, &path).token(token).send(&server.health).await;
            assert_eq!(reply.problem().code, Code::NotFound, "{path}");
        }
    }
    for path in calls() {
        let reply = Call::new("POST", &path).header("content-type", "application/grpc").send(&server.health).await;
        assert_eq!(reply.problem().code, Code::NotFound, "{path}");
    }
    server.session.shutdown("test").await.unwrap();
    server.exited().await;
    assert_eq!(Call::get("/ready").send(&server.health).await.status, 503, "the program is gone");
    assert_eq!(Call::get("/livez").send(&server.health).await.status, 200, "and coop is not");
}
