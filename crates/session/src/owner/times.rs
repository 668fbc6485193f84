//! When what was printed, for recordings of what is kept.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use coop_core::agent::state::State;
use coop_core::event::Event;
use coop_terminal::Size;
use coop_terminal::log::Cursor;

use super::Owner;
use crate::handle::{Happening, Kept};

/// Output that comes within this of what came before is played with it.
const SPACING: Duration = Duration::from_millis(10);
/// Of more than these, the oldest are forgotten; what was printed then is played at once.
const MOST: usize = 8192;

#[derive(Debug)]
pub(super) struct Times {
    marks: VecDeque<Mark>,
    /// The terminal's size before the first of them.
    size: Size,
    generation: u64,
    /// The last event that was looked at, and how much had been printed.
    seen: (u64, u64),
}

#[derive(Clone, Debug)]
struct Mark {
    offset: u64,
    at: Instant,
    what: Happening,
}

impl Times {
    pub(super) fn new(size: Size, generation: u64) -> Self {
        Self { marks: VecDeque::new(), size, generation, seen: (0, 0) }
    }

    fn push(&mut self, mark: Mark) {
        if self.marks.len() == MOST
            && let Some(Mark { what: Happening::Resize(size), .. }) = self.marks.pop_front()
        {
            self.size = size;
        }
        self.marks.push_back(mark);
    }

    /// Everything up to `end` has been printed by now.
    fn printed(&mut self, end: u64, now: Instant) {
        match self.marks.back_mut() {
            Some(Mark { offset, at, what: Happening::Output }) if now < *at + SPACING => *offset = end,
            _ => self.push(Mark { offset: end, at: now, what: Happening::Output }),
        }
    }
}

impl Owner {
    /// Remembers what happened since it was last called.
    pub(super) fn remember_times(&mut self) {
        let (end, newest) = (self.log.end(), self.events.newest());
        if self.times.generation != self.log.generation() {
            self.times = Times { seen: self.times.seen, ..Times::new(self.screen.size(), self.log.generation()) };
            self.times.seen.1 = 0;
        }
        if self.times.seen == (newest, end) {
            return;
        }
        let now = Instant::now();
        if self.times.seen.1 != end {
            self.times.printed(end, now);
        }
        if self.times.seen.0 != newest {
            for numbered in self.events.since(self.times.seen.0, usize::MAX).0 {
                let what = match numbered.event {
                    Event::Resize { cols, rows } => Happening::Resize(Size::clamped(cols, rows)),
                    Event::State { next, .. } => Happening::Marker(named(&next)),
                    _ => continue,
                };
                self.times.push(Mark { offset: end, at: now, what });
            }
        }
        self.times.seen = (newest, end);
    }

    /// All output that is kept, and when it was printed.
    pub(super) fn recording(&self) -> Kept {
        let (older, newer) = self.log.contents();
        let start = self.log.start();
        let began = self.times.marks.iter().find(|mark| mark.offset > start).map(|mark| mark.at);
        let marks = self.times.marks.iter().filter(|mark| mark.offset >= start).map(|mark| {
            let at = began.map_or(Duration::ZERO, |began| mark.at.saturating_duration_since(began));
            (mark.offset - start, at, mark.what.clone())
        });
        let before = self.times.marks.iter().take_while(|mark| mark.offset < start);
        let size = before.filter_map(|mark| match mark.what {
            Happening::Resize(size) => Some(size),
            _ => None,
        });
        Kept {
            size: size.last().unwrap_or(self.times.size),
            bytes: [older, newer].concat(),
            began: began.map(|began| began.elapsed()),
            marks: marks.collect(),
            exit: self.told_exit(),
            end: Cursor { generation: self.log.generation(), offset: self.log.end() },
        }
    }
}

/// What a marker is called.
fn named(state: &State) -> String {
    match state {
        State::Prompt(prompt) => format!("{}: {}", state.name(), prompt.context.kind()),
        state => state.name().to_owned(),
    }
}
