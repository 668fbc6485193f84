//! Programs that run already, on a terminal that is somebody else's: found, followed and typed into. They are never
//! ended, signalled or resized, and what they ask their terminal is answered by it.

mod keyboard;
pub mod tmux;

use coop_machine::process;
use coop_terminal::pty::{Signal, Target};

use crate::SessionError;
use crate::backend::Program;

pub(crate) use keyboard::{Keyboard, Typed};

/// Output that may wait for the owner before it is dropped and the screen is fetched anew.
const AHEAD: usize = 64;

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
