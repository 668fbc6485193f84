//! What the board knows, and where the person is in it. No clock, no terminal, no hub.

pub mod filter;
mod rows;

use std::collections::BTreeMap;

use coop_api::hub::{Prompt, SearchHit, Session};
use coop_api::v1::{CellLine, ConversationEntry, RespondRequest};
use serde::{Deserialize, Serialize};

use crate::editor::Editor;
use crate::form::Form;
use crate::keys::Place;
use crate::layout::{Areas, areas};

pub use rows::{Row, Urgency, urgency};

/// Of a conversation; more is for `coop conversation`.
pub const MOST_ENTRIES: usize = 1000;
/// Messages that are remembered.
const HISTORY: usize = 100;

#[derive(Clone, Debug)]
pub struct Model {
    pub size: (u16, u16),
    pub settings: Settings,
    pub link: Link,
    /// As the hub has them, with nothing in them that could move a cursor.
    pub sessions: BTreeMap<u64, Session>,
    pub prompts: BTreeMap<u64, Prompt>,
    /// What is on the list, in its order. Made by [`Model::arrange`].
    pub rows: Vec<Row>,
    pub(crate) stale: bool,
    pub selected: Option<u64>,
    /// The first row that is shown.
    pub top: usize,
    /// How far one session is scrolled.
    pub scroll: usize,
    pub lens: Lens,
    pub looked_for: String,
    pub focus: Focus,
    /// Answers that were given here and are not settled yet.
    pub sending: Vec<Sending>,
    pub notice: Option<Notice>,
    pub history: Vec<String>,
    /// Whether the person types into this window, as far as the terminal tells.
    pub watched: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub colour: bool,
    /// How long an answer that cannot be taken back waits before it is sent.
    pub undo_ms: u64,
    /// Where a new session would work.
    pub cwd: String,
    /// Whether the hub is on this machine.
    pub local: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { colour: true, undo_ms: 3000, cwd: "/".into(), local: true }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    Connecting,
    Online,
    /// Since when, and why.
    Away {
        since_ms: u64,
        why: String,
    },
}

/// What is shown of all there is. It is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lens {
    pub filter: String,
    pub group: Group,
    /// With those that have ended.
    pub ended: bool,
}

