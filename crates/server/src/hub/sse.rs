//! What happens on the board, over plain HTTP, resumable.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event as SseEvent, KeepAlive};
use coop_api::Problem;
use coop_core::event::Numbered;
use coop_hub::{Board, HubEvent, HubHandle};
use futures_util::stream::{self, Stream, StreamExt};
use tokio::sync::watch;

use super::{Hub, convert, hub_error};
use crate::http::extract::Params;
use crate::http::problem::HttpError;
use crate::http::sse::{EventsQuery, HEARTBEAT, Seen, last_event_id};

/// Events taken at once.
const PAGE: usize = 256;

/// Follow events (server-sent events)
///
/// `session`, `state_change`, `session_forgotten`, `pty_permission`, `pty_permission_resolved` and `rules`. The id of an
/// event is `generation:sequence`. With `Last-Event-ID` the stream goes on after that event; the first message then is
/// `resume`, with `ok`, or `gap` and how many events were lost: read the board again then.
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
    let watch = hub.handle.watch();
    let board = hub.handle.board();
    let mut follower = Follower { handle: hub.handle, watch, seq: board.seq, waiting: VecDeque::new() };
    let greeting = match seen {
        Some(seen) => Some(follower.resume(&board, &seen).await.map_err(hub_error)?),
        None => None,
    };
    let events = stream::unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((event, follower))
    });
    let stop = hub.stop;
    let all = stream::iter(greeting).chain(events).take_until(async move { stop.cancelled().await }).map(Ok);
    Ok(Sse::new(all).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("heartbeat")))
}

struct Follower {
    handle: HubHandle,
    watch: watch::Receiver<Arc<Board>>,
    /// The last that was told.
    seq: u64,
    waiting: VecDeque<SseEvent>,
}

impl Follower {
    /// Says whether the stream can go on where the client was, before it does.
    async fn resume(&mut self, board: &Board, seen: &Seen) -> Result<SseEvent, coop_hub::HubError> {
        let ours = seen.seq <= board.seq && seen.generation.is_none_or(|generation| generation == board.generation);
        let since = if ours { seen.seq } else { 0 };
        let lost = self.handle.events(since, 0).await?.gap.map_or(0, |gap| gap.lost);
        self.seq = since + lost;
        let status = if lost > 0 || !ours { "gap" } else { "ok" };
        let data = serde_json::json!({ "resume": status, "lost": lost });
        Ok(SseEvent::default().event("resume").data(data.to_string()))
    }

    /// Nothing when the hub is gone.
    async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let page = self.handle.events(self.seq, PAGE).await.ok()?;
            if let Some(gap) = page.gap {
                // It was too slow; the board has what it missed.
                self.seq += gap.lost;
                let data = serde_json::json!({ "type": "gap", "lost": gap.lost });
                self.waiting.push_back(SseEvent::default().event("gap").data(data.to_string()));
            }
            for Numbered { seq, event, .. } in &page.events {
                self.seq = *seq;
                self.waiting.push_back(sse_event(page.generation, *seq, event));
            }
            if self.waiting.is_empty() {
                let seq = self.seq;
                self.watch.wait_for(|board| board.seq > seq).await.ok()?;
            }
        }
    }
}

fn sse_event(generation: u64, seq: u64, event: &HubEvent) -> SseEvent {
    let (name, mut data) = convert::event(event);
    data["type"] = name.into();
    data["seq"] = seq.into();
    SseEvent::default().event(name).id(format!("{generation}:{seq}")).data(data.to_string())
}
