//! What a line of the chat log says about the state.
//!
//! A line is a message, or the same message once more with what has been added to it (its tools, when they are done).
//! What the model said never ends a turn: whether it also calls tools is not written until they have run.

use coop_core::agent::Fact;
use serde_json::Value;

use super::failure::failure;
use super::replay::{Replay, said};
use crate::heard::{Heard, LogHead};
use crate::json::{list, owned, text};
use crate::time::rfc3339_ms;

const CANCELLED: &str = "Request cancelled.";

/// What a line needs of those before it.
#[derive(Debug, Default)]
pub(super) struct Memory {
    replay: Replay,
    /// The id of the message that began the turn.
    turn: Option<String>,
}

/// The object of a line, if it is whole.
pub(super) fn parse(line: &str) -> Option<Value> {
    let line = line.trim();
    let whole = line.starts_with('{') && line.ends_with('}');
    if whole { serde_json::from_str(line).ok().filter(Value::is_object) } else { None }
}

impl Memory {
    pub(super) fn hear(&mut self, line: &str) -> Heard {
        let Some(value) = parse(line) else {
            return Heard::nothing();
        };
        if let Some(id) = owned(&value, "sessionId") {
            return Heard { session_id: Some(id), ..Heard::nothing() };
        }
        if self.replay.repeats(&value) {
            return Heard::nothing();
        }
        let facts = self.facts(&value);
        Heard {
            turn: self.turn.clone().filter(|_| !facts.is_empty()),
            at_ms: text(&value, "timestamp").and_then(rfc3339_ms),
            facts,
            title: value.get("$set").and_then(|set| owned(set, "summary")),
            model: owned(&value, "model").filter(|_| text(&value, "type") == Some("gemini")),
            ..Heard::nothing()
        }
    }

    fn facts(&mut self, value: &Value) -> Vec<Fact> {
        match text(value, "type") {
            Some("user") => self.user(value),
            Some("gemini") => match said(value) {
                Some(text) => vec![Fact::Said { text }],
                None => Vec::new(),
            },
            Some("info") if text(value, "content") == Some(CANCELLED) => vec![Fact::Interrupted],
            Some("error") => {
                let failure = failure(text(value, "content").unwrap_or_default());
                vec![Fact::TurnFailed { failure }]
            }
            _ => Vec::new(),
        }
    }

    fn user(&mut self, value: &Value) -> Vec<Fact> {
        let results = list(value, "content").iter().filter_map(|part| part.get("functionResponse"));
        let mut facts: Vec<Fact> = results
            .map(|result| Fact::ToolFinished { id: owned(result, "id"), name: owned(result, "name"), agent: None })
            .collect();
        if !facts.is_empty() {
            // Written when all tools of a reply are done: nothing is asked any more.
            facts.push(Fact::PromptGone);
            return facts;
        }
        let Some(text) = said(value) else {
            return Vec::new();
        };
        self.turn = owned(value, "id");
        vec![Fact::TurnStarted { text: Some(text) }]
    }
}

/// `session-2026-11-15T06-56-0a1b2c3d.jsonl` has the beginning of the id.
pub(super) fn id(name: &str) -> Option<String> {
    let stem = name.strip_prefix("session-")?.strip_suffix(".jsonl")?;
    let (_, id) = stem.rsplit_once('-')?;
    (!id.is_empty()).then(|| id.to_owned())
}

pub(super) fn head(line: &str) -> Option<LogHead> {
    let value = parse(line)?;
    Some(LogHead {
        session_id: owned(&value, "sessionId")?,
        cwd: None,
        started_ms: text(&value, "startTime").and_then(rfc3339_ms),
        of_person: text(&value, "kind").is_none_or(|kind| kind == "main"),
    })
}
