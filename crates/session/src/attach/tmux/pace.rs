//! How much of a pane's output is taken as it comes. tmux has to write each byte for its clients, and where coop is the only
//! one it waits for coop to read: a program that prints without end would be slowed down by being watched. More than
//! anybody reads is let go of for a while, and the screen fetched after that.

use std::time::Duration;

use tokio::time::Instant;

/// What may come at once. No screen that a program paints is near it.
const BURST: f64 = (512 << 10) as f64;
const AFTER_A_REST: f64 = (128 << 10) as f64;
/// What may come all the time, in bytes a second.
const RATE: f64 = (2 << 20) as f64;
const SHORTEST: Duration = Duration::from_millis(250);
/// How old the screen of a program that prints without end may be.
const LONGEST: Duration = Duration::from_secs(1);
/// After so long without too much, a rest is short again.
const CALM: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Pace {
    left: f64,
    at: Instant,
    rest: Duration,
    rested: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { left: BURST, at: now, rest: SHORTEST, rested: now }
    }

    /// So many bytes have come. If that is too much: until when to rest.
    pub(super) fn took(&mut self, now: Instant, bytes: usize) -> Option<Instant> {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        self.left = (self.left + since * RATE).min(BURST) - bytes as f64;
        if self.left >= 0.0 {
            return None;
        }
        let calm = now.saturating_duration_since(self.rested) >= CALM;
        self.rest = if calm { SHORTEST } else { (self.rest * 2).min(LONGEST) };
        self.rested = now + self.rest;
        // Whether it goes on is soon known.
        (self.left, self.at) = (AFTER_A_REST, self.rested);
        Some(self.rested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_anybody_reads_is_taken_and_a_flood_is_rested_from() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut pace = Pace::new(start);
        assert_eq!(pace.took(at(0), 500_000), None, "a burst");
        for ms in 1..100 {
            assert_eq!(pace.took(at(ms * 100), 150_000), None, "1.5 MB a second");
        }
        let first = pace.took(at(20_000), 2 << 20).unwrap();
        assert_eq!(first, at(20_000) + SHORTEST);
        let second = pace.took(first + Duration::from_millis(1), 200_000).unwrap();
        assert!(second - first > SHORTEST, "it goes on, so that the rest is longer");
        let mut last = second;
        for _ in 0..9 {
            last = pace.took(last, 1 << 20).unwrap();
        }
        assert_eq!(pace.took(last, 1 << 20), Some(last + LONGEST));
        let calm = last + LONGEST + CALM;
        assert_eq!(pace.took(calm, 400_000), None);
        assert_eq!(pace.took(calm, 2 << 20), Some(calm + SHORTEST));
    }
}
