//! When a person is told of what is asked, and when that is taken back. Time comes in; who tells is elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::fleet::EntryId;
use crate::permission::broker::RequestId;

/// Somebody at the terminal may be about to answer.
pub const DWELL_MS: u64 = 2_000;
/// One session makes itself heard at most so often.
pub const COOLDOWN_MS: u64 = 10_000;
/// As many requests are remembered to have been told; more are not open at once.
const REMEMBERED: usize = 10_000;

/// Something that waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub id: RequestId,
    pub session: EntryId,
    /// In milliseconds since 1970.
    pub asked_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Tell(RequestId),
    TakeBack(RequestId),
}

/// What was told so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notifier {
    /// Told, and not settled yet.
    open: BTreeSet<RequestId>,
    /// Nothing is told twice.
    known: BTreeSet<RequestId>,
    last: BTreeMap<EntryId, u64>,
}

impl Notifier {
    /// What is to be done now, and when to look again even if nothing happens.
    pub fn decide(&mut self, asked: &[Asked], now_ms: u64) -> (Vec<Act>, Option<u64>) {
        let settled: Vec<_> = self.open.iter().copied().filter(|id| asked.iter().all(|one| one.id != *id)).collect();
        for id in &settled {
            self.open.remove(id);
        }
        let mut acts: Vec<Act> = settled.into_iter().map(Act::TakeBack).collect();
        let mut next: Option<u64> = None;
        for one in asked {
            if self.known.contains(&one.id) {
                continue;
            }
            let rested = self.last.get(&one.session).map_or(0, |last| last + COOLDOWN_MS);
            let due = rested.max(one.asked_ms + DWELL_MS);
            if now_ms < due {
                next = Some(next.map_or(due, |next| next.min(due)));
                continue;
            }
            self.known.insert(one.id);
            self.open.insert(one.id);
            self.last.insert(one.session, now_ms);
            acts.push(Act::Tell(one.id));
        }
        self.forget(now_ms);
        (acts, next)
    }

    /// Numbers only grow: the smallest are of requests that are long over.
    fn forget(&mut self, now_ms: u64) {
        while self.known.len() > REMEMBERED {
            self.known.pop_first();
        }
        self.last.retain(|_, last| *last + COOLDOWN_MS > now_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(id: RequestId, session: EntryId, asked_ms: u64) -> Asked {
        Asked { id, session, asked_ms }
    }

    #[test]
    fn once_after_a_while_and_taken_back() {
        let mut notifier = Notifier::default();
        let waits = [asked(1, 1, 0)];
        assert_eq!(notifier.decide(&waits, 100), (vec![], Some(DWELL_MS)));
        assert_eq!(notifier.decide(&waits, DWELL_MS), (vec![Act::Tell(1)], None));
        assert_eq!(notifier.decide(&waits, DWELL_MS + 1), (vec![], None));
        assert_eq!(notifier.decide(&[], DWELL_MS + 2), (vec![Act::TakeBack(1)], None));
        assert_eq!(notifier.decide(&[], DWELL_MS + 3), (vec![], None));
    }

    #[test]
    fn what_was_answered_at_once_is_never_told() {
        let mut notifier = Notifier::default();
        notifier.decide(&[asked(1, 1, 0)], 100);
        assert_eq!(notifier.decide(&[], DWELL_MS), (vec![], None));
    }

    #[test]
    fn not_too_often_of_one_session() {
        let mut notifier = Notifier::default();
        notifier.decide(&[asked(1, 1, 0)], DWELL_MS);
        let more = [asked(1, 1, 0), asked(2, 1, 0), asked(3, 2, 0)];
        let due = DWELL_MS + COOLDOWN_MS;
        assert_eq!(notifier.decide(&more, DWELL_MS + 1), (vec![Act::Tell(3)], Some(due)));
        assert_eq!(notifier.decide(&more, due), (vec![Act::Tell(2)], None));
    }
}
