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

/// Answers that a notification offers beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// All of what is asked is in the text: it may be allowed from there.
    AllowOrDeny,
    /// Some of it is not seen: it may be denied, and allowed only where all of it is.
    Deny,
    /// No yes or no answers it.
    Nothing,
}

/// Most characters and lines of a text that phones and desktops show whole in a notification.
pub const SEEN_CHARS: usize = 160;
pub const SEEN_LINES: usize = 4;

/// Decides what is offered. `whole` is false for a text that was cut, `deceptive` is true for one with characters that
/// hide or reorder.
#[must_use]
pub fn offer(kind: &str, text: &str, whole: bool, deceptive: bool) -> Offer {
    if !["permission", "plan"].contains(&kind) {
        return Offer::Nothing;
    }
    let seen = text.chars().count() <= SEEN_CHARS && text.lines().count() <= SEEN_LINES;
    if whole && seen && !deceptive { Offer::AllowOrDeny } else { Offer::Deny }
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
    fn only_what_is_seen_whole_is_allowed_from_a_notification() {
        let long = "x".repeat(SEEN_CHARS + 1);
        for (kind, text, whole, deceptive, expected) in [
            ("permission", "make", true, false, Offer::AllowOrDeny),
            ("plan", "a\nb\nc\nd", true, false, Offer::AllowOrDeny),
            ("plan", "a\nb\nc\nd\ne", true, false, Offer::Deny),
            ("permission", &long, true, false, Offer::Deny),
            ("permission", "make", false, false, Offer::Deny),
            ("permission", "make", true, true, Offer::Deny),
            ("question", "make?", true, false, Offer::Nothing),
            ("setup", "", true, false, Offer::Nothing),
        ] {
            assert_eq!(offer(kind, text, whole, deceptive), expected, "{kind} {text:?} {whole} {deceptive}");
        }
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
