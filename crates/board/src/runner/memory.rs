//! What is kept from one board to the next, in a file.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::model::Remembered;

/// What was remembered, and what is wrong with it. A file that cannot be read is as good as none.
pub(super) fn read(path: &Path) -> (Remembered, Option<String>) {
    match fs::read_to_string(path) {
        Ok(text) => match serde_json::from_str(&text) {
            Ok(remembered) => (remembered, None),
            Err(error) => (Remembered::default(), Some(format!("{} is unreadable: {error}", path.display()))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => (Remembered::default(), None),
        Err(error) => (Remembered::default(), Some(format!("{}: {error}", path.display()))),
    }
}

/// Whole or not at all. Messages are nobody else's business.
pub(super) fn write(path: &Path, remembered: &Remembered) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let new = path.with_extension("new");
    // A file that an earlier write left behind would keep its mode.
    drop(fs::remove_file(&new));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    serde_json::to_writer_pretty(&mut file, remembered)?;
    fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Group, Lens};

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/board.json");
        assert_eq!(read(&path), (Remembered::default(), None));
        let lens = Lens { filter: "shop".into(), group: Group::Host, ended: false };
        let remembered = Remembered { lens, history: vec!["go on\nplease".into()] };
        write(&path, &remembered).unwrap();
        assert_eq!(read(&path), (remembered, None));
        fs::write(&path, "{").unwrap();
        assert!(read(&path).1.is_some());
        fs::write(&path, "{}").unwrap();
        assert_eq!(read(&path), (Remembered::default(), None));
    }
}
