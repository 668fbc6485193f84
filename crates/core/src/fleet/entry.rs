//! One agent on the board.

use std::collections::BTreeSet;

use super::Effect;
use crate::agent::evidence::Source;
use crate::agent::spent::Spent;
use crate::agent::state::State;

/// Counted from 1; never used again.
pub type EntryId = u64;

/// A process, told apart from a later one that got its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Missing for the machine the hub is on.
    pub host: Option<String>,
    pub pid: u32,
    /// When it was started, in the system's own unit.
    pub started: u64,
}

/// What can be done with an agent, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Control {
    /// It has ended: its conversation can be read, and resumed.
    Cold,
    /// Its files are read: look, no touch.
    Observed,
    /// Its hooks report, and can answer.
    Hooked,
    /// It runs in a terminal multiplexer, and a sidecar is attached to that.
    Attached,
    /// A sidecar started it, and holds its terminal.
    Owned,
}

impl Control {
    /// A sidecar serves its terminal.
    #[must_use]
    pub fn is_held(self) -> bool {
        matches!(self, Self::Attached | Self::Owned)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Observed => "observed",
            Self::Hooked => "hooked",
            Self::Attached => "attached",
            Self::Owned => "owned",
        }
    }
}

/// How soon a person should look, the first first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    Asks,
    Failed,
    /// It has come to rest, and nobody has looked since.
    Done,
    Parked,
    Rests,
    Works,
    Over,
}

/// What a feed knows about an agent. What it does not know is missing, and stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    pub agent: String,
    pub control: Option<Control>,
    pub process: Option<Process>,
    /// The agent's own id of the conversation.
    pub conversation: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub title: Option<String>,
    pub model: Option<String>,
    pub version: Option<String>,
    /// Where the conversation is kept.
    pub log: Option<String>,
    /// Where its sidecar listens.
    pub socket: Option<String>,
    /// What it said last when a turn ended.
    pub last_message: Option<String>,
    /// Of this conversation.
    pub spent: Option<Spent>,
    /// Whether it was reported over the network: then its machine is not known.
    pub network: bool,
}

/// Maximum length of what is kept of a path or a name, in bytes. It is the longest path of the system.
const MAX_NAME: usize = 4096;
/// Maximum length of what is kept of a message, in bytes.
const MAX_MESSAGE: usize = 64 << 10;

impl Sighting {
    /// Returns the sighting with its texts cut to their maximum lengths: a hook may report any text.
    pub(super) fn bounded(mut self) -> Self {
        let names = [
            &mut self.conversation,
            &mut self.cwd,
            &mut self.branch,
            &mut self.title,
            &mut self.model,
            &mut self.version,
            &mut self.log,
            &mut self.socket,
        ];
        for name in names.into_iter().flatten() {
            name.truncate(name.floor_char_boundary(MAX_NAME));
        }
        if let Some(message) = &mut self.last_message {
            message.truncate(message.floor_char_boundary(MAX_MESSAGE));
        }
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub id: EntryId,
    pub agent: String,
    pub process: Option<Process>,
    pub conversation: Option<String>,
    /// Conversations it had before, the newest last.
    pub earlier: Vec<String>,
    pub controls: BTreeSet<Control>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    pub title: Option<String>,
    pub model: Option<String>,
    pub version: Option<String>,
    pub log: Option<String>,
    pub socket: Option<String>,
    pub state: State,
    /// Since when it is in this state, in milliseconds since 1970.
    pub since_ms: u64,
    pub source: Option<Source>,
    pub reason: String,
    pub last_message: Option<String>,
    pub spent: Spent,
    /// It came to want something, and nobody has looked since.
    pub unseen: bool,
    pub added_ms: u64,
}

impl Entry {
    #[must_use]
    pub fn new(id: EntryId, agent: &str, now_ms: u64) -> Self {
        Self {
            id,
            agent: agent.to_owned(),
            process: None,
            conversation: None,
            earlier: Vec::new(),
            controls: BTreeSet::new(),
            cwd: None,
            branch: None,
            title: None,
            model: None,
            version: None,
            log: None,
            socket: None,
            state: State::Starting,
            since_ms: now_ms,
            source: None,
            reason: "just seen".into(),
            last_message: None,
            spent: Spent::default(),
            unseen: false,
            added_ms: now_ms,
        }
    }

    /// The machine it is on, where that is not the hub's own.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.process.as_ref()?.host.as_deref()
    }

    /// The most that can be done with it.
    #[must_use]
    pub fn control(&self) -> Control {
        self.controls.last().copied().unwrap_or(Control::Cold)
    }

    /// The name of its project: the folder it works in.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        self.cwd.as_deref()?.trim_end_matches('/').rsplit('/').next()
    }

    #[must_use]
    pub fn rank(&self) -> Rank {
        match self.state {
            State::Prompt(_) => Rank::Asks,
            State::Error(_) => Rank::Failed,
            State::Idle if self.unseen => Rank::Done,
            State::Parked(_) => Rank::Parked,
            State::Idle | State::Unknown => Rank::Rests,
            State::Starting | State::Working | State::Restarting => Rank::Works,
            State::Exited => Rank::Over,
        }
    }

    /// What the board is sorted by: who needs a person first, and of those the one that waits the longest.
    #[must_use]
    pub fn urgency(&self) -> (Rank, u64, EntryId) {
        (self.rank(), self.since_ms, self.id)
    }

    pub(super) fn learn(&mut self, sighting: Sighting) {
        // Where a sidecar counts, its word is the whole of it.
        let counted = self.control().is_held() && self.spent.is_known();
        if let Some(spent) = sighting.spent.filter(|_| !counted || sighting.control.is_some_and(Control::is_held)) {
            self.spent.learn(spent);
        }
        self.controls.extend(sighting.control);
        let known = |old: &mut Option<String>, new: Option<String>| {
            if new.is_some() {
                *old = new;
            }
        };
        known(&mut self.cwd, sighting.cwd);
        known(&mut self.branch, sighting.branch);
        known(&mut self.title, sighting.title);
        known(&mut self.model, sighting.model);
        known(&mut self.version, sighting.version);
        known(&mut self.log, sighting.log);
        known(&mut self.socket, sighting.socket);
        known(&mut self.last_message, sighting.last_message);
    }

    pub(super) fn turn_to(&mut self, now_ms: u64, state: State, source: Option<Source>, reason: &str) -> Effect {
        let prev = self.state.name();
        if prev != state.name() {
            self.since_ms = now_ms;
        }
        let wants = matches!(state, State::Prompt(_) | State::Error(_) | State::Parked(_));
        self.unseen = wants || (matches!(state, State::Idle) && prev == "working");
        self.state = state;
        self.source = source;
        reason.clone_into(&mut self.reason);
        Effect::State { id: self.id, prev, source, reason: self.reason.clone() }
    }
}
