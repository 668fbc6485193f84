//! The output that terminals are fed with: generated, and the same bytes on every machine.
//!
//! Lines end in `\n` alone: the PTY adds the carriage return, as it does for every program that does not ask it not to.

mod paint;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;

use super::random::Random;
use paint::Painter;

/// Part of the file names: a change of what is painted must not be measured with yesterday's files.
const VERSION: u32 = 1;

/// One kind of output, and how fast coop has to be with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corpus {
    pub(super) name: &'static str,
    pub(super) floor: Option<Floor>,
    painter: fn() -> Painter,
}

/// The least we are content with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    /// Share of what a reader gets that throws everything away.
    pub(super) of_drain: f64,
    /// Times as fast as tmux.
    pub(super) of_tmux: f64,
}

pub(super) const CORPORA: [Corpus; 4] = [
    Corpus { name: "plain scroll", floor: Some(Floor { of_drain: 0.45, of_tmux: 1.5 }), painter: paint::plain },
    Corpus { name: "dense colour", floor: Some(Floor { of_drain: 0.60, of_tmux: 3.0 }), painter: paint::colour },
    REDRAW,
    Corpus { name: "cell diff", floor: None, painter: paint::cell_diff },
];

/// What Claude Code does all day.
pub(super) const REDRAW: Corpus =
    Corpus { name: "TUI redraw", floor: Some(Floor { of_drain: 0.65, of_tmux: 4.0 }), painter: paint::redraw };

/// A corpus on disk.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    pub(super) path: PathBuf,
    /// Bytes the child writes.
    pub(super) size: u64,
    /// Bytes that arrive: the PTY turns each `\n` into `\r\n`.
    pub(super) arriving: u64,
}

impl Recording {
    pub(super) fn megabytes(&self) -> f64 {
        self.size as f64 / 1e6
    }

    /// Millions of bytes per second, if it took this long.
    pub(super) fn speed(&self, time: Duration) -> f64 {
        self.megabytes() / time.as_secs_f64()
    }
}

impl Corpus {
    /// Finds the corpus of about `size` bytes in `folder`, or paints it there.
    pub(super) fn recording(&self, folder: &Path, size: usize) -> anyhow::Result<Recording> {
        let name = format!("{}-{}M-v{VERSION}.bin", self.name.replace(' ', "-").to_lowercase(), size >> 20);
        let path = folder.join(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(_) => {
                let bytes = self.paint(size);
                keep(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
                bytes
            }
        };
        let newlines = bytes.iter().filter(|&&byte| byte == b'\n').count();
        Ok(Recording { path, size: bytes.len() as u64, arriving: (bytes.len() + newlines) as u64 })
    }

    fn paint(&self, size: usize) -> Vec<u8> {
        let mut random = Random::new(42);
        let mut frame = (self.painter)();
        let mut out = String::with_capacity(size + (1 << 16));
        while out.len() < size {
            frame(&mut random, &mut out);
        }
        out.into_bytes()
    }
}

/// Written under another name first: half a corpus must not be taken for a whole one.
fn keep(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let unfinished = path.with_extension("unfinished");
    fs::write(&unfinished, bytes)?;
    fs::rename(unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_every_time() {
        for corpus in CORPORA {
            let first = corpus.paint(100_000);
            assert_eq!(first, corpus.paint(100_000), "{}", corpus.name);
            assert!((100_000..200_000).contains(&first.len()), "{}: {}", corpus.name, first.len());
            assert!(!first.contains(&b'\r'), "{}", corpus.name);
        }
    }

    #[test]
    fn painted_once_and_then_found() {
        let folder = tempfile::tempdir().unwrap();
        let made = REDRAW.recording(folder.path(), 1 << 20).unwrap();
        let found = REDRAW.recording(folder.path(), 1 << 20).unwrap();
        assert_eq!((made.size, made.arriving), (found.size, found.arriving));
        assert!(made.arriving > made.size);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
