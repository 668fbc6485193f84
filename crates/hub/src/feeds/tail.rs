//! A session log, read as it grows. Of a large one only the beginning and the end: that is where its name is, and what
//! was said last.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use coop_drivers::lines::Lines;
use coop_machine::regular;

const BLOCK: usize = 64 << 10;
/// A file up to this size is read whole.
const WHOLE: u64 = 512 << 10;
/// Of a larger one, so much of its beginning and of its end.
const PART: u64 = 256 << 10;

#[derive(Debug)]
pub(super) struct Tail {
    path: PathBuf,
    offset: u64,
    lines: Lines,
    /// The next line may have lost its beginning.
    torn: bool,
    /// Something in the middle was not read.
    skipped: bool,
}

impl Tail {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, lines: Lines::default(), torn: false, skipped: false }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether all of it was read so far.
    pub(super) fn is_whole(&self) -> bool {
        !self.skipped
    }

    /// Every line that has become whole since the last time. A file that got shorter is a new one: then it is begun with
    /// `None`.
    pub(super) fn read(&mut self, mut each: impl FnMut(Option<&str>)) {
        let Ok(mut file) = regular::open(&self.path) else { return };
        let len = file.metadata().map_or(0, |meta| meta.len());
        if len < self.offset {
            *self = Self::new(self.path.clone());
            each(None);
        }
        if self.offset == 0 && len > WHOLE {
            self.pull(&mut file, PART, &mut each);
            self.offset = len - PART;
            self.lines = Lines::default();
            (self.torn, self.skipped) = (true, true);
        }
        self.pull(&mut file, u64::MAX, &mut each);
    }

    fn pull(&mut self, file: &mut File, until: u64, each: &mut impl FnMut(Option<&str>)) {
        if file.seek(SeekFrom::Start(self.offset)).is_err() {
            return;
        }
        let mut block = vec![0; BLOCK];
        while self.offset < until {
            let Ok(count @ 1..) = file.read(&mut block) else { return };
            self.offset += count as u64;
            let torn = &mut self.torn;
            self.lines.push(&block[..count], |line| {
                if let Some(line) = line.filter(|_| !std::mem::take(torn)) {
                    each(Some(line));
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_large_file_is_read_from_both_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let text: String = (0..100_000).map(|n| format!("line {n}\n")).collect();
        std::fs::write(&path, &text).unwrap();
        let mut tail = Tail::new(path.clone());
        let mut got = Vec::new();
        tail.read(|line| got.extend(line.map(str::to_owned)));
        assert_eq!((got.first().unwrap().as_str(), got.last().unwrap().as_str()), ("line 0", "line 99999"));
        assert!(got.len() < 60_000 && !tail.is_whole(), "{}", got.len());
        let whole = |line: &String| line.strip_prefix("line ").is_some_and(|number| number.parse::<u32>().is_ok());
        assert!(got.iter().all(whole), "none is torn");
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"more\nhal").unwrap();
        got.clear();
        tail.read(|line| got.extend(line.map(str::to_owned)));
        file.write_all(b"f\n").unwrap();
        tail.read(|line| got.extend(line.map(str::to_owned)));
        assert_eq!(got, ["more", "half"]);
        std::fs::write(&path, "new\n").unwrap();
        got.clear();
        tail.read(|line| got.extend(line.map(str::to_owned)));
        assert_eq!(got, ["new"], "another file by the same name");
        assert!(tail.is_whole());
    }
}
