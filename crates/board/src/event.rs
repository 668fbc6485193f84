//! What can happen to a board, and what a board can have done: the only words between it and the world.

use coop_api::hub::{Answered, NewSession, Prompt, SearchHit, Session, Settled};
use coop_api::v1::{CellLine, ConversationEntry, RespondRequest};
use crossterm::event::{KeyEvent, MouseEvent};

use crate::model::Remembered;

#[derive(Clone, Debug)]
pub enum Event {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Paste(String),
    Resize(u16, u16),
    /// Whether the person's window is the one they type in.
    Focus(bool),
    Hub(FromHub),
    Reply(Reply),
    /// A text on the screen is out of date, or something was to happen now.
    Time,
}

#[derive(Clone, Debug)]
pub enum FromHub {
    /// All there is, after the first connection or after something was missed.
    All {
        sessions: Vec<Session>,
        prompts: Vec<Prompt>,
    },
    Away(String),
    Session(Box<Session>),
    Forgotten(u64),
    Asked(Box<Prompt>),
    Settled(Box<Settled>),
}

/// How something ended that was asked for. What went wrong is a sentence for people.
#[derive(Clone, Debug)]
pub enum Reply {
    Answered {
        prompt: u64,
        result: Result<Answered, String>,
    },
    /// Anything that is only told when it fails, or with what is said here.
    Done(Result<String, String>),
    Started(Result<Box<Session>, String>),
    Screen {
        session: u64,
        rows: Vec<CellLine>,
    },
    ScreenFailed {
        session: u64,
        why: String,
    },
    Conversation {
        session: u64,
        /// Where it goes on from.
        after: u64,
        result: Result<Said, String>,
    },
    Found(Result<Vec<SearchHit>, String>),
    /// The person's own editor has ended; the text, or why there is none.
    Written {
        prompt: u64,
        result: Result<String, String>,
    },
}

/// A part of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    pub entries: Vec<ConversationEntry>,
    /// Where it goes on.
    pub next: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Quit,
    /// Everything is painted anew.
    Redraw,
    Remember(Remembered),
    Seen(u64),
    Answer {
        prompt: u64,
        answer: RespondRequest,
    },
    Nudge {
        session: u64,
        message: String,
    },
    Interrupt(u64),
    End(u64),
    Resume(u64),
    Start(NewSession),
    /// The live screen of a session, until [`Effect::Unpeek`].
    Peek(u64),
    Unpeek,
    /// What was said since this line.
    Conversation {
        session: u64,
        after: u64,
    },
    /// The session gets the terminal until the person leaves it.
    Attach {
        socket: String,
    },
    /// The person's own editor gets the terminal, with this text.
    Write {
        prompt: u64,
        text: String,
    },
    /// The tmux window that this process lives in.
    Jump {
        pid: u32,
    },
    Find(String),
    Notify {
        moment: Moment,
        title: String,
        text: String,
    },
}

/// What a person may want to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    Asks,
    Failed,
    Done,
    Ended,
}
