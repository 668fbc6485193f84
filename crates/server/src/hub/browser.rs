//! What a browser needs before it has a token: to know where it is, and to get one kept.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, Method};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, Json};
use coop_api::{ApiError, Code};
use coop_core::access::{Offer, Reach};
use coop_hub::HubError;
use serde_json::{Value, json};

use super::access::Granted;
use super::{Hub, hub_error};
use crate::app::Caller;
use crate::auth;
use crate::http::browser::Login;
use crate::http::extract::Small;
use crate::http::problem::HttpError;
use crate::web::cookie;

/// Who serves the app, and as whom it may ask.
pub(super) async fn about(State(hub): State<Hub>, caller: Caller, headers: HeaderMap) -> Json<Value> {
    let token = auth::given(&Method::GET, &headers);
    Json(told(&hub, hub.grants_at_once(&caller.peer, token.as_deref()).as_ref()))
}

fn told(hub: &Hub, granted: Option<&Granted>) -> Value {
    let device = granted.and_then(|granted| granted.device.as_ref());
    json!({
        "serves": "hub",
        "version": &*hub.version,
        "scope": granted.map(|granted| granted.reach.name()),
        "device": device.map(|device| json!({ "id": device.id, "name": device.name })),
    })
}

/// Gives a browser a credential of its own for a token that a person typed. The token itself is not kept: the browser is
/// a device from now on, and can be revoked like any other.
pub(super) async fn login(
    State(hub): State<Hub>,
    caller: Caller,
    headers: HeaderMap,
    Small(login): Small<Login>,
) -> Result<Response, HttpError> {
    let Some(granted) = hub.grants(Some(login.token.trim())) else {
        return Err(hub.access.wrong_token(&caller.peer).await.into());
    };
    // A token of hooks is for agents, and would use up the places of devices.
    if granted.reach == Reach::Hooks {
        return Err(ApiError::new(
            Code::Forbidden,
            "This token is for the hooks of agents, and no browser can use it.",
        )
        .with_hint("Run `coop pair` on the machine of the hub, and open the address that it shows.")
        .into());
    }
    // A device that could make another one would outlive its own end.
    if granted.device.is_some() {
        return Err(ApiError::new(Code::Forbidden, "This token is of a device, and another device cannot use it.")
            .with_hint("Run `coop pair` on the machine of the hub, and open the address that it shows.")
            .into());
    }
    let offer = Offer { reach: granted.reach, name: Some(format!("browser at {}", caller.peer.key)) };
    let code = hub.handle.offer_code(offer).await.map_err(hub_error)?.code;
    let paired = hub.handle.pair(code, None, caller.peer.key).await.map_err(hub_error)?;
    let kept = cookie::keep(&headers, &paired.token).ok_or_else(no_cookie)?;
    let device = Arc::new(paired.device.clone());
    let mut about = told(&hub, Some(&Granted { reach: device.reach, device: Some(device), inside: None }));
    about["key"] = kept.1.into();
    Ok((AppendHeaders([(SET_COOKIE, kept.0)]), Json(about)).into_response())
}

/// Forgets the credential of a browser.
pub(super) async fn logout(
    State(hub): State<Hub>,
    granted: Option<Extension<Granted>>,
    headers: HeaderMap,
) -> Result<Response, HttpError> {
    if let Some(device) = granted.and_then(|Extension(granted)| granted.device) {
        match hub.handle.revoke(device.id).await {
            Ok(_) | Err(HubError::NoDevice(_)) => {}
            Err(error) => return Err(hub_error(error).into()),
        }
    }
    let cookie = cookie::forget(&headers).map(|cookie| AppendHeaders([(SET_COOKIE, cookie)]));
    Ok((cookie, Json(json!({}))).into_response())
}

pub(super) fn no_cookie() -> ApiError {
    ApiError::bad_request("The name of the host has a character that no cookie may have.")
}
