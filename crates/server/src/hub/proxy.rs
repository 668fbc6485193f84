//! Requests of a session, forwarded by the hub to the session's sidecar.
//!
//! The proxy forwards what it has parsed, never raw bytes: a method, a path, known headers and a whole body go to the
//! sidecar; a status, known headers and a body of a known type come back. A sidecar of another machine is not trusted:
//! no token of the hub is sent to it, and its replies cannot act as a page of the hub's origin.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use coop_api::{ApiError, Code, hook};
use coop_core::access::Reach;
use coop_core::fleet::Entry;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;

use super::access::Granted;
use super::{Hub, routes};
use crate::http::extract::bytes_up_to;
use crate::http::problem::HttpError;
use crate::http::{LEASE_HEADER, MAX_BODY, OUTPUT_HEADERS, SCOPE_HEADER};

/// Headers of a client that reach the sidecar.
const REQUEST_HEADERS: [HeaderName; 6] = [
    ACCEPT,
    CONTENT_TYPE,
    LEASE_HEADER,
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static(hook::AGE_HEADER),
    HeaderName::from_static(hook::AGENT_HEADER),
];

/// Headers of a sidecar's reply that reach the client, besides those of output.
const REPLY_HEADERS: [HeaderName; 4] =
    [CACHE_CONTROL, CONTENT_DISPOSITION, RETRY_AFTER, HeaderName::from_static(hook::SHELL_HEADER)];

/// Types of the replies of a sidecar. A reply of any other type, a page for example, is sent as bytes without a meaning.
const REPLY_TYPES: [&str; 7] = [
    "application/json",
    "application/octet-stream",
    "application/problem+json",
    "application/x-asciicast",
    "image/svg+xml",
    "text/event-stream",
    "text/plain",
];

/// A reply that a browser opens as a document is in an origin of its own and runs nothing.
const REPLY_POLICY: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'; style-src 'unsafe-inline'");

/// Maximum time for a sidecar to accept a connection. The socket is on this machine.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time until a sidecar begins to reply to a request that waits for nothing.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for one that changes the session: a program may take its time to read, to end or to start.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(120);
/// The same for one that waits for the agent or for a person.
const WAIT_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// Requests of the last kind, by the end of their path, and those of hooks.
const WAITS: [&str; 4] = ["/agent/nudge", "/agent/respond", "/agent/wait", "/session/restart"];

pub(super) async fn forward_resume(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, HttpError> {
    forward_to(&hub, granted.reach, &id, request).await
}

pub(super) async fn forward(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Path((id, _)): Path<(String, String)>,
    request: Request,
) -> Result<Response, HttpError> {
    forward_to(&hub, granted.reach, &id, request).await
}

/// Forwards a request to `/api/v1/sessions/{id}/…` on behalf of a caller with `reach`.
pub(super) async fn forward_to(hub: &Hub, reach: Reach, id: &str, request: Request) -> Result<Response, HttpError> {
    let sidecar = Sidecar::of(hub, id)?;
    // The path keeps its escapes. It begins with `/api/v1/sessions/{id}/`.
    let rest = request.uri().path().splitn(6, '/').nth(5).unwrap_or_default().to_owned();
    let mut forwarded = sidecar.addressed(&format!("/api/v1/{rest}"), reach, &request)?;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        *forwarded.body_mut() = Body::from(bytes_up_to(MAX_BODY.max(hook::MAX_BODY), request).await?);
    }
    let reply = sidecar.send(forwarded).await?;
    Ok(sidecar.reply(reply)?)
}

/// The sidecar of a session.
pub(super) struct Sidecar {
    entry: Arc<Entry>,
    socket: String,
    /// Token of the sidecars of this machine. A sidecar of another machine is authorised by the connection it opened.
    token: Option<HeaderValue>,
}

