//! Everything that is heard of the agent, written down line by line.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use coop_core::agent::evidence::Evidence;
use coop_core::agent::record::Recorded;

#[derive(Debug)]
pub(crate) struct Record {
    start: Instant,
    file: File,
}

impl Record {
    /// Nothing if the file cannot be made: the agent runs without it.
    pub(crate) fn new(start: Instant, path: &Path) -> Option<Self> {
        let file = File::create(path).inspect_err(|error| tracing::warn!(%error, "evidence is not recorded")).ok()?;
        Some(Self { start, file })
    }

    pub(crate) fn add(&mut self, now: Instant, evidence: &Evidence) {
        let line = serde_json::to_string(&Recorded::new(self.start, now, evidence)).unwrap_or_default();
        // A full disk costs the record, nothing else.
        drop(writeln!(self.file, "{line}"));
    }
}
