//! Files that agents write: logs, registries, plans, the head of a repository.
//!
//! An agent, or a program that it runs, can put a pipe, a device or an endless file in their place. They are opened once,
//! without waiting, and read only if they are regular files of a bounded size.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Maximum size of a file that tells about one process or one folder.
pub const SMALL: u64 = 1 << 20;

/// Opens a regular file to be read. A pipe or a device at its place is an error, at once.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// Reads a regular file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Does the same for text.
pub fn read_to_string(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads the next line into `line`, without its end. Returns false when there is no whole line any more. Of a line that is
/// longer than `most` bytes nothing is kept.
pub fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>, most: usize) -> io::Result<bool> {
    line.clear();
    let mut too_long = false;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        too_long |= line.len() + part.len() > most;
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        let used = end.map_or(buffer.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::BufReader;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_opened_and_none_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for (name, read) in [("file", true), ("link", true), ("zero", false), ("pipe", false), (".", false)] {
            assert_eq!(read_to_string(&at(name), SMALL).is_ok(), read, "{name}");
        }
    }

    #[test]
    fn file_that_is_too_large_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn long_line_is_left_out_and_the_next_one_is_read() {
        let text = "one\n".to_owned() + &"x".repeat(100) + "\ntwo\nhalf";
        for size in [1, 3, 64, 1000] {
            let mut reader = BufReader::with_capacity(size, text.as_bytes());
            let (mut line, mut lines) = (Vec::new(), Vec::new());
            while read_line(&mut reader, &mut line, 10).unwrap() {
                lines.push(String::from_utf8(line.clone()).unwrap());
            }
            assert_eq!(lines, ["one", "", "two"], "{size}");
        }
    }
}
