//! The right to type. One writer at a time holds it, for a limited time, and can be replaced.
//!
//! Requests that write once need no lease of their own, but may not write while somebody else holds it.

use std::time::{Duration, Instant};

/// Long enough for a person to think, short enough that a dead client does not block the others.
pub const DEFAULT_TTL: Duration = Duration::from_secs(30);

/// Whoever knows it is the holder. Made by the caller, so that nobody can guess it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseId(pub String);

#[derive(Debug)]
pub struct Lease {
    ttl: Duration,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    id: LeaseId,
    holder: String,
    expires: Instant,
}

/// Somebody else holds the lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    pub holder: String,
    pub remaining: Duration,
}

impl Lease {
    #[must_use]
    pub fn new(ttl: Duration) -> Self {
        Self { ttl, held: None }
    }

    #[must_use]
    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    /// Takes the lease, or prolongs it for its holder. With `take_over` it is taken from whoever holds it.
    pub fn acquire(&mut self, now: Instant, id: &LeaseId, holder: &str, take_over: bool) -> Result<(), Busy> {
        if !take_over {
            self.check(now, Some(id))?;
        }
        self.held = Some(Held { id: id.clone(), holder: holder.to_owned(), expires: now + self.ttl });
        Ok(())
    }

    /// Gives the lease back. False if `id` did not hold it.
    pub fn release(&mut self, now: Instant, id: &LeaseId) -> bool {
        let held = self.current(now).is_some_and(|held| held.id == *id);
        if held {
            self.held = None;
        }
        held
    }

    /// Whether `id` (or, without one, somebody who holds nothing) may write now. Writing prolongs the holder's lease.
    pub fn check(&mut self, now: Instant, id: Option<&LeaseId>) -> Result<(), Busy> {
        let ttl = self.ttl;
        match self.current(now) {
            None => Ok(()),
            Some(held) if Some(&held.id) == id => {
                held.expires = now + ttl;
                Ok(())
            }
            Some(held) => {
                Err(Busy { holder: held.holder.clone(), remaining: held.expires.saturating_duration_since(now) })
            }
        }
    }

    #[must_use]
    pub fn holder(&self, now: Instant) -> Option<&str> {
        self.held.as_ref().filter(|held| held.expires > now).map(|held| held.holder.as_str())
    }

    fn current(&mut self, now: Instant) -> Option<&mut Held> {
        self.held.as_mut().filter(|held| held.expires > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time() {
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let (alice, bob) = (LeaseId("a".into()), LeaseId("b".into()));
        let busy = |holder: &str, secs| Err(Busy { holder: holder.into(), remaining: Duration::from_secs(secs) });
        let mut lease = Lease::new(DEFAULT_TTL);

        assert_eq!(lease.check(at(0), None), Ok(()), "nobody holds it");
        assert_eq!(lease.acquire(at(0), &alice, "alice", false), Ok(()));
        assert_eq!(lease.check(at(1), None), busy("alice", 29));
        assert_eq!(lease.acquire(at(1), &bob, "bob", false), busy("alice", 29));
        assert_eq!(lease.check(at(10), Some(&alice)), Ok(()), "writing prolongs it");
        assert_eq!(lease.check(at(39), Some(&bob)), busy("alice", 1));
        assert_eq!(lease.check(at(40), Some(&bob)), Ok(()), "expired");
        assert_eq!(lease.holder(at(40)), None);

        assert_eq!(lease.acquire(at(50), &bob, "bob", false), Ok(()));
        assert_eq!(lease.acquire(at(51), &alice, "alice", true), Ok(()), "taken over");
        assert_eq!(lease.check(at(52), Some(&bob)), busy("alice", 29));
        assert!(!lease.release(at(53), &bob));
        assert!(lease.release(at(53), &alice));
        assert_eq!(lease.check(at(53), Some(&bob)), Ok(()));
    }
}
