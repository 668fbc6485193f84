//! Conversations as they were before the agent shortened them.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::clock;
use crate::handle::agent::TranscriptInfo;

#[derive(Debug)]
pub(super) struct Transcripts {
    state_dir: PathBuf,
}

impl Transcripts {
    pub(super) fn new(state_dir: PathBuf) -> Self {
        Self { state_dir }
    }

    /// Of one conversation, oldest first; those of an earlier process that had the same one too.
    pub(super) fn list(&self, session: Option<&str>) -> Vec<TranscriptInfo> {
        let Some(folder) = self.folder(session) else { return Vec::new() };
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut all: Vec<_> = files.filter_map(|path| describe(&path)).collect();
        all.sort_by_key(|info| info.number);
        all
    }

    pub(super) fn snapshot(&self, session: Option<&str>, log: &Path) -> Option<TranscriptInfo> {
        let folder = self.folder(session)?;
        let number = self.list(session).last().map_or(1, |last| last.number + 1);
        let path = folder.join(format!("{number}.jsonl"));
        let saved = fs::create_dir_all(&folder).and_then(|()| {
            // Whole or not at all: a copy under way has another name.
            let part = path.with_extension("part");
            fs::copy(log, &part)?;
            fs::rename(&part, &path)
        });
        match saved {
            Ok(()) => describe(&path).map(|info| TranscriptInfo { at_ms: clock::now_ms(), ..info }),
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "the conversation could not be kept");
                None
            }
        }
    }

    fn folder(&self, session: Option<&str>) -> Option<PathBuf> {
        // An id that is no file name is not one of an agent.
        let id = session.filter(|id| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))?;
        Some(self.state_dir.join("sessions").join(id).join("transcripts"))
    }
}

fn describe(path: &Path) -> Option<TranscriptInfo> {
    let number = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.parse().ok()?;
    let file = fs::File::open(path).ok()?;
    let meta = file.metadata().ok()?;
    let modified = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok).count() as u64;
    let at_ms = u64::try_from(modified.as_millis()).unwrap_or(0);
    Some(TranscriptInfo { number, lines, bytes: meta.len(), at_ms, path: path.to_owned() })
}
