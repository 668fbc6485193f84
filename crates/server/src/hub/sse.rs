//! What happens on the board, over plain HTTP, resumable.

use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event as SseEvent, KeepAlive};
use coop_api::Problem;
use futures_util::stream::{self, Stream, StreamExt};

use super::follow::{Follower, Told};
use super::{Hub, hub_error};
use crate::http::extract::Params;
use crate::http::problem::HttpError;
use crate::http::sse::{EventsQuery, HEARTBEAT, Seen, last_event_id};

/// Follow events (server-sent events)
///
/// `session`, `state_change`, `session_forgotten`, `pty_permission`, `pty_permission_resolved` and `rules`. The id of an
/// event is `generation:sequence`. With `Last-Event-ID` the stream goes on after that event; the first message then is
/// `resume`, with `ok`, or `gap` and how many events were lost: read the board again then. A restart of the hub is no gap.
#[utoipa::path(get, path = "/api/v1/events", tag = "events", params(EventsQuery), responses((status = 200, body = String, content_type = "text/event-stream"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn events(
    State(hub): State<Hub>,
    headers: HeaderMap,
    Params(query): Params<EventsQuery>,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, HttpError> {
    let seen = match query.since {
        Some(seq) => Some(Seen { generation: None, seq }),
        None => last_event_id(&headers)?,
    };
    let follower = Follower::new(hub.handle, seen).await.map_err(hub_error)?;
    let events = stream::unfold(follower, |mut follower| async move {
        let told = follower.next().await?;
        Some((sse_event(told), follower))
    });
    let stop = hub.stop;
    let all = events.take_until(async move { stop.cancelled().await }).map(Ok);
    Ok(Sse::new(all).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("heartbeat")))
}

fn sse_event(told: Told) -> SseEvent {
    let event = SseEvent::default().event(told.name).data(told.data.to_string());
    match told.id {
        Some(id) => event.id(id),
        None => event,
    }
}
