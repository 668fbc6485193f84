//! What a browser needs before it has a token: to know where it is, and to get one kept.

use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, Method};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde_json::{Value, json};

use super::{Hub, access::Granted};
use crate::app::Caller;
use crate::auth::{self, unauthorized};
use crate::http::browser::Login;
use crate::http::extract::Body;
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

/// Keeps a token that somebody has typed, if it is right.
pub(super) async fn login(
    State(hub): State<Hub>,
    headers: HeaderMap,
    Body(login): Body<Login>,
) -> Result<Response, HttpError> {
    let granted = hub.grants(Some(login.token.trim())).ok_or_else(unauthorized)?;
    let cookie = cookie::keep(&headers, login.token.trim()).map(|cookie| AppendHeaders([(SET_COOKIE, cookie)]));
    Ok((cookie, Json(told(&hub, Some(&granted)))).into_response())
}

pub(super) async fn logout(headers: HeaderMap) -> Response {
    let cookie = cookie::forget(&headers).map(|cookie| AppendHeaders([(SET_COOKIE, cookie)]));
    (cookie, Json(json!({}))).into_response()
}
