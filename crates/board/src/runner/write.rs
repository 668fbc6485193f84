//! A text in the person's own editor: in a file that nobody else can read, for as long as it is written.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process::Command;

/// More than any tool takes.
const MOST: u64 = 1 << 20;

/// The editor, to be started.
pub(super) fn begin(file: &Path, text: &str) -> Result<Command, String> {
    let written = || -> std::io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // One of an earlier board would have its own mode.
        forget(file);
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")
    };
    written().map_err(|error| format!("{}: {error}", file.display()))?;
    let chosen = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = chosen("VISUAL").or_else(|| chosen("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut command = Command::new("sh");
    // It may have arguments of its own.
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file);
    Ok(command)
}

/// What was written.
pub(super) fn end(file: &Path) -> Result<String, String> {
    let read = || -> std::io::Result<String> {
        let mut text = String::new();
        fs::File::open(file)?.take(MOST + 1).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = read().map_err(|error| format!("{}: {error}", file.display()))?;
    if text.len() as u64 > MOST { Err("That is too much for an input.".to_owned()) } else { Ok(text) }
}

pub(super) fn forget(file: &Path) {
    // There may be none.
    drop(fs::remove_file(file));
}
