//! What was said and done in a session, and what state it was in: also of those that no sidecar holds.

use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use coop_api::convert::agent as agent_convert;
use coop_api::hub::{Moment, Timeline};
use coop_api::v1::{GetConversationRequest, GetConversationResponse};
use coop_api::{ApiError, Code, Problem};
use coop_core::fleet::{Entry, EntryId};
use coop_hub::HubEvent;
use serde_json::Value;

use super::access::Granted;
use super::{Hub, hub_error, proxy, routes};
use crate::http::extract::Params;
use crate::http::problem::HttpError;

const DEFAULT_LIMIT: u32 = 200;
const MAX_LIMIT: u32 = 1000;
/// Events looked at in one go.
const PAGE: usize = 1000;
/// More than anybody looks at; the newest count.
const MAX_MOMENTS: usize = 2000;

/// What was said and done in a session
///
/// From its sidecar where it has one, and else from the log that its agent keeps.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/conversation", tag = "sessions", params(("id" = String, Path), GetConversationRequest), responses((status = 200, body = GetConversationResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn conversation(
    State(hub): State<Hub>,
    Extension(granted): Extension<Granted>,
    Path(id): Path<String>,
    Params(wanted): Params<GetConversationRequest>,
    request: Request,
) -> Result<Response, HttpError> {
    let entry = routes::find(&hub.handle.board(), &id)?;
    if entry.control().is_held() {
        return proxy::forward_to(&hub, granted.reach, &id, request).await;
    }
    let limit = wanted.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
    let page = hub.handle.conversation(&entry, wanted.after, limit).await.map_err(hub_error)?;
    let page = page.ok_or_else(|| no_log(&entry))?;
    let told = GetConversationResponse {
        session_id: entry.conversation.clone(),
        entries: agent_convert::entries(page.entries, wanted.images),
        next: page.next,
        more: page.more,
        usage: page.usage.map(agent_convert::usage),
        cost: None,
    };
    Ok(Json(told).into_response())
}

fn no_log(entry: &Entry) -> ApiError {
    ApiError::new(Code::NotFound, format!("No log of session {} is known.", entry.id)).with_hint(
        "Agents keep one as soon as something was said; those of Codex and Gemini CLI are told by their hooks.",
    )
}

/// What state a session was in, and why that was believed
#[utoipa::path(get, path = "/api/v1/sessions/{id}/timeline", tag = "sessions", params(("id" = String, Path)), responses((status = 200, body = Timeline), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn timeline(State(hub): State<Hub>, Path(id): Path<String>) -> Result<Json<Timeline>, HttpError> {
    let entry = routes::find(&hub.handle.board(), &id)?;
    let (mut since, mut cut, mut moments) = (0, false, Vec::new());
    loop {
        let page = hub.handle.events(since, PAGE).await.map_err(hub_error)?;
        cut |= page.gap.is_some();
        let Some(last) = page.events.last().map(|event| event.seq) else { break };
        since = last;
        for numbered in &page.events {
            match &numbered.event {
                HubEvent::State { session, .. } if session.id == entry.id => moments.push(moment(session)),
                // When it was first seen.
                HubEvent::Session(session) if session.id == entry.id && moments.is_empty() => {
                    moments.push(moment(session));
                }
                HubEvent::Earlier { name, data } => moments.extend(earlier(name, data, entry.id, moments.is_empty())),
                _ => {}
            }
        }
    }
    // What it is now counts, also where nothing of it is kept.
    if moments.last().is_none_or(|last| last.state != entry.state.name()) {
        moments.push(moment(&entry));
    }
    let extra = moments.len().saturating_sub(MAX_MOMENTS);
    moments.drain(..extra);
    Ok(Json(Timeline { moments, cut: cut || extra > 0 }))
}

/// The same of what an earlier hub has told, in the words it told it with.
fn earlier(name: &str, data: &Value, id: EntryId, first: bool) -> Option<Moment> {
    let session = &data["session"];
    let counts = name == "state_change" || (name == "session" && first);
    if !counts || session["id"].as_u64() != Some(id) {
        return None;
    }
    let text = |key: &str| session[key].as_str().map(str::to_owned);
    Some(Moment {
        state: text("state")?,
        at_ms: session["since_ms"].as_u64()?,
        reason: text("reason").unwrap_or_default(),
        source: text("source"),
    })
}

fn moment(entry: &Entry) -> Moment {
    Moment {
        state: entry.state.name().into(),
        at_ms: entry.since_ms,
        reason: entry.reason.clone(),
        source: entry.source.map(|source| source.name().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_an_earlier_hub_has_told() {
        let session = json!({ "id": 7, "state": "working", "since_ms": 5, "reason": "a message", "source": "hook" });
        let told = json!({ "session": session });
        for (name, id, first, counts) in [
            ("state_change", 7, false, true),
            ("state_change", 8, false, false),
            ("session", 7, true, true),
            ("session", 7, false, false),
            ("rules", 7, true, false),
        ] {
            assert_eq!(earlier(name, &told, id, first).is_some(), counts, "{name} {id} {first}");
        }
        let moment = earlier("state_change", &told, 7, false).unwrap();
        assert_eq!((moment.state.as_str(), moment.at_ms, moment.source.as_deref()), ("working", 5, Some("hook")));
        assert!(earlier("state_change", &json!({ "session": { "id": 7 } }), 7, false).is_none());
    }
}
