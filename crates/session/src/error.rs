//! Why a session did not do what it was asked.

use std::time::Duration;

use coop_core::lease::Busy;
use coop_core::status::Exit;
use coop_terminal::log::ReadError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    #[error("the program has exited")]
    Exited { exit: Option<Exit> },
    #[error("somebody else is typing: {holder} keeps the right to for another {}", seconds(*remaining))]
    WriterBusy { holder: String, remaining: Duration },
    /// The child does not read; what it has not taken is dropped and will not arrive later.
    #[error("the program stopped reading its input after {written} of {total} bytes")]
    InputStalled { written: usize, total: usize },
    #[error("{waiting} bytes of input are already waiting for the program to read them")]
    InputFull { waiting: usize },
    /// The kernel drops what exceeds this, silently.
    #[error("the program reads line by line, and a line of {len} bytes would be cut off at {max}")]
    LineTooLong { len: usize, max: usize },
    #[error(transparent)]
    Output(#[from] ReadError),
    #[error("the terminal refused: {0}")]
    Terminal(String),
    /// Nothing is known about the program inside.
    #[error("there is no driver for this program")]
    NoDriver,
    #[error("the agent is {state}{}", why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    AgentBusy { state: String, why: Option<String> },
    #[error("{}", no_prompt(prompt.as_deref(), answered_by.as_deref()))]
    NoPrompt { prompt: Option<String>, answered_by: Option<String> },
    #[error("somebody has typed something into the agent's input box: {draft:?}")]
    DraftPresent { draft: String },
    /// The answer or message does not fit.
    #[error("{0}")]
    BadAnswer(String),
    #[error("there is no transcript {0}")]
    NoTranscript(u64),
    /// Another child takes the place of the one there was.
    #[error("the program is being restarted")]
    Restarting,
    #[error("the session is being ended")]
    Stopping,
    /// Nothing was ended for it.
    #[error("{0}")]
    BadRestart(String),
    #[error("the program could not be started again: {0}")]
    NotStarted(String),
    /// The terminal is somebody else's.
    #[error("the program was there before coop, which cannot {what}")]
    Unsupported { what: &'static str, instead: &'static str },
    /// The session's thread is gone.
    #[error("the session has ended")]
    Closed,
}

impl From<Busy> for SessionError {
    fn from(busy: Busy) -> Self {
        Self::WriterBusy { holder: busy.holder, remaining: busy.remaining }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{} s", duration.as_secs() + u64::from(duration.subsec_nanos() > 0))
}

fn no_prompt(prompt: Option<&str>, answered_by: Option<&str>) -> String {
    match (prompt, answered_by) {
        (Some(prompt), Some(by)) => format!("prompt {prompt} was answered by {by}"),
        (Some(prompt), None) => format!("prompt {prompt} is not pending"),
        (None, _) => "the agent asks nothing".into(),
    }
}