impl Default for Lens {
    fn default() -> Self {
        Self { filter: String::new(), group: Group::None, ended: true }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    #[default]
    None,
    Project,
    Host,
}

/// What is kept from one board to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    pub lens: Lens,
    /// Messages, the newest last.
    pub history: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Focus {
    List,
    /// The session that is selected.
    Look,
    Card(Card),
    Nudge {
        session: u64,
        editor: Editor,
        /** How far back in the history. */
        back: usize,
    },
    Line {
        of: LineOf,
        editor: Editor,
    },
    Peek(Peek),
    Talk(Talk),
    Start(StartForm),
    Confirm {
        what: Sure,
        session: u64,
    },
    Found {
        hits: Vec<SearchHit>,
        at: usize,
    },
    Help {
        back: Box<Focus>,
        scroll: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOf {
    Filter,
    Search,
    Find,
}

/// What needs a second thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sure {
    Interrupt,
    End,
}

/// A prompt that is being answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub prompt: u64,
    pub scroll: usize,
    pub form: Form,
    pub typing: Option<Typing>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Typing {
    pub editor: Editor,
    pub of: TypingOf,
}

/// What is typed on a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypingOf {
    /// Why it is denied.
    Reason,
    /// An answer to a question.
    Answer,
    /// What the tool is to be run with instead.
    Input,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Peek {
    pub session: u64,
    pub rows: Vec<CellLine>,
    /// Rows from the end.
    pub back: usize,
    pub why_not: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Talk {
    pub session: u64,
    /// The agent's own id of it.
    pub of: Option<String>,
    pub entries: Option<Result<Vec<ConversationEntry>, String>>,
    /// The line that it goes on with.
    pub next: u64,
    /// Lines from the end.
    pub back: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StartForm {
    pub agent: usize,
    pub cwd: Editor,
    pub args: Editor,
    pub at_args: bool,
}

/// What the hub can start.
pub const AGENTS: [&str; 3] = ["claude", "codex", "gemini"];

/// An answer on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Sending {
    pub prompt: u64,
    pub session: u64,
    /// In a word or two, for people.
    pub says: String,
    pub answer: RespondRequest,
    pub stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It can be taken back until then.
    Held { until_ms: u64 },
    /// The hub has not said yet that it is settled.
    Sent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    pub bad: bool,
    pub until_ms: u64,
}

impl Model {
    #[must_use]
    pub fn new(size: (u16, u16), settings: Settings, remembered: Remembered) -> Self {
        Self {
            size,
            settings,
            link: Link::Connecting,
            sessions: BTreeMap::new(),
            prompts: BTreeMap::new(),
            rows: Vec::new(),
            stale: true,
            selected: None,
            top: 0,
            scroll: 0,
            lens: remembered.lens,
            looked_for: String::new(),
            focus: Focus::List,
            sending: Vec::new(),
            notice: None,
            history: remembered.history,
            watched: false,
        }
    }

    /// Where the person is.
    #[must_use]
    pub fn place(&self) -> Place {
        match &self.focus {
            Focus::List => Place::List,
            Focus::Look => Place::Look,
            Focus::Card(card) => match &card.typing {
                Some(Typing { of: TypingOf::Answer, .. }) => Place::Other,
                Some(Typing { of: TypingOf::Reason, .. }) => Place::Words,
                Some(Typing { of: TypingOf::Input, .. }) => Place::Input,
                None => match self.prompts.get(&card.prompt).map(|prompt| prompt.kind.as_str()) {
                    Some("permission") => Place::Permission,
                    Some("plan") => Place::Plan,
                    Some("question") => Place::Question,
                    _ => Place::Setup,
                },
            },
            Focus::Nudge { .. } => Place::Nudge,
            Focus::Line { of: LineOf::Filter, .. } => Place::Filter,
            Focus::Line { of: LineOf::Search, .. } => Place::Search,
            Focus::Line { of: LineOf::Find, .. } => Place::Find,
            Focus::Peek(_) => Place::Peek,
            Focus::Talk(_) => Place::Talk,
            Focus::Start(_) => Place::Start,
            Focus::Confirm { .. } => Place::Confirm,
            Focus::Found { .. } => Place::Found,
            Focus::Help { .. } => Place::Help,
        }
    }

    #[must_use]
    pub fn areas(&self) -> Areas {
        areas(self.size, self.place())
    }

    #[must_use]
    pub fn current(&self) -> Option<&Session> {
        self.sessions.get(&self.selected?)
    }

    /// What a session asks, the oldest first.
    #[must_use]
    pub fn prompt_of(&self, session: u64) -> Option<&Prompt> {
        self.prompts.values().find(|prompt| prompt.session == session)
    }

    #[must_use]
    pub fn sending_of(&self, prompt: u64) -> Option<&Sending> {
        self.sending.iter().find(|sending| sending.prompt == prompt)
    }

    /// When something happens by itself, whether it is seen or not.
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        let held = self.sending.iter().filter_map(|sending| match sending.stage {
            // Without a hub there is nobody to send it to.
            Stage::Held { until_ms } if self.link == Link::Online => Some(until_ms),
            Stage::Held { .. } | Stage::Sent => None,
        });
        held.chain(self.notice.as_ref().map(|notice| notice.until_ms)).min()
    }

    #[must_use]
    pub fn remembered(&self) -> Remembered {
        let skip = self.history.len().saturating_sub(HISTORY);
        Remembered { lens: self.lens.clone(), history: self.history[skip..].to_vec() }
    }

    /// Puts the rows in order after changes.
    pub fn arrange(&mut self) {
        if self.stale {
            self.stale = false;
            self.rows = rows::rows(self.sessions.values(), &self.prompts, &self.lens);
            if self.selected.is_none_or(|id| !self.sessions.contains_key(&id)) {
                self.selected = None;
            }
        }
        if self.position().is_none() {
            self.selected = self.rows.iter().find_map(Row::session);
        }
        self.keep_in_sight();
    }

    /// Whether the rows are not in order yet.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// The row of the selected session.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        let selected = self.selected?;
        self.rows.iter().position(|row| row.session() == Some(selected))
    }

    fn keep_in_sight(&mut self) {
        let height = usize::from(self.areas().list.height);
        let most = self.rows.len().saturating_sub(height);
        self.top = self.top.min(most);
        let Some(at) = self.position().filter(|_| height > 0) else { return };
        // The heading of a group is seen with its first session.
        let from = if at > 0 && self.rows[at - 1].session().is_none() && height > 1 { at - 1 } else { at };
        self.top = self.top.min(from).max((at + 1).saturating_sub(height));
    }

    /// The sessions on the screen.
    pub fn seen(&self) -> impl Iterator<Item = &Session> {
        let height = usize::from(self.areas().list.height);
        let shown = self.rows.iter().skip(self.top).take(height).filter_map(Row::session);
        shown.chain(self.selected).filter_map(|id| self.sessions.get(&id))
    }
}

/// Whether a sidecar has its terminal.
#[must_use]
pub fn is_held(session: &Session) -> bool {
    matches!(session.control.as_str(), "owned" | "attached")
}
