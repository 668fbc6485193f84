//! From a pane to the session and back, on a thread of its own: over one client after the other, if there must be.
//!
//! tmux is never waited for by what runs in it: it is read at once. Where the owner does not follow, output is dropped, and
//! the screen is fetched when there is room again.

mod find_again;
mod follow;
mod pane;
mod poll;

use std::io;

use coop_core::status::Exit;
use coop_terminal::Size;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::super::{AHEAD, Typed};
use super::{FOLLOWED, Found, KEEPS_SPACES, Target};
use crate::backend::{Output, Piece};

pub(super) struct Link {
    target: Target,
    /// tmux's own name for the pane.
    pane: String,
    /// And for the session that it is in.
    session: String,
    /// The server that has it.
    server: u32,
    /// The pane's program, as the owner knows it.
    pid: u32,
    size: Size,
    history: usize,
    /// Whether the program is thought to want marks around pastes.
    pastes: bool,
    /// It is looked at, as it cannot be followed.
    polls: bool,
    /// tmux can tell of spaces at the end of lines.
    keeps_spaces: bool,
    /// Its title, as it was told.
    title: Option<String>,
    /// The program is gone, and it is not known how it ended.
    dead_since: Option<Instant>,
    /// The owner knows that there is no program.
    away: bool,
    pieces: mpsc::Sender<Piece>,
    typed: mpsc::UnboundedReceiver<Typed>,
}

/// Why a client is not followed any more.
#[derive(Debug)]
enum Over {
    /// Nobody wants the output.
    Unwanted,
    Exited(Exit),
    /// The client has ended: it may have been detached, or the server may be gone.
    Lost {
        why: String,
        /// It never began.
        at_once: bool,
    },
}

/// A client that cannot attach so often in a row never will.
const TRIES: u32 = 10;

pub(super) fn start(
    found: Found,
    typed: mpsc::UnboundedReceiver<Typed>,
    history: usize,
    pastes: bool,
) -> io::Result<(Output, oneshot::Receiver<Exit>)> {
    let (pieces, output) = mpsc::channel(AHEAD);
    let (tell, exit) = oneshot::channel();
    let Found { target, pane, version } = found;
    let mut link = Link {
        target,
        pane: pane.id,
        session: pane.session,
        server: pane.server,
        pid: pane.pid,
        size: pane.size,
        history,
        pastes,
        polls: version.is_some_and(|version| version < FOLLOWED),
        keeps_spaces: version.is_none_or(|version| version >= KEEPS_SPACES),
        title: None,
        dead_since: None,
        away: false,
        pieces,
        typed,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    std::thread::Builder::new().name("coop-tmux".into()).spawn(move || {
        if let Some(exit) = runtime.block_on(link.run()) {
            // The owner may be gone.
            tell.send(exit).ok();
        }
    })?;
    Ok((Output::new(output, None, None), exit))
}

impl Link {
    /// How the program ended; nothing if nobody wants to know.
    async fn run(&mut self) -> Option<Exit> {
        let mut in_vain = 0;
        loop {
            let over = if self.polls { self.poll().await } else { self.follow().await };
            match over {
                Over::Unwanted => return None,
                Over::Exited(exit) => return Some(exit),
                Over::Lost { why, at_once } => {
                    in_vain = if at_once { in_vain + 1 } else { 0 };
                    tracing::debug!(why, in_vain, "the tmux client has ended");
                    if in_vain > TRIES {
                        tracing::warn!(why, "tmux cannot be attached to any more");
                        return Some(Exit::Unknown);
                    }
                    match self.find_again(in_vain > 0).await {
                        Over::Lost { .. } => {}
                        Over::Exited(exit) => return Some(exit),
                        Over::Unwanted => return None,
                    }
                }
            }
        }
    }
}
