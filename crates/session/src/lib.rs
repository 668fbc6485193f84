//! One running program: a thread that owns its terminal, and a handle for everybody else.
//!
//! Independent of any transport. The thread is the only one that touches the PTY, the screen, the log and the lease;
//! others send it requests, and pull output, screens and events when a small published status says there are some.

mod agent;
mod answers;
pub mod attach;
mod backend;
mod config;
mod error;
mod handle;
mod input;
mod launch;
pub mod logs;
mod owner;
mod reader;
mod record;
mod sources;
mod translate;

pub use agent::AgentConfig;
pub use config::Config;
pub use error::SessionError;
pub use handle::agent::{Catchup, ConversationPage, HookCall, HookReply, TranscriptInfo};
pub use handle::{EventPage, Input, InputKind, Joined, SessionHandle};
pub use launch::{Again, Change, Launch, Launcher, Restarted};

use coop_terminal::pty;
use std::io;

/// Starts the program. It runs when this returns; a program that cannot be executed is an error here.
pub fn start(config: Config) -> Result<SessionHandle, StartError> {
    let (pty, child) = pty::spawn(&config.command)?;
    let wires = |child: &_| backend::native::wires(pty, child);
    owner::start(config, child, wires).map_err(StartError::Thread)
}

/// Attaches to a program that runs in a pane of tmux. The size of `config.command` is the pane's, its folder the one that
/// the program works in, and the rest of it is not used.
pub fn attach(mut config: Config, found: attach::tmux::Found) -> Result<SessionHandle, StartError> {
    // tmux does not speak this, whatever the program asks for.
    config.screen.kitty_keyboard = false;
    config.command.size = found.pane.size;
    let (program, history) = (found.program(), config.screen.scrollback);
    // All agents that are known want pastes marked, and so do shells at their prompts.
    let pastes = config.agent.is_some();
    let wires = |_: &_| found.wires(history, pastes);
    owner::start(config, program, wires).map_err(StartError::Thread)
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Spawn(#[from] pty::SpawnError),
    #[error("the session's thread could not be started: {0}")]
    Thread(io::Error),
}
