//! What installing changed, so that removing can undo exactly that.

use std::path::{Path, PathBuf};

use coop_machine::private;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::CommandError;
use crate::run::agent::state_dir;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    path: PathBuf,
    /// The file before; none if there was none.
    pub(super) before: Option<String>,
    pub(super) after: String,
}

impl Record {
    /// A file that had hooks of ours already, with others, is as it was before the first of them.
    pub(super) fn new(path: &Path, before: Option<String>, after: String) -> Self {
        let earlier = Self::of(path).filter(|earlier| Some(&earlier.after) == before.as_ref());
        let before = earlier.map_or(before, |earlier| earlier.before);
        Self { path: path.to_owned(), before, after }
    }

    pub(super) fn of(path: &Path) -> Option<Self> {
        all().into_iter().find(|record| record.path == path)
    }

    pub(super) fn keep(self) -> Result<(), CommandError> {
        let mut records = all();
        records.retain(|record| record.path != self.path);
        records.push(self);
        save(&records)
    }

    pub(super) fn forget(path: &Path) -> Result<(), CommandError> {
        let mut records = all();
        records.retain(|record| record.path != path);
        save(&records)
    }

    /// Whether the event had no list before.
    pub(super) fn added(&self, event: &str) -> bool {
        let before: Option<Value> = self.before.as_deref().and_then(|text| serde_json::from_str(text).ok());
        before.is_none_or(|before| before["hooks"].get(event).is_none())
    }
}

fn file() -> Result<PathBuf, CommandError> {
    Ok(state_dir()?.join("hooks.json"))
}

/// One that cannot be read is as good as none: what is ours is found by its command.
fn all() -> Vec<Record> {
    file()
        .ok()
        .and_then(|file| private::read(&file).ok())
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

fn save(records: &[Record]) -> Result<(), CommandError> {
    let text = serde_json::to_string(records).map_err(std::io::Error::from)?;
    let file = file()?;
    private::write(&file, text.as_bytes())
        .map_err(|error| CommandError::failed(format!("{} cannot be written: {error}", file.display())))
}
