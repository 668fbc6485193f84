//! A program that coop did not start: what becomes of it is found out, and never brought about.

use coop_core::agent::evidence::Fact;
use coop_core::event::Event;
use coop_core::status::Exit;

use super::Owner;
use crate::SessionError;
use crate::backend::Piece;

impl Owner {
    /// What only a terminal that is not ours has to tell.
    pub(super) fn elsewhere(&mut self, piece: Piece) {
        match piece {
            Piece::Bytes(bytes) => self.output(&bytes),
            Piece::Resized(size) if size != self.screen.size() => self.resized(size),
            Piece::Resized(_) => {}
            Piece::Away { why } => {
                tracing::warn!(why, "the program's terminal is gone; coop waits for it to come back");
                self.away = true;
                self.input.fail(&mut self.answers, |_, _| SessionError::Restarting);
                self.agent_gone(&SessionError::Restarting, Fact::ProcessReplacing);
            }
            Piece::Replaced { program, size } => {
                self.input.fail(&mut self.answers, |_, _| SessionError::Restarting);
                if !self.away {
                    self.agent_gone(&SessionError::Restarting, Fact::ProcessReplacing);
                }
                self.succeed(program, self.config.agent.clone());
                if size != self.screen.size() {
                    self.resized(size);
                }
                tracing::info!(pid = self.pid(), generation = self.log.generation(), "another program is there");
            }
        }
    }

    /// The session ends, and the program stays as it is.
    pub(super) fn let_go(&mut self, reason: &str) {
        self.events.push(Event::Shutdown { reason: reason.to_owned() });
        self.away = false;
        self.child_exited(Some(Exit::Detached));
        self.output_ended();
    }
}
