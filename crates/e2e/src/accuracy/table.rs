//! The measurement as a line of a table, and below it what is late or wrong.

use std::fmt;
use std::time::Duration;

use super::{Delay, Measured};

const KINDS: [&str; 5] = ["working", "prompt", "answered", "idle", "interrupt"];

impl Measured {
    /// Those that were told too late.
    pub fn late(&self) -> impl Iterator<Item = &Delay> {
        self.delays.iter().filter(|delay| delay.by > delay.bound)
    }

    #[must_use]
    pub fn count(&self, kind: &str) -> usize {
        self.delays.iter().filter(|delay| delay.kind == kind).count()
    }

    /// Of the delays of one kind of change.
    #[must_use]
    pub fn percentile(&self, kind: &str, percent: usize) -> Option<Duration> {
        let mut all: Vec<Duration> =
            self.delays.iter().filter(|delay| delay.kind == kind).map(|delay| delay.by).collect();
        all.sort();
        let last = all.len().checked_sub(1)?;
        all.get((all.len() * percent / 100).min(last)).copied()
    }

    /// What the columns are.
    #[must_use]
    pub fn heading() -> String {
        let kinds: String = KINDS.iter().map(|kind| format!("  {:<17}", format!("{kind}: n p50 p99"))).collect();
        format!("{:<13} {:<24} {:>6} {:>5} {:>4}{kinds}", "version", "without", "states", "wrong", "late")
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = if self.without.is_empty() { "–" } else { &self.without };
        let (wrong, late) = (self.wrong.len(), self.late().count());
        write!(f, "{:<13} {without:<24} {:>6} {wrong:>5} {late:>4}", self.version, self.states)?;
        for kind in KINDS {
            let ms =
                |percent| self.percentile(kind, percent).map_or("–".into(), |delay| delay.as_millis().to_string());
            write!(f, "  {:<17}", format!("{:>7} {:>3} {:>3}", self.count(kind), ms(50), ms(99)))?;
        }
        for Delay { kind, scene, by, .. } in self.late() {
            write!(f, "\n     late: {kind} by {} ms in “{scene}”", by.as_millis())?;
        }
        self.wrong.iter().try_for_each(|wrong| write!(f, "\n     wrong: {wrong}"))
    }
}
