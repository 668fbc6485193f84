//! An agent that waits for a limit to lift: whether coop says something by itself then, and when.
//!
//! Once for each limit, and only if nobody has done anything since the agent was parked.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::state::State;

/// Clocks differ, and a limit that lifts in this second may lift at its end.
const SLACK: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LiftedConfig {
    pub enabled: bool,
    /// What the agent is told.
    pub message: String,
}

impl Default for LiftedConfig {
    fn default() -> Self {
        Self { enabled: false, message: "continue".into() }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Lifted {
    config: LiftedConfig,
    /// When the limit lifts that the agent waits for, in milliseconds since 1970.
    parked: Option<u64>,
    due: Option<Instant>,
    /// Somebody has done something since: it is theirs now.
    taken: bool,
    /// The limit after which something was said.
    said: Option<u64>,
}

impl Lifted {
    #[must_use]
    pub fn new(config: LiftedConfig) -> Self {
        Self { config, ..Self::default() }
    }

    #[must_use]
    pub fn config(&self) -> &LiftedConfig {
        &self.config
    }

    /// `now_ms` is `now` in milliseconds since 1970.
    pub fn set(&mut self, now: Instant, now_ms: u64, config: LiftedConfig) {
        self.config = config;
        self.plan(now, now_ms);
    }

    /// The agent is in this state now.
    pub fn on_state(&mut self, now: Instant, now_ms: u64, state: &State) {
        self.parked = match state {
            State::Parked(failure) => failure.resume_at_ms,
            _ => None,
        };
        self.taken &= self.parked.is_some();
        self.plan(now, now_ms);
    }

    /// Somebody said or pressed something. True if nothing will be said because of that.
    pub fn on_person(&mut self) -> bool {
        self.taken = self.parked.is_some();
        self.due.take().is_some()
    }

    /// A limit that was waited for and is still there is not one to go on asking about.
    fn plan(&mut self, now: Instant, now_ms: u64) {
        let parked =
            self.parked.filter(|at| self.config.enabled && !self.taken && self.said.is_none_or(|said| *at > said));
        self.due = parked.and_then(|at| now.checked_add(Duration::from_millis(at.saturating_sub(now_ms)) + SLACK));
    }

    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.due
    }

    /// When the limit lifts after which something will be said, if something will.
    #[must_use]
    pub fn planned_ms(&self) -> Option<u64> {
        self.parked.filter(|_| self.due.is_some())
    }

    /// What is to be said now.
    pub fn on_deadline(&mut self, now: Instant) -> Option<String> {
        self.due.take_if(|due| *due <= now)?;
        self.said = self.parked;
        Some(self.config.message.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Failure;
    use super::*;

    fn parked(at_ms: u64) -> State {
        State::Parked(Failure { kind: "rate_limit".into(), detail: String::new(), resume_at_ms: Some(at_ms) })
    }

    /// In virtual time, where both clocks begin at 0.
    struct Clock(Instant, Lifted);

    impl Clock {
        fn new(enabled: bool) -> Self {
            Self(Instant::now(), Lifted::new(LiftedConfig { enabled, ..LiftedConfig::default() }))
        }

        fn at(&self, ms: u64) -> Instant {
            self.0 + Duration::from_millis(ms)
        }

        fn state(&mut self, ms: u64, state: &State) {
            self.1.on_state(self.at(ms), ms, state);
        }

        fn says(&mut self, ms: u64) -> Option<String> {
            self.1.on_deadline(self.at(ms))
        }
    }

    #[test]
    fn once_when_it_lifts() {
        let mut clock = Clock::new(true);
        clock.state(1000, &parked(60_000));
        assert_eq!((clock.1.planned_ms(), clock.1.deadline()), (Some(60_000), Some(clock.at(62_000))));
        assert_eq!(clock.says(61_999), None);
        assert_eq!(clock.says(62_000).as_deref(), Some("continue"));
        assert_eq!((clock.says(99_000), clock.1.planned_ms()), (None, None));
        clock.state(62_100, &State::Working);
        clock.state(63_000, &parked(60_000));
        assert_eq!(clock.1.deadline(), None, "the same limit again");
        clock.state(64_000, &State::Working);
        clock.state(65_000, &parked(90_000));
        assert_eq!(clock.says(92_000).as_deref(), Some("continue"), "another one");
    }

    #[test]
    fn not_if_somebody_was_there_first() {
        let mut clock = Clock::new(true);
        clock.state(0, &parked(60_000));
        assert!(clock.1.on_person());
        clock.state(10, &parked(70_000));
        assert_eq!(clock.1.deadline(), None, "it is theirs until the agent works again");
        clock.state(20, &State::Working);
        assert!(!clock.1.on_person(), "there is nothing to call off");
        clock.state(30, &parked(80_000));
        assert!(clock.1.deadline().is_some());
        clock.state(40, &State::Idle);
        assert_eq!(clock.1.deadline(), None, "no longer parked");
    }

    #[test]
    fn only_where_it_is_wanted() {
        let mut clock = Clock::new(false);
        clock.state(0, &parked(60_000));
        assert_eq!((clock.1.deadline(), clock.1.planned_ms()), (None, None));
        let on = LiftedConfig { enabled: true, message: "go on".into() };
        clock.1.set(clock.at(10), 10, on.clone());
        assert_eq!(clock.1.planned_ms(), Some(60_000));
        clock.1.set(clock.at(20), 20, LiftedConfig::default());
        assert_eq!(clock.1.deadline(), None);
        clock.1.set(clock.at(70_000), 70_000, on);
        assert_eq!(clock.1.deadline(), Some(clock.at(72_000)), "it has lifted already");
        assert_eq!(clock.says(72_000).as_deref(), Some("go on"));
        let unknown = Failure { kind: "rate_limit".into(), detail: String::new(), resume_at_ms: None };
        clock.state(80_000, &State::Parked(unknown));
        assert_eq!(clock.1.deadline(), None, "nobody knows when");
    }
}
