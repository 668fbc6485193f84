//! Every request of a session, by way of the hub: passed on to the session's sidecar, and its reply passed back.

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, HOST, ORIGIN, UPGRADE};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use coop_api::{ApiError, Code};
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
    let entry = routes::find(&hub.handle.board(), &id)?;
    let socket = entry.socket.as_ref().filter(|_| entry.control().is_held()).ok_or_else(|| {
        let detail = format!("Session {} has no sidecar: it is {}.", entry.id, entry.control().name());
        ApiError::new(Code::NotFound, detail)
            .with_hint("Sessions that are `owned` or `attached` can be driven: coop -- COMMAND, coop --attach.")
    })?;
    let unreachable = |error: &dyn std::fmt::Display| {
        ApiError::new(Code::NotReady, format!("The sidecar of session {} cannot be reached: {error}.", entry.id))
    };
    let stream = tokio::net::UnixStream::connect(socket).await.map_err(|error| unreachable(&error))?;
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| unreachable(&error))?;
    // Ends with the reply. What goes wrong in it is seen there.
    tokio::spawn(connection);
    let request = addressed(request, hub.token)?;
    let reply = sender.send_request(request).await.map_err(|error| unreachable(&error))?;
    Ok(reply.map(Body::new).into_response())
}

/// The same request, as if it had been sent to the sidecar. Who may send it has been looked at here.
fn addressed(mut request: Request, token: Option<HeaderValue>) -> Result<Request, ApiError> {
    // As it was sent: what is escaped in it stays so. It begins with `/api/v1/sessions/{id}/`.
    let whole = request.uri().path_and_query().map_or("", PathAndQuery::as_str);
    let rest = whole.splitn(6, '/').nth(5).unwrap_or_default();
    let uri: Uri = format!("/api/v1/{rest}")
        .parse()
        .map_err(|_| ApiError::bad_request("The path has a character none may have."))?;
    *request.uri_mut() = uri;
    *request.version_mut() = axum::http::Version::HTTP_11;
    let headers = request.headers_mut();
    for name in [AUTHORIZATION, ORIGIN, CONNECTION, UPGRADE] {
        headers.remove(name);
    }
    headers.extend(token.map(|token| (AUTHORIZATION, token)));
    headers.insert(HOST, HeaderValue::from_static("localhost"));
    Ok(request)
}
