//! Requests out of HTTP, with errors that say what is wrong.

use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use bytes::Bytes;
use coop_api::{ApiError, Code};
use coop_core::lease::LeaseId;
use serde::de::DeserializeOwned;

use super::problem::HttpError;
use crate::app::{App, Caller, Peer};

/// Names the lease for requests that have no field for it.
pub(super) const LEASE_HEADER: &str = "coop-lease";

/// The query, as the request message.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Params<T> {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, HttpError> {
        let Query(params) = Query::try_from_uri(&parts.uri)
            .map_err(|error| ApiError::bad_request(format!("The query cannot be read: {}.", error.body_text())))?;
        Ok(Self(params))
    }
}

/// The body as JSON, whatever the content type says: `curl -d` says something else.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<App> for Body<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, app: &App) -> Result<Self, HttpError> {
        let bytes = bytes(request, app).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        json(&bytes).map(Self).map_err(HttpError)
    }
}

pub(super) async fn bytes(request: Request, app: &App) -> Result<Bytes, HttpError> {
    Bytes::from_request(request, app).await.map_err(|rejection| {
        let too_large = rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE;
        let code = if too_large { Code::TooLarge } else { Code::BadRequest };
        HttpError(ApiError::new(code, format!("The body cannot be read: {}.", rejection.body_text())))
    })
}

pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes).map_err(|error| ApiError::bad_request(format!("The body cannot be read: {error}.")))
}

impl FromRequestParts<App> for Caller {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, HttpError> {
        let peer = parts.extensions.get::<Peer>().cloned();
        let peer = peer.ok_or_else(|| ApiError::new(Code::Internal, "The connection is unknown."))?;
        let lease = parts.headers.get(LEASE_HEADER).and_then(|value| value.to_str().ok());
        Ok(Self { peer, lease: lease.map(|id| LeaseId(id.to_owned())) })
    }
}
