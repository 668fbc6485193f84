//! Files for their owner's eyes only. This writes.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Writes all of it or nothing, and makes the folder if there is none: whoever reads it meanwhile never has half of it, and
/// nobody else can read it at any moment.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}", std::process::id()));
    let aside = path.with_file_name(name);
    // What somebody may have left by that name has other permissions.
    drop(fs::remove_file(&aside));
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside);
    let written = file.and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&aside, path));
    written.inspect_err(|_| drop(fs::remove_file(&aside)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_its_owner_reads_it_whatever_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/key");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        write(&path, b"one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, b"two").unwrap();
        assert_eq!((fs::read(&path).unwrap().as_slice(), mode(&path)), (&b"two"[..], 0o600));
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left aside");
        fs::create_dir(folder.path().join("taken")).unwrap();
        assert!(write(&folder.path().join("taken"), b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left aside");
    }
}
