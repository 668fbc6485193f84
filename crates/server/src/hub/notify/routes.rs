//! Requests about notifications: the key to subscribe with, who wants to hear, and a test.

use axum::extract::State;
use axum::{Extension, Json};
use coop_api::hub::{PushKey, PushSubscription, Tested};
use coop_api::{ApiError, Code, Problem};
use serde_json::{Value, json};

use super::super::Hub;
use super::super::access::Granted;
use super::alive;
use super::services;
use super::subscriptions::Subscription;
use crate::http::extract::Body;
use crate::http::problem::HttpError;

/// The key that browsers subscribe with
#[utoipa::path(get, path = "/api/v1/push/key", tag = "notify", responses((status = 200, body = PushKey), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn key(State(hub): State<Hub>) -> Result<Json<PushKey>, HttpError> {
    let push = hub.notifier.push.as_ref();
    let push = push.ok_or_else(|| ApiError::new(Code::Unsupported, "This hub has no key for Web Push."))?;
    Ok(Json(PushKey { key: push.public() }))
}

/// Be told of what is asked, by Web Push
///
/// The body is what a browser says of its subscription. One that is there already is replaced.
#[utoipa::path(post, path = "/api/v1/push/subscriptions", tag = "notify", request_body = PushSubscription, responses((status = 200, body = Value), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn subscribe(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Body(wanted): Body<PushSubscription>,
) -> Result<Json<Value>, HttpError> {
    if !services::takes(&wanted.endpoint, &hub.notifier.settings.push_services) {
        return Err(ApiError::bad_request("`endpoint` is no address of a push service that the hub knows.")
            .with_hint("Another one is named in `push_services`, in the section [notify] of config.toml.")
            .into());
    }
    let device = granted.device.map(|device| device.id);
    let PushSubscription { endpoint, keys } = wanted;
    hub.notifier.subscriptions.add(Subscription { endpoint, p256dh: keys.p256dh, auth: keys.auth, device });
    Ok(Json(json!({ "subscribed": true })))
}

/// Be told no more
#[utoipa::path(delete, path = "/api/v1/push/subscriptions", tag = "notify", request_body = PushSubscription, responses((status = 200, body = Value), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn unsubscribe(State(hub): State<Hub>, Body(unwanted): Body<PushSubscription>) -> Json<Value> {
    hub.notifier.subscriptions.remove(&unwanted.endpoint);
    Json(json!({ "subscribed": false }))
}

/// Tell everybody something, to see whether it arrives
#[utoipa::path(post, path = "/api/v1/notify/test", tag = "notify", responses((status = 200, body = Tested), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn test(State(hub): State<Hub>) -> Json<Tested> {
    let what = json!({
        "type": "test", "prompt": 0, "session": 0, "kind": "test", "yes_or_no": false, "deny": false,
        "title": "coop", "body": "This is a test: notifications arrive.",
    });
    let alive = alive(&hub);
    Json(Tested { told: hub.notifier.say(&what, &alive).await as u64 })
}
