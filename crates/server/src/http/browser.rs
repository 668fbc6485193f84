//! What a browser needs before it has a token: to know where it is, and to get one kept.

use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, Method};
use axum::response::{AppendHeaders, IntoResponse, Response};
use coop_api::ApiError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::Small;
use super::problem::HttpError;
use crate::app::{App, Caller};
use crate::auth;
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

/// Gives a browser a credential of its own for a token that a person typed. The token itself is not kept.
pub(super) async fn login(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Small(login): Small<Login>,
) -> Result<Response, HttpError> {
    if !app.access.accepts(Some(login.token.trim())) {
        return Err(app.access.wrong_token(&caller.peer).await.into());
    }
    let own = app.access.add_browser()?;
    let no_cookie = || ApiError::bad_request("The name of the host has a character that no cookie may have.");
    let (cookie, key) = cookie::keep(&headers, &own).ok_or_else(no_cookie)?;
    let mut about = told(&app, true);
    about["key"] = key.into();
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), Json(about)).into_response())
}

/// Forgets the credential of a browser.
pub(super) async fn logout(State(app): State<App>, headers: HeaderMap) -> Response {
    if let Some(own) = cookie::token(&Method::POST, &headers) {
        app.access.remove_browser(&own);
    }
    let cookie = cookie::forget(&headers).map(|cookie| AppendHeaders([(SET_COOKIE, cookie)]));
    (cookie, Json(json!({}))).into_response()
}
