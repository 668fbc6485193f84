//! What is true of a pane, whether it is followed or looked at.

use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use coop_core::status::Exit;
use coop_terminal::tmux::Pane;
use tokio::time::Instant;

use super::{Link, Over};
use crate::attach::Attached;
use crate::backend::Piece;

/// How long it takes at most until it is known how a program ended.
const HEARD: Duration = Duration::from_secs(1);

impl Link {
    /// Whether there is nothing more to come from it. tmux sees a terminal close before it hears how the program ended, and may
    /// never hear it.
    pub(super) fn gone(&mut self, pane: Option<&Pane>) -> Option<Over> {
        let Some(pane) = pane.filter(|pane| pane.id == self.pane) else {
            return Some(Over::Exited(Exit::Unknown));
        };
        if !pane.dead {
            return None;
        }
        let told = pane.exit_signal.map(Exit::Signal).or(pane.exit_code.map(Exit::Code));
        let now = Instant::now();
        let waited = now - *self.dead_since.get_or_insert(now);
        let exit = told.or_else(|| unheard_of(pane.pid)).or((waited >= HEARD).then_some(Exit::Unknown));
        exit.map(Over::Exited)
    }

    /// Whether it is not what the owner knows.
    pub(super) fn is_new(&self, pane: &Pane) -> bool {
        self.away || pane.pid != self.pid || pane.size != self.size
    }

    /// What the owner is told so that its screen is what `paint` paints.
    pub(super) fn picture(&mut self, pane: &Pane, mut paint: Vec<u8>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if pane.pid != self.pid || self.away {
            self.away = false;
            self.pid = pane.pid;
            self.title = None;
            pieces.push(Piece::Replaced { program: Box::new(Attached { pid: pane.pid }), size: pane.size });
        } else if pane.size != self.size {
            pieces.push(Piece::Resized(pane.size));
        }
        self.size = pane.size;
        if self.title.is_none() && self.pastes && !pane.says_paste() {
            paint.splice(0..0, *b"\x1b[?2004h");
        }
        let title: String = pane.title.chars().filter(|c| !c.is_control()).collect();
        if self.title.as_ref() != Some(&title) {
            paint.splice(0..0, format!("\x1b]2;{title}\x1b\\").into_bytes());
            self.title = Some(title);
        }
        pieces.push(Piece::Bytes(paint));
        pieces
    }
}

/// The end of a program whose parent has not heard of it.
fn unheard_of(pid: u32) -> Option<Exit> {
    let ended = coop_machine::process::ended(pid)?;
    ended.signal().map(Exit::Signal).or(ended.code().map(Exit::Code))
}
