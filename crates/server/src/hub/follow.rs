//! Whoever follows the board: what has happened since they looked, and then what happens.
//!
//! Nothing is queued for anybody. A follower pulls from the hub's log of events where it is, and one that was too slow
//! hears how much it has missed.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use coop_core::event::Numbered;
use coop_hub::{Board, HubError, HubHandle};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::convert;
use crate::http::sse::Seen;

/// Events taken at once.
const PAGE: usize = 256;

/// One thing to tell.
pub(super) struct Told {
    pub(super) name: Cow<'static, str>,
    /// `generation:sequence`, to go on after it. What is about the stream itself has none.
    pub(super) id: Option<String>,
    pub(super) data: Value,
}

pub(super) struct Follower {
    handle: HubHandle,
    watch: watch::Receiver<Arc<Board>>,
    /// The board it began with.
    board: Arc<Board>,
    /// The last that was told.
    seq: u64,
    waiting: VecDeque<Told>,
}

impl Follower {
    /// From now on, or from where the client was: then it first says whether that can be.
    pub(super) async fn new(handle: HubHandle, seen: Option<Seen>) -> Result<Self, HubError> {
        let watch = handle.watch();
        let board = handle.board();
        let mut follower = Self { handle, watch, seq: board.seq, board, waiting: VecDeque::new() };
        if let Some(seen) = seen {
            let told = follower.resume(&seen).await?;
            follower.waiting.push_back(told);
        }
        Ok(follower)
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    async fn resume(&mut self, seen: &Seen) -> Result<Told, HubError> {
        let Board { seq, generation, .. } = *self.board;
        let ours = seen.seq <= seq && seen.generation.is_none_or(|seen| seen == generation);
        let since = if ours { seen.seq } else { 0 };
        let lost = self.handle.events(since, 0).await?.gap.map_or(0, |gap| gap.lost);
        self.seq = since + lost;
        let status = if lost > 0 || !ours { "gap" } else { "ok" };
        Ok(Told { name: "resume".into(), id: None, data: json!({ "resume": status, "lost": lost }) })
    }

    /// One that is there already, without waiting.
    pub(super) fn more(&mut self) -> Option<Told> {
        self.waiting.pop_front()
    }

    /// Nothing when the hub is gone. Nothing is lost if this is not waited for to its end.
    pub(super) async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(told) = self.waiting.pop_front() {
                return Some(told);
            }
            let seq = self.seq;
            self.watch.wait_for(|board| board.seq > seq).await.ok()?;
            let page = self.handle.events(seq, PAGE).await.ok()?;
            if let Some(gap) = page.gap {
                // It was too slow; the board has what it missed.
                self.seq += gap.lost;
                let data = json!({ "type": "gap", "lost": gap.lost });
                self.waiting.push_back(Told { name: "gap".into(), id: None, data });
            }
            for Numbered { seq, event, .. } in &page.events {
                self.seq = *seq;
                let (name, mut data) = convert::event(event);
                data["type"] = (&*name).into();
                data["seq"] = (*seq).into();
                self.waiting.push_back(Told { name, id: Some(format!("{}:{seq}", page.generation)), data });
            }
        }
    }
}
