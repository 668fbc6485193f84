//! How an agent is started: arguments, environment and files, as values.

use std::path::PathBuf;

use coop_core::agent::Source;
use coop_core::agent::gate::Groom;
use serde_json::Value;

use crate::server::Companion;
use crate::table::{Event, Table};

/// What is known before the agent is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchRequest {
    /// The user's arguments, without the program.
    pub args: Vec<String>,
    /// The shell command that hands a hook call to coop; the event's name is appended.
    pub hook_command: String,
    /// The same without a shell: a program and its arguments, to which the event's name is added.
    pub hook_program: Vec<String>,
    /// How long a hook that asks may wait for its answer.
    pub hook_timeout_secs: u64,
    pub groom: Groom,
    /// The orchestrator's file: `settings` and `mcp` count here.
    pub agent_config: Option<Value>,
    /// Content of the settings that the user's own arguments name, see [`LaunchRequest::args`].
    pub user_settings: Option<Value>,
    /// The agent's own folder, for one whose settings can be given nowhere else.
    pub own_folder: Option<OwnFolder>,
    /// Where the files go.
    pub session_dir: PathBuf,
    /// Version of the agent, if it is known.
    pub version: Option<String>,
    /// The conversation's id, if it is to have a known one.
    pub session_id: Option<String>,
}

/// The folder in which the agent keeps all of its files, as the user has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnFolder {
    pub path: PathBuf,
    /// What is in it.
    pub names: Vec<String>,
    /// Its settings.
    pub settings: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The whole command line, without the program.
    pub args: Vec<String>,
    pub files: Vec<(PathBuf, String)>,
    /// Links, and what they lead to.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders of the agent that have to be there before it is started.
    pub folders: Vec<PathBuf>,
    pub env: Vec<(String, String)>,
    /// The conversation's id, where it was given to the agent.
    pub session_id: Option<String>,
    /// Whether it was told to call coop's hooks.
    pub hooks: bool,
    /// Its server, which has to be there before it.
    pub companion: Option<Companion>,
}

/// What a command line says about the agent's standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printing {
    /// It is one JSON value in each line.
    pub json: bool,
    /// Sources that are not to be listened to then.
    pub without: Vec<Source>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// A part of the configuration that is not what it has to be.
    #[error("{part} has to be {expected}")]
    Config { part: String, expected: &'static str },
    /// A part of the configuration that cannot be given to this agent.
    #[error("{part} cannot be given to {agent}: coop knows it by its screen alone")]
    NotTaken { part: String, agent: String },
}

/// One hook as it stands in an agent's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledHook {
    pub event: String,
    pub command: String,
    /// The tools it is for, in the agent's own words; all where it is empty.
    pub matcher: String,
    /// In the agent's own unit.
    pub timeout: u64,
}

/// The agent reports a hook that takes longer than it was given, so that coop gives up first.
const MARGIN_SECS: u64 = 15;

/// Hooks that say whose they are, for an agent that no list of running ones names.
pub(crate) fn named_hooks(table: &Table, agent: &str, command: &str, wait_secs: u64) -> Vec<InstalledHook> {
    let wait = table.hooks.wait_secs.map_or(wait_secs, |most| wait_secs.min(most + MARGIN_SECS));
    let unit = if table.hooks.timeout_in_ms { 1000 } else { 1 };
    let hook = |event: &Event| InstalledHook {
        event: event.name.clone(),
        command: format!("{command} {} {agent}", event.name),
        matcher: event.matcher.clone(),
        timeout: unit * if event.waits { wait } else { table.timings.hook_timeout().as_secs() },
    };
    table.events.iter().map(hook).collect()
}
