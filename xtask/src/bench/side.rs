//! A way to talk with a child that is not its terminal: when it may begin, and what it has to report.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use super::process::{PATIENCE, wait_for};

/// Two named pipes in a folder of their own.
#[derive(Debug)]
pub(super) struct Side {
    /// The child waits here for its start.
    go: PathBuf,
    /// And reports here.
    back: PathBuf,
    reports: File,
    /// The pipes are removed with it.
    _folder: tempfile::TempDir,
}

impl Side {
    pub(super) fn new() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let (go, back) = (folder.path().join("go"), folder.path().join("back"));
        let made = Command::new("mkfifo").args([&go, &back]).status().context("cannot run mkfifo")?;
        ensure!(made.success(), "mkfifo failed");
        // Open for both, so that opening waits for nobody and the end of a writer is no end of the pipe.
        let reports = File::options().read(true).write(true).open(&back)?;
        Ok(Self { go, back, reports, _folder: folder })
    }

    pub(super) fn go_path(&self) -> &Path {
        &self.go
    }

    pub(super) fn back_path(&self) -> &Path {
        &self.back
    }

    /// A child that writes `file` to its terminal when it is told to, and then reports.
    pub(super) fn cat(&self, file: &Path) -> Vec<String> {
        let paths = [&self.go, file, &self.back].map(|path| path.display().to_string());
        let script = "read start < \"$1\"; cat \"$2\"; echo > \"$3\"";
        ["sh", "-c", script, "sh"].map(str::to_owned).into_iter().chain(paths).collect()
    }

    /// Lets the child begin, as soon as it waits for it. Returns when that was.
    pub(super) fn start(&self) -> anyhow::Result<Instant> {
        let waiting = |go: &PathBuf| {
            // Opening fails until somebody reads.
            File::options().write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(go).ok()
        };
        let mut go = wait_for("the child to be ready", || waiting(&self.go))?;
        let begin = Instant::now();
        go.write_all(b"\n")?;
        Ok(begin)
    }

    /// The next `N` bytes of what the child reports.
    pub(super) fn report<const N: usize>(&mut self) -> anyhow::Result<[u8; N]> {
        let mut bytes = [0; N];
        let timeout = Timespec { tv_sec: PATIENCE.as_secs().cast_signed(), tv_nsec: 0 };
        let ready = poll(&mut [PollFd::new(&self.reports, PollFlags::IN)], Some(&timeout))?;
        ensure!(ready == 1, "the child reported nothing for {} s", PATIENCE.as_secs());
        // Reports are small, so they are there at once or not at all.
        self.reports.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_begins_when_told_to_and_reports() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "hello").unwrap();
        let mut side = Side::new().unwrap();
        let command = side.cat(file.path());
        let child = Command::new(&command[0]).args(&command[1..]).stdout(std::process::Stdio::piped()).spawn().unwrap();
        side.start().unwrap();
        assert_eq!(side.report::<1>().unwrap(), *b"\n");
        assert_eq!(child.wait_with_output().unwrap().stdout, b"hello");
    }
}
