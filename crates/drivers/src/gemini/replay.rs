//! The history that is written once more.
//!
//! When a request is cancelled, the agent appends all messages again, with new ids and one time, and then sets the list
//! of messages. The first of them begins with its words about the session, which no message of a person does.

use serde_json::Value;

use crate::json::{list, text};
use crate::time::rfc3339_ms;

/// What the agent puts before the first message.
const CONTEXT: &str = "<session_context>";
/// What hooks had to add, in a message of its own or beside that of the person.
const OF_HOOKS: &str = "<hook_context>";

/// All of it is written at once.
const AT_ONCE_MS: u64 = 1000;

#[derive(Debug, Default)]
pub(super) struct Replay {
    /// When it began, in milliseconds since 1970.
    since: Option<u64>,
}

impl Replay {
    /// Whether this line only repeats what was written before.
    pub(super) fn repeats(&mut self, value: &Value) -> bool {
        if value.get("$set").is_some_and(|set| set.get("messages").is_some()) {
            self.since = None;
            return false;
        }
        let Some(at) = text(value, "timestamp").and_then(rfc3339_ms) else {
            return false;
        };
        if list(value, "content").iter().filter_map(|part| text(part, "text")).any(|text| text.starts_with(CONTEXT)) {
            self.since = Some(at);
        }
        self.since.take_if(|since| at.saturating_sub(*since) > AT_ONCE_MS);
        self.since.is_some() && matches!(text(value, "type"), Some("user" | "gemini"))
    }
}

fn is_context(text: &str) -> bool {
    text.starts_with(CONTEXT) || text.starts_with(OF_HOOKS)
}

/// The words of a message: a text, or all of its parts that are text.
pub(super) fn said(value: &Value) -> Option<String> {
    if let Some(text) = text(value, "content") {
        return (!text.trim().is_empty()).then(|| text.to_owned());
    }
    let texts: Vec<&str> =
        list(value, "content").iter().filter_map(|part| text(part, "text")).filter(|text| !is_context(text)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
