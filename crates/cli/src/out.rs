//! Writing to the person or program that called us.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::CommandError;

/// To stdout, at once.
pub(crate) fn write(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}

/// A line, or several.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write(format!("{text}{end}").as_bytes())
}

/// A reply of the API as it is, on lines of its own.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<(), CommandError> {
    print(&serde_json::to_string_pretty(value).map_err(io::Error::from)?)
}

/// The same on one line, for streams.
pub(crate) fn json_line<T: Serialize>(value: &T) -> Result<(), CommandError> {
    print(&serde_json::to_string(value).map_err(io::Error::from)?)
}

/// To stderr. When even that is closed there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    drop(io::stderr().lock().write_all(text.as_bytes()));
}

/// The same for text of several lines.
pub(crate) fn harmless_lines(text: &str) -> String {
    text.lines().map(harmless).collect::<Vec<_>>().join("\n")
}

/// Text a program chose, made harmless: what moves the cursor or colours the line is left out.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
