//! The handle: how everybody but the owner thread talks to a session.

pub(crate) mod agent;

use std::sync::Arc;
use std::time::Duration;

use coop_core::agent::state::AgentStatus;
use coop_core::event::{Gap, Numbered};
use coop_core::lease::LeaseId;
use coop_core::status::{Exit, Status};
use coop_terminal::keys::Key;
use coop_terminal::log::{Chunk, Cursor, ReadError};
use coop_terminal::pty::{Signal, Target};
use coop_terminal::{Format, Size, View};
use tokio::sync::{mpsc, oneshot, watch};

use crate::SessionError;
use crate::launch::{Change, Restarted};

/// Cheap to clone; the session lives as long as one of them, and ends its thread with the last.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    pub(crate) requests: mpsc::Sender<Request>,
    pub(crate) status: watch::Receiver<Status>,
    pub(crate) exit: watch::Receiver<Option<Exit>>,
    pub(crate) agent: watch::Receiver<Arc<AgentStatus>>,
}

/// Something to be typed, and on whose behalf.
#[derive(Clone, Debug)]
pub struct Input {
    pub kind: InputKind,
    /// The lease of the writer, if it has one.
    pub lease: Option<LeaseId>,
}

#[derive(Clone, Debug)]
pub enum InputKind {
    /// As if typed, with Enter at the end if asked for.
    Text {
        text: String,
        enter: bool,
    },
    /// As if pasted: between marks if the program asked for them, and then Enter if asked for.
    Paste {
        text: String,
        enter: bool,
    },
    Keys(Vec<Key>),
    Raw(Vec<u8>),
}

/// A place to follow the output from, and what to paint before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    pub at: Cursor,
    pub size: Size,
    /// Paints the screen as it was at `at`. Missing when the log still had everything from where the client was.
    pub repaint: Option<Vec<u8>>,
    /// Bytes of output the client will never see.
    pub lost: u64,
}

/// The output that is kept, and when it was printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Of the terminal, before the first of it.
    pub size: Size,
    pub bytes: Vec<u8>,
    /// How long ago it began.
    pub began: Option<Duration>,
    /// What had happened, how long after it began, by how many of the bytes were printed by then.
    pub marks: Vec<(u64, Duration, Happening)>,
    pub exit: Option<Exit>,
    /// Where the output goes on.
    pub end: Cursor,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It printed so far.
    Output,
    /// The agent did something else.
    Marker(String),
    Resize(Size),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPage {
    pub generation: u64,
    pub events: Vec<Numbered>,
    pub gap: Option<Gap>,
}

pub(crate) type Reply<T> = oneshot::Sender<T>;

#[derive(Debug)]
pub(crate) enum Request {
    View { format: Format, scrollback: usize, reply: Reply<View> },
    Svg { reply: Reply<String> },
    Output { from: Cursor, limit: usize, reply: Reply<Result<Chunk, ReadError>> },
    Join { from: Option<Cursor>, scrollback: usize, reply: Reply<Joined> },
    Events { since: u64, limit: usize, reply: Reply<EventPage> },
    Input { input: Input, reply: Reply<Result<usize, SessionError>> },
    Resize { size: Size, reply: Reply<Result<(), SessionError>> },
    Signal { signal: Signal, target: Target, reply: Reply<Result<(), SessionError>> },
    Acquire { id: LeaseId, holder: String, take_over: bool, reply: Reply<Result<Duration, SessionError>> },
    Release { id: LeaseId, reply: Reply<bool> },
    Calm { reply: Reply<bool> },
    Recording { reply: Reply<Kept> },
    Typed { reply: Reply<mpsc::Receiver<Vec<u8>>> },
    Shutdown { reason: String, reply: Reply<()> },
    Restart { change: Change, reply: Reply<Result<Restarted, SessionError>> },
    Agent(agent::AgentRequest),
}

impl SessionHandle {
    /// The status now.
    #[must_use]
    pub fn status(&self) -> Status {
        *self.status.borrow()
    }

