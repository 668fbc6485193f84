//! What a browser needs before it has a token: to know where it is, and to get one kept.

use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, Method};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::Body;
use super::problem::HttpError;
use crate::app::App;
use crate::auth::{self, unauthorized};
use crate::web::cookie;

/// Never printed.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Login {
    pub(crate) token: String,
}

/// Who serves the app, and whether it may ask.
pub(super) async fn about(State(app): State<App>, headers: HeaderMap) -> Json<Value> {
    let token = auth::given(&Method::GET, &headers);
    Json(told(&app, app.access.accepts(token.as_deref())))
}

fn told(app: &App, may: bool) -> Value {
    let (session, agent) = (&app.options.name, &app.options.agent);
    let known = may.then(|| json!({ "name": session, "agent": agent }));
    json!({
        "serves": "session",
        "version": env!("CARGO_PKG_VERSION"),
        "scope": may.then_some("admin"),
        "session": known,
    })
}

/// Keeps a token that somebody has typed, if it is right.
pub(super) async fn login(
    State(app): State<App>,
    headers: HeaderMap,
    Body(login): Body<Login>,
) -> Result<Response, HttpError> {
    let token = login.token.trim();
    if !app.access.accepts(Some(token)) {
        return Err(unauthorized().into());
    }
    let cookie = cookie::keep(&headers, token).map(|cookie| AppendHeaders([(SET_COOKIE, cookie)]));
    Ok((cookie, Json(told(&app, true))).into_response())
}

pub(super) async fn logout(headers: HeaderMap) -> Response {
    let cookie = cookie::forget(&headers).map(|cookie| AppendHeaders([(SET_COOKIE, cookie)]));
    (cookie, Json(json!({}))).into_response()
}
