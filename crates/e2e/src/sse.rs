//! Server-sent events, read as they come.

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde_json::Value;

use crate::http::Call;
use crate::{Address, in_time};

#[derive(Debug)]
pub struct Sse {
    body: Incoming,
    unread: Vec<u8>,
}

/// What stands between two empty lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    pub id: String,
    pub event: String,
    pub data: Value,
    pub comment: String,
}

impl Sse {
    /// Follows events, with a query such as `?since=0`.
    pub async fn open(to: &Address, query: &str, headers: &[(&str, &str)]) -> Self {
        let call = Call::get(format!("/api/v1/events{query}"));
        let call = headers.iter().fold(call, |call, (name, value)| call.header(name, *value));
        let response = in_time("the events", call.begin(to)).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body(), unread: Vec::new() }
    }

    /// The next message or comment; none at the end.
    pub async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.unread.drain(..end + 2).collect();
                return Some(parse(std::str::from_utf8(&block).unwrap()));
            }
            let more = self.more().await?;
            self.unread.extend(more);
        }
    }

    /// The next event of this name; others are skipped.
    pub async fn next_of_type(&mut self, event: &str) -> Message {
        loop {
            let message = self.next().await.unwrap_or_else(|| panic!("the stream ended without {event}"));
            if message.event == event {
                return message;
            }
        }
    }

    /// Everything up to the end of the stream.
    pub async fn rest(mut self) -> Vec<Message> {
        let mut all = Vec::new();
        while let Some(message) = self.next().await {
            all.push(message);
        }
        all
    }

    async fn more(&mut self) -> Option<Bytes> {
        let frame = in_time("the next event", self.body.frame()).await?;
        // A connection that breaks ends the stream too.
        frame.ok()?.into_data().ok()
    }
}

fn parse(block: &str) -> Message {
    let mut message = Message::default();
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => message.comment.push_str(value),
            "id" => message.id = value.into(),
            "event" => message.event = value.into(),
            "data" => message.data = serde_json::from_str(value).unwrap(),
            other => panic!("there is no field {other:?} in server-sent events"),
        }
    }
    message
}
