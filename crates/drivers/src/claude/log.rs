//! What a line of the session log says about the state.
//!
//! Only `user` and `assistant` lines carry state, and two `system` lines end a turn: `stop_hook_summary` where no hook
//! had anything to say, and `turn_duration`, which is written in any case. An assistant line never ends one, though it
//! may have `end_turn`: the thoughts of a message have it before its text is written, and a hook may still refuse the
//! stop. `turn_duration` also follows an error or an interrupt, and then says nothing new. The first turn of a log may be
//! written after the line that ends it (2.1.197): the order of lines is not the order in which things happened.

use coop_core::agent::Fact;
use coop_core::agent::state::Failure;
use serde_json::Value;

use crate::heard::Heard;
use crate::json::{flag, list, owned, text};
use crate::time::rfc3339_ms;

/// What a user line begins with when it is no message to the agent.
const NOT_SAID: [&str; 4] = ["<command-", "<local-command-", "<bash-", "Caveat: The messages below were generated"];
const REFUSED: &str = "STOP what you are doing and wait for the user";
const INTERRUPTED: &str = "[Request interrupted by user";
/// Every line that matters has one of these; the others need not be parsed.
const KINDS: [&str; 6] = ["user", "assistant", "system", "ai-title", "custom-title", "summary"];

/// What a line needs of those before it.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The turn of the last user line; assistant lines do not name theirs.
    turn: Option<String>,
    /// A turn runs that has not ended, failed or been interrupted.
    open: bool,
    /// The last thing the agent said in it.
    said: Option<String>,
    /// The last turn has ended, and no `turn_duration` has followed yet.
    closed: bool,
    /// The time of a `turn_duration` that no turn was known for: those that are written later and began before it are over.
    ended_ms: Option<u64>,
}

/// The object of a line, if it can matter and is whole.
pub(super) fn parse(line: &str) -> Option<Value> {
    let line = line.trim();
    let whole = line.starts_with('{') && line.ends_with('}');
    let matters = || KINDS.iter().any(|kind| line.contains(&format!("\"{kind}\"")));
    if whole && matters() { serde_json::from_str(line).ok().filter(Value::is_object) } else { None }
}

impl Memory {
    pub(super) fn hear(&mut self, line: &str) -> Heard {
        let Some(value) = parse(line) else {
            return Heard::nothing();
        };
        let was_open = self.open;
        let at_ms = text(&value, "timestamp").and_then(rfc3339_ms);
        let mut facts = self.facts(&value);
        let over_ms = self.ended_ms.filter(|ended| at_ms.is_some_and(|at| at <= *ended) && is_last(&value));
        if over_ms.is_some() {
            facts.extend(self.end());
        }
        // A line outside a turn may be one of the next, written before the message that begins it (2.1.197).
        let turn = || self.turn.clone().filter(|_| was_open);
        Heard {
            turn: owned(&value, "promptId").or_else(turn).filter(|_| !facts.is_empty()),
            at_ms: over_ms.or(at_ms),
            facts,
            session_id: owned(&value, "sessionId"),
            transcript: None,
            title: ["aiTitle", "customTitle", "summary"].iter().find_map(|key| owned(&value, key)),
            model: model(&value),
        }
    }

    pub(super) fn facts(&mut self, value: &Value) -> Vec<Fact> {
        match text(value, "type") {
            Some("user") if !flag(value, "isMeta") && !flag(value, "isCompactSummary") => self.user(value),
            Some("assistant") => self.assistant(value),
            Some("system") if !flag(value, "isSidechain") => self.system(value),
            _ => Vec::new(),
        }
    }

    fn user(&mut self, value: &Value) -> Vec<Fact> {
        let content = value.get("message").and_then(|message| message.get("content"));
        let agent = subagent(value);
        // Refused without a word, which ends the turn: the line that says so comes a little later.
        if agent.is_none() && blocks(content, "tool_result").any(is_refused) {
            self.close();
            return vec![Fact::Interrupted];
        }
        let results = blocks(content, "tool_result").map(|block| Fact::ToolFinished {
            id: owned(block, "tool_use_id"),
            name: None,
            agent: agent.clone(),
        });
        let mut facts: Vec<Fact> = results.collect();
        if agent.is_none() {
            facts.extend(said(content).and_then(|said| self.message(value, said)));
        }
        facts
    }

