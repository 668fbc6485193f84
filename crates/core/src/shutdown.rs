//! How a child is ended: asked, waited for, killed.

use std::time::{Duration, Instant};

/// What to do to the child now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// What a terminal does when its window is closed: SIGHUP, and SIGCONT so that stopped processes notice.
    HangUp,
    /// SIGKILL to every process of the session.
    Kill,
}

#[derive(Debug)]
pub struct Shutdown {
    grace: Duration,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Running,
    Asked { kill_at: Instant },
    Killed,
}

impl Shutdown {
    #[must_use]
    pub fn new(grace: Duration) -> Self {
        Self { grace, state: State::Running }
    }

    /// Starts to end the child. Asked a second time, it does not wait any longer.
    pub fn begin(&mut self, now: Instant) -> Option<Step> {
        match self.state {
            State::Running => {
                self.state = State::Asked { kill_at: now + self.grace };
                Some(Step::HangUp)
            }
            State::Asked { .. } => self.kill(),
            State::Killed => None,
        }
    }

    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.state != State::Running
    }

    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Asked { kill_at } => Some(kill_at),
            State::Running | State::Killed => None,
        }
    }

    pub fn on_deadline(&mut self, now: Instant) -> Option<Step> {
        self.deadline().filter(|at| *at <= now).and_then(|_| self.kill())
    }

    fn kill(&mut self) -> Option<Step> {
        self.state = State::Killed;
        Some(Step::Kill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_waits_kills() {
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let mut shutdown = Shutdown::new(Duration::from_secs(10));
        assert_eq!((shutdown.deadline(), shutdown.on_deadline(at(99))), (None, None));
        assert_eq!(shutdown.begin(at(1)), Some(Step::HangUp));
        assert_eq!(shutdown.deadline(), Some(at(11)));
        assert_eq!(shutdown.on_deadline(at(10)), None);
        assert_eq!(shutdown.on_deadline(at(11)), Some(Step::Kill));
        assert_eq!((shutdown.deadline(), shutdown.begin(at(12))), (None, None), "killed once");
    }

    #[test]
    fn a_second_request_does_not_wait() {
        let now = Instant::now();
        let mut shutdown = Shutdown::new(Duration::from_secs(10));
        shutdown.begin(now);
        assert_eq!(shutdown.begin(now), Some(Step::Kill));
    }
}
