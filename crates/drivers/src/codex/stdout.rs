//! What a line of `codex exec --json` says.

use coop_core::agent::Fact;
use coop_core::agent::state::Failure;
use serde_json::{Value, json};

use super::tool::SHELL;
use crate::heard::Heard;
use crate::json::{owned, text};

/// The last thing the agent said in its turn.
#[derive(Debug, Default)]
pub(super) struct Memory {
    said: Option<String>,
}

impl Memory {
    pub(super) fn hear(&mut self, line: &str) -> Heard {
        let line = line.trim();
        let parsed = if line.starts_with('{') { serde_json::from_str::<Value>(line).ok() } else { None };
        let Some(value) = parsed else {
            return Heard::nothing();
        };
        let item = value.get("item").unwrap_or(&Value::Null);
        let fact = match text(&value, "type") {
            Some("thread.started") => Some(Fact::SessionStarted {
                id: owned(&value, "thread_id"),
                cause: Some("startup".to_owned()),
                model: None,
                log: None,
            }),
            Some("turn.started") => {
                self.said = None;
                Some(Fact::TurnStarted { text: None })
            }
            Some("item.started") => started(item),
            Some("item.completed") => self.completed(item),
            Some("turn.completed") => Some(Fact::TurnEnded { last_message: self.said.take() }),
            Some("turn.failed") => Some(Fact::TurnFailed { failure: failure(value.get("error")) }),
            // Of every attempt, also of one that is made again.
            Some("error") => Some(Fact::Noted { what: owned(&value, "message").unwrap_or_default() }),
            _ => None,
        };
        let session_id = owned(&value, "thread_id");
        Heard { facts: fact.into_iter().collect(), session_id, ..Heard::nothing() }
    }

    fn completed(&mut self, item: &Value) -> Option<Fact> {
        match text(item, "type")? {
            "agent_message" => {
                self.said = owned(item, "text");
                Some(Fact::Noted { what: "the agent said something".to_owned() })
            }
            "command_execution" | "file_change" | "mcp_tool_call" => {
                Some(Fact::ToolFinished { id: owned(item, "id"), name: None, agent: None })
            }
            _ => None,
        }
    }
}

fn started(item: &Value) -> Option<Fact> {
    let (name, input) = match text(item, "type")? {
        "command_execution" => (SHELL, json!({ "command": item.get("command") })),
        "file_change" => ("apply_patch", json!({ "changes": item.get("changes") })),
        "mcp_tool_call" => (text(item, "tool").unwrap_or("mcp"), item.get("arguments").cloned().unwrap_or_default()),
        _ => return None,
    };
    let (id, name) = (owned(item, "id"), Some(name.to_owned()));
    Some(Fact::ToolStarted { id, name, input: Some(input), agent: None })
}

fn failure(error: Option<&Value>) -> Failure {
    let detail = error.and_then(|error| owned(error, "message")).unwrap_or_default();
    Failure { kind: "unknown".to_owned(), detail, resume_at_ms: None }
}
