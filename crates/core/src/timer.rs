//! All timers of a session, in one place. The owner sleeps until [`Timers::next`] and asks which ones are due.

use std::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// A synchronized update has been open for too long.
    Sync,
    /// The child does not read its input.
    Input,
    /// The next step of ending the child.
    Shutdown,
    /// The child is gone and its output should have ended.
    Drain,
    /// Nothing has happened for the time after which a session ends by itself.
    Idle,
    /// Look at the screen: it has changed.
    Look,
    /// Something about the agent is due.
    Agent,
}

impl Timer {
    const ALL: [Timer; 7] =
        [Timer::Sync, Timer::Input, Timer::Shutdown, Timer::Drain, Timer::Idle, Timer::Look, Timer::Agent];
}

#[derive(Clone, Debug, Default)]
pub struct Timers([Option<Instant>; Timer::ALL.len()]);

impl Timers {
    pub fn set(&mut self, timer: Timer, at: Instant) {
        self.0[timer as usize] = Some(at);
    }

    pub fn stop(&mut self, timer: Timer) {
        self.0[timer as usize] = None;
    }

    #[must_use]
    pub fn is_set(&self, timer: Timer) -> bool {
        self.0[timer as usize].is_some()
    }

    /// When to wake up.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        self.0.iter().flatten().min().copied()
    }

    /// One timer that is due, which is stopped by this. Call until there is none.
    pub fn take_due(&mut self, now: Instant) -> Option<Timer> {
        let due = Timer::ALL.into_iter().find(|t| self.0[*t as usize].is_some_and(|at| at <= now))?;
        self.stop(due);
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn due_timers_come_once() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut timers = Timers::default();
        assert_eq!((timers.next(), timers.take_due(at(99))), (None, None));
        timers.set(Timer::Idle, at(30));
        timers.set(Timer::Sync, at(10));
        assert_eq!(timers.next(), Some(at(10)));
        assert_eq!(timers.take_due(at(9)), None);
        timers.set(Timer::Sync, at(20));
        assert_eq!(timers.take_due(at(10)), None);
        assert_eq!(timers.take_due(at(40)), Some(Timer::Sync));
        assert_eq!(timers.take_due(at(40)), Some(Timer::Idle));
        assert_eq!(timers.take_due(at(40)), None);
    }
}
