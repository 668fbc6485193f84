//! The state of an agent.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::evidence::Source;
use super::prompt::Prompt;
use super::spent::Spent;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing has been seen yet.
    Starting,
    /// Thinking, or running a tool.
    Working,
    /// Waiting for the next message.
    Idle,
    /// Asking something.
    Prompt(Prompt),
    /// The last turn failed.
    Error(Failure),
    /// Waiting for a limit to lift.
    Parked(Failure),
    /// The process is being replaced.
    Restarting,
    Exited,
    /// There is no way to tell.
    Unknown,
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// As the agent names it, for example `rate_limit` or `authentication_failed`.
    pub kind: String,
    pub detail: String,
    /// When a limit lifts, in milliseconds since 1970.
    pub resume_at_ms: Option<u64>,
}

impl State {
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Prompt(_) => "prompt",
            Self::Error(_) => "error",
            Self::Parked(_) => "parked",
            Self::Restarting => "restarting",
            Self::Exited => "exited",
            Self::Unknown => "unknown",
        }
    }

    /// What a less certain source may raise a state to, never lower it from.
    #[must_use]
    pub fn priority(&self) -> u8 {
        match self {
            Self::Starting | Self::Unknown => 0,
            Self::Idle => 1,
            Self::Error(_) | Self::Parked(_) => 2,
            Self::Working => 3,
            Self::Prompt(_) => 4,
            Self::Restarting | Self::Exited => 5,
        }
    }

    #[must_use]
    pub fn prompt(&self) -> Option<&Prompt> {
        match self {
            Self::Prompt(prompt) => Some(prompt),
            _ => None,
        }
    }

    /// Whether a message would begin a turn now.
    #[must_use]
    pub fn takes_message(&self) -> bool {
        matches!(self, Self::Idle | Self::Error(_) | Self::Parked(_))
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Everything that is published about an agent: replaced whole, so that nobody sees half of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStatus {
    pub state: State,
    /// Grows by one with every change of the state or its prompt.
    pub seq: u64,
    /// Number of the event that told of this state.
    pub since_seq: u64,
    /// What the state rests on.
    pub source: Option<Source>,
    /// Why this state is believed.
    pub reason: String,
    /// How long an idle state that is only guessed still waits before it is published.
    pub idle_grace: Option<Duration>,
    /// The agent's own id of the conversation.
    pub session_id: Option<String>,
    pub model: Option<String>,
    /// The last thing the agent said when its turn ended.
    pub last_message: Option<String>,
    /// Parked, and told something by coop itself when the limit lifts: then, in milliseconds since 1970.
    pub continues_at_ms: Option<u64>,
    /// Messages waiting for the agent to be idle.
    pub queued: usize,
    pub spent: Spent,
    /// What can be done with this agent.
    pub can: Capabilities,
}

/// What can be done with an agent, said before it is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Messages can be delivered and are confirmed.
    pub nudge: bool,
    /// Prompts can be answered with keys.
    pub respond_by_keys: bool,
    /// Prompts can be answered through a hook, without a key.
    pub respond_by_hook: bool,
    /// Messages are taken while it works.
    pub nudge_while_working: bool,
    pub interrupt: bool,
    pub conversation: bool,
    pub stop_gate: bool,
}

impl AgentStatus {
    #[must_use]
    pub fn new(state: State) -> Self {
        Self {
            state,
            seq: 0,
            since_seq: 0,
            source: None,
            reason: String::new(),
            idle_grace: None,
            session_id: None,
            model: None,
            last_message: None,
            continues_at_ms: None,
            queued: 0,
            spent: Spent::default(),
            can: Capabilities::default(),
        }
    }
}