impl Sidecar {
    pub(super) fn of(hub: &Hub, id: &str) -> Result<Self, ApiError> {
        let entry = routes::find(&hub.handle.board(), id)?;
        let socket = entry.socket.clone().filter(|_| entry.control().is_held()).ok_or_else(|| {
            let detail = format!("Session {} has no sidecar: it is {}.", entry.id, entry.control().name());
            ApiError::new(Code::NotFound, detail)
                .with_hint("Sessions that are `owned` or `attached` can be driven: coop -- COMMAND, coop --attach.")
        })?;
        let token = hub.sidecar_token(&socket);
        Ok(Self { entry, socket, token })
    }

    fn unreachable(&self, error: &dyn std::fmt::Display) -> ApiError {
        let id = self.entry.id;
        ApiError::new(Code::NotReady, format!("The sidecar of session {id} cannot be reached: {error}."))
    }

    pub(super) async fn send(&self, request: Request) -> Result<hyper::Response<Incoming>, ApiError> {
        let connect = tokio::time::timeout(CONNECT_TIMEOUT, tokio::net::UnixStream::connect(&self.socket)).await;
        let stream = connect.map_err(|error| self.unreachable(&error))?.map_err(|error| self.unreachable(&error))?;
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|error| self.unreachable(&error))?;
        // The task ends with the reply, or with the stream that the connection becomes. Its errors surface there.
        tokio::spawn(connection.with_upgrades());
        let limit = limit(request.method(), request.uri().path());
        let Ok(reply) = tokio::time::timeout(limit, sender.send_request(request)).await else {
            return Err(self.silent(limit));
        };
        reply.map_err(|error| self.unreachable(&error))
    }

    fn silent(&self, limit: Duration) -> ApiError {
        let (id, secs) = (self.entry.id, limit.as_secs());
        let detail = format!("The sidecar of session {id} has not replied for {secs} seconds.");
        ApiError::new(Code::NotReady, detail).with_hint("Is it stopped? coop doctor shows its process.")
    }

    /// Returns the request to send to the sidecar, without a body. Its scope header limits what the sidecar executes to
    /// what the caller's token permits.
    pub(super) fn addressed(&self, path: &str, reach: Reach, request: &Request) -> Result<Request, ApiError> {
        let mut forwarded = Request::new(Body::empty());
        let query = request.uri().path_and_query().and_then(PathAndQuery::query);
        *forwarded.uri_mut() = uri(path, query)?;
        *forwarded.method_mut() = request.method().clone();
        let headers = forwarded.headers_mut();
        copy(&REQUEST_HEADERS, request.headers(), headers);
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        headers.insert(SCOPE_HEADER, HeaderValue::from_static(reach.name()));
        headers.extend(self.token.clone().map(|token| (AUTHORIZATION, token)));
        Ok(forwarded)
    }

    /// Returns the reply for the client.
    pub(super) fn reply<B>(&self, reply: hyper::Response<B>) -> Result<Response, ApiError>
    where
        B: hyper::body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let status = reply.status();
        if status.is_informational() || (status.is_redirection() && status != StatusCode::NOT_MODIFIED) {
            let detail = format!("The sidecar of session {} answered with status {status}.", self.entry.id);
            return Err(ApiError::new(Code::Internal, detail));
        }
        let (parts, body) = reply.into_parts();
        let mut response = Body::new(body).into_response();
        *response.status_mut() = status;
        let headers = response.headers_mut();
        copy(&REPLY_HEADERS, &parts.headers, headers);
        copy(&OUTPUT_HEADERS, &parts.headers, headers);
        if let Some(kind) = parts.headers.get(CONTENT_TYPE) {
            let known = kind.to_str().ok().and_then(|kind| kind.split(';').next()).map(str::trim);
            let known = known.is_some_and(|known| REPLY_TYPES.contains(&known));
            let kind = if known { kind.clone() } else { HeaderValue::from_static("application/octet-stream") };
            headers.insert(CONTENT_TYPE, kind);
        }
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(CONTENT_SECURITY_POLICY, REPLY_POLICY);
        Ok(response)
    }
}

/// Returns how long a sidecar may take to begin its reply.
fn limit(method: &Method, path: &str) -> Duration {
    let waits = WAITS.iter().any(|end| path.ends_with(end)) || path.contains("/hooks/");
    match *method {
        _ if waits => WAIT_TIMEOUT,
        Method::GET | Method::HEAD => REPLY_TIMEOUT,
        _ => CHANGE_TIMEOUT,
    }
}

