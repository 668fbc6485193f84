//! Somebody whose connection ends again and again, and who goes on where it ended.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Subscriber;

/// The share of a round without a connection, in percent.
const AWAY: u32 = 25;

#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) rounds: usize,
    pub(super) events: u64,
}

#[derive(Debug)]
pub(super) struct Resumer {
    /// The generation of the hub, and the last event that was seen.
    pub(super) from: (u64, u64),
    /// The last event there will be.
    pub(super) last: u64,
}

impl Resumer {
    /// A round takes `pace`; the last one goes on until everything was seen.
    pub(super) fn run(self, socket: &Path, begin: Instant, rounds: usize, pace: Duration) -> anyhow::Result<Found> {
        let (generation, first) = self.from;
        let mut seq = first;
        for (round, end) in (1..=rounds).zip((1..).map(|round| begin + pace * round)) {
            let mut subscriber = Subscriber::new(socket, Some((generation, seq)))?;
            let leave = end - pace * AWAY / 100;
            while seq < self.last && (round == rounds || Instant::now() < leave) {
                seq = subscriber.next()?.seq;
            }
            drop(subscriber);
            thread::sleep(end.saturating_duration_since(Instant::now()));
        }
        Ok(Found { rounds, events: seq - first })
    }
}
