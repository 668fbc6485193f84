//! One request and its answer over HTTP/1.

use std::future::Future;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Client, ClientError, Result};
use crate::Problem;

/// Input may wait 10 s for a program that does not read; everything else takes milliseconds.
pub(super) const REQUEST_LIMIT: Duration = Duration::from_secs(30);

/// A program may be given as long as anybody likes to end.
pub(super) const RESTART_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// The largest honest answer: a MiB of output in base64, or 100,000 lines of history. More is not from coop.
const MAX_BODY: usize = 256 << 20;

impl Client {
    /// Sends `message`, as the query of a GET and as the JSON body of anything else, and reads the JSON that answers.
    pub async fn request<Q: Serialize, R: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        message: &Q,
    ) -> Result<R> {
        self.request_within(REQUEST_LIMIT, method, path, message).await
    }

    /// The same for requests that wait for an agent.
    pub async fn request_within<Q: Serialize, R: DeserializeOwned>(
        &self,
        limit: Duration,
        method: Method,
        path: &str,
        message: &Q,
    ) -> Result<R> {
        let body = self.exchange(limit, method, path, message).await?;
        serde_json::from_slice(&body).map_err(|error| ClientError::Protocol(format!("{path} answered {error}")))
    }

    /// What a GET answers, as text.
    pub async fn text<Q: Serialize>(&self, path: &str, message: &Q) -> Result<String> {
        let body = self.exchange(REQUEST_LIMIT, Method::GET, path, message).await?;
        String::from_utf8(body.into()).map_err(|_| ClientError::Protocol(format!("{path} answered with bytes")))
    }

    pub(super) async fn exchange<Q: Serialize>(
        &self,
        limit: Duration,
        method: Method,
        path: &str,
        message: &Q,
    ) -> Result<Bytes> {
        let request = self.build(method, path, message)?;
        let (status, body) = self.in_time(limit, self.send(request)).await?;
        if status.is_success() {
            return Ok(body);
        }
        Err(refusal(path, status, &body))
    }

    pub(super) fn build<Q: Serialize>(&self, method: Method, path: &str, message: &Q) -> Result<Request<Full<Bytes>>> {
        let message = serde_json::to_value(message).map_err(|error| ClientError::Protocol(error.to_string()))?;
        let (target, body) = match method {
            Method::GET => (format!("{path}{}", query(&message)), Bytes::new()),
            _ => (path.to_owned(), message.to_string().into()),
        };
        let mut request = Request::builder()
            .method(method)
            .uri(target)
            .header(HOST, self.endpoint.authority())
            .header(CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        // Only a token with a line break, or the like, can fail here.
        request
            .body(Full::new(body))
            .map_err(|_| ClientError::Protocol("the token has a character none may have".into()))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Bytes)> {
        let stream = self.endpoint.connect().await?;
        let broken = |error: hyper::Error| self.endpoint.unreachable(broken_connection(&error));
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        // Ends with the sender. What goes wrong in it is seen by the request.
        tokio::spawn(connection);
        read(sender.send_request(request).await.map_err(broken)?).await
    }

    pub(super) async fn in_time<T>(&self, limit: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
        let late = || self.endpoint.unreachable(io::Error::new(io::ErrorKind::TimedOut, "no answer"));
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(late()))
    }
}

pub(super) async fn read(response: Response<Incoming>) -> Result<(StatusCode, Bytes)> {
    let status = response.status();
    let body = Limited::new(response.into_body(), MAX_BODY).collect().await;
    let body = body.map_err(|error| ClientError::Protocol(format!("the answer could not be read: {error}")))?;
    Ok((status, body.to_bytes()))
}

/// Why `path` was not answered as it should be.
pub(super) fn refusal(path: &str, status: StatusCode, body: &[u8]) -> ClientError {
    match serde_json::from_slice::<Problem>(body) {
        Ok(problem) => problem.into(),
        Err(_) => ClientError::Protocol(format!("{path} answered {status}")),
    }
}

/// The connection's own error is the cause; hyper's words around it are not for people.
pub(super) fn broken_connection(error: &hyper::Error) -> io::Error {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    let kind = cause.map_or(io::ErrorKind::ConnectionReset, io::Error::kind);
    io::Error::new(kind, error.to_string())
}

/// The fields of a flat message as a query. Fields without a value are left out.
pub(super) fn query(message: &Value) -> String {
    let fields = message.as_object().into_iter().flatten();
    let mut pairs: Vec<String> = fields
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={}", percent_encode(text)),
            other => format!("{name}={}", percent_encode(&other.to_string())),
        })
        .collect();
    // The order of a map's fields depends on features of serde_json that others may switch on.
    pairs.sort();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

fn percent_encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~,".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::{GetHealthRequest, GetOutputRequest, GetScreenRequest};
    use serde_json::json;

    #[test]
    fn queries() {
        assert_eq!(query(&serde_json::to_value(GetHealthRequest {}).unwrap()), "");
        let output = GetOutputRequest { offset: Some(7), limit: None, generation: Some(1) };
        assert_eq!(query(&serde_json::to_value(output).unwrap()), "?generation=1&offset=7");
        let screen = GetScreenRequest { format: 1, cursor: Some(false), scrollback: 3 };
        assert_eq!(query(&serde_json::to_value(screen).unwrap()), "?cursor=false&format=ansi&scrollback=3");
        assert_eq!(query(&json!({"q": "a b&c=ä"})), "?q=a%20b%26c%3D%C3%A4");
    }
}
