//! The agent's own word about when its status changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

/// Shorter than any status lasts.
const GLANCE: Duration = Duration::from_millis(1);

pub(super) struct Changes {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<BTreeSet<(u64, &'static str)>>,
}

impl Changes {
    pub(super) fn watch(folder: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut seen = BTreeSet::new();
            while !stopped.load(Ordering::Relaxed) {
                seen.extend(read(&folder));
                thread::sleep(GLANCE); // tidy: a file that changes twice within a glance tells only once
            }
            seen
        });
        Self { stop, thread }
    }

    pub(super) fn stop(self) -> Vec<(SystemTime, &'static str)> {
        self.stop.store(true, Ordering::Relaxed);
        let mut changes: Vec<_> = self.thread.join().unwrap_or_default().into_iter().collect();
        // The file is also written when something else changes.
        changes.dedup_by_key(|(_, name)| *name);
        changes.into_iter().map(|(ms, name)| (UNIX_EPOCH + Duration::from_millis(ms), name)).collect()
    }
}

fn read(folder: &Path) -> Option<(u64, &'static str)> {
    let mut files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let file = files.find(|path| path.extension().is_some_and(|ext| ext == "json"))?;
    let entry: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let name = match entry["status"].as_str()? {
        "busy" => "working",
        "waiting" => "prompt",
        "idle" => "idle",
        _ => return None,
    };
    Some((entry["statusUpdatedAt"].as_u64()?, name))
}
