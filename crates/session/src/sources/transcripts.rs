//! Conversations as they were before the agent shortened them.

use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use coop_machine::{private, regular};

use super::clock;
use crate::handle::agent::TranscriptInfo;

#[derive(Debug)]
pub(super) struct Transcripts {
    state_dir: Option<PathBuf>,
}

impl Transcripts {
    pub(super) fn new(state_dir: Option<PathBuf>) -> Self {
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
        let saved = self.make(&folder).and_then(|()| private::copy(log, &path));
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
        Some(self.state_dir.as_ref()?.join("sessions").join(id).join("transcripts"))
    }

    /// Makes the folder and those above it that are coop's own, for this account alone.
    fn make(&self, folder: &Path) -> io::Result<()> {
        let state = self.state_dir.as_deref();
        let own: Vec<&Path> =
            folder.ancestors().take_while(|part| state.is_some_and(|state| part.starts_with(state))).collect();
        own.into_iter().rev().try_for_each(private::folder)
    }
}

fn describe(path: &Path) -> Option<TranscriptInfo> {
    let number = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.parse().ok()?;
    let file = regular::open(path).ok()?;
    let meta = file.metadata().ok()?;
    let modified = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let (mut reader, mut line, mut lines) = (BufReader::new(file), Vec::new(), 0);
    while regular::read_line(&mut reader, &mut line, 0).ok()? {
        lines += 1;
    }
    let at_ms = u64::try_from(modified.as_millis()).unwrap_or(0);
    Some(TranscriptInfo { number, lines, bytes: meta.len(), at_ms, path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn transcripts_are_private_whatever_the_mode_of_the_log() {
        let top = tempfile::tempdir().unwrap();
        let state = top.path().join("coop");
        let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        // As an earlier version has left them.
        let folder = state.join("sessions/c-1/transcripts");
        fs::create_dir_all(&folder).unwrap();
        folder.ancestors().take(4).for_each(|folder| set_mode(folder, 0o755));
        let log = top.path().join("log.jsonl");
        fs::write(&log, "{}\n{}\n").unwrap();
        set_mode(&log, 0o666);
        let transcripts = Transcripts::new(Some(state.clone()));
        let saved = transcripts.snapshot(Some("c-1"), &log).unwrap();
        assert_eq!((saved.number, saved.lines, mode(&saved.path)), (1, 2, 0o600));
        for part in folder.ancestors().take(4) {
            assert_eq!(mode(part), 0o700, "{}", part.display());
        }
        assert_eq!(transcripts.list(Some("c-1")).len(), 1, "nothing is left aside");
        assert!(Transcripts::new(None).snapshot(Some("c-1"), &log).is_none(), "without a folder nothing is kept");
    }
}
