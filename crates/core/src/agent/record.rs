//! Evidence on paper: what a session heard, so that what was decided can be decided again.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::evidence::{Evidence, Fact, Source};
use super::machine::{Effect, Machine};
use super::resolve::Settings;

/// One line of a record. Times are milliseconds since the session began; what happened before has negative ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// When it was heard.
    pub heard_ms: u64,
    /// When it happened.
    pub at_ms: i64,
    pub source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    pub fact: Fact,
}

/// What a piece of recorded evidence changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    pub recorded: Recorded,
    /// Also of deadlines that came before it was heard.
    pub effects: Vec<Effect>,
    /// The state after it, and whether it was believed and why.
    pub state: &'static str,
    pub accepted: bool,
    pub rule: String,
    pub reason: String,
}

impl Recorded {
    #[must_use]
    pub fn new(start: Instant, now: Instant, evidence: &Evidence) -> Self {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let at_ms = match evidence.at.checked_duration_since(start) {
            Some(after) => signed(ms(after)),
            None => -signed(ms(start.saturating_duration_since(evidence.at))),
        };
        Self {
            heard_ms: ms(now.saturating_duration_since(start)),
            at_ms,
            source: evidence.source,
            turn: evidence.turn.clone(),
            fact: evidence.fact.clone(),
        }
    }

    fn evidence(&self, start: Instant) -> Evidence {
        let ms = Duration::from_millis(self.at_ms.unsigned_abs());
        let at = if self.at_ms < 0 { start.checked_sub(ms).unwrap_or(start) } else { start + ms };
        Evidence { source: self.source, at, turn: self.turn.clone(), fact: self.fact.clone() }
    }
}

/// Decides it all again, in the order it was heard. `start` may be any time.
#[must_use]
pub fn replay(start: Instant, settings: Settings, recorded: impl IntoIterator<Item = Recorded>) -> Vec<Replayed> {
    let mut machine = Machine::new(start, settings);
    let mut all = Vec::new();
    for recorded in recorded {
        let now = start + Duration::from_millis(recorded.heard_ms);
        let mut effects = Vec::new();
        while let Some(due) = machine.deadline().filter(|due| *due <= now) {
            effects.extend(machine.on_deadline(due));
        }
        effects.extend(machine.handle(now, recorded.evidence(start)));
        let judged = machine.explain(now).recent.pop();
        let (accepted, rule, reason) = judged.map(|j| (j.accepted, j.rule, j.reason)).unwrap_or_default();
        all.push(Replayed { recorded, effects, state: machine.state().name(), accepted, rule, reason });
    }
    all
}
