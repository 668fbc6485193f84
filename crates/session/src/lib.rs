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
mod survive;
mod translate;

pub use agent::AgentConfig;
pub use config::Config;
pub use error::SessionError;
pub use handle::agent::{Catchup, ConversationPage, HookCall, HookReply, TranscriptInfo};
pub use handle::{EventPage, Happening, Input, InputKind, Joined, Kept, SessionHandle};
pub use launch::{Again, Change, Launch, Launcher, Restarted};
pub use survive::{Left, Survival};

use coop_terminal::pty;
use std::io;

/// Starts the program. It runs when this returns; a program that cannot be executed is an error here.
pub fn start(config: Config) -> Result<SessionHandle, StartError> {
    let (pty, child) = pty::spawn(&config.command)?;
    let tape = match &config.survival {
        Some(survival) => Some(survival.begin(1, &pty, &child).map_err(StartError::Thread)?),
        None => None,
    };
    let wires = |child: &_| backend::native::wires(pty, child, tape);
    owner::start(config, child, wires, None).map_err(StartError::Thread)
}

/// Goes on with a program that another process has started, and that `config.survival` tells of.
pub fn adopt(mut config: Config, left: Left) -> Result<SessionHandle, StartError> {
    let (pty, child, tape) = left.program().map_err(StartError::Thread)?;
    config.command.size = left.size();
    if let Some(agent) = &mut config.agent {
        agent.session_id = left.conversation().or(agent.session_id.take());
    }
    let wires = |child: &_| backend::native::wires(pty, child, Some(tape));
    owner::start(config, child, wires, Some(left)).map_err(StartError::Thread)
}

/// Attaches to a program that runs in tmux or Screen. The size of `config.command` is that of its terminal, its folder the
/// one that the program works in, and the rest of it is not used.
pub fn attach(mut config: Config, found: attach::Found) -> Result<SessionHandle, StartError> {
    // Neither speaks this, whatever the program asks for.
    config.screen.kitty_keyboard = false;
    config.command.size = found.size();
    let (program, history) = (found.program(), config.screen.scrollback);
    // All agents that are known want pastes marked, and so do shells at their prompts.
    let pastes = config.agent.is_some();
    let wires = |_: &_| found.wires(history, pastes);
    owner::start(config, program, wires, None).map_err(StartError::Thread)
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Spawn(#[from] pty::SpawnError),
    #[error("the session's thread could not be started: {0}")]
    Thread(io::Error),
}
