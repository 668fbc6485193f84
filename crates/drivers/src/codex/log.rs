//! What a line of the rollout says about the state.
//!
//! A turn begins with `task_started`, says what it was told in an item `UserMessage`, and ends with `task_complete` or
//! `turn_aborted`. One whose last item is a `Plan` ends too, and then asks about it. That something is asked for
//! permission is not in it.

use coop_core::agent::Fact;
use coop_core::agent::prompt::{PlanPrompt, PromptContext};
use serde_json::{Value, json};

use super::{failure, tool};
use crate::heard::{Heard, LogHead};
use crate::json::{list, owned, text};
use crate::time::rfc3339_ms;

const PREFIX: &str = "rollout-";
const SUFFIX: &str = ".jsonl";
/// A UUID in text.
const ID: usize = 36;

/// What a line needs of those before it.
#[derive(Debug, Default)]
pub(super) struct Memory {
    session: Option<String>,
    turn: Option<String>,
    /// The plan that this turn has proposed: its id and text.
    plan: Option<(Option<String>, String)>,
    resets_at_ms: Option<u64>,
}

/// `rollout-2026-11-15T10-06-51-<id>.jsonl`.
pub(super) fn id(name: &str) -> Option<String> {
    let stem = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let id = stem.get(stem.len().checked_sub(ID)?..)?;
    let shaped = id.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    shaped.then(|| id.to_owned())
}

pub(super) fn head(line: &str) -> Option<LogHead> {
    let value: Value = serde_json::from_str(line).ok()?;
    let meta = value.get("payload").filter(|_| text(&value, "type") == Some("session_meta"))?;
    Some(LogHead {
        session_id: owned(meta, "id").or_else(|| owned(meta, "session_id"))?,
        cwd: owned(meta, "cwd"),
        started_ms: text(meta, "timestamp").and_then(rfc3339_ms),
        of_person: text(meta, "thread_source").is_none_or(|source| source == "user"),
    })
}

/// The object of a line, if it can matter and is whole.
pub(super) fn parse(line: &str) -> Option<Value> {
    let line = line.trim();
    let whole = line.starts_with('{') && line.ends_with('}');
    // The largest lines by far, and of no use here.
    let useless = line.get(..line.len().min(200)).is_some_and(|start| start.contains("\"world_state\""));
    if whole && !useless { serde_json::from_str(line).ok().filter(Value::is_object) } else { None }
}

impl Memory {
    pub(super) fn hear(&mut self, line: &str) -> Heard {
        let Some(value) = parse(line) else {
            return Heard::nothing();
        };
        let payload = value.get("payload").unwrap_or(&Value::Null);
        let turn = turn_of(payload).or_else(|| self.turn.clone());
        let facts = self.facts(text(&value, "type").unwrap_or_default(), payload);
        Heard {
            turn: turn.filter(|_| !facts.is_empty()),
            at_ms: text(&value, "timestamp").and_then(rfc3339_ms),
            facts,
            session_id: self.session.clone(),
            transcript: None,
            title: None,
            model: None,
        }
    }

    fn facts(&mut self, kind: &str, payload: &Value) -> Vec<Fact> {
        match (kind, text(payload, "type")) {
            ("session_meta", _) => {
                self.session = owned(payload, "id");
                Vec::new()
            }
            ("turn_context", _) => {
                vec![Fact::SessionStarted { id: None, cause: None, model: owned(payload, "model"), log: None }]
            }
            ("compacted", _) => vec![Fact::Compacted],
            ("response_item", Some("function_call" | "custom_tool_call")) => {
                tool::started(payload).into_iter().collect()
            }
            ("response_item", Some("function_call_output" | "custom_tool_call_output")) => vec![finished(payload)],
            ("event_msg", Some(kind)) => self.event(kind, payload).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn event(&mut self, kind: &str, payload: &Value) -> Option<Fact> {
        match kind {
            "task_started" => {
                self.turn = owned(payload, "turn_id");
                self.plan = None;
                Some(Fact::TurnStarted { text: None })
            }
            "item_completed" => self.item(payload.get("item")?),
            "task_complete" => Some(self.end(payload)),
            "turn_aborted" => {
                self.plan = None;
                Some(match text(payload, "reason") {
                    Some("interrupted") | None => Fact::Interrupted,
                    Some(reason) => Fact::Noted { what: format!("turn aborted: {reason}") },
                })
            }
            "token_count" => {
                self.resets_at_ms = payload.get("rate_limits").and_then(failure::resets_at_ms);
                None
            }
            _ => None,
        }
    }

    fn item(&mut self, item: &Value) -> Option<Fact> {
        match text(item, "type")? {
            "UserMessage" => Some(Fact::TurnStarted { text: Some(said(item)) }),
            "Plan" => {
                self.plan = Some((owned(item, "id"), owned(item, "text").unwrap_or_default()));
                Some(Fact::Noted { what: "the agent has proposed a plan".to_owned() })
            }
            "AgentMessage" => Some(Fact::Noted { what: "the agent said something".to_owned() }),
            _ => None,
        }
    }

    fn end(&mut self, payload: &Value) -> Fact {
        if let Some(error) = payload.get("error").filter(|error| !error.is_null()) {
            return Fact::TurnFailed { failure: failure::failure(error, self.resets_at_ms) };
        }
        match self.plan.take() {
            Some((tool_id, plan)) => Fact::PromptShown {
                context: PromptContext::Plan(PlanPrompt {
                    input: Some(json!({ "plan": plan })),
                    plan: Some(plan),
                    tool_id,
                    ..PlanPrompt::default()
                }),
            },
            None => Fact::TurnEnded { last_message: owned(payload, "last_agent_message") },
        }
    }
}

fn finished(payload: &Value) -> Fact {
    if tool::is_aborted(&tool::output(payload)) {
        return Fact::ToolStopped;
    }
    Fact::ToolFinished { id: owned(payload, "call_id"), name: None, agent: None }
}

fn turn_of(payload: &Value) -> Option<String> {
    let within = || owned(payload.get("internal_chat_message_metadata_passthrough")?, "turn_id");
    owned(payload, "turn_id").or_else(within)
}

/// The words of an item.
pub(super) fn said(item: &Value) -> String {
    list(item, "content").iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n")
}
