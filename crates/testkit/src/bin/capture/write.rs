//! Puts the evidence of a case into its folder, and says what has changed.

use std::fs;
use std::io;
use std::path::Path;

use crate::record::Evidence;

const RECORDING: &str = "terminal.cast";

/// What has changed, for a person.
pub(crate) fn write(folder: &Path, evidence: &Evidence) -> io::Result<String> {
    let is_new = !folder.exists();
    fs::create_dir_all(folder)?;
    let mut changed = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != RECORDING && evidence.texts.iter().all(|(text, _)| *text != name) {
            fs::remove_file(folder.join(&name))?;
            changed.push(name);
        }
    }
    for (name, text) in &evidence.texts {
        let path = folder.join(name);
        if fs::read_to_string(&path).ok().as_ref() != Some(text) {
            fs::write(path, text)?;
            changed.push(name.clone());
        }
    }
    let recording = folder.join(RECORDING);
    if let Some(cast) = evidence.recording.as_ref().filter(|_| !changed.is_empty() || !recording.exists()) {
        fs::write(recording, cast)?;
    }
    changed.sort();
    Ok(match changed.is_empty() {
        _ if is_new => "new".to_owned(),
        true => "as before".to_owned(),
        false => format!("changed: {}", changed.join(", ")),
    })
}
