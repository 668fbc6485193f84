//! What a hook call says. Hooks name no turn and no tool call, so that calls are numbered here.

use std::path::Path;

use coop_core::agent::Fact;
use coop_core::agent::prompt::{PermissionPrompt, PromptContext};
use serde_json::{Value, json};

use super::tool::{self, PLAN};
use crate::heard::Heard;
use crate::json::{owned, text};
use crate::time::rfc3339_ms;

/// Tools that are remembered. A reply rarely starts more.
const STARTED: usize = 32;

#[derive(Debug, Default)]
pub(super) struct Memory {
    started: Vec<Started>,
    count: u64,
    /// It has told that it asks, and nothing since. It tells of all tools of a reply at once, and asks about one after the
    /// other: only the screen knows which.
    asked: bool,
}

#[derive(Debug)]
struct Started {
    id: String,
    name: String,
    input: Value,
}

impl Memory {
    pub(super) fn hear(&mut self, event: &str, payload: &Value) -> Heard {
        let fact = self.fact(event, payload);
        self.asked = matches!(fact, Fact::PromptShown { .. }) || self.asked && !ends_question(event);
        Heard {
            turn: None,
            at_ms: text(payload, "timestamp").and_then(rfc3339_ms),
            facts: vec![fact],
            session_id: owned(payload, "session_id"),
            transcript: owned(payload, "transcript_path").filter(|path| !path.is_empty()),
            title: None,
            model: None,
        }
    }

    fn fact(&mut self, event: &str, payload: &Value) -> Fact {
        match event {
            "SessionStart" => {
                self.started.clear();
                Fact::SessionStarted {
                    id: owned(payload, "session_id"),
                    cause: owned(payload, "source"),
                    model: None,
                    log: owned(payload, "transcript_path"),
                }
            }
            "BeforeAgent" => {
                self.started.clear();
                Fact::TurnStarted { text: owned(payload, "prompt") }
            }
            "BeforeTool" => self.begin(payload),
            "AfterTool" => self.end(payload),
            "Notification" if text(payload, "notification_type") == Some("ToolPermission") && !self.asked => {
                let details = payload.get("details").unwrap_or(&Value::Null);
                Fact::PromptShown { context: self.prompt(details, payload) }
            }
            // What it said is garbled here; the log has it.
            "AfterAgent" => Fact::TurnEnded { last_message: None },
            "SessionEnd" => Fact::SessionEnded { cause: owned(payload, "reason") },
            other => Fact::Noted { what: other.to_owned() },
        }
    }

    fn begin(&mut self, payload: &Value) -> Fact {
        let name = owned(payload, "tool_name").unwrap_or_default();
        let input = absolute_plan(payload);
        self.count += 1;
        let id = format!("{name}-{}", self.count);
        if self.started.len() == STARTED {
            self.started.remove(0);
        }
        self.started.push(Started { id: id.clone(), name: name.clone(), input: input.clone() });
        Fact::ToolStarted { id: Some(id), name: Some(name), input: Some(input), agent: None }
    }

    fn end(&mut self, payload: &Value) -> Fact {
        let name = text(payload, "tool_name").unwrap_or_default();
        let input = absolute_plan(payload);
        let exact = self.started.iter().position(|tool| tool.name == name && tool.input == input);
        // Another hook may have changed the input.
        let place = exact.or_else(|| self.started.iter().position(|tool| tool.name == name));
        let id = place.map(|place| self.started.remove(place).id);
        Fact::ToolFinished { id, name: Some(name.to_owned()), agent: None }
    }

    fn prompt(&self, details: &Value, payload: &Value) -> PromptContext {
        if self.started.len() > 1 {
            // The hooks of several tools run at the same time, so that the first to tell need not be the first to ask.
            return PromptContext::Permission(PermissionPrompt::default());
        }
        let of = |fits: &dyn Fn(&Started) -> bool| self.started.iter().find(|tool| fits(tool));
        let asked = match text(details, "type") {
            Some("exec") => of(&|tool| tool.input.get("command") == details.get("command")),
            Some("edit") => {
                let file = text(details, "fileName").unwrap_or_default();
                of(&|tool| text(&tool.input, "file_path").is_some_and(|path| path.ends_with(file)))
            }
            Some(name @ (tool::ASK | PLAN)) => of(&|tool| tool.name == name),
            // It does not say which: it can only be told where there is one.
            _ => self.started.first().filter(|_| self.started.len() == 1),
        };
        if let Some(own) = asked.and_then(|tool| tool::own_dialog(&tool.name, &tool.input, Some(&tool.id))) {
            return own;
        }
        PromptContext::Permission(PermissionPrompt {
            tool: asked.map(|tool| tool.name.clone()).or_else(|| tool_of(details)),
            input: asked.map(|tool| tool.input.clone()).or_else(|| input_of(details)),
            tool_id: asked.map(|tool| tool.id.clone()),
            message: owned(details, "title").or_else(|| owned(payload, "message")),
            ..PermissionPrompt::default()
        })
    }
}

/// Whether this comes only after what was asked has been answered.
fn ends_question(event: &str) -> bool {
    ["AfterTool", "BeforeAgent", "AfterAgent", "SessionStart"].contains(&event)
}

fn tool_of(details: &Value) -> Option<String> {
    match text(details, "type")? {
        "exec" => Some("run_shell_command".to_owned()),
        "mcp" => owned(details, "toolName"),
        _ => None,
    }
}

fn input_of(details: &Value) -> Option<Value> {
    match text(details, "type")? {
        "exec" => Some(json!({ "command": details.get("command")? })),
        "edit" => Some(json!({ "file_path": details.get("filePath")? })),
        _ => None,
    }
}

/// The input, in which the file of a plan is named from the root on: it is told as seen from the folder it works in.
fn absolute_plan(payload: &Value) -> Value {
    let mut input = payload.get("tool_input").cloned().unwrap_or_default();
    let path = text(&input, "plan_path").zip(text(payload, "cwd")).map(|(path, cwd)| Path::new(cwd).join(path));
    if let Some(path) = path {
        input["plan_path"] = json!(path.to_string_lossy());
    }
    input
}
