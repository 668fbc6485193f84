//! Requests out of HTTP, with errors that say what is wrong.

use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use coop_api::{ApiError, Code};
use coop_core::access::Reach;
use coop_core::lease::LeaseId;
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;

use super::problem::HttpError;
use super::{LEASE_HEADER, MAX_BODY};
use crate::app::{Caller, Peer};

/// The most that is read of a body that is refused: that much may be a mistake, more is not.
const MAX_DRAINED: usize = 64 << 20;

/// Maximum size of the body of a request that needs no token.
const MAX_SMALL_BODY: usize = 4 << 10;
/// Maximum time between two parts of a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// The query, as the request message.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        let Query(params) = Query::try_from_uri(&parts.uri)
            .map_err(|error| ApiError::bad_request(format!("The query cannot be read: {}.", error.body_text())))?;
        Ok(Self(params))
    }
}

/// The body as JSON, whatever the content type says: `curl -d` says something else.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned + Default, S: Sync> FromRequest<S> for Body<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _: &S) -> Result<Self, HttpError> {
        let bytes = bytes(request).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        json(&bytes).map(Self).map_err(HttpError)
    }
}

/// The body of a request that needs no token, as JSON.
pub(crate) struct Small<T>(pub(crate) T);

impl<T: DeserializeOwned + Default, S: Sync> FromRequest<S> for Small<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _: &S) -> Result<Self, HttpError> {
        let bytes = bytes_up_to(MAX_SMALL_BODY, request).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        json(&bytes).map(Self).map_err(HttpError)
    }
}

/// The whole body. One that is too large is read to its end all the same, within reason: a client that is cut off while
/// it sends sees a broken connection, and not why.
pub(crate) async fn bytes(request: Request) -> Result<Bytes, HttpError> {
    bytes_up_to(MAX_BODY, request).await
}

pub(crate) async fn bytes_up_to(limit: usize, request: Request) -> Result<Bytes, HttpError> {
    let mut body = request.into_body().into_data_stream();
    let (mut kept, mut seen) = (BytesMut::new(), 0);
    let late = |_| ApiError::bad_request("The body did not arrive in time.");
    while let Some(part) = tokio::time::timeout(BODY_TIMEOUT, body.next()).await.map_err(late)? {
        let part = part.map_err(|error| ApiError::bad_request(format!("The body cannot be read: {error}.")))?;
        seen += part.len();
        if seen <= limit {
            kept.extend_from_slice(&part);
        } else if seen > MAX_DRAINED {
            break;
        }
    }
    if seen > limit {
        return Err(ApiError::new(Code::TooLarge, format!("The body has more than {limit} bytes.")).into());
    }
    Ok(kept.freeze())
}

/// A body that is passed on as it is; nothing if there is none.
pub(super) fn text(bytes: &[u8]) -> Result<Option<String>, ApiError> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|error| ApiError::bad_request(format!("The body cannot be read: {error}.")))?;
    Ok((!text.trim().is_empty()).then(|| text.to_owned()))
}

pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes).map_err(|error| ApiError::bad_request(format!("The body cannot be read: {error}.")))
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, HttpError> {
        let peer = parts.extensions.get::<Peer>().cloned();
        let peer = peer.ok_or_else(|| ApiError::new(Code::Internal, "The connection is unknown."))?;
        let lease = parts.headers.get(LEASE_HEADER).and_then(|value| value.to_str().ok());
        // The guard has set it.
        let reach = parts.extensions.get::<Reach>().copied().unwrap_or(Reach::Hooks);
        Ok(Self { peer, lease: lease.map(|id| LeaseId(id.to_owned())), reach })
    }
}
