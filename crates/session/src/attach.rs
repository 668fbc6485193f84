//! Programs that run already, on a terminal that is somebody else's: found, followed and typed into. They are never
//! ended, signalled or resized, and what they ask their terminal is answered by it.

mod keyboard;
pub mod screen;
pub mod tmux;

use std::io;

use coop_machine::process;
use coop_terminal::Size;
use coop_terminal::pty::{Signal, Target};

use crate::SessionError;
use crate::backend::{Program, Wires};

pub(crate) use keyboard::{Keyboard, Typed};

/// Output that may wait for the owner before it is dropped and the screen is fetched anew.
const AHEAD: usize = 64;

/// A program that is there, and where.
#[derive(Clone, Debug)]
pub enum Found {
    Tmux(tmux::Found),
    Screen(screen::Found),
}

impl Found {
    /// The process that leads the terminal's session.
    #[must_use]
    pub fn leader(&self) -> u32 {
        match self {
            Self::Tmux(found) => found.pane.pid,
            Self::Screen(found) => found.pid,
        }
    }

    #[must_use]
    pub fn size(&self) -> Size {
        match self {
            Self::Tmux(found) => found.pane.size,
            Self::Screen(found) => found.size,
        }
    }

    /// For people.
    #[must_use]
    pub fn title(&self) -> String {
        match self {
            Self::Tmux(found) => found.title(),
            Self::Screen(found) => found.title(),
        }
    }

    pub(crate) fn program(&self) -> Attached {
        Attached { pid: self.leader() }
    }

    /// Begins to follow it. `agent` is whether an agent runs in it, which wants pastes marked.
    pub(crate) fn wires(self, history: usize, agent: bool) -> io::Result<Wires> {
        match self {
            Self::Tmux(found) => found.wires(history, agent),
            Self::Screen(found) => found.wires(history, agent),
        }
    }
}

/// Why there is nothing to attach to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    #[error("{program} cannot be run: {why}")]
    NotInstalled { program: &'static str, why: String },
    #[error("there is no {what}: {why}")]
    NotFound { what: String, why: String },
    #[error("{what} has ended")]
    Dead { what: String },
}

/// A program on somebody else's terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached {
    pid: u32,
}

impl Program for Attached {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn foreground(&self) -> Option<u32> {
        process::foreground_of(self.pid)
    }

    fn signal(&self, _: Signal, _: Target) -> Result<(), SessionError> {
        let instead = "Press keys instead, for example Ctrl-C, or signal it where it was started.";
        Err(SessionError::Unsupported { what: "send it a signal", instead })
    }

    fn is_own(&self) -> bool {
        false
    }
}
