//! Devices: a code that is shown once, the token it is exchanged for, and how that is taken back.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::response::{AppendHeaders, IntoResponse, Response};
use coop_api::hub::{Device, Devices, NewCode, PairCode, PairRequest, Paired};
use coop_api::{ApiError, Problem};
use coop_core::access::{Offer, PairError, Reach};
use coop_core::fleet::text::shown;
use coop_hub::HubError;

use super::browser::no_cookie;
use super::{Hub, hub_error};
use crate::app::Caller;
use crate::auth::FAILURE_DELAY;
use crate::http::extract::{Body, Small};
use crate::http::problem::HttpError;
use crate::web::cookie;

/// Make a code for a new device
///
/// Whoever sends it to `POST /api/v1/pair` within five minutes gets a token, once. `coop pair` shows it as a QR code.
#[utoipa::path(post, path = "/api/v1/pair/codes", tag = "access", request_body = NewCode, responses((status = 200, body = PairCode), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn new_code(State(hub): State<Hub>, Body(wanted): Body<NewCode>) -> Result<Json<PairCode>, HttpError> {
    let reach: Reach = match wanted.scope.as_deref() {
        None => Reach::Answer,
        Some(scope) => scope.parse().map_err(|error: coop_core::access::NoReach| {
            ApiError::bad_request(crate::app::sentence(&error.to_string()))
        })?,
    };
    let name = wanted.name.filter(|name| !name.trim().is_empty());
    let offered = hub.handle.offer_code(Offer { reach, name }).await.map_err(hub_error)?;
    Ok(Json(PairCode { code: offered.code, expires_ms: offered.expires_ms, scope: reach.name().into() }))
}

/// Exchange a code for a token
///
/// Needs no token: the code is enough, once. The token is in this reply and in no other. A `browser` gets it in two halves:
/// a cookie that no script can read, and a `key` for the storage of the page.
#[utoipa::path(post, path = "/api/v1/pair", tag = "access", request_body = PairRequest, responses((status = 200, body = Paired), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn pair(
    State(hub): State<Hub>,
    caller: Caller,
    headers: HeaderMap,
    Small(request): Small<PairRequest>,
) -> Result<Response, HttpError> {
    let paired = match hub.handle.pair(request.code, request.name, caller.peer.key).await {
        Ok(paired) => paired,
        Err(error) => {
            if matches!(error, HubError::Pair(PairError::TooMany { .. })) {
                tokio::time::sleep(FAILURE_DELAY).await;
            }
            return Err(hub_error(error).into());
        }
    };
    let device = device(&paired.device);
    // Not for a cache on the way.
    let no_store = [(CACHE_CONTROL, "no-store")];
    if request.browser {
        let (cookie, key) = cookie::keep(&headers, &paired.token).ok_or_else(no_cookie)?;
        let told = Json(Paired { token: String::new(), key: Some(key.to_owned()), device });
        return Ok((no_store, AppendHeaders([(SET_COOKIE, cookie)]), told).into_response());
    }
    Ok((no_store, Json(Paired { token: paired.token, key: None, device })).into_response())
}

/// Devices that have a token of their own
#[utoipa::path(get, path = "/api/v1/devices", tag = "access", responses((status = 200, body = Devices), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn devices(State(hub): State<Hub>) -> Json<Devices> {
    Json(Devices { devices: hub.handle.devices().iter().map(|one| device(one)).collect() })
}

/// Take back the token of a device
///
/// It opens nothing from now on, and what the device follows ends.
#[utoipa::path(delete, path = "/api/v1/devices/{id}", tag = "access", params(("id" = u64, Path)), responses((status = 200, body = Device), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn revoke(State(hub): State<Hub>, Path(id): Path<String>) -> Result<Json<Device>, HttpError> {
    let id = id.parse().map_err(|_| ApiError::bad_request(format!("`{id}` is not the number of a device.")))?;
    Ok(Json(device(&hub.handle.revoke(id).await.map_err(hub_error)?)))
}

fn device(device: &coop_hub::Device) -> Device {
    Device {
        id: device.id,
        name: shown(&device.name).into_owned(),
        scope: device.reach.name().into(),
        added_ms: device.added_ms,
    }
}
