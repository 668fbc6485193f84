//! The file in which an agent keeps the status of its running session, named after its process.

use std::fs;
use std::path::{Path, PathBuf};

use coop_drivers::{Driver, RegistryEntry};
use coop_machine::process::{session_of, started};
use coop_machine::regular;

#[derive(Debug)]
pub(super) struct Registry {
    folder: PathBuf,
    child: u32,
    /// The agent's own file, once it is known.
    file: Option<PathBuf>,
    last: String,
}

impl Registry {
    pub(super) fn new(folder: PathBuf, child: u32) -> Self {
        Self { folder, child, file: None, last: String::new() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        path.starts_with(&self.folder)
    }

    /// What is new since the last read. A file of a process that is not ours, or no longer runs, says nothing.
    pub(super) fn read(&mut self, driver: &mut dyn Driver) -> Option<RegistryEntry> {
        if self.file.is_none() {
            self.file = self.find();
        }
        let file = self.file.as_ref()?;
        let Ok(text) = regular::read_to_string(file, regular::SMALL) else {
            self.file = None;
            return None;
        };
        if text == self.last {
            return None;
        }
        let entry = driver.registry(&text)?;
        let pid = pid_of(file)?;
        if entry
            .proc_start
            .as_ref()
            .is_some_and(|start| started(pid).map(|started| started.to_string()).as_ref() != Some(start))
        {
            return None;
        }
        self.last = text;
        Some(entry)
    }

    /// The file of the child, or of a process in its session where the child is a wrapper.
    fn find(&self) -> Option<PathBuf> {
        let own = self.folder.join(format!("{}.json", self.child));
        if own.is_file() {
            return Some(own);
        }
        let files = fs::read_dir(&self.folder).ok()?.flatten().map(|entry| entry.path());
        files
            .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
            .find(|path| pid_of(path).and_then(session_of).is_some_and(|session| session == self.child))
    }
}

fn pid_of(path: &Path) -> Option<u32> {
    path.file_stem()?.to_str()?.parse().ok()
}