    /// Wakes whenever the status changes.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    pub async fn view(&self, format: Format, scrollback: usize) -> Result<View, SessionError> {
        self.ask(|reply| Request::View { format, scrollback, reply }).await
    }

    pub async fn svg(&self) -> Result<String, SessionError> {
        self.ask(|reply| Request::Svg { reply }).await
    }

    /// All output that is kept, with its times.
    pub async fn recording(&self) -> Result<Kept, SessionError> {
        self.ask(|reply| Request::Recording { reply }).await
    }

    /// What is typed from now on, as the terminal takes it: only where the terminal shows what is typed, so that no password
    /// is among it.
    pub async fn typed(&self) -> Result<mpsc::Receiver<Vec<u8>>, SessionError> {
        self.ask(|reply| Request::Typed { reply }).await
    }

    /// Whether nothing is half typed: no input, no message and no answer is on its way.
    pub async fn is_calm(&self) -> Result<bool, SessionError> {
        self.ask(|reply| Request::Calm { reply }).await
    }

    /// Up to `limit` bytes of output from `from` on.
    pub async fn output(&self, from: Cursor, limit: usize) -> Result<Chunk, SessionError> {
        Ok(self.ask(|reply| Request::Output { from, limit, reply }).await??)
    }

    /// Where a client that was at `from` (or nowhere) goes on, and what it must paint first.
    pub async fn join(&self, from: Option<Cursor>, scrollback: usize) -> Result<Joined, SessionError> {
        self.ask(|reply| Request::Join { from, scrollback, reply }).await
    }

    pub async fn events(&self, since: u64, limit: usize) -> Result<EventPage, SessionError> {
        self.ask(|reply| Request::Events { since, limit, reply }).await
    }

    /// Types. Returns when the terminal has taken every byte, with their number.
    pub async fn input(&self, input: Input) -> Result<usize, SessionError> {
        self.ask(|reply| Request::Input { input, reply }).await?
    }

    pub async fn resize(&self, size: Size) -> Result<(), SessionError> {
        self.ask(|reply| Request::Resize { size, reply }).await?
    }

    pub async fn signal(&self, signal: Signal, target: Target) -> Result<(), SessionError> {
        self.ask(|reply| Request::Signal { signal, target, reply }).await?
    }

    /// Takes the right to type, and says for how long.
    pub async fn acquire(&self, id: LeaseId, holder: String, take_over: bool) -> Result<Duration, SessionError> {
        self.ask(|reply| Request::Acquire { id, holder, take_over, reply }).await?
    }

    /// Gives it back. False if `id` did not have it.
    pub async fn release(&self, id: LeaseId) -> Result<bool, SessionError> {
        self.ask(|reply| Request::Release { id, reply }).await
    }

    /// Begins to end the program. Asked again, kills it at once.
    pub async fn shutdown(&self, reason: &str) -> Result<(), SessionError> {
        let reason = reason.to_owned();
        self.ask(|reply| Request::Shutdown { reason, reply }).await
    }

    /// Ends the program and starts it again, as `change` says. Returns when it has been started; nobody is told of an exit.
    pub async fn restart(&self, change: Change) -> Result<Restarted, SessionError> {
        self.ask(|reply| Request::Restart { change, reply }).await?
    }

    /// Waits until a program that was gone has been started again.
    pub async fn started_again(&self) -> Result<(), SessionError> {
        let mut exit = self.exit.clone();
        let started = exit.wait_for(Option::is_none).await.map(drop);
        started.map_err(|_| SessionError::Closed)
    }

    /// Waits until the program is gone and all its output has been read.
    pub async fn exited(&self) -> Result<Exit, SessionError> {
        let mut exit = self.exit.clone();
        let exit = *exit.wait_for(Option::is_some).await.map_err(|_| SessionError::Closed)?;
        exit.ok_or(SessionError::Closed)
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, SessionError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| SessionError::Closed)?;
        answer.await.map_err(|_| SessionError::Closed)
    }
}
