//! Writing to the person or program that called us. Text passes through `coop_core::text` here, so that no agent, name or
//! error can act on the operator's terminal.

use std::io::{self, IsTerminal as _, Write as _};

use coop_core::text::{shown, shown_json, shown_line};
use serde::Serialize;

use crate::CommandError;

/// Writes to stdout, at once and as it is: for what is meant to act on a terminal, and for files.
pub(crate) fn write(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}

/// Writes a line, or several. What would hide or act is shown instead.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write(format!("{}{end}", shown(text)).as_bytes())
}

/// Writes a document, such as a screen or a profile: as it is for a file or a program, which may compare it, and with what
/// would hide made visible for a terminal.
pub(crate) fn document(text: &str) -> Result<(), CommandError> {
    if io::stdout().is_terminal() {
        return print(text);
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write(format!("{text}{end}").as_bytes())
}

/// Writes a reply of the API on lines of its own. What would hide is escaped, and the value is the same.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), CommandError> {
    write_json(&serde_json::to_string_pretty(value).map_err(io::Error::from)?)
}

/// Does the same on one line, for streams.
pub(crate) fn json_line<T: Serialize>(value: &T) -> Result<(), CommandError> {
    write_json(&serde_json::to_string(value).map_err(io::Error::from)?)
}

fn write_json(json: &str) -> Result<(), CommandError> {
    write(format!("{}\n", shown_json(json)).as_bytes())
}

/// Writes to stderr, as [`print`] does. When even that is closed, there is no reader left.
pub(crate) fn complain(text: &str) {
    drop(io::stderr().lock().write_all(shown(text).as_bytes()));
}

/// Returns untrusted text for one line of ours: what would hide, act or begin another line is shown instead.
pub(crate) fn harmless(text: &str) -> String {
    shown_line(text).into_owned()
}
