//! How an agent is started: arguments, environment and files, as values.

use std::path::PathBuf;

use coop_core::agent::gate::Groom;
use serde_json::Value;

/// What is known before the agent is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchRequest {
    /// The user's arguments, without the program.
    pub args: Vec<String>,
    /// The shell command that hands a hook call to coop; the event's name is appended.
    pub hook_command: String,
    /// How long a hook that asks may wait for its answer.
    pub hook_timeout_secs: u64,
    pub groom: Groom,
    /// The orchestrator's file: `settings` and `mcp` count here.
    pub agent_config: Option<Value>,
    /// Content of the settings that the user's own arguments name, see [`LaunchRequest::args`].
    pub user_settings: Option<Value>,
    /// Where the files go.
    pub session_dir: PathBuf,
    /// Version of the agent, if it is known.
    pub version: Option<String>,
    /// The conversation's id, if it is to have a known one.
    pub session_id: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The whole command line, without the program.
    pub args: Vec<String>,
    pub files: Vec<(PathBuf, String)>,
    pub env: Vec<(String, String)>,
    /// The conversation's id, where it was given to the agent.
    pub session_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// A part of the configuration that is not what it has to be.
    #[error("{part} has to be {expected}")]
    Config { part: String, expected: &'static str },
}

/// One hook as it stands in an agent's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledHook {
    pub event: String,
    pub command: String,
    pub timeout_secs: u64,
}
