//! What the agent says of itself on its terminal (OSC 7501).
//!
//! It says `working` and `idle` in passing while it starts, `idle` after `done` as soon as a key is pressed, `blocked`
//! once for several dialogs, and `done` while it asks about its plan.

use coop_core::agent::prompt::{PermissionPrompt, PromptContext, QuestionPrompt};
use coop_core::agent::state::Failure;
use coop_core::agent::{Fact, Look};

use super::tool::ASKS;
use crate::heard::Heard;

/// It asks.
pub(super) const BLOCKED: &str = "blocked";

#[derive(Debug, Default)]
pub(super) struct Memory {
    last: Option<String>,
}

impl Memory {
    pub(super) fn hear(&mut self, state: &str, kind: Option<&str>, message: Option<&str>) -> Heard {
        let last = self.last.replace(state.to_owned());
        let noted = |what: &str| Fact::Noted { what: what.to_owned() };
        let fact = match state {
            "working" => Fact::Looks(Look::Working),
            "idle" if last.as_deref() == Some("done") => noted("a key was pressed"),
            "idle" => Fact::Looks(Look::Idle),
            "done" => Fact::TurnEnded { last_message: None },
            BLOCKED => Fact::PromptShown { context: context(kind, message) },
            "error" => {
                let detail = message.unwrap_or_default().to_owned();
                Fact::TurnFailed { failure: Failure { kind: "unknown".to_owned(), detail, resume_at_ms: None } }
            }
            "clear" => Fact::SessionEnded { cause: None },
            other => noted(&format!("report {other}")),
        };
        Heard { facts: vec![fact], ..Heard::nothing() }
    }
}

/// As much of the prompt as one word tells. The log and the screen tell the rest.
fn context(kind: Option<&str>, message: Option<&str>) -> PromptContext {
    match kind {
        Some("question") => {
            PromptContext::Question(QuestionPrompt { tool: Some(ASKS.to_owned()), ..QuestionPrompt::default() })
        }
        _ => PromptContext::Permission(PermissionPrompt {
            message: message.map(str::to_owned),
            ..PermissionPrompt::default()
        }),
    }
}
