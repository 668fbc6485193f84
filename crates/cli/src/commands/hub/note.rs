//! What the hub of this machine says of itself beside its socket: where it listens, and how it was started, so that a
//! newer coop can put one in its place that is as it was. Only true while a hub answers.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use coop_machine::private;
use serde::{Deserialize, Serialize};

use crate::sessions;

/// Their values are not for files, or not for the next hub.
const LEFT_OUT: [&str; 2] = ["--auth-token", "--says-version"];
/// How it was started, which the next one decides for itself.
const WAYS: [&str; 3] = ["--daemon", "--install-unit", super::daemon::DETACHED];

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Note {
    pub(crate) addresses: Vec<String>,
    /// After `coop hub`.
    pub(super) arguments: Vec<String>,
    /// Where it was started; arguments may name files as seen from there.
    pub(super) cwd: PathBuf,
    /// It was given a token, which whoever replaces it needs too. A token in a file is among the arguments.
    pub(super) told_token: bool,
    /// The file with the token of its port, where it made that itself.
    pub(crate) token_file: Option<PathBuf>,
}

impl Note {
    /// Of the hub that listens on the usual socket. Nothing for one that left none.
    pub(crate) fn read() -> Option<Self> {
        // It says which program is started with which arguments: no other account may have written it.
        private::check_folder(&sessions::folder()).ok()?;
        serde_json::from_slice(&private::read(&path()).ok()?).ok()
    }

    /// A hub on another socket leaves none.
    pub(super) fn leave(&self, socket: &Path) -> io::Result<()> {
        if socket != sessions::hub_socket() {
            return Ok(());
        }
        private::write(&path(), &serde_json::to_vec(self)?)
    }
}

fn path() -> PathBuf {
    sessions::folder().join("hub.json")
}

/// What was given after `coop hub`, for the next one.
pub(super) fn arguments(given: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut given = given.map(|argument| argument.to_string_lossy().into_owned());
    let mut kept = Vec::new();
    while let Some(argument) = given.next() {
        if LEFT_OUT.contains(&argument.as_str()) {
            given.next();
        } else if !WAYS.contains(&argument.as_str())
            && !LEFT_OUT.iter().any(|flag| argument.starts_with(&format!("{flag}=")))
        {
            kept.push(argument);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_next_one_is_given() {
        for (given, expected) in [
            ("", ""),
            ("--port 1 --daemon", "--port 1"),
            ("--detached --port=1", "--port=1"),
            ("--install-unit --port 1", "--port 1"),
            ("--auth-token secret --port 1", "--port 1"),
            ("--auth-token=secret --auth-token-file f", "--auth-token-file f"),
            ("--says-version 0.0.1", ""),
        ] {
            let kept = arguments(given.split_whitespace().map(OsString::from));
            assert_eq!(kept.join(" "), expected, "{given}");
        }
    }
}
