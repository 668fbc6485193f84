//! The way back to an agent: the head of a response, then its body, either of which the agent may stop to wait for.

use std::io;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::Response;
use hyper::body::Frame;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

pub(super) type Body = BoxBody<Bytes, io::Error>;
type Chunk = Result<Frame<Bytes>, io::Error>;

/// The agent has closed the connection.
#[derive(Debug)]
pub(super) struct Gone;

#[derive(Debug)]
pub(super) enum Line {
    /// Nothing was sent; the head goes here.
    Silent(oneshot::Sender<Response<Body>>),
    Open(mpsc::Sender<Chunk>),
    Ended,
}

impl Line {
    /// Sends the head of a stream, once.
    pub(super) fn open(&mut self) -> Result<(), Gone> {
        let Self::Silent(_) = self else { return Ok(()) };
        let (chunks, received) = mpsc::channel(1);
        let Self::Silent(head) = std::mem::replace(self, Self::Open(chunks)) else { return Ok(()) };
        let body = stream::unfold(received, async |mut received| Some((received.recv().await?, received)));
        let response = Response::builder()
            .header("content-type", "text/event-stream")
            .header("cache-control", "no-cache")
            .header("request-id", "req_scripted")
            .body(StreamBody::new(body).boxed());
        head.send(response.map_err(|_| Gone)?).map_err(|_| Gone)
    }

    pub(super) async fn send(&mut self, bytes: String) -> Result<(), Gone> {
        let Self::Open(chunks) = self else { return Ok(()) };
        if bytes.is_empty() {
            return Ok(());
        }
        chunks.send(Ok(Frame::data(bytes.into()))).await.map_err(|_| Gone)
    }

    /// A response that is whole at once.
    pub(super) fn answer(&mut self, response: Response<Body>) -> Result<(), Gone> {
        match std::mem::replace(self, Self::Ended) {
            Self::Silent(head) => head.send(response).map_err(|_| Gone),
            _ => Ok(()),
        }
    }

    /// Ends the connection in the middle of what was promised on it.
    pub(super) async fn cut(&mut self) -> Result<(), Gone> {
        self.open()?;
        let Self::Open(chunks) = self else { return Ok(()) };
        let sent = chunks.send(Err(io::Error::other("cut by the script"))).await;
        *self = Self::Ended;
        sent.map_err(|_| Gone)
    }

    /// Returns when the agent goes away.
    pub(super) async fn closed(&mut self) {
        match self {
            Self::Silent(head) => head.closed().await,
            Self::Open(chunks) => chunks.closed().await,
            Self::Ended => std::future::pending().await,
        }
    }
}

pub(super) fn json(status: u16, headers: &[(&'static str, String)], body: &Value) -> Response<Body> {
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    let body = Full::new(Bytes::from(body.to_string())).map_err(|never| match never {}).boxed();
    response.body(body).unwrap_or_default()
}
