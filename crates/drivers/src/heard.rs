//! What a structured source said.

use coop_core::agent::{Fact, Look};

/// What one hook call, report or line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// The agent's id of the turn it belongs to.
    pub turn: Option<String>,
    /// When it happened, in milliseconds since 1970, if it says so.
    pub at_ms: Option<u64>,
    pub facts: Vec<Fact>,
    /// The agent's id of the conversation.
    pub session_id: Option<String>,
    /// Path of the session log.
    pub transcript: Option<String>,
    /// What the agent calls the conversation.
    pub title: Option<String>,
    /// The model that spoke.
    pub model: Option<String>,
}

impl Heard {
    pub(crate) fn nothing() -> Self {
        Self::default()
    }
}

/// What an agent keeps about a running session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegistryEntry {
    pub pid: Option<u32>,
    pub session_id: Option<String>,
    pub cwd: Option<String>,
    /// Start time of the process, as `/proc/<pid>/stat` has it. Another one means that the file is stale.
    pub proc_start: Option<String>,
    /// Missing when the agent does not say, which is not the same as idle.
    pub status: Option<RegistryStatus>,
    /// What it waits for, in the agent's words.
    pub waiting_for: Option<String>,
    pub status_at_ms: Option<u64>,
    pub version: Option<String>,
    pub name: Option<String>,
    pub look: Option<Look>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistryStatus {
    Busy,
    Idle,
    Waiting,
    /// A shell command that the person typed, or one in the background, runs.
    Shell,
}

/// What the beginning of a log says about its conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogHead {
    pub session_id: String,
    /// Where the agent works.
    pub cwd: Option<String>,
    pub started_ms: Option<u64>,
    /// A person talks in it; not a subagent, nor the agent with itself.
    pub of_person: bool,
}
