//! After the program has ended: nothing more can be typed, everything can still be read, and all are told once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use coop_api::v1::event::Body;
use coop_api::v1::{StreamEventsRequest, StreamOutputRequest};
use coop_api::{Code, v1};
use coop_e2e::{Everywhere, Incoming, Painter, Sse, TestServer, Transport, Ws, grpc, in_time};
use coop_terminal::Size;
use serde_json::json;

#[tokio::test]
async fn input_is_refused_and_the_last_screen_stays() {
    let server = TestServer::start("printf 'the last words'; exit 7");
    server.exited().await;
    let mut clients = Everywhere::new(&server).await;
    for transport in Transport::ALL {
        for request in [
            json!({ "type": "input", "text": "x" }),
            json!({ "type": "input", "text": "x", "paste": true }),
            json!({ "type": "input_raw", "data": "eA==" }),
            json!({ "type": "keys", "keys": ["Enter"] }),
            json!({ "type": "resize", "cols": 90, "rows": 30 }),
            json!({ "type": "signal", "signal": "INT" }),
            json!({ "type": "lock", "action": "acquire" }),
        ] {
            let problem = clients.ask(transport, &request).await.unwrap_err();
            assert_eq!(problem.code, Code::Exited, "{transport:?} {request}");
            assert!(problem.detail.contains("code 7"), "{}", problem.detail);
        }
        for (request, field, expected) in [
            (json!({ "type": "screen_request" }), "/lines/0", json!("the last words")),
            (json!({ "type": "output_request" }), "/data", json!("dGhlIGxhc3Qgd29yZHM=")),
            (json!({ "type": "resume" }), "/status", json!("snapshot")),
            (json!({ "type": "status_request" }), "/state", json!("exited")),
            (json!({ "type": "status_request" }), "/exit_code", json!(7)),
            (json!({ "type": "status_request" }), "/pid", json!(null)),
            (json!({ "type": "health_request" }), "/status", json!("exited")),
            (json!({ "type": "events_request" }), "/events/1/type", json!("exit")),
            (json!({ "type": "events_request" }), "/events/1/code", json!(7)),
        ] {
            let reply = clients.ask(transport, &request).await.unwrap();
            assert_eq!(reply.pointer(field), Some(&expected), "{transport:?} {request}");
        }
    }
}

#[tokio::test]
async fn a_signal_is_told_as_one() {
    let server = TestServer::start("printf ready; kill -TERM $$; sleep 100");
    server.exited().await;
    let mut clients = Everywhere::new(&server).await;
    for transport in Transport::ALL {
        let status = clients.ask(transport, &json!({ "type": "status_request" })).await.unwrap();
        assert_eq!((&status["exit_code"], &status["exit_signal"]), (&json!(null), &json!(15)), "{transport:?}");
    }
}

/// There is nothing left to end but the server, which hears of it from any client.
#[tokio::test]
async fn asked_to_end_when_all_is_over_the_server_ends() {
    for transport in Transport::ALL {
        let server = TestServer::start("exit 7");
        server.exited().await;
        let reply = Everywhere::new(&server).await.ask(transport, &json!({ "type": "shutdown" })).await;
        assert_eq!(reply, Ok(json!({ "stopping": true })), "{transport:?}");
        server.ended().await;
    }
}

/// Waits for a line, prints 5 MB that no reader can keep up with, and ends.
const MUCH: &str = "stty -echo; printf ready; read go; seq 1 700000; printf END; exit 3";

async fn go(server: &TestServer) {
    Everywhere::new(server).await.ask(Transport::Http, &json!({ "type": "input", "enter": true })).await.unwrap();
}

