//! Claude's file in its registry of sessions, looked at so often that no change of it is missed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

/// The shortest state there is lasts longer.
const GLANCE: Duration = Duration::from_millis(3);

pub(super) struct Registry {
    /// The entries, each when it changed.
    entries: Arc<Mutex<Vec<Value>>>,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Registry {
    /// For another agent there is no such file, and nothing is ever seen.
    pub(super) fn watch(home: &Path, pid: u32) -> Self {
        let path = home.join(format!(".claude/sessions/{pid}.json"));
        let (entries, is_over) = (Arc::default(), Arc::<AtomicBool>::default());
        let (seen, ended) = (Arc::clone(&entries), Arc::clone(&is_over));
        let thread = thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                look(&path, &seen);
                thread::sleep(GLANCE); // tidy: a file does not tell that it changes
            }
        });
        Self { entries, is_over, thread }
    }

    pub(super) fn last(&self) -> Value {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.last().cloned().unwrap_or_default()
    }

    pub(super) fn end(self) -> Vec<Value> {
        self.is_over.store(true, Ordering::Relaxed);
        // It only reads files, and has not panicked.
        let _ = self.thread.join();
        let mut entries = std::mem::take(&mut *self.entries.lock().unwrap_or_else(PoisonError::into_inner));
        for fields in entries.iter_mut().filter_map(Value::as_object_mut) {
            // The conversation gets its name at some time.
            fields.retain(|field, _| !field.starts_with("name"));
        }
        entries
    }
}

fn look(path: &PathBuf, entries: &Mutex<Vec<Value>>) {
    let Ok(text) = fs::read_to_string(path) else { return };
    let entry: Value = serde_json::from_str(&text).unwrap_or_default();
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    // Without a status it is still being written.
    if entry["status"].is_string() && entries.last() != Some(&entry) {
        entries.push(entry);
    }
}
