//! The WebSocket: what happens, as it happens, and requests in between.

use bytes::{Buf as _, Bytes};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::header::{AUTHORIZATION, HeaderValue};
use serde::Serialize;
use serde_json::Value;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::endpoint::Io;
use super::http::query;
use super::{ClientError, Endpoint, Result};
use crate::ws::{CLOSE_UNAUTHORIZED, Control, Request, ServerMessage, Topic};
use crate::{ApiError, Code, Problem};

/// What a connection is to carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Follow {
    pub topics: Vec<Topic>,
    /// Where output goes on. Without it, it begins now.
    pub from: Option<Place>,
    /// Begin with a repaint of the screen.
    pub snapshot: bool,
}

/// A place in a session's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub generation: u64,
    pub offset: u64,
}

/// One message of the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Message(Box<ServerMessage>),
    /// Output of the program; the first byte is at `offset`.
    Output {
        offset: u64,
        bytes: Bytes,
    },
}

pub struct Socket {
    stream: WebSocketStream<Box<dyn Io>>,
    endpoint: Endpoint,
}

impl std::fmt::Debug for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Socket").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Socket {
    pub(super) async fn open(endpoint: &Endpoint, path: &str, token: Option<&str>, follow: &Follow) -> Result<Self> {
        let stream = endpoint.connect().await?;
        let url = format!("ws://{}{path}{}", endpoint.authority(), query(&follow.parameters()));
        let mut request = url.into_client_request().map_err(|error| ClientError::Protocol(error.to_string()))?;
        if let Some(token) = token {
            let value = HeaderValue::try_from(format!("Bearer {token}"));
            let value = value.map_err(|_| ClientError::Protocol("the token has a character none may have".into()))?;
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        let (stream, _) = client_async(request, stream).await.map_err(|error| explain(endpoint, error))?;
        Ok(Self { stream, endpoint: endpoint.clone() })
    }

    /// Sends a request. The reply comes as a message with the same `id`.
    pub async fn request(&mut self, id: u64, request: &Request) -> Result<()> {
        self.send(Some(id), request).await
    }

    pub async fn control(&mut self, control: &Control) -> Result<()> {
        self.send(None, control).await
    }

    /// The next message; none when the server has closed the connection in order. Can be dropped while it waits.
    pub async fn next(&mut self) -> Result<Option<Incoming>> {
        loop {
            match self.stream.next().await {
                None => return Ok(None),
                Some(Ok(Message::Text(text))) => {
                    let message = serde_json::from_str(&text)
                        .map_err(|error| ClientError::Protocol(format!("a message was unreadable: {error}")))?;
                    return Ok(Some(Incoming::Message(message)));
                }
                Some(Ok(Message::Binary(bytes))) => return output(bytes).map(Some),
                Some(Ok(Message::Close(frame))) => return closed(frame).map(|()| None),
                // Answered by the library.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Err(error)) => return Err(explain(&self.endpoint, error)),
            }
        }
    }

    /// Says goodbye. A peer that is gone already does not hear it.
    pub async fn close(mut self) {
        let _ = self.stream.close(None).await;
    }

    async fn send<M: Serialize>(&mut self, id: Option<u64>, message: &M) -> Result<()> {
        let mut message = serde_json::to_value(message).map_err(|error| ClientError::Protocol(error.to_string()))?;
        if let (Some(id), Some(fields)) = (id, message.as_object_mut()) {
            fields.insert("id".into(), id.into());
        }
        let sent = self.stream.send(Message::text(message.to_string())).await;
        sent.map_err(|error| explain(&self.endpoint, error))
    }
}

impl Follow {
    fn parameters(&self) -> Value {
        let topics: Vec<&str> = self.topics.iter().map(|topic| topic.name()).collect();
        serde_json::json!({
            "subscribe": topics.join(","),
            "encoding": "binary",
            "offset": self.from.map(|place| place.offset),
            "generation": self.from.map(|place| place.generation),
            "snapshot": self.snapshot.then_some(true),
        })
    }
}

/// A binary message: eight bytes of offset, then output.
fn output(mut bytes: Bytes) -> Result<Incoming> {
    match bytes.try_get_u64() {
        Ok(offset) => Ok(Incoming::Output { offset, bytes }),
        Err(_) => Err(ClientError::Protocol("a message was too short".into())),
    }
}

/// A wrong token is an error, other reasons to close are not.
pub(super) fn closed(frame: Option<CloseFrame>) -> Result<()> {
    match frame {
        Some(frame) if u16::from(frame.code) == CLOSE_UNAUTHORIZED => {
            let error = ApiError::new(Code::Unauthorized, "The token is missing or wrong.");
            Err(error.problem().into())
        }
        _ => Ok(()),
    }
}

pub(super) fn explain(endpoint: &Endpoint, error: WsError) -> ClientError {
    match error {
        WsError::Io(error) => endpoint.unreachable(error),
        WsError::ConnectionClosed
        | WsError::AlreadyClosed
        | WsError::Protocol(
            ProtocolError::ResetWithoutClosingHandshake
            | ProtocolError::HandshakeIncomplete
            | ProtocolError::SendAfterClosing,
        ) => endpoint.unreachable(std::io::ErrorKind::ConnectionReset.into()),
        WsError::Http(response) => {
            let body = response.body().as_deref().unwrap_or_default();
            match serde_json::from_slice::<Problem>(body) {
                Ok(problem) => problem.into(),
                Err(_) => ClientError::Protocol(format!("the connection was answered with {}", response.status())),
            }
        }
        other => ClientError::Protocol(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for() {
        let check = |follow: Follow, expected: &str| assert_eq!(query(&follow.parameters()), expected);
        check(
            Follow { topics: vec![Topic::Output, Topic::State], snapshot: true, ..Follow::default() },
            "?encoding=binary&snapshot=true&subscribe=output,state",
        );
        check(
            Follow { topics: vec![Topic::Output], from: Some(Place { generation: 2, offset: 9 }), ..Follow::default() },
            "?encoding=binary&generation=2&offset=9&subscribe=output",
        );
    }

    #[test]
    fn binary_output() {
        let bytes = Bytes::from_static(b"\0\0\0\0\0\0\x01\0abc");
        let expected = Incoming::Output { offset: 256, bytes: Bytes::from_static(b"abc") };
        assert_eq!(output(bytes).unwrap(), expected);
        assert!(output(Bytes::from_static(b"short")).is_err());
    }
}
