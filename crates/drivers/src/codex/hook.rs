//! What a hook call says, where the user lets hooks run.

use std::collections::VecDeque;

use coop_core::agent::Fact;
use coop_core::agent::prompt::{PermissionPrompt, PromptContext};
use serde_json::Value;

use crate::heard::Heard;
use crate::json::{owned, text};
use crate::step::compact;

/// Tools that are remembered. A reply rarely starts more, and only one that still waits is asked about.
const STARTED: usize = 32;

/// Tools that began last: the hook that asks for a permission does not say for which call.
#[derive(Debug, Default)]
pub(super) struct Memory {
    started: VecDeque<(String, String)>,
}

impl Memory {
    pub(super) fn hear(&mut self, event: &str, payload: &Value) -> Heard {
        Heard {
            turn: owned(payload, "turn_id"),
            at_ms: None,
            facts: vec![self.fact(event, payload)],
            session_id: owned(payload, "session_id"),
            transcript: owned(payload, "transcript_path"),
            title: None,
            model: None,
        }
    }

    fn fact(&mut self, event: &str, payload: &Value) -> Fact {
        match event {
            "SessionStart" => Fact::SessionStarted {
                id: owned(payload, "session_id"),
                cause: owned(payload, "source"),
                model: owned(payload, "model"),
                log: owned(payload, "transcript_path"),
            },
            "UserPromptSubmit" => Fact::TurnStarted { text: owned(payload, "prompt") },
            "PreToolUse" => {
                self.remember(payload);
                Fact::ToolStarted {
                    id: owned(payload, "tool_use_id"),
                    name: owned(payload, "tool_name"),
                    input: payload.get("tool_input").cloned(),
                    agent: None,
                }
            }
            "PermissionRequest" => Fact::PromptShown { context: self.prompt(payload) },
            "PostToolUse" => {
                self.started.retain(|(id, _)| Some(id.as_str()) != text(payload, "tool_use_id"));
                Fact::ToolFinished { id: owned(payload, "tool_use_id"), name: owned(payload, "tool_name"), agent: None }
            }
            // Without a message it has proposed a plan, and will ask about it.
            "Stop" if text(payload, "last_assistant_message").is_some() => {
                Fact::TurnEnded { last_message: owned(payload, "last_assistant_message") }
            }
            "Interrupt" => Fact::Interrupted,
            "PreCompact" => Fact::Compacting,
            "PostCompact" => Fact::Compacted,
            "SessionEnd" => Fact::SessionEnded { cause: owned(payload, "reason") },
            other => Fact::Noted { what: other.to_owned() },
        }
    }

    fn remember(&mut self, payload: &Value) {
        if let Some(id) = owned(payload, "tool_use_id") {
            self.started.push_back((id, sign(payload)));
            if self.started.len() > STARTED {
                self.started.pop_front();
            }
        }
    }

    fn prompt(&self, payload: &Value) -> PromptContext {
        let sign = sign(payload);
        let id = self.started.iter().find(|(_, started)| *started == sign).map(|(id, _)| id.clone());
        PromptContext::Permission(PermissionPrompt {
            tool: owned(payload, "tool_name"),
            input: payload.get("tool_input").cloned(),
            tool_id: id,
            ..PermissionPrompt::default()
        })
    }
}

/// A call and what is asked about it have the same tool and command, but not the same input.
fn sign(payload: &Value) -> String {
    let command = payload.get("tool_input").and_then(|input| text(input, "command")).unwrap_or_default();
    format!("{} {}", text(payload, "tool_name").unwrap_or_default(), compact(command))
}
