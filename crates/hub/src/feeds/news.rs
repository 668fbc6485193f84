//! What the lines of a session log say that were written since the last time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use coop_core::agent::cost::Prices;
use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::agent::spent::Spent;
use coop_drivers::{Driver, Meter};
use coop_machine::clock::instant_of;

use super::tail::Tail;

/// A line on the board.
const LONGEST_TITLE: usize = 80;

/// The log of one conversation, and what has to be remembered of it to understand its next line.
#[derive(Debug)]
pub(super) struct Log {
    tail: Tail,
    driver: Box<dyn Driver>,
    meter: Meter,
    prices: Arc<Prices>,
    /// The conversation has a name, if only its first message.
    titled: bool,
    /// What was written before is the past.
    seen_ms: u64,
}

#[derive(Debug, Default)]
pub(super) struct News {
    /// Whether there was a line at all.
    pub(super) any: bool,
    pub(super) title: Option<String>,
    pub(super) model: Option<String>,
    pub(super) last_message: Option<String>,
    pub(super) spent: Option<Spent>,
    pub(super) evidence: Vec<Evidence>,
}

impl Log {
    /// What was written before `seen_ms` is the past.
    pub(super) fn new(path: PathBuf, driver: Box<dyn Driver>, prices: Arc<Prices>, seen_ms: u64) -> Self {
        Self { tail: Tail::new(path), driver, meter: Meter::default(), prices, titled: false, seen_ms }
    }

    pub(super) fn path(&self) -> &Path {
        self.tail.path()
    }

    pub(super) fn read(&mut self) -> News {
        let Self { tail, driver, meter, prices, titled, seen_ms } = self;
        let mut news = News::default();
        let before = meter.spent();
        tail.read(|line| {
            let Some(line) = line else {
                *meter = Meter::default();
                return;
            };
            meter.add(driver.as_mut(), 0, line, prices);
            news.hear(driver.as_mut(), line, titled, *seen_ms);
        });
        if !tail.is_whole() {
            meter.tear();
        }
        news.spent = Some(meter.spent()).filter(|spent| *spent != before);
        news
    }
}

impl News {
    fn hear(&mut self, driver: &mut dyn Driver, line: &str, titled: &mut bool, seen_ms: u64) {
        self.any = true;
        let heard = driver.log_line(line);
        *titled |= heard.title.is_some();
        self.title = heard.title.or_else(|| self.title.take());
        self.model = heard.model.or_else(|| self.model.take());
        let now = heard.at_ms.filter(|at| *at >= seen_ms);
        for fact in heard.facts {
            match &fact {
                Fact::TurnEnded { last_message: Some(said) } => self.last_message = Some(said.clone()),
                // Until the agent has a name for it.
                Fact::TurnStarted { text: Some(said) } if !std::mem::replace(titled, true) => {
                    self.title = Some(first_line(said));
                }
                _ => {}
            }
            if let Some(at_ms) = now {
                let turn = heard.turn.clone();
                self.evidence.push(Evidence { source: Source::Log, at: instant_of(at_ms), turn, fact });
            }
        }
    }
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(LONGEST_TITLE).collect()
}