/// Returns the address at the sidecar. A `token` in the query is for the hub and is left out.
fn uri(path: &str, query: Option<&str>) -> Result<Uri, ApiError> {
    let pairs = query.into_iter().flat_map(|query| query.split('&')).filter(|pair| !pair.starts_with("token="));
    let query = pairs.collect::<Vec<_>>().join("&");
    let whole = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
    whole.parse().map_err(|_| ApiError::bad_request("The path has a character that no path may have."))
}

fn copy(names: &[HeaderName], from: &HeaderMap, to: &mut HeaderMap) {
    for name in names {
        if let Some(value) = from.get(name) {
            to.insert(name, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sidecar(token: Option<&'static str>) -> Sidecar {
        let entry = Arc::new(Entry::new(7, "claude", 0));
        Sidecar { entry, socket: String::new(), token: token.map(HeaderValue::from_static) }
    }

    #[test]
    fn request_reaches_the_sidecar_without_credentials_and_framing_of_the_client() {
        let request = Request::builder()
            .uri("/api/v1/sessions/7/output?offset=3&token=secret&limit=1")
            .header("accept", "application/octet-stream")
            .header("coop-lease", "l1")
            .header("last-event-id", "4-2")
            .header("coop-scope", "admin")
            .header("authorization", "Bearer secret")
            .header("cookie", "coop=secret")
            .header("origin", "http://localhost")
            .header("connection", "upgrade, x-own")
            .header("upgrade", "websocket")
            .header("content-length", "9")
            .header("transfer-encoding", "chunked")
            .header("expect", "100-continue")
            .header("te", "trailers")
            .header("trailer", "x-own")
            .header("x-own", "1")
            .body(Body::from("not sent"))
            .unwrap();
        let forwarded = sidecar(None).addressed("/api/v1/output", Reach::View, &request).unwrap();
        assert_eq!(forwarded.uri(), "/api/v1/output?offset=3&limit=1");
        let mut headers: Vec<_> =
            forwarded.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        headers.sort();
        let expected = [
            "accept: application/octet-stream",
            "coop-lease: l1",
            "coop-scope: view",
            "host: localhost",
            "last-event-id: 4-2",
        ];
        assert_eq!(headers, expected);
        assert_eq!(hyper::body::Body::size_hint(forwarded.body()).exact(), Some(0));
    }

    #[test]
    fn reply_of_a_sidecar_cannot_act_as_a_page_of_the_hub() {
        let reply = |status: u16, kind: &str| {
            let reply = hyper::Response::builder()
                .status(status)
                .header("content-type", kind)
                .header("set-cookie", "coop=planted")
                .header("access-control-allow-origin", "*")
                .header("location", "https://elsewhere.example")
                .header("content-security-policy", "default-src *")
                .header("coop-offset", "5");
            sidecar(None).reply(reply.body(Body::from("<script>")).unwrap())
        };
        for (kind, expected) in [
            ("text/html", "application/octet-stream"),
            ("text/html; charset=utf-8", "application/octet-stream"),
            ("application/xhtml+xml", "application/octet-stream"),
            ("text/javascript", "application/octet-stream"),
            ("application/json", "application/json"),
            ("text/plain; charset=utf-8", "text/plain; charset=utf-8"),
            ("image/svg+xml", "image/svg+xml"),
        ] {
            let response = reply(200, kind).unwrap();
            let mut names: Vec<_> = response.headers().keys().map(HeaderName::as_str).collect();
            names.sort_unstable();
            assert_eq!(names, ["content-security-policy", "content-type", "coop-offset", "x-content-type-options"]);
            assert_eq!(response.headers()[CONTENT_TYPE], expected);
            assert_eq!(response.headers()[CONTENT_SECURITY_POLICY], REPLY_POLICY);
        }
        for status in [101, 302, 307] {
            assert!(reply(status, "text/plain").is_err(), "{status}");
        }
    }
}