/// A quick reader reads as it comes, a slow one when all is over.
#[tokio::test]
async fn the_exit_comes_once_and_after_the_last_output() {
    for (query, slow) in [
        ("?mode=raw", false),
        ("?mode=raw", true),
        ("?mode=raw&encoding=binary", true),
        ("", true),
        ("?subscribe=output,state&snapshot=true", true),
    ] {
        let server = TestServer::start(MUCH);
        server.shows("ready").await;
        let (mut ws, mut painter) = Ws::painted(&server.tcp, query).await;
        go(&server).await;
        if slow {
            server.exited().await;
        }
        let mut messages = ws.until(|message| message.kind() == "exit").await;
        messages.iter().for_each(|message| painter.take(message));
        assert_eq!(painter.at, Some(server.session.status().output_end), "{query}: all output came before");
        painter.assert_same(&server.tcp, query).await;
        let Some(Incoming::Json(exit)) = messages.pop() else { panic!("exit is JSON") };
        assert_eq!((&exit["code"], &exit["signal"]), (&json!(3), &json!(null)));

        // The connection stays: the last screen can be asked for. It ends with the server.
        ws.send(&json!({ "type": "ping" })).await;
        messages.extend(ws.until(|message| message.kind() == "pong").await);
        let ((), (code, rest)) = tokio::join!(server.stop(), ws.until_closed());
        messages.extend(rest);
        assert_eq!(code, 1001, "{query}");
        assert!(messages.iter().all(|message| message.kind() != "exit"), "{query}: told twice");
    }
}

#[tokio::test]
async fn every_stream_of_events_is_told_once() {
    let server = TestServer::start(MUCH);
    server.shows("ready").await;
    let sse = Sse::open(&server.tcp, "?since=0", &[]).await;
    let mut client = grpc::client(&server.grpc);
    let mut events = client.stream_events(StreamEventsRequest { since: Some(0) }).await.unwrap().into_inner();
    let mut output = client.stream_output(StreamOutputRequest::default()).await.unwrap().into_inner();
    go(&server).await;
    server.exited().await;
    // Late, but it was there when it happened.
    let mut late = client.stream_events(StreamEventsRequest { since: Some(0) }).await.unwrap().into_inner();
    let stopping = server.stop();

    let read = async {
        let of_sse = sse.rest().await.iter().filter(|message| message.event == "exit").count();
        assert_eq!(of_sse, 1, "SSE");
        for events in [&mut events, &mut late] {
            let mut exits = 0;
            while let Some(event) = in_time("an event", events.message()).await.unwrap() {
                exits += usize::from(matches!(event.body, Some(Body::Exit(v1::ExitEvent { code: Some(3), .. }))));
            }
            assert_eq!(exits, 1, "gRPC");
        }
        let mut painter = Painter::default();
        while let Some(chunk) = in_time("output", output.message()).await.unwrap() {
            match chunk.resume {
                Some(at) => painter.resume(&at.status, Size::new(at.cols, at.rows).unwrap(), at.offset, &at.data),
                None => painter.output(chunk.offset, &chunk.data),
            }
        }
        assert_eq!(painter.at, Some(server.session.status().output_end), "all output before the end of the stream");
    };
    tokio::join!(stopping, read);
}

/// Whoever comes when it is over is told too, and does not wait for something that has happened.
#[tokio::test]
async fn those_who_come_later_are_told() {
    let server = TestServer::start("printf bye; exit 7");
    server.exited().await;
    for query in ["", "?mode=state", "?mode=raw", "?mode=screen"] {
        let mut ws = Ws::greeted(&server.tcp, query).await;
        assert_eq!(ws.next_of_type("exit").await["code"], 7, "{query}");
        ws.send(&json!({ "type": "ping" })).await;
        let rest = ws.until(|message| message.kind() == "pong").await;
        assert!(rest.iter().all(|message| message.kind() != "exit"), "{query}: told twice");
    }
    assert_eq!(Sse::open(&server.tcp, "", &[]).await.next_of_type("exit").await.data["code"], 7);
    let mut events =
        grpc::client(&server.grpc).stream_events(StreamEventsRequest::default()).await.unwrap().into_inner();
    let event = in_time("the exit", events.message()).await.unwrap().unwrap();
    assert!(matches!(event.body, Some(Body::Exit(v1::ExitEvent { code: Some(7), .. }))), "{event:?}");
}
