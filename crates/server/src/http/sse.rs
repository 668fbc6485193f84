//! Events over plain HTTP, resumable.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event as SseEvent, KeepAlive};
use coop_api::convert;
use coop_api::v1::Event;
use coop_api::v1::event::Body;
use coop_api::ws::Topic;
use coop_api::{ApiError, Problem};
use futures_util::stream::{self, Stream, StreamExt};
use serde::Deserialize;

use super::extract::Params;
use super::problem::HttpError;
use crate::app::App;
use crate::follow::{Follower, Frame};

/// Proxies close what is silent for longer.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(15);

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// The number of the last event seen. Without it, and without the header `Last-Event-ID`, the stream begins now.
    pub(crate) since: Option<u64>,
    /// For browsers, which cannot send a header here.
    token: Option<String>,
}

/// Follow events (server-sent events)
///
/// The id of an event is `generation:sequence`. With `Last-Event-ID` the stream goes on after that event; the first
/// message then is `resume`, with `ok`, or `gap` and how many events were lost.
#[utoipa::path(get, path = "/api/v1/events", tag = "events", params(EventsQuery), responses((status = 200, body = String, content_type = "text/event-stream"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn events(
    State(app): State<App>,
    headers: HeaderMap,
    Params(query): Params<EventsQuery>,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, HttpError> {
    // The guard has looked at it.
    drop(query.token);
    let seen = match query.since {
        Some(seq) => Some(Seen { generation: None, seq }),
        None => last_event_id(&headers)?,
    };
    let mut follower = Follower::new(&app);
    follower.subscribe(&Topic::EVENTS);
    let greeting = match seen {
        Some(seen) => Some(resume(&app, &mut follower, seen).await?),
        None => None,
    };
    let frames = stream::unfold(follower, |mut follower| async move {
        // An error means that the session is gone: the stream ends, and the client's next try says why.
        let frame = follower.next().await.ok().flatten()?;
        Some((frame, follower))
    });
    let events = frames.filter_map(|frame| async move { sse_event(frame) });
    let all = stream::iter(greeting).chain(events).map(Ok);
    Ok(Sse::new(all).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("heartbeat")))
}

/// The last event a client has seen.
pub(crate) struct Seen {
    pub(crate) generation: Option<u64>,
    pub(crate) seq: u64,
}

/// Says whether the stream can go on where the client was, before it does.
async fn resume(app: &App, follower: &mut Follower, seen: Seen) -> Result<SseEvent, ApiError> {
    let now = app.session.status();
    // An id we never gave: the client was with a session that is gone, and has seen nothing of this one.
    let is_ours = seen.seq <= now.event_seq && seen.generation.is_none_or(|generation| generation <= now.generation);
    let since = if is_ours { seen.seq } else { 0 };
    let page = app.session.events(since, 0).await.map_err(crate::app::session_error)?;
    let lost = page.gap.map_or(0, |gap| gap.lost);
    follower.events_since(since + lost);
    let status = if lost > 0 || !is_ours { "gap" } else { "ok" };
    let data = serde_json::json!({ "resume": status, "lost": lost });
    Ok(SseEvent::default().event("resume").data(data.to_string()))
}

fn sse_event(frame: Frame) -> Option<SseEvent> {
    let Frame::Event(event) = frame else { return None };
    let name = convert::event_name(event.body.as_ref()?);
    let data = serde_json::to_string(&event).ok()?;
    let sse = SseEvent::default().event(name).data(data);
    // A gap is not an event one can go on after.
    Some(if matches!(event.body, Some(Body::Gap(_))) { sse } else { sse.id(id(&event)) })
}

fn id(event: &Event) -> String {
    format!("{}:{}", event.generation, event.seq)
}

pub(crate) fn last_event_id(headers: &HeaderMap) -> Result<Option<Seen>, ApiError> {
    headers.get("last-event-id").map(|value| event_id(value.to_str().unwrap_or_default())).transpose()
}

pub(crate) fn event_id(text: &str) -> Result<Seen, ApiError> {
    let seen = text.split_once(':').and_then(|(generation, seq)| {
        Some(Seen { generation: Some(generation.parse().ok()?), seq: seq.parse().ok()? })
    });
    seen.ok_or_else(|| {
        ApiError::bad_request("The id of the last event must be generation:sequence, as events have it.")
    })
}
