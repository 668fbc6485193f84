//! What everybody may know: the agents, what they ask, and what has happened.

use std::borrow::Cow;
use std::sync::Arc;

use coop_core::agent::prompt::PromptContext;
use coop_core::agent::respond::{Respond, Scope};
use coop_core::fleet::{Entry, EntryId};
use coop_core::permission::broker::{Outcome, RequestId};
use serde_json::Value;

/// Replaced whole, so that nobody sees half of a change.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Who needs a person first.
    pub sessions: Arc<Vec<Arc<Entry>>>,
    /// Everything that waits for an answer, oldest first.
    pub prompts: Vec<Arc<Card>>,
    /// Number of the newest event.
    pub seq: u64,
    /// Events count within it. It lasts as long as the ledger does, or as the hub where there is none.
    pub generation: u64,
}

/// What an agent asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub id: RequestId,
    pub session: EntryId,
    /// The agent's own id of the conversation.
    pub conversation: String,
    pub cwd: String,
    pub tool: String,
    pub input: Value,
    pub tool_use_id: Option<String>,
    pub context: PromptContext,
    /// Digest of what is asked.
    pub digest: String,
    pub asked_ms: u64,
    /// When it is left to the terminal.
    pub expires_ms: u64,
    /// What would be remembered if it were answered for the whole session.
    pub suggestion: Option<String>,
    /// How it is answered: `hook` or `sidecar`.
    pub via: &'static str,
    /// Whether the agent takes another input with the answer.
    pub editable: bool,
    pub choices: Vec<Choice>,
}

/// One of the answers that can be given by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub key: &'static str,
    pub label: String,
    pub description: Option<String>,
}

/// What a permission can be answered with where no dialog has said what it offers.
const CHOICES: [(&str, &str, bool, Scope); 5] = [
    ("allow_once", "Allow once", true, Scope::Once),
    ("allow_session", "Allow for this session", true, Scope::Session),
    ("allow_path", "Allow in this project", true, Scope::Path),
    ("deny", "Deny", false, Scope::Once),
    ("deny_session", "Deny for this session", false, Scope::Session),
];

impl Card {
    /// What can be chosen, in the order it is counted in.
    pub(crate) fn choices(context: &PromptContext, remembers: bool) -> Vec<Choice> {
        let plain = |key, label: &str| Choice { key, label: label.to_owned(), description: None };
        let shown = |choice: &coop_core::agent::prompt::Choice| Choice {
            key: "option",
            label: choice.label.clone(),
            description: choice.description.clone(),
        };
        match context {
            _ if !context.options().is_empty() => context.options().iter().map(shown).collect(),
            PromptContext::Permission(_) => {
                let offered = CHOICES.iter().filter(|(.., scope)| remembers || *scope == Scope::Once);
                offered.map(|(key, label, ..)| plain(key, label)).collect()
            }
            PromptContext::Plan(_) => vec![plain("allow_once", "Approve"), plain("deny", "Reject")],
            PromptContext::Question(_) | PromptContext::Setup(_) => Vec::new(),
        }
    }

    /// An option of ours, which no dialog has, as what it means.
    pub(crate) fn resolve(&self, mut respond: Respond) -> Respond {
        let chosen = respond.option.and_then(|number| self.choices.get(usize::try_from(number).ok()?.checked_sub(1)?));
        let own = chosen.and_then(|choice| CHOICES.iter().find(|(key, ..)| *key == choice.key));
        if let Some((_, _, accept, scope)) = own {
            (respond.option, respond.accept, respond.scope) = (None, Some(*accept), *scope);
        }
        respond
    }
}

/// How a request ended, for the history.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    pub id: RequestId,
    pub session: EntryId,
    pub conversation: String,
    pub cwd: String,
    pub kind: String,
    pub tool: String,
    pub input: Value,
    /// What it was allowed with instead.
    pub updated_input: Option<Value>,
    pub tool_use_id: Option<String>,
    pub asked_ms: u64,
    pub ended_ms: u64,
    /// `allow`, `deny`, `answer`, `terminal`, `expired`, `gone`, `too many requests` or `hub ended`.
    pub outcome: String,
    /// Who decided: a client, `rule`, `session memory`, `terminal`.
    pub by: String,
    /// Where they did: `socket`, `tcp`, `rpc`…
    pub from: Option<String>,
    /// In their own words.
    pub text: Option<String>,
    /// What the session remembers of it.
    pub remembered: Option<String>,
}

/// The outcome in one word.
pub(crate) fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answered(respond) => match respond.accept {
            Some(true) => "allow",
            Some(false) => "deny",
            None => "answer",
        },
        Outcome::Judged { say, .. } => say.name(),
        Outcome::Abstained(why) => why.name(),
    }
}

#[derive(Clone, Debug)]
pub enum HubEvent {
    /// It is new, or something about it has changed.
    Session(Arc<Entry>),
    State {
        session: Arc<Entry>,
        prev: &'static str,
    },
    Forgotten(EntryId),
    Asked(Arc<Card>),
    Settled(Arc<Settled>),
    /// Standing rules were added or removed.
    Rules,
    /// What an earlier hub told, as it told it.
    Earlier {
        name: String,
        data: Value,
    },
}

/// An event as everybody is told of it: its name, and what it says.
pub type Render = fn(&HubEvent) -> (Cow<'static, str>, Value);
