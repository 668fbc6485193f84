//! Sessions that begin and end turns, at a rate that is kept: an event that could not be sent in time counts from when it
//! was due.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::super::http::Http;
use super::super::stats::Delays;
use super::{Event, Hub, SESSIONS, Subscriber, resume};

/// Of all sessions together.
const EVENTS_PER_SECOND: usize = 5000;
/// Connections that the sessions share.
const SENDERS: usize = 8;
const OF_ONE: usize = SESSIONS / SENDERS;
/// Between two events of one sender.
const GAP: Duration = Duration::from_nanos((1_000_000_000 * SENDERS / EVENTS_PER_SECOND) as u64);
/// Everybody is there when it begins.
const START: Duration = Duration::from_millis(200);

#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) events: usize,
    pub(super) seconds: usize,
    pub(super) delay_ms: Delays,
    /// Of the hub, as a share of one core.
    pub(super) cpu: f64,
}

/// What a hook of this session says.
pub(in crate::bench) fn payload(session: usize) -> Value {
    json!({
        "session_id": format!("bench-{session}"), "cwd": format!("/srv/project-{}", session % 50),
        "prompt": "Do it", "last_assistant_message": "It is done.",
    })
}

/// With one subscriber who listens throughout, and one who comes back again and again.
pub(super) fn run(hub: &Hub, seconds: usize, rounds: usize) -> anyhow::Result<(Found, resume::Found)> {
    let events = EVENTS_PER_SECOND * seconds;
    let socket = hub.socket();
    let mut listener = Subscriber::new(&socket, None)?;
    let resumer = resume::Resumer { from: (listener.generation, listener.seq), last: listener.seq + events as u64 };
    let begin = Instant::now() + START;
    let before = hub.usage()?;
    let (delays, resumed, cpu) = thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                scope.spawn({
                    let socket = &socket;
                    move || send(socket, sender, begin, events / SENDERS)
                })
            })
            .collect();
        let pace = Duration::from_secs(seconds as u64) / u32::try_from(rounds).unwrap_or(u32::MAX);
        let resumed = scope.spawn({
            let socket = &socket;
            move || resumer.run(socket, begin, rounds, pace)
        });
        let delays = listen(&mut listener, begin, events);
        let cpu = hub.usage().map(|after| after.since(before).cpu.as_secs_f64() / seconds as f64);
        for sender in senders {
            sender.join().map_err(|_| anyhow!("a sender panicked"))??;
        }
        let resumed = resumed.join().map_err(|_| anyhow!("a subscriber panicked"))??;
        anyhow::Ok((delays?, resumed, cpu?))
    })?;
    Ok((Found { events, seconds, delay_ms: Delays::of(delays), cpu }, resumed))
}

/// When the `turn`th event of a session is due.
fn due(begin: Instant, session: usize, turn: usize) -> Instant {
    let (sender, place) = (session / OF_ONE, session % OF_ONE);
    // They do not all send at once.
    let stagger = GAP * u32::try_from(sender).unwrap_or(0) / SENDERS as u32;
    begin + stagger + GAP * u32::try_from(turn * OF_ONE + place).unwrap_or(u32::MAX)
}

fn send(socket: &Path, sender: usize, begin: Instant, events: usize) -> anyhow::Result<()> {
    let mut http = Http::connect(socket)?;
    for event in 0..events {
        let (session, turn) = (sender * OF_ONE + event % OF_ONE, event / OF_ONE);
        let hook = if turn.is_multiple_of(2) { "UserPromptSubmit" } else { "Stop" };
        thread::sleep(due(begin, session, turn).saturating_duration_since(Instant::now()));
        http.json("POST", &format!("/api/v1/hooks/{hook}"), &payload(session)).with_context(|| hook.to_owned())?;
    }
    Ok(())
}

/// Milliseconds until each event was read, and that it was the right one.
fn listen(subscriber: &mut Subscriber, begin: Instant, events: usize) -> anyhow::Result<Vec<f64>> {
    let mut turns = vec![0_usize; SESSIONS];
    let mut delays = Vec::with_capacity(events);
    for _ in 0..events {
        let event = subscriber.next()?;
        let now = Instant::now();
        let session = session_of(&event).with_context(|| format!("whose is {event:?}?"))?;
        let turn = turns[session];
        turns[session] += 1;
        let expected = if turn.is_multiple_of(2) { "working" } else { "idle" };
        ensure!(event.kind == "state_change" && event.next == expected, "not {expected}: {event:?}");
        delays.push(now.saturating_duration_since(due(begin, session, turn)).as_secs_f64() * 1000.0);
    }
    Ok(delays)
}

fn session_of(event: &Event) -> Option<usize> {
    let number = event.session.as_ref()?.session_id.strip_prefix("bench-")?.parse().ok()?;
    (number < SESSIONS).then_some(number)
}