    /// What the person said, or the note that they stopped the turn.
    fn message(&mut self, value: &Value, said: String) -> Option<Fact> {
        if said.starts_with(INTERRUPTED) {
            self.close();
            return Some(Fact::Interrupted);
        }
        if NOT_SAID.iter().any(|start| said.starts_with(start)) {
            return None;
        }
        self.turn = owned(value, "promptId");
        self.open = true;
        Some(Fact::TurnStarted { text: Some(said) })
    }

    fn assistant(&mut self, value: &Value) -> Vec<Fact> {
        let content = value.get("message").and_then(|message| message.get("content"));
        let agent = subagent(value);
        if agent.is_none() && flag(value, "isApiErrorMessage") {
            self.close();
            return vec![Fact::TurnFailed { failure: failure(value, &said(content).unwrap_or_default()) }];
        }
        let tools: Vec<Fact> = blocks(content, "tool_use")
            .map(|block| Fact::ToolStarted {
                id: owned(block, "id"),
                name: owned(block, "name"),
                input: block.get("input").cloned(),
                agent: agent.clone(),
            })
            .collect();
        if agent.is_none() {
            // A shell command of the person (`!ls`) is answered too, without a message that begins the turn.
            if !std::mem::replace(&mut self.open, true) {
                self.turn = None;
            }
            self.said = said(content).or_else(|| self.said.take());
        }
        if tools.is_empty() { vec![Fact::Noted { what: "the agent said something".to_owned() }] } else { tools }
    }

    fn system(&mut self, value: &Value) -> Vec<Fact> {
        match text(value, "subtype") {
            Some("compact_boundary") => vec![Fact::Compacted],
            Some("turn_duration") => {
                let known = self.open || self.closed;
                self.ended_ms = text(value, "timestamp").and_then(rfc3339_ms).filter(|_| !known);
                let facts = self.end();
                self.closed = false;
                facts
            }
            Some("stop_hook_summary") if nothing_refused(value) => self.end(),
            _ => Vec::new(),
        }
    }

    fn close(&mut self) {
        self.open = false;
        self.closed = true;
        self.said = None;
    }

    fn end(&mut self) -> Vec<Fact> {
        if std::mem::take(&mut self.open) {
            self.closed = true;
            vec![Fact::TurnEnded { last_message: self.said.take() }]
        } else {
            Vec::new()
        }
    }
}

/// Whether the agent says in this line that it needs nothing more: the last one of a turn, unless a hook keeps it going.
fn is_last(value: &Value) -> bool {
    let reason = value.get("message").and_then(|message| text(message, "stop_reason"));
    text(value, "type") == Some("assistant")
        && subagent(value).is_none()
        && reason.is_some_and(|reason| reason != "tool_use")
}

/// What is no model speaks in brackets: errors of the agent's own, for one.
fn model(value: &Value) -> Option<String> {
    let main = !flag(value, "isSidechain");
    let model = value.get("message").filter(|_| main).and_then(|message| owned(message, "model"));
    model.filter(|model| !model.starts_with('<'))
}

fn nothing_refused(value: &Value) -> bool {
    !flag(value, "preventedContinuation") && !flag(value, "hasOutput") && list(value, "hookErrors").is_empty()
}

/// Set when a subagent wrote the line.
fn subagent(value: &Value) -> Option<String> {
    let id = || owned(value, "agentId").or_else(|| owned(value, "parent_tool_use_id"));
    if flag(value, "isSidechain") { Some(id().unwrap_or_default()) } else { owned(value, "parent_tool_use_id") }
}

fn failure(value: &Value, said: &str) -> Failure {
    let kind = text(value, "error").unwrap_or("unknown");
    let detail = owned(value, "errorDetails").unwrap_or_else(|| said.to_owned());
    let resume_at_ms = super::limit::lifts_at_ms(kind, &format!("{detail}\n{said}"));
    Failure { kind: kind.to_owned(), detail, resume_at_ms }
}

pub(super) fn blocks<'a>(content: Option<&'a Value>, kind: &'static str) -> impl Iterator<Item = &'a Value> {
    let blocks = content.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    blocks.iter().filter(move |block| text(block, "type") == Some(kind))
}

/// The words of a message: its text, or all of its blocks of text.
pub(super) fn said(content: Option<&Value>) -> Option<String> {
    if let Some(text) = content.and_then(Value::as_str) {
        return Some(text.to_owned());
    }
    let texts: Vec<&str> = blocks(content, "text").filter_map(|block| text(block, "text")).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What the model is told when the person says no and nothing else.
fn is_refused(block: &Value) -> bool {
    block.get("content").and_then(Value::as_str).is_some_and(|text| text.contains(REFUSED))
}
