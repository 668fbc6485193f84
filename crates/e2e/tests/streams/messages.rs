//! The WebSocket message by message: the greeting, what is followed, ids, and what cannot be read.

use std::collections::BTreeSet;

use coop_api::Code;
use coop_e2e::{Incoming, TestServer, Ws};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::enter;

#[tokio::test]
async fn the_greeting_comes_first() {
    let server = TestServer::start("printf ready; cat");
    server.shows("ready").await;
    for query in ["", "?mode=raw", "?snapshot=true", "?offset=0"] {
        let Incoming::Json(hello) = Ws::connect(&server.tcp, query).await.next().await else { panic!("{query}") };
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            hello,
            json!({
                "type": "hello", "session": "test", "version": version, "generation": 1,
                "offset": 5, "event_seq": 1, "cols": 80, "rows": 24,
            }),
            "{query}"
        );
    }
}

/// What comes until the server has ended, by `type`; binary output has none.
#[tokio::test]
async fn a_connection_gets_what_it_asked_for_and_nothing_else() {
    for (query, expected) in [
        ("", "exit hello output screen title"),
        ("?mode=all", "exit hello output screen title"),
        ("?mode=raw", "exit hello output title"),
        ("?mode=screen", "exit hello screen title"),
        ("?mode=state", "exit hello title"),
        ("?subscribe=output", "hello output"),
        ("?subscribe=screen", "hello screen"),
        ("?subscribe=state,output", "exit hello output title"),
        ("?subscribe=output&encoding=json", "hello output"),
        ("?subscribe=output&encoding=binary", " hello"),
        ("?subscribe=output&snapshot=true", "hello output resume"),
        ("?subscribe=state&mode=raw", "exit hello title"),
    ] {
        let server = TestServer::start("stty -echo; printf ready; read go; printf '\\033]0;a title\\007text'");
        server.shows("ready").await;
        let mut ws = Ws::connect(&server.tcp, query).await;
        // A repaint covers what was printed before it was made.
        let mut first = vec![ws.next().await];
        if query.contains("snapshot") {
            first.push(ws.next().await);
        }
        enter(&server).await;
        server.exited().await;
        let ((), (_, mut messages)) = tokio::join!(server.stop(), ws.until_closed());
        messages.append(&mut first);
        let kinds: BTreeSet<_> = messages.iter().map(Incoming::kind).collect();
        assert_eq!(kinds.into_iter().collect::<Vec<_>>().join(" "), expected, "{query}");
    }
}

#[tokio::test]
async fn a_connection_that_asks_for_what_there_is_not_is_refused() {
    let server = TestServer::start("cat");
    for query in
        ["?mode=everything", "?subscribe=output,sound", "?encoding=xml", "?offset=-1", "?colour=red", "?snapshot=maybe"]
    {
        let reply =
            Ws::try_connect(&server.tcp, query, &[]).await.err().unwrap_or_else(|| panic!("{query} was accepted"));
        assert_eq!(reply.problem().code, Code::BadRequest, "{query}");
    }
}

#[tokio::test]
async fn subscriptions_can_change() {
    let server =
        TestServer::start("stty -echo; printf ready; while read line; do printf \"<$line>\\033]0;$line\\007\"; done");
    server.shows("ready").await;
    let mut ws = Ws::greeted(&server.tcp, "?mode=state").await;
    crate::type_line(&server, "one").await;
    assert_eq!(ws.next().await.kind(), "title");
    ws.send(&json!({ "type": "subscribe", "streams": ["output"] })).await;
    // When this is answered, the message before it has been read.
    ws.ask(&json!({ "type": "ping" })).await;
    crate::type_line(&server, "two").await;
    let (offset, bytes) = ws.next().await.output().unwrap();
    assert_eq!(offset, "ready<one>\x1b]0;one\x07".len() as u64, "it begins now");
    assert!(bytes.starts_with(b"<two>"));
    ws.send(&json!({ "type": "subscribe", "streams": [] })).await;
    ws.ask(&json!({ "type": "ping" })).await;
    crate::type_line(&server, "three").await;
    server.shows("three").await;
    ws.send(&json!({ "type": "ping" })).await;
    assert_eq!(ws.next().await.kind(), "pong", "nothing is followed");
}

#[tokio::test]
async fn ids_come_back_as_they_were() {
    let server = TestServer::start("printf ready; cat");
    let mut ws = Ws::greeted(&server.tcp, "?mode=state").await;
    for id in [json!(7), json!("seven"), json!({ "n": [7, null] }), json!(0), json!("")] {
        for (request, kind) in [
            (json!({ "type": "status_request" }), "reply"),
            (json!({ "type": "screen_request" }), "reply"),
            (json!({ "type": "resume" }), "resume"),
            (json!({ "type": "replay", "offset": 0 }), "resume"),
            (json!({ "type": "ping" }), "pong"),
            (json!({ "type": "keys", "keys": ["Nothing"] }), "error"),
            (json!({ "type": "no_such_request" }), "error"),
            (json!({ "type": "input", "txt": "x" }), "error"),
        ] {
            let mut request = request;
            request["id"] = id.clone();
            ws.send(&request).await;
            let Incoming::Json(reply) = ws.next().await else { panic!("{request}") };
            assert_eq!((&reply["type"], &reply["id"]), (&json!(kind), &id), "{request}");
        }
    }
}

