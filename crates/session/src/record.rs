//! Everything that is heard of the agent, written down line by line: the last of it in memory, and all of it in a file where
//! that was asked for.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::agent::record::Recorded;
use coop_machine::private;

/// What is remembered at most: so many pieces, and so many bytes of them.
const PIECES: usize = 1000;
const BYTES: usize = 256 << 10;

#[derive(Debug)]
pub(crate) struct Record {
    start: Instant,
    file: Option<File>,
    lines: VecDeque<String>,
    bytes: usize,
    forgotten: u64,
    /// What the screen showed last: as long as that is so it is no news.
    looked: Option<Fact>,
}

impl Record {
    /// Where the file cannot be made, the agent runs without it.
    pub(crate) fn new(start: Instant, path: Option<&Path>) -> Self {
        let file = path.and_then(|path| {
            private::create(path).inspect_err(|error| tracing::warn!(%error, "evidence is not recorded")).ok()
        });
        Self { start, file, lines: VecDeque::new(), bytes: 0, forgotten: 0, looked: None }
    }

    pub(crate) fn add(&mut self, now: Instant, evidence: &Evidence) {
        let seen = evidence.source == Source::Screen;
        let news = !seen || self.looked.as_ref() != Some(&evidence.fact);
        if !news && self.file.is_none() {
            return;
        }
        let line = serde_json::to_string(&Recorded::new(self.start, now, evidence)).unwrap_or_default();
        if let Some(file) = &mut self.file {
            // A full disk costs the record, nothing else.
            drop(writeln!(file, "{line}"));
        }
        if seen {
            self.looked = Some(evidence.fact.clone());
        }
        if news {
            self.remember(line);
        }
    }

    fn remember(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > PIECES || self.bytes > BYTES {
            let Some(oldest) = self.lines.pop_front() else { return };
            self.bytes -= oldest.len();
            self.forgotten += 1;
        }
    }

    /// What is remembered, oldest first, and how much is forgotten.
    pub(crate) fn recent(&self) -> (Vec<String>, u64) {
        (self.lines.iter().cloned().collect(), self.forgotten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_core::agent::evidence::Look;

    #[test]
    fn the_last_is_remembered_and_what_is_seen_once() {
        let start = Instant::now();
        let mut record = Record::new(start, None);
        let mut hear = |source, fact| record.add(start, &Evidence { source, at: start, turn: None, fact });
        for look in [Look::Idle, Look::Idle, Look::Working, Look::Idle, Look::Idle] {
            hear(Source::Screen, Fact::Looks(look));
        }
        hear(Source::Hook, Fact::Interrupted);
        hear(Source::Hook, Fact::Interrupted);
        assert_eq!((record.recent().0.len(), record.recent().1), (5, 0));
        let long = "x".repeat(1000);
        for _ in 0..2000 {
            let fact = Fact::Said { text: long.clone() };
            record.add(start, &Evidence { source: Source::Log, at: start, turn: None, fact });
        }
        let (lines, forgotten) = record.recent();
        assert!(lines.len() < 300 && lines.len() as u64 + forgotten == 2005, "{} {forgotten}", lines.len());
        // One that is too large by itself leaves nothing.
        let fact = Fact::Said { text: "x".repeat(BYTES) };
        record.add(start, &Evidence { source: Source::Log, at: start, turn: None, fact });
        assert!(record.recent().0.is_empty());
    }
}
