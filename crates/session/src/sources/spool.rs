//! What hooks left behind that could not reach the session: a line for each, in the words of a hook call.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use coop_machine::private;
use serde::Deserialize;
use serde_json::Value;

use super::clock;
use crate::handle::agent::HookCall;

#[derive(Debug)]
pub(super) struct Spool {
    path: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Line {
    event: String,
    at_ms: u64,
    payload: Value,
}

impl Spool {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// All of them, which are gone from the file then.
    pub(super) fn take(&mut self) -> Vec<HookCall> {
        // Moved first: a hook that writes meanwhile makes a new file.
        let taken = self.path.with_extension("taken");
        if fs::rename(&self.path, &taken).is_err() {
            return Vec::new();
        }
        let text = private::read_to_string(&taken).unwrap_or_default();
        drop(fs::remove_file(&taken));
        text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()).map(call).collect()
    }
}

fn call(line: Line) -> HookCall {
    let age = Duration::from_millis(clock::now_ms().saturating_sub(line.at_ms));
    HookCall { event: line.event, payload: line.payload, age, answerable: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool.jsonl");
        let mut spool = Spool::new(path.clone());
        assert!(spool.take().is_empty());
        fs::write(&path, "{\"event\":\"Stop\",\"at_ms\":1,\"payload\":{}}\nnot JSON\n{\"event\":\"to").unwrap();
        let calls = spool.take();
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].event, "Stop");
        assert!(spool.take().is_empty());
        assert!(!path.exists());
    }
}
