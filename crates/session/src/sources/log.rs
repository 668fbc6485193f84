//! The session log: read as it grows, and again for those who want the conversation.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coop_core::agent::conversation::{Entry, IMAGES_AT_ONCE};
use coop_core::agent::cost::Prices;
use coop_core::agent::spent::Spent;
use coop_drivers::lines::Lines;
use coop_drivers::{Driver, Meter, Recipe};
use coop_machine::regular;

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
    /// Whose log it is.
    recipe: Recipe,
    prices: Arc<Prices>,
    counter: Counter,
}

/// Counts what the lines of a log say was used.
#[derive(Debug)]
struct Counter {
    driver: Box<dyn Driver>,
    meter: Meter,
}

impl Counter {
    fn new(recipe: &Recipe) -> Self {
        Self { driver: recipe.driver(), meter: Meter::default() }
    }

    fn add(&mut self, number: u64, line: &str, prices: &Prices) -> Vec<Entry> {
        self.meter.add(self.driver.as_mut(), number, line, prices)
    }
}

impl LogFile {
    pub(super) fn new(path: PathBuf, recipe: &Recipe, prices: Arc<Prices>) -> Self {
        let counter = Counter::new(recipe);
        Self { path, offset: 0, lines: Lines::default(), recipe: recipe.clone(), prices, counter }
    }

    /// Of all lines that were read.
    pub(super) fn spent(&self) -> Spent {
        self.counter.meter.spent()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Every line that has become whole since the last time. A file that got shorter is a new one.
    pub(super) fn read(&mut self, mut each: impl FnMut(&str)) {
        let Ok(mut file) = regular::open(&self.path) else { return };
        let len = file.metadata().map_or(0, |meta| meta.len());
        if len < self.offset {
            self.offset = 0;
            self.lines = Lines::default();
            self.counter = Counter::new(&self.recipe);
        }
        if len == self.offset || file.seek(SeekFrom::Start(self.offset)).is_err() {
            return;
        }
        let mut block = vec![0; BLOCK];
        while let Ok(count @ 1..) = file.read(&mut block) {
            self.offset += count as u64;
            self.lines.push(&block[..count], |line| {
                if let Some(line) = line {
                    self.counter.add(0, line, &self.prices);
                    each(line);
                }
            });
        }
    }

    /// Entries from the line `after` on. The whole file is read for it: usage counts from the beginning.
    pub(super) fn conversation(&self, after: u64, limit: usize) -> io::Result<ConversationPage> {
        let mut page = empty_page();
        let mut counter = Counter::new(&self.recipe);
        page.next_line = after;
        let mut images = 0;
        each_line(&self.path, |number, line| {
            let entries = line.map(|line| counter.add(number, line, &self.prices)).unwrap_or_default();
            if number < after {
                return;
            }
            if page.entries.len() >= limit || images >= IMAGES_AT_ONCE {
                page.more |= !entries.is_empty();
                return;
            }
            images += entries.iter().map(Entry::image_size).sum::<usize>();
            page.entries.extend(entries);
            page.next_line = number + 1;
        })?;
        Ok(ConversationPage { spent: counter.meter.spent(), ..page })
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
    let spent = Spent::default();
    ConversationPage { session_id: None, entries: Vec::new(), next_line: 0, more: false, spent }
}

fn each_line(path: &Path, mut each: impl FnMut(u64, Option<&str>)) -> io::Result<()> {
    let mut file = regular::open(path)?;
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
