//! Counts what the lines of a session log say was used.

use coop_core::agent::conversation::Entry;
use coop_core::agent::cost::{Prices, Tally};
use coop_core::agent::spent::{Context, Spent};

use crate::Driver;

#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    tally: Tally,
    context: Option<Context>,
    /// Lines are missing: what was used in all is not known.
    torn: bool,
}

impl Meter {
    /// The next line, and what it adds to the conversation.
    pub fn add(&mut self, driver: &mut dyn Driver, number: u64, line: &str, prices: &Prices) -> Vec<Entry> {
        let (entries, usage) = driver.conversation(number, line);
        self.tally.add(usage, &driver.priced(line), prices);
        self.context = driver.context(line, self.context);
        entries
    }

    /// Lines are left out here.
    pub fn tear(&mut self) {
        self.torn = true;
    }

    #[must_use]
    pub fn spent(&self) -> Spent {
        let whole = Spent { usage: self.tally.usage, cost: self.tally.cost(), context: self.context };
        if self.torn { Spent { context: self.context, ..Spent::default() } } else { whole }
    }
}
