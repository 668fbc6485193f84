//! What a line of `-p … --output-format stream-json` says.

use coop_core::agent::Fact;
use serde_json::Value;

use super::failure::failure;
use super::log::parse;
use crate::heard::Heard;
use crate::json::{flag, owned, text};
use crate::time::rfc3339_ms;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// What was said since the last tool.
    said: String,
}

impl Memory {
    pub(super) fn hear(&mut self, line: &str) -> Heard {
        let Some(value) = parse(line) else {
            return Heard::nothing();
        };
        let facts = self.facts(&value);
        let at_ms = text(&value, "timestamp").and_then(rfc3339_ms);
        Heard { at_ms, facts, session_id: owned(&value, "session_id"), ..Heard::nothing() }
    }

    fn facts(&mut self, value: &Value) -> Vec<Fact> {
        match (text(value, "type"), text(value, "role")) {
            (Some("init"), _) => vec![Fact::SessionStarted {
                id: owned(value, "session_id"),
                cause: Some("startup".to_owned()),
                model: owned(value, "model"),
                log: None,
            }],
            (Some("message"), Some("user")) => vec![Fact::TurnStarted { text: owned(value, "content") }],
            (Some("message"), Some("assistant")) => {
                if !flag(value, "delta") {
                    self.said.clear();
                }
                self.said.push_str(text(value, "content").unwrap_or_default());
                vec![Fact::Noted { what: "the agent said something".to_owned() }]
            }
            (Some("tool_use"), _) => {
                self.said.clear();
                vec![Fact::ToolStarted {
                    id: owned(value, "tool_id"),
                    name: owned(value, "tool_name"),
                    input: value.get("parameters").cloned(),
                    agent: None,
                }]
            }
            (Some("tool_result"), _) => {
                vec![Fact::ToolFinished { id: owned(value, "tool_id"), name: None, agent: None }]
            }
            (Some("result"), _) => vec![self.result(value)],
            _ => Vec::new(),
        }
    }

    fn result(&mut self, value: &Value) -> Fact {
        let said = std::mem::take(&mut self.said);
        if text(value, "status") == Some("success") {
            return Fact::TurnEnded { last_message: Some(said).filter(|said| !said.is_empty()) };
        }
        let message = value.get("error").and_then(|error| text(error, "message")).unwrap_or_default();
        Fact::TurnFailed { failure: failure(message) }
    }
}
