//! What happened, numbered, and kept for those who come back.

use std::collections::VecDeque;

use crate::agent::deliver::Receipt;
use crate::agent::evidence::Source;
use crate::agent::prompt::{Prompt, PromptId};
use crate::agent::respond::Via;
use crate::agent::spent::Spent;
use crate::agent::state::State;
use crate::status::Exit;

/// Something a subscriber is told. Output and screen contents are not events: they are pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Start {
        pid: u32,
    },
    Resize {
        cols: u16,
        rows: u16,
    },
    Title {
        title: String,
    },
    Bell,
    Cwd {
        url: String,
    },
    Notification {
        title: Option<String>,
        body: String,
    },
    Progress {
        state: ProgressState,
        percent: u8,
    },
    /// The program reported its own state (OSC 7501).
    ProgramStatus {
        state: String,
        app: Option<String>,
        kind: Option<String>,
        message: Option<String>,
    },
    /// The agent does something else now, or asks something else.
    State {
        prev: &'static str,
        next: Box<State>,
        /// Counts the changes.
        seq: u64,
        source: Option<Source>,
        reason: String,
    },
    /// More is known about the prompt that is up.
    Prompt {
        prompt: Box<Prompt>,
    },
    /// A prompt is over.
    PromptResolved {
        id: PromptId,
        /// Who answered: a name, or `terminal`.
        by: String,
        via: Option<Via>,
    },
    /// The conversation has used more, or another one goes on.
    Usage(Spent),
    /// The agent called a hook.
    Hook {
        event: String,
        tool: Option<String>,
    },
    /// The conversation was kept as it was before it was shortened.
    Transcript {
        number: u64,
        lines: u64,
        /// In milliseconds since 1970.
        at_ms: u64,
    },
    /// The agent wanted to stop.
    Stop {
        blocked: bool,
        reason: Option<String>,
    },
    /// A limit has lifted, and coop told the agent to go on.
    Lifted {
        message: String,
        receipt: Option<Receipt>,
        /// Why it was not delivered.
        reason: Option<String>,
    },
    /// Who may type changed; nobody when `holder` is empty.
    Lease {
        holder: Option<String>,
    },
    /// The session is being ended, and why.
    Shutdown {
        reason: String,
    },
    Exit(Exit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressState {
    None,
    Running,
    Error,
    Indeterminate,
    Paused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered<E = Event> {
    /// The first event of a session is 1.
    pub seq: u64,
    /// The child it happened to.
    pub generation: u64,
    pub event: E,
}

/// Events asked for are no longer kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    pub lost: u64,
    /// The oldest that is kept.
    pub oldest: u64,
}

#[derive(Debug)]
pub struct EventLog<E = Event> {
    kept: VecDeque<(u64, E)>,
    limit: usize,
    newest: u64,
    generation: u64,
}

impl<E: Clone> EventLog<E> {
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { kept: VecDeque::new(), limit: limit.max(1), newest: 0, generation: 1 }
    }

    /// The log of somebody before us: its last events, and the number of the newest.
    #[must_use]
    pub fn restored(limit: usize, generation: u64, newest: u64, kept: impl IntoIterator<Item = E>) -> Self {
        let mut log = Self { newest: 0, generation, ..Self::new(limit) };
        for event in kept {
            log.push(event);
        }
        Self { newest: newest.max(log.newest), ..log }
    }

    /// What comes now happens to another child. Numbers go on.
    pub fn set_generation(&mut self, generation: u64) {
        self.generation = generation;
    }

    pub fn push(&mut self, event: E) -> u64 {
        if self.kept.len() == self.limit {
            self.kept.pop_front();
        }
        self.kept.push_back((self.generation, event));
        self.newest += 1;
        self.newest
    }

    #[must_use]
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// What came after event `seq`, oldest first, `limit` at the most; and what is missing before that, if anything.
    #[must_use]
    pub fn since(&self, seq: u64, limit: usize) -> (Vec<Numbered<E>>, Option<Gap>) {
        let oldest = self.newest - self.kept.len() as u64 + 1;
        let wanted = seq.saturating_add(1);
        let from = wanted.max(oldest);
        let gap = (from > wanted).then_some(Gap { lost: from - wanted, oldest });
        let skip = usize::try_from(from - oldest).unwrap_or(usize::MAX);
        let events = self.kept.iter().skip(skip).take(limit).zip(from..);
        let numbered = |((generation, event), seq): (&(u64, E), u64)| {
            let (generation, event) = (*generation, event.clone());
            Numbered { seq, generation, event }
        };
        (events.map(numbered).collect(), gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_successor_counts_on() {
        let mut log = EventLog::restored(3, 7, 40, [Event::Bell, Event::Bell]);
        assert_eq!((log.newest(), log.since(38, 10).1, log.since(0, 10).1.map(|gap| gap.oldest)), (40, None, Some(39)));
        assert_eq!(log.push(Event::Bell), 41);
        let events: Vec<_> = log.since(39, 10).0.iter().map(|event| (event.seq, event.generation)).collect();
        assert_eq!(events, [(40, 7), (41, 7)]);
        assert_eq!(EventLog::<Event>::restored(3, 7, 0, []).newest(), 0);
    }

    #[test]
    fn those_who_come_back_get_what_they_missed() {
        let mut log = EventLog::new(3);
        let seqs = |log: &EventLog<Event>, since| log.since(since, 10).0.iter().map(|n| n.seq).collect::<Vec<_>>();
        assert_eq!(log.since(0, 10), (vec![], None));
        for pid in 1..=5 {
            assert_eq!(log.push(Event::Start { pid }), u64::from(pid));
        }
        assert_eq!(seqs(&log, 0), [3, 4, 5]);
        assert_eq!(log.since(0, 10).1, Some(Gap { lost: 2, oldest: 3 }));
        assert_eq!((seqs(&log, 2), log.since(2, 10).1), (vec![3, 4, 5], None));
        assert_eq!(seqs(&log, 4), [5]);
        assert_eq!((seqs(&log, 5), log.since(5, 10).1), (vec![], None));
        assert_eq!(log.since(2, 1).0[0], Numbered { seq: 3, generation: 1, event: Event::Start { pid: 3 } });
        log.set_generation(2);
        log.push(Event::Bell);
        let generations: Vec<u64> = log.since(3, 10).0.iter().map(|n| n.generation).collect();
        assert_eq!(generations, [1, 1, 2], "what happened stays what it was");
        for future in [99, u64::MAX] {
            assert_eq!(seqs(&log, future), Vec::<u64>::new(), "from the future: nothing yet");
        }
    }
}
