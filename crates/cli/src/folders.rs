//! Folders of coop: where its state and its settings are. They are trusted only where this account alone can write them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use coop_machine::private;

use crate::CommandError;

const NO_HOME: &str = "The home folder of this account is not known";
const SET_HOME: &str = "Set HOME to a folder of your own, or XDG_STATE_HOME and XDG_CONFIG_HOME.";
/// A path below which no file can be: stands for the settings of an account without a home.
const NOWHERE: &str = "/dev/null";

/// Returns the folder of what outlives a session. One that is there is narrowed to this account; one that another account
/// owns is an error.
pub(crate) fn state_dir() -> Result<PathBuf, CommandError> {
    let base = base(std::env::var_os("XDG_STATE_HOME"), private::home(), ".local/state");
    let folder = base.ok_or_else(|| CommandError::failed(NO_HOME).with_hint(SET_HOME))?.join("coop");
    if folder.symlink_metadata().is_ok() {
        private::folder(&folder).map_err(|error| untrusted(&folder, &error))?;
    }
    Ok(folder)
}

/// Makes the folder of what outlives a session.
pub(crate) fn make_state_dir() -> Result<PathBuf, CommandError> {
    let folder = state_dir()?;
    private::folder(&folder).map_err(|error| untrusted(&folder, &error))?;
    Ok(folder)
}

/// Returns the folder of the settings, whether there is one or not.
pub(crate) fn config_dir() -> PathBuf {
    let base = base(std::env::var_os("XDG_CONFIG_HOME"), private::home(), ".config");
    base.unwrap_or_else(|| NOWHERE.into()).join("coop")
}

/// Reads a file of the settings. Nothing where there is none.
pub(crate) fn read_config(path: &Path) -> io::Result<Option<String>> {
    match private::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The folder that is named, else one below the home folder. A relative one would be in whatever folder coop is started.
fn base(named: Option<OsString>, home: Option<PathBuf>, below: &str) -> Option<PathBuf> {
    let named = named.map(PathBuf::from).filter(|named| named.is_absolute());
    named.or_else(|| home.map(|home| home.join(below)))
}

fn untrusted(folder: &Path, error: &io::Error) -> CommandError {
    let hint = "Make it yours with mode 0700, or set XDG_STATE_HOME to a folder of your own.";
    CommandError::failed(format!("{} cannot be used: {error}", folder.display())).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_never_shared_or_relative() {
        for (named, home, expected) in [
            (Some("/x"), Some("/srv/ann"), Some("/x")),
            (Some("x"), Some("/srv/ann"), Some("/srv/ann/.local/state")),
            (Some(""), Some("/srv/ann"), Some("/srv/ann/.local/state")),
            (None, Some("/srv/ann"), Some("/srv/ann/.local/state")),
            (Some("x"), None, None),
            (None, None, None),
        ] {
            let found = base(named.map(Into::into), home.map(Into::into), ".local/state");
            assert_eq!(found.as_deref(), expected.map(Path::new), "{named:?} {home:?}");
        }
    }
}