/// Without an id there is none in the reply, and a screen is answered the way the first clients know it.
#[tokio::test]
async fn without_an_id() {
    let server = TestServer::start("printf ready; cat");
    server.shows("ready").await;
    let mut ws = Ws::greeted(&server.tcp, "?mode=state").await;
    for (request, kind) in [
        (json!({ "type": "status_request" }), "reply"),
        (json!({ "type": "screen_request" }), "screen"),
        (json!({ "type": "screen_request", "format": "cells" }), "reply"),
        (json!({ "type": "ping" }), "pong"),
        (json!({ "type": "input", "text": "" }), "error"),
    ] {
        ws.send(&request).await;
        let Incoming::Json(reply) = ws.next().await else { panic!("{request}") };
        assert_eq!(reply["type"], kind, "{request}");
        assert!(reply.get("id").is_none(), "{reply}");
    }
    ws.send(&json!({ "type": "screen_request" })).await;
    let Incoming::Json(screen) = ws.next().await else { panic!() };
    assert_eq!(screen["lines"][0], "ready");
    assert_eq!(screen["seq"], screen["sequence"]);
    assert_eq!((&screen["cols"], &screen["rows"], &screen["alt_screen"]), (&json!(80), &json!(24), &json!(false)));
    assert_eq!((&screen["cursor"]["row"], &screen["cursor"]["col"]), (&json!(0), &json!(5)));
}

#[tokio::test]
async fn what_cannot_be_read_is_said_and_the_connection_goes_on() {
    let server = TestServer::start("cat");
    let mut ws = Ws::greeted(&server.tcp, "?mode=state").await;
    for message in [
        Message::text("hello"),
        Message::text("[]"),
        Message::text("{}"),
        Message::text(r#"{"type":7}"#),
        Message::text(r#"{"type":"subscribe","streams":["sound"]}"#),
        Message::binary(b"\x00\x01".to_vec()),
    ] {
        ws.send_message(message.clone()).await.unwrap();
        let Incoming::Json(error) = ws.next().await else { panic!("{message:?}") };
        assert_eq!((&error["type"], &error["code"]), (&json!("error"), &json!("BAD_REQUEST")), "{message:?}");
    }
    ws.send_message(Message::Ping(b"x".to_vec().into())).await.unwrap();
    assert_eq!(ws.ask(&json!({ "type": "ping" })).await["type"], "pong");
}

#[tokio::test]
async fn connections_close_in_order() {
    let server = TestServer::start("cat");
    let ws = Ws::greeted(&server.tcp, "?mode=state").await;
    assert_eq!(ws.close().await, (1005, vec![]), "answered with what was said: nothing");

    let mut ws = Ws::greeted(&server.tcp, "?mode=state").await;
    // The server stops reading in the middle of it.
    drop(ws.send_message(Message::text("x".repeat(3 << 20))).await);
    assert_eq!(ws.until_closed().await, (1009, vec![]), "too large");

    // The next one finds a server that is well.
    Ws::greeted(&server.tcp, "").await;
}

#[tokio::test]
async fn replies_come_in_order_and_streams_go_on_meanwhile() {
    let server = TestServer::with("stty raw -echo; printf ready; while :; do printf .; sleep 0.01; done", |setup| {
        setup.session.input_timeout = std::time::Duration::from_secs(2);
    });
    server.shows("ready").await;
    let mut ws = Ws::greeted(&server.tcp, "?subscribe=output").await;
    // Nobody reads this, so it takes until the time is up.
    let data = "eHh4".repeat(1 << 18);
    ws.send(&json!({ "type": "input_raw", "data": data, "id": "stalled" })).await;
    ws.send(&json!({ "type": "status_request", "id": "after" })).await;
    let id = |message: &Incoming| match message {
        Incoming::Json(message) => message["id"].clone(),
        _ => Value::Null,
    };
    let messages = ws.until(|message| id(message) == "after").await;
    let ids: Vec<_> = messages.iter().map(id).filter(|id| !id.is_null()).collect();
    assert_eq!(ids, ["stalled", "after"]);
    let before = messages.iter().take_while(|message| id(message).is_null());
    assert!(before.filter(|message| message.kind() == "output").count() > 10, "output goes on");
    let stalled = messages.iter().find(|message| id(message) == "stalled");
    assert!(matches!(stalled, Some(Incoming::Json(error)) if error["code"] == "INPUT_STALLED"), "{stalled:?}");
}
