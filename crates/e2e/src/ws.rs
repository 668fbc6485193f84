//! A WebSocket client that shows everything the server sends.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::header::{HeaderName, HeaderValue};
use serde_json::Value;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::http::Reply;
use crate::server::Io;
use crate::{Address, Painter, in_time};

#[derive(Debug)]
pub struct Ws {
    stream: WebSocketStream<Box<dyn Io>>,
    last_id: u64,
}

/// One message of the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Json(Value),
    /// Output with `encoding=binary`.
    Binary {
        offset: u64,
        bytes: Bytes,
    },
    Closed {
        code: u16,
        reason: String,
    },
    /// The connection ended without a closing message.
    Broken,
}

impl Incoming {
    /// The `type` of a JSON message.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Json(message) => message["type"].as_str().unwrap_or_default(),
            Self::Binary { .. } | Self::Closed { .. } | Self::Broken => "",
        }
    }

    /// Output in either encoding.
    #[must_use]
    pub fn output(&self) -> Option<(u64, Vec<u8>)> {
        match self {
            Self::Json(message) if message["type"] == "output" => {
                Some((message["offset"].as_u64().unwrap(), bytes_of(message)))
            }
            Self::Binary { offset, bytes } => Some((*offset, bytes.to_vec())),
            _ => None,
        }
    }
}

/// The `data` of a message.
#[must_use]
pub fn bytes_of(message: &Value) -> Vec<u8> {
    STANDARD.decode(message["data"].as_str().unwrap()).unwrap()
}

impl Ws {
    /// Connects with a query such as `?mode=raw`. Nothing is read yet.
    pub async fn connect(to: &Address, query: &str) -> Self {
        Self::try_connect(to, query, &[]).await.unwrap_or_else(|reply| panic!("refused: {}", reply.text()))
    }

    /// Connects and reads the greeting.
    pub async fn greeted(to: &Address, query: &str) -> Self {
        let mut ws = Self::connect(to, query).await;
        assert_eq!(ws.next().await.kind(), "hello");
        ws
    }

    /// The same, with a painter that knows what the greeting said.
    pub async fn painted(to: &Address, query: &str) -> (Self, Painter) {
        let (mut ws, mut painter) = (Self::connect(to, query).await, Painter::default());
        painter.take(&ws.next().await);
        assert!(painter.at.is_some(), "the greeting comes first");
        (ws, painter)
    }

    /// The reply instead of a connection, where the server refuses.
    pub async fn try_connect(to: &Address, query: &str, headers: &[(&str, &str)]) -> Result<Self, Reply> {
        Self::try_connect_at(to, &format!("/ws{query}"), headers).await
    }

    /// The same at another path.
    pub async fn try_connect_at(to: &Address, path: &str, headers: &[(&str, &str)]) -> Result<Self, Reply> {
        let mut request = format!("ws://{}{path}", to.host()).into_client_request().unwrap();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
        }
        let stream = to.connect().await.unwrap();
        match in_time("connecting a WebSocket", client_async(request, stream)).await {
            Ok((stream, _)) => Ok(Self { stream, last_id: 0 }),
            Err(Error::Http(response)) => {
                let (parts, body) = response.into_parts();
                let body = body.unwrap_or_default().into();
                Err(Reply { status: parts.status.as_u16(), headers: parts.headers, body })
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub async fn send(&mut self, message: &Value) {
        self.send_message(Message::text(message.to_string())).await.unwrap();
    }

    pub async fn send_message(&mut self, message: Message) -> Result<(), Error> {
        in_time("sending a message", self.stream.send(message)).await
    }

    /// The next message, of whatever kind.
    pub async fn next(&mut self) -> Incoming {
        in_time("the next message", self.received()).await
    }

    /// A ping now and then is no message.
    async fn received(&mut self) -> Incoming {
        loop {
            return match self.stream.next().await {
                Some(Ok(Message::Text(text))) => Incoming::Json(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Binary(mut frame))) => {
                    let bytes = frame.split_off(8);
                    Incoming::Binary { offset: u64::from_be_bytes(frame[..].try_into().unwrap()), bytes }
                }
                Some(Ok(Message::Close(frame))) => {
                    // The library has an answer ready; the other side may have gone before it.
                    drop(self.stream.flush().await);
                    frame.map_or(Incoming::Closed { code: 1005, reason: String::new() }, |frame| Incoming::Closed {
                        code: frame.code.into(),
                        reason: frame.reason.to_string(),
                    })
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Err(_)) | None => Incoming::Broken,
            };
        }
    }

    /// The next JSON message of this `type`; others are skipped.
    pub async fn next_of_type(&mut self, kind: &str) -> Value {
        match self.until(|message| message.kind() == kind).await.pop() {
            Some(Incoming::Json(message)) => message,
            other => panic!("{other:?} is no {kind}"),
        }
    }

    /// All messages up to the first that `is_last`, with it.
    pub async fn until(&mut self, mut is_last: impl FnMut(&Incoming) -> bool) -> Vec<Incoming> {
        let mut messages = Vec::new();
        loop {
            let message = self.next().await;
            let ended = matches!(message, Incoming::Closed { .. } | Incoming::Broken);
            let last = is_last(&message);
            assert!(last || !ended, "{message:?} after {messages:?}");
            messages.push(message);
            if last {
                return messages;
            }
        }
    }

    /// Sends a request with an id and waits for what answers it; messages in between are dropped.
    pub async fn ask(&mut self, request: &Value) -> Value {
        self.last_id += 1;
        let id = Value::from(format!("request {}", self.last_id));
        let mut request = request.clone();
        request["id"] = id.clone();
        self.send(&request).await;
        let answers = |message: &Incoming| matches!(message, Incoming::Json(message) if message["id"] == id);
        match self.until(answers).await.pop() {
            Some(Incoming::Json(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    /// The close code, and what came before it.
    pub async fn until_closed(&mut self) -> (u16, Vec<Incoming>) {
        let ended = |message: &Incoming| matches!(message, Incoming::Closed { .. } | Incoming::Broken);
        let mut messages = self.until(ended).await;
        match messages.pop() {
            Some(Incoming::Closed { code, .. }) => (code, messages),
            _ => panic!("the connection broke after {messages:?}"),
        }
    }

    /// Says goodbye and waits for the other side to do so too.
    pub async fn close(mut self) -> (u16, Vec<Incoming>) {
        self.send_message(Message::Close(None)).await.unwrap();
        self.until_closed().await
    }
}
