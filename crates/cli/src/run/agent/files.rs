//! Files the agent reads, in a folder of this session's own. For us alone: settings may hold secrets.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use coop_machine::private;

use crate::CommandError;
use crate::sessions::{self, Name};

/// Dropping it removes the folder.
#[derive(Debug)]
pub(in crate::run) struct AgentFiles {
    folder: PathBuf,
}

impl AgentFiles {
    pub(super) fn new(name: &Name) -> Result<Self, CommandError> {
        sessions::make_folder()?;
        let folder = folder(name);
        let made = fs::DirBuilder::new().mode(0o700).recursive(true).create(&folder);
        made.map_err(|error| failed(&folder, &error))?;
        Ok(Self { folder })
    }

    /// That of an agent that another process has started.
    pub(super) fn adopt(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Where the files of this session's agent go.
pub(in crate::run) fn folder(name: &Name) -> PathBuf {
    sessions::folder().join(format!("{name}.{}", std::process::id()))
}

/// The same link again is fine; whatever else is there is replaced.
pub(super) fn link(path: &Path, target: &Path) -> Result<(), CommandError> {
    path.parent().map_or(Ok(()), make_folder)?;
    if fs::read_link(path).is_ok_and(|known| known == target) {
        return Ok(());
    }
    // It may not be there; if it cannot be removed, the link says why.
    drop(fs::remove_file(path));
    std::os::unix::fs::symlink(target, path).map_err(|error| failed(path, &error))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    private::create(path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| failed(path, &error))
}

impl Drop for AgentFiles {
    fn drop(&mut self) {
        // What cannot be removed is in a folder that is emptied at the next boot.
        drop(fs::remove_dir_all(&self.folder));
    }
}

pub(super) fn make_folder(folder: &Path) -> Result<(), CommandError> {
    let made = fs::DirBuilder::new().mode(0o700).recursive(true).create(folder);
    made.map_err(|error| failed(folder, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::failed(format!("{} cannot be written: {error}", path.display()))
}
