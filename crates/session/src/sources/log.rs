//! The session log: read as it grows, and again for those who want the conversation.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use coop_core::agent::conversation::Usage;
use coop_drivers::lines::Lines;

use crate::handle::agent::{Catchup, ConversationPage};

/// Read at once.
const BLOCK: usize = 256 << 10;
/// The most lines one catch-up returns; the client asks again.
const CATCHUP_LINES: usize = 10_000;

#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    offset: u64,
    lines: Lines,
}

impl LogFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, lines: Lines::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Every line that has become whole since the last time. A file that got shorter is a new one.
    pub(super) fn read(&mut self, mut each: impl FnMut(&str)) {
        let Ok(mut file) = File::open(&self.path) else { return };
        let len = file.metadata().map_or(0, |meta| meta.len());
        if len < self.offset {
            self.offset = 0;
            self.lines = Lines::default();
        }
        if len == self.offset || file.seek(SeekFrom::Start(self.offset)).is_err() {
            return;
        }
        let mut block = vec![0; BLOCK];
        while let Ok(count @ 1..) = file.read(&mut block) {
            self.offset += count as u64;
            self.lines.push(&block[..count], |line| {
                if let Some(line) = line {
                    each(line);
                }
            });
        }
    }

    /// Entries from the line `after` on. The whole file is read for it: usage counts from the beginning.
    pub(super) fn conversation(&self, driver: &str, after: u64, limit: usize) -> io::Result<ConversationPage> {
        let mut page = empty_page();
        let Some(mut driver) = coop_drivers::driver(driver) else { return Ok(page) };
        page.next_line = after;
        each_line(&self.path, |number, line| {
            let (entries, usage) = line.map(|line| driver.conversation(number, line)).unwrap_or_default();
            page.usage += usage;
            if number < after {
                return;
            }
            if page.entries.len() >= limit {
                page.more |= !entries.is_empty();
                return;
            }
            page.entries.extend(entries);
            page.next_line = number + 1;
        })?;
        Ok(page)
    }

    pub(super) fn lines_since(&self, since: u64) -> Catchup {
        let mut catchup = Catchup { next_line: since, ..Catchup::default() };
        let read = each_line(&self.path, |number, line| {
            if number >= since && catchup.lines.len() < CATCHUP_LINES {
                catchup.lines.push(line.unwrap_or_default().to_owned());
                catchup.next_line = number + 1;
            }
        });
        if let Err(error) = read {
            tracing::warn!(%error, path = %self.path.display(), "the session log cannot be read");
        }
        catchup
    }
}

pub(super) fn empty_page() -> ConversationPage {
    ConversationPage { session_id: None, entries: Vec::new(), next_line: 0, more: false, usage: Usage::default() }
}

fn each_line(path: &Path, mut each: impl FnMut(u64, Option<&str>)) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut block = vec![0; BLOCK];
    let mut lines = Lines::default();
    let mut number = 0;
    loop {
        let count = file.read(&mut block)?;
        if count == 0 {
            return Ok(());
        }
        lines.push(&block[..count], |line| {
            each(number, line);
            number += 1;
        });
    }
}
