//! The same request gets the same reply over HTTP, WebSocket and gRPC.

use std::collections::BTreeSet;

use coop_api::catalog;
use coop_e2e::http::Call;
use coop_e2e::{Everywhere, TestServer, Transport};
use serde_json::{Value, json};

/// Takes input and prints nothing, so that the screen stands still; with colours, a title and a line of history.
const SCRIPT: &str =
    "stty raw -echo; printf '\\033]0;a title\\007\\033[1;31mready\\033[m \\346\\274\\242'; cat >/dev/null";

/// Requests as WebSocket messages. Those of one row are made one after the other over each transport.
fn rows() -> Vec<Vec<Value>> {
    let one = |request: Value| vec![request];
    vec![
        one(json!({ "type": "health_request" })),
        one(json!({ "type": "status_request" })),
        one(json!({ "type": "screen_request" })),
        one(json!({ "type": "screen_request", "format": "text", "cursor": false })),
        one(json!({ "type": "screen_request", "format": "ansi", "scrollback": 5 })),
        one(json!({ "type": "screen_request", "format": "cells" })),
        one(json!({ "type": "screen_text_request" })),
        one(json!({ "type": "screen_text_request", "scrollback": 5 })),
        one(json!({ "type": "screen_svg_request" })),
        one(json!({ "type": "output_request" })),
        one(json!({ "type": "output_request", "offset": 3, "limit": 4, "generation": 1 })),
        one(json!({ "type": "recording_config_request" })),
        one(json!({ "type": "recording_config", "enabled": false })),
        one(json!({ "type": "resume" })),
        one(json!({ "type": "resume", "offset": 4, "scrollback": 2 })),
        one(json!({ "type": "events_request" })),
        one(json!({ "type": "events_request", "since": 1, "limit": 1 })),
        one(json!({ "type": "input", "text": "hello", "enter": true })),
        one(json!({ "type": "input", "text": "two\nlines", "paste": true })),
        one(json!({ "type": "input_raw", "data": "AAEC/w==" })),
        one(json!({ "type": "keys", "keys": ["Up", "Ctrl-C", "F1", "Alt-x"] })),
        one(json!({ "type": "state_request" })),
        one(json!({ "type": "wait", "state": "unknown" })),
        one(json!({ "type": "wait", "state": "idle,prompt", "timeout": 0 })),
        one(json!({ "type": "resize", "cols": 100, "rows": 30 })),
        one(json!({ "type": "signal", "signal": "SIGCONT" })),
        one(json!({ "type": "signal", "signal": "18", "target": "group" })),
        vec![
            json!({ "type": "lock", "action": "acquire", "lease": "ours", "holder": "a test" }),
            json!({ "type": "lock", "action": "release", "lease": "ours" }),
        ],
    ]
}

/// Time passes between two requests, and a WebSocket has a lease of its own.
fn comparable(mut reply: Value) -> Value {
    for field in ["uptime_secs", "lease"] {
        if let Some(value) = reply.get_mut(field) {
            *value = Value::Null;
        }
    }
    reply
}

#[tokio::test]
async fn replies_are_equal() {
    let server = TestServer::start(SCRIPT);
    server.shows("ready").await;
    let mut clients = Everywhere::new(&server).await;
    for row in rows() {
        let mut seen: Vec<(Transport, Vec<Value>)> = Vec::new();
        for transport in Transport::ALL {
            let mut replies = Vec::new();
            for request in &row {
                let reply = clients.ask(transport, request).await;
                replies
                    .push(comparable(reply.unwrap_or_else(|problem| panic!("{transport:?} {request}: {problem:?}"))));
            }
            seen.push((transport, replies));
        }
        let (_, first) = &seen[0];
        for (transport, replies) in &seen {
            assert_eq!(replies, first, "{transport:?} differs from {:?} for {row:?}", seen[0].0);
        }
    }
}

/// Nothing is left to ask afterwards, so this one gets a server for each transport.
#[tokio::test]
async fn shutdowns_are_equal() {
    for transport in Transport::ALL {
        let server = TestServer::start("printf ready; cat");
        let mut clients = Everywhere::new(&server).await;
        let reply = clients.ask(transport, &shutdown()).await;
        assert_eq!(reply, Ok(json!({ "stopping": true })), "{transport:?}");
        server.exited().await;
        let told = clients.ask(transport, &json!({ "type": "events_request", "since": 1, "limit": 1 })).await.unwrap();
        assert_eq!(told["events"][0]["reason"], "a test", "{transport:?}");
    }
}

/// Each is a generation of its own, so that only what comes of it can be compared.
#[tokio::test]
async fn restarts_are_equal() {
    let server = TestServer::start("printf \"${WORD-none} $#\"; cat");
    server.shows("none 0").await;
    let mut clients = Everywhere::new(&server).await;
    for (transport, generation) in Transport::ALL.into_iter().zip(2_u64..) {
        let word = format!("word{generation}");
        let args = json!(["-c", "printf \"${WORD-none} $#\"; cat", "sh", "x"]);
        let request = json!({ "type": "restart", "env": { "WORD": word }, "args": args });
        let reply =
            clients.ask(transport, &request).await.unwrap_or_else(|problem| panic!("{transport:?}: {problem:?}"));
        assert_eq!((&reply["generation"], &reply["resumed"]), (&json!(generation), &json!(false)), "{transport:?}");
        server.shows(&format!("{word} 1")).await;
    }
    // Every client is still connected, and nobody heard of an exit.
    for transport in Transport::ALL {
        let told = clients.ask(transport, &json!({ "type": "events_request" })).await.unwrap();
        let events = told["events"].as_array().unwrap();
        let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        assert_eq!((count("start"), count("exit")), (1 + Transport::ALL.len(), 0), "{transport:?} {told}");
    }
}

fn restart() -> Value {
    json!({ "type": "restart" })
}

fn shutdown() -> Value {
    json!({ "type": "shutdown", "reason": "a test" })
}

#[test]
fn every_request_of_the_catalogue_is_made() {
    let requests = rows().concat().into_iter().chain([shutdown(), restart()]).chain(crate::errors::needs_a_driver());
    let made: BTreeSet<String> = requests.map(|request| request["type"].as_str().unwrap().to_owned()).collect();
    let known: BTreeSet<String> = catalog::REQUESTS.iter().map(|entry| entry.ws.to_owned()).collect();
    assert_eq!(made, known);
}

/// What HTTP sends is what the document says it sends.
#[tokio::test]
async fn content_types_are_as_described() {
    let server = TestServer::start(SCRIPT);
    server.shows("ready").await;
    let document = Call::get("/openapi.json").send(&server.tcp).await.json();
    assert_eq!(document, serde_json::to_value(coop_server::openapi()).unwrap());
    for (path, operations) in document["paths"].as_object().unwrap() {
        let described = &operations["get"]["responses"]["200"]["content"];
        // A connection, a stream, and requests that change something.
        let (Some(described), false) = (described.as_object(), path == "/api/v1/events") else { continue };
        let example = path.replace("{number}", "1").replace("/agent/wait", "/agent/wait?state=unknown");
        let reply = Call::get(example).send(&server.tcp).await;
        if reply.status == 404 && reply.problem().code == coop_api::Code::NoDriver {
            continue;
        }
        assert_eq!(reply.status, 200, "{path}");
        let sent = reply.header("content-type").split(';').next().unwrap_or_default().to_owned();
        assert!(described.contains_key(&sent), "{path} sends {sent}, described is {:?}", described.keys());
    }
}
