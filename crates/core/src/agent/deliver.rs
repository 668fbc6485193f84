//! A message to an agent: when it may go, and what proves that it arrived.

use std::time::Duration;

/// What is to be said, and how long to wait for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nudge {
    pub message: String,
    pub when: When,
    pub wait: WaitFor,
    pub timeout: Option<Duration>,
    /// The text is a command of the agent (`/clear`, `!ls`), and meant as one.
    pub command: bool,
    /// Replace what a person has half typed.
    pub replace_draft: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// Refused unless the agent is idle.
    #[default]
    IdleOnly,
    /// Waits in a queue until it is.
    Idle,
    /// Also while it works, if the agent takes messages then.
    Now,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitFor {
    #[default]
    Delivered,
    /// The end of the turn that it began.
    TurnEnd,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nudged {
    pub delivered: bool,
    pub receipt: Option<Receipt>,
    pub state_before: String,
    /// Number in the queue, if it was queued and nobody waits for it.
    pub queued: Option<u64>,
    /// Why it was not delivered, in words.
    pub reason: Option<String>,
    /// With [`WaitFor::TurnEnd`]: the state then, and what the agent said last.
    pub state_after: Option<String>,
    pub last_message: Option<String>,
}

/// The proof that a message arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub how: Proof,
    pub after: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    Hook,
    Log,
    Screen,
}

impl Proof {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Log => "log",
            Self::Screen => "screen",
        }
    }
}

/// White space folded, control characters gone: how a text looks after an agent has taken it.
#[must_use]
pub fn folded(text: &str) -> String {
    let visible = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control());
    let spaced: String = visible.collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}
