//! Where a session's bytes come from and go to. The owner knows a terminal and a program; whether they are a PTY and a
//! child of ours, or belong to somebody else, is known here and below only.

pub(crate) mod native;

use std::fmt;
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use coop_core::status::Exit;
use coop_terminal::Size;
use coop_terminal::pty::{ReaderStop, Signal, Target};
use tokio::sync::{mpsc, oneshot};

use crate::SessionError;

/// What takes the input.
pub(crate) trait Terminal: Send {
    /// Ready when it takes input. Call within the owner's runtime.
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Takes what it has room for, and says how much it took. Asked again with the same bytes after `WouldBlock`,
    /// or with others if those were given up.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;

    fn resize(&self, size: Size) -> Result<(), SessionError>;

    /// Whether it collects lines, and cuts those that are too long.
    fn is_canonical(&self) -> bool;

    /// Whether a line that is typed now is shown to nobody. One that cannot tell may be asking for a password.
    fn hides(&self) -> bool;
}

/// What runs on the terminal.
pub(crate) trait Program: fmt::Debug + Send {
    /// The process on the terminal: the leader of its session.
    fn pid(&self) -> u32;

    /// The process group that Ctrl-C goes to, if there is one.
    fn foreground(&self) -> Option<u32>;

    fn signal(&self, signal: Signal, target: Target) -> Result<(), SessionError>;

    /// It is over: nothing of it is to be left.
    fn free(&self) {}

    /// coop started it: it ends with the session, can be started again, and it is for coop to answer what it asks the
    /// terminal.
    fn is_own(&self) -> bool;
}

/// What comes from a terminal.
#[derive(Debug)]
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    /// It has another size, which was not asked for.
    Resized(Size),
    /// The program is gone, and another one may come.
    Away {
        why: String,
    },
    /// Another program has come in its place.
    Replaced {
        program: Box<dyn Program>,
        size: Size,
    },
}

/// The output as the owner gets it.
#[derive(Debug)]
pub(crate) struct Output {
    pieces: mpsc::Receiver<Piece>,
    /// Takes used buffers back.
    used: Option<mpsc::Sender<Vec<u8>>>,
    _stop: Option<ReaderStop>,
    /// Dropped last: whoever sends the pieces notices that nobody wants them any more.
    _farewell: Option<Farewell>,
}

/// Dropping it waits a moment until somebody has left what is not ours in order.
#[derive(Debug)]
pub(crate) struct Farewell(pub(crate) std::sync::mpsc::Receiver<()>);

/// More than a few commands take.
const FAREWELL: Duration = Duration::from_secs(2);

impl Drop for Farewell {
    fn drop(&mut self) {
        // Nothing is said: the other end is dropped.
        self.0.recv_timeout(FAREWELL).ok();
    }
}

impl Output {
    pub(crate) fn new(
        pieces: mpsc::Receiver<Piece>,
        used: Option<mpsc::Sender<Vec<u8>>>,
        stop: Option<ReaderStop>,
    ) -> Self {
        Self { pieces, used, _stop: stop, _farewell: None }
    }

    pub(crate) fn with_farewell(self, farewell: Farewell) -> Self {
        Self { _farewell: Some(farewell), ..self }
    }

    /// Whether a piece has been read already.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// The next piece. None is the end.
    pub(crate) async fn next(&mut self) -> Option<Piece> {
        self.pieces.recv().await
    }

    /// The buffer of a piece that is done with, for another one.
    pub(crate) fn give_back(&self, mut buffer: Vec<u8>) {
        let Some(used) = &self.used else { return };
        buffer.clear();
        // With enough of them on the way back, this one is too many.
        drop(used.try_send(buffer));
    }
}

/// What leads to one program: its terminal, what it prints, and its end.
pub(crate) struct Wires {
    pub(crate) terminal: Option<Box<dyn Terminal>>,
    pub(crate) output: Option<Output>,
    pub(crate) exit: oneshot::Receiver<Exit>,
}

impl Wires {
    pub(crate) fn terminal(&self) -> Option<&dyn Terminal> {
        self.terminal.as_deref()
    }

    pub(crate) fn cut(&mut self) {
        self.terminal = None;
        self.output = None;
    }
}
