//! What a source says. Drivers make it from bytes, the machine judges it.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::prompt::PromptContext;
use super::state::Failure;

/// Who says it, the most certain first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Hook,
    /// The agent's own server, which coop is a client of.
    Server,
    /// The agent's own word on its terminal (OSC 7501), or a shell's marks of its prompt (OSC 133).
    Report,
    /// The file in which the agent keeps the status of a running session.
    Registry,
    /// The file in which the agent keeps the conversation.
    Log,
    /// Structured lines on standard output.
    Stdout,
    /// That the process lives, and who has its terminal.
    Process,
    /// What is painted, the title included.
    Screen,
}

impl Source {
    pub const ALL: [Self; 8] =
        [Self::Hook, Self::Server, Self::Report, Self::Registry, Self::Log, Self::Stdout, Self::Process, Self::Screen];

    /// Those that tell of a dialog when it is up.
    pub(super) const ABOUT_PROMPTS: [Self; 4] = [Self::Hook, Self::Server, Self::Report, Self::Registry];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Server => "server",
            Self::Report => "report",
            Self::Registry => "registry",
            Self::Log => "log",
            Self::Stdout => "stdout",
            Self::Process => "process",
            Self::Screen => "screen",
        }
    }

    #[must_use]
    pub fn tier(self) -> u8 {
        match self {
            Self::Hook | Self::Server | Self::Report => 1,
            Self::Registry | Self::Log => 2,
            Self::Stdout => 3,
            Self::Process => 4,
            Self::Screen => 5,
        }
    }

    /// Whether it states facts; the others are guesses from how things look.
    #[must_use]
    pub fn is_structured(self) -> bool {
        self.tier() <= 3
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub source: Source,
    /// When it happened, as far as the source knows; not when it was heard.
    pub at: Instant,
    /// Which turn it belongs to, in the agent's own ids.
    pub turn: Option<String>,
    pub fact: Fact,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// A message was taken.
    TurnStarted {
        text: Option<String>,
    },
    ToolStarted {
        id: Option<String>,
        name: Option<String>,
        input: Option<Value>,
        agent: Option<String>,
    },
    ToolFinished {
        id: Option<String>,
        name: Option<String>,
        agent: Option<String>,
    },
    /// A dialog is on the screen now.
    PromptShown {
        context: PromptContext,
    },
    /// The dialog is gone and the turn goes on.
    PromptGone,
    TurnEnded {
        last_message: Option<String>,
    },
    TurnFailed {
        failure: Failure,
    },
    /// What the agent said, which may be the last of its turn. Says nothing about the state.
    Said {
        text: String,
    },
    /// The person stopped the turn.
    Interrupted,
    /// The person stopped a tool, and with it the turn: its end is told next.
    ToolStopped,
    /// A subagent ended; the turn goes on.
    SubagentEnded,
    SessionStarted {
        id: Option<String>,
        cause: Option<String>,
        model: Option<String>,
        log: Option<String>,
    },
    Compacting,
    Compacted,
    SessionEnded {
        cause: Option<String>,
    },
    ProcessExited,
    /// The process is being ended, and another one is to take its place.
    ProcessReplacing,
    /// Another process has taken its place. What was known of the one before is the past.
    ProcessStarted,
    /// There was to be another process, and it could not be started.
    ProcessFailed {
        why: String,
    },
    /// How it looks, as opposed to what happened.
    Looks(Look),
    /// Something that says nothing about the state, kept so that it can be explained.
    Noted {
        what: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    Idle,
    /// Idle, and it says that the person stopped it.
    Interrupted,
    Working,
    /// It says that it failed, in these words.
    Failed {
        detail: String,
    },
    /// Something is asked; `context` if it could be read.
    Dialog {
        context: Option<Box<PromptContext>>,
    },
    /// Like nothing that is known. What looked ready before that may not be any more.
    Unclear,
    /// No dialog is there any more; what is there instead, as far as it can be told.
    NoDialog {
        working: bool,
        interrupted: bool,
        /// It has been there, and nobody else would tell that it is gone.
        #[serde(default)]
        dismissed: bool,
    },
}

impl Fact {
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::TurnStarted { .. } => "turn started",
            Self::ToolStarted { .. } => "tool started",
            Self::ToolFinished { .. } => "tool finished",
            Self::PromptShown { .. } => "prompt shown",
            Self::PromptGone => "prompt gone",
            Self::TurnEnded { .. } => "turn ended",
            Self::TurnFailed { .. } => "turn failed",
            Self::Said { .. } => "said",
            Self::Interrupted => "interrupted",
            Self::ToolStopped => "tool stopped",
            Self::SubagentEnded => "subagent ended",
            Self::SessionStarted { .. } => "session started",
            Self::Compacting => "compacting",
            Self::Compacted => "compacted",
            Self::SessionEnded { .. } => "session ended",
            Self::ProcessExited => "process exited",
            Self::ProcessReplacing => "process being replaced",
            Self::ProcessStarted => "process started",
            Self::ProcessFailed { .. } => "process not started",
            Self::Looks(Look::Idle) => "looks idle",
            Self::Looks(Look::Interrupted) => "looks interrupted",
            Self::Looks(Look::Working) => "looks working",
            Self::Looks(Look::Failed { .. }) => "looks failed",
            Self::Looks(Look::Dialog { .. }) => "looks like a dialog",
            Self::Looks(Look::Unclear) => "looks unclear",
            Self::Looks(Look::NoDialog { .. }) => "dialog gone",
            Self::Noted { .. } => "noted",
        }
    }

    #[must_use]
    pub fn looks_idle(&self) -> bool {
        matches!(self, Self::Looks(Look::Idle | Look::Interrupted))
    }

    /// Whether it says the same as `other` did, be it in other words.
    #[must_use]
    pub fn repeats(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Looks(Look::Dialog { .. }), Self::Looks(Look::Dialog { .. })) => true,
            _ => self == other,
        }
    }

    /// Whether it says that something happened, as opposed to how it looks.
    #[must_use]
    pub fn is_edge(&self) -> bool {
        !matches!(self, Self::Looks(_) | Self::Said { .. } | Self::Noted { .. })
    }
}
