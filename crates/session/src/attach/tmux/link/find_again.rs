//! The client has ended: was it the client alone, the pane, or the server?

use std::time::Duration;

use coop_core::status::Exit;
use tokio::time::Instant;

use super::{Link, Over};
use crate::backend::Piece;

/// A server that somebody restarts is back by then. One that ended with its last pane is not, and the end is told then.
const RETURN: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(100);

impl Link {
    /// `Lost` is that there is something to attach to.
    pub(super) async fn find_again(&mut self, slowly: bool) -> Over {
        let until = Instant::now() + RETURN;
        if slowly {
            tokio::time::sleep(LOOK).await;
        }
        loop {
            if let Some(over) = self.look() {
                return over;
            }
            if !self.away {
                self.away = true;
                let why = "tmux's server is gone".to_owned();
                if self.pieces.send(Piece::Away { why }).await.is_err() {
                    return Over::Unwanted;
                }
            }
            if Instant::now() >= until {
                return Over::Exited(Exit::Unknown);
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = self.pieces.closed() => return Over::Unwanted,
            }
        }
    }

    /// Nothing while there is no server.
    fn look(&mut self) -> Option<Over> {
        let there = || Over::Lost { why: String::new(), at_once: false };
        match self.target.pane(&self.pane) {
            Ok(pane) if pane.server == self.server => {
                self.session = pane.session;
                return Some(there());
            }
            _ if self.target.server() == Some(self.server) => return Some(Over::Exited(Exit::Unknown)),
            _ => {}
        }
        let found = self.target.find().ok()?;
        self.server = found.pane.server;
        self.pane = found.pane.id;
        self.session = found.pane.session;
        Some(there())
    }
}
