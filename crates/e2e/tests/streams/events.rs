//! Server-sent events: numbered, resumable, and never silent for long.

use coop_api::Code;
use coop_e2e::http::Call;
use coop_e2e::sse::Message;
use coop_e2e::{Clock, Sse, TestServer};
use serde_json::json;

use crate::enter;

/// Seven events: the start, five titles, the exit.
const SCRIPT: &str = "for i in 1 2 3 4 5; do printf '\\033]0;%d\\007' $i; done";

/// All events of a server that ends, from where the client says it is.
async fn all(server: &TestServer, query: &str, last_event_id: Option<&str>) -> Vec<Message> {
    let headers: Vec<_> = last_event_id.into_iter().map(|id| ("last-event-id", id)).collect();
    let sse = Sse::open(&server.tcp, query, &headers).await;
    let ((), messages) = tokio::join!(server.stop(), sse.rest());
    messages
}

fn ids(messages: &[Message]) -> String {
    messages.iter().map(|message| message.id.as_str()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_client_goes_on_after_the_event_it_has_seen() {
    for (query, header, resume, expected) in [
        ("?since=0", None, "ok", "1:1 1:2 1:3 1:4 1:5 1:6 1:7"),
        ("", Some("1:0"), "ok", "1:1 1:2 1:3 1:4 1:5 1:6 1:7"),
        ("", Some("1:4"), "ok", "1:5 1:6 1:7"),
        ("?since=5", None, "ok", "1:6 1:7"),
        ("?since=5", Some("1:2"), "ok", "1:6 1:7"),
        ("", Some("1:7"), "ok", ""),
        // Of a session that is gone: nothing of this one was seen.
        ("", Some("1:99"), "gap", "1:1 1:2 1:3 1:4 1:5 1:6 1:7"),
        ("", Some("2:3"), "gap", "1:1 1:2 1:3 1:4 1:5 1:6 1:7"),
        ("?since=99", None, "gap", "1:1 1:2 1:3 1:4 1:5 1:6 1:7"),
    ] {
        let server = TestServer::start(SCRIPT);
        server.exited().await;
        let messages = all(&server, query, header).await;
        let row = format!("{query} {header:?}");
        let (first, events) = messages.split_first().unwrap();
        assert_eq!((first.event.as_str(), &first.data["resume"]), ("resume", &json!(resume)), "{row}");
        assert_eq!(first.data["lost"], 0, "{row}");
        assert_eq!(ids(events), expected, "{row}");
    }
}

#[tokio::test]
async fn what_is_no_longer_kept_is_said() {
    for (since, lost, expected) in [(0, 4, "1:5 1:6 1:7"), (3, 1, "1:5 1:6 1:7"), (4, 0, "1:5 1:6 1:7"), (6, 0, "1:7")]
    {
        let server = TestServer::with(SCRIPT, |setup| setup.session.event_limit = 3);
        server.exited().await;
        let messages = all(&server, &format!("?since={since}"), None).await;
        let status = if lost > 0 { "gap" } else { "ok" };
        assert_eq!(messages[0].data, json!({ "resume": status, "lost": lost }), "since {since}");
        assert_eq!(ids(&messages[1..]), expected, "since {since}");
    }
}

/// A reader that is there all the time and too slow is told in the stream.
#[tokio::test]
async fn events_are_what_the_websocket_says_too() {
    let server = TestServer::start("printf ready; read go; printf '\\033]0;named\\007'; exit 3");
    server.shows("ready").await;
    let mut sse = Sse::open(&server.tcp, "", &[]).await;
    let mut ws = coop_e2e::Ws::greeted(&server.tcp, "?mode=state").await;
    enter(&server).await;
    for (name, data) in [
        ("title", json!({ "type": "title", "title": "named", "seq": 2, "generation": 1 })),
        ("exit", json!({ "type": "exit", "code": 3, "signal": null, "seq": 3, "generation": 1 })),
    ] {
        let message = sse.next_of_type(name).await;
        assert_eq!((message.id, &message.data), (format!("1:{}", data["seq"]), &data));
        assert_eq!(ws.next_of_type(name).await, data);
    }
}

#[tokio::test]
async fn an_id_that_is_none_is_refused() {
    let server = TestServer::start("cat");
    for id in ["7", "one:two", "", "1:-1"] {
        let reply = Call::get("/api/v1/events").header("last-event-id", id).send(&server.tcp).await;
        assert_eq!(reply.problem().code, Code::BadRequest, "{id:?}");
    }
    let reply = Call::get("/api/v1/events?since=x").send(&server.tcp).await;
    assert_eq!(reply.problem().code, Code::BadRequest);
}

#[tokio::test]
async fn there_is_a_sign_of_life() {
    let server = TestServer::with("cat", |setup| setup.clock = Clock::Skippable);
    let mut sse = Sse::open(&server.tcp, "", &[]).await;
    server.skip_time();
    for _ in 0..3 {
        let message = sse.next().await.unwrap();
        assert_eq!(message, Message { comment: "heartbeat".into(), ..Message::default() });
    }
}
