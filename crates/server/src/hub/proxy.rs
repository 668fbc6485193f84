//! Every request of a session, by way of the hub: passed on to the session's sidecar, and its reply passed back.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, COOKIE, HOST, ORIGIN, UPGRADE};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use coop_api::{ApiError, Code};
use coop_core::fleet::Entry;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;

use super::{Hub, routes};
use crate::http::problem::HttpError;

pub(super) async fn forward_resume(
    state: State<Hub>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, HttpError> {
    forward(state, Path((id, "resume".into())), request).await
}

pub(super) async fn forward(
    State(hub): State<Hub>,
    Path((id, _)): Path<(String, String)>,
    request: Request,
) -> Result<Response, HttpError> {
    let sidecar = Sidecar::of(&hub, &id)?;
    // As it was sent: what is escaped in it stays so. It begins with `/api/v1/sessions/{id}/`.
    let rest = request.uri().path().splitn(6, '/').nth(5).unwrap_or_default().to_owned();
    let request = sidecar.addressed(&format!("/api/v1/{rest}"), request)?;
    Ok(sidecar.send(request).await?.map(Body::new).into_response())
}

/// A sidecar that holds a session, and what it is sent.
pub(super) struct Sidecar {
    entry: Arc<Entry>,
    socket: String,
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
        Ok(Self { entry, socket, token: hub.token.clone() })
    }

    pub(super) async fn send(&self, request: Request) -> Result<hyper::Response<Incoming>, ApiError> {
        let unreachable = |error: &dyn std::fmt::Display| {
            let id = self.entry.id;
            ApiError::new(Code::NotReady, format!("The sidecar of session {id} cannot be reached: {error}."))
        };
        let stream = tokio::net::UnixStream::connect(&self.socket).await.map_err(|error| unreachable(&error))?;
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|error| unreachable(&error))?;
        // Ends with the reply, or with the stream that it becomes. What goes wrong in it is seen there.
        tokio::spawn(connection.with_upgrades());
        sender.send_request(request).await.map_err(|error| unreachable(&error))
    }

    /// The same request, as if it had been sent to the sidecar. Who may send it has been looked at here.
    pub(super) fn addressed(&self, path: &str, mut request: Request) -> Result<Request, ApiError> {
        let query = request.uri().path_and_query().and_then(PathAndQuery::query);
        let whole = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        let uri: Uri = whole.parse().map_err(|_| ApiError::bad_request("The path has a character none may have."))?;
        *request.uri_mut() = uri;
        *request.version_mut() = axum::http::Version::HTTP_11;
        let headers = request.headers_mut();
        for name in [AUTHORIZATION, COOKIE, ORIGIN, CONNECTION, UPGRADE] {
            headers.remove(name);
        }
        headers.extend(self.token.clone().map(|token| (AUTHORIZATION, token)));
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        Ok(request)
    }
}
