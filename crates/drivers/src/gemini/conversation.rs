//! The conversation, from the lines of the chat log. A message that is written again adds only what is new in it.

use std::collections::VecDeque;

use coop_core::agent::conversation::{Entry, EntryKind, Usage};
use serde_json::Value;

use super::log::parse;
use super::replay::{Replay, said};
use crate::json::{list, owned, text};

/// A message is written again soon or never.
const MESSAGES: usize = 64;
const CANCELLED: &str = "Request cancelled.";

#[derive(Debug, Default)]
pub(super) struct Told {
    replay: Replay,
    messages: VecDeque<Message>,
}

/// What was told of a message.
#[derive(Debug, Default)]
struct Message {
    id: String,
    thoughts: usize,
    said: bool,
    tools: Vec<String>,
    usage: Usage,
}

impl Told {
    pub(super) fn read(&mut self, number: u64, line: &str) -> (Vec<Entry>, Usage) {
        let Some(value) = parse(line).filter(|value| !self.replay.repeats(value)) else {
            return (Vec::new(), Usage::default());
        };
        let (kinds, usage) = self.news(&value);
        let entry = |(kind, index)| Entry {
            line: number,
            index,
            id: owned(&value, "id"),
            timestamp: owned(&value, "timestamp"),
            agent: None,
            kind,
        };
        (kinds.into_iter().zip(0..).map(entry).collect(), usage)
    }

    fn news(&mut self, value: &Value) -> (Vec<EntryKind>, Usage) {
        let content = text(value, "content").unwrap_or_default();
        let kinds = match text(value, "type") {
            Some("gemini") => return self.message(value),
            // What tools came back with is part of the message that called them.
            Some("user") => said(value).map(|text| EntryKind::User { text }).into_iter().collect(),
            Some("error") => vec![EntryKind::Error { text: content.to_owned() }],
            Some("info") if content == CANCELLED => vec![EntryKind::Interrupted],
            _ => Vec::new(),
        };
        (kinds, Usage::default())
    }

    fn message(&mut self, value: &Value) -> (Vec<EntryKind>, Usage) {
        let known = self.known(text(value, "id").unwrap_or_default());
        let thoughts = list(value, "thoughts");
        let thought = |thought: &Value| {
            let parts = ["subject", "description"].map(|key| text(thought, key).unwrap_or_default());
            EntryKind::Thinking { text: parts.join("\n").trim().to_owned() }
        };
        let mut kinds: Vec<EntryKind> = thoughts.iter().skip(known.thoughts).map(thought).collect();
        known.thoughts = known.thoughts.max(thoughts.len());
        if let Some(text) = said(value).filter(|_| !known.said) {
            known.said = true;
            kinds.push(EntryKind::Assistant { text });
        }
        for call in list(value, "toolCalls") {
            let id = text(call, "id").unwrap_or_default();
            if !known.tools.iter().any(|known| known == id) {
                known.tools.push(id.to_owned());
                kinds.extend(tool(call));
            }
        }
        let now = usage(value.get("tokens").unwrap_or(&Value::Null));
        let more = Usage {
            input_tokens: now.input_tokens.saturating_sub(known.usage.input_tokens),
            output_tokens: now.output_tokens.saturating_sub(known.usage.output_tokens),
            cache_read_tokens: now.cache_read_tokens.saturating_sub(known.usage.cache_read_tokens),
            cache_write_tokens: 0,
        };
        known.usage += more;
        (kinds, more)
    }

    fn known(&mut self, id: &str) -> &mut Message {
        let place = self.messages.iter().position(|message| message.id == id).unwrap_or_else(|| {
            if self.messages.len() == MESSAGES {
                self.messages.pop_front();
            }
            self.messages.push_back(Message { id: id.to_owned(), ..Message::default() });
            self.messages.len() - 1
        });
        &mut self.messages[place]
    }
}

/// A call and what came of it: both are written when it is over.
fn tool(call: &Value) -> [EntryKind; 2] {
    let answer = list(call, "result").iter().find_map(|part| part.get("functionResponse")?.get("response"));
    let answer = answer.unwrap_or(&Value::Null);
    let told = ["output", "error"].iter().find_map(|key| owned(answer, key));
    [
        EntryKind::ToolCall {
            tool_id: owned(call, "id"),
            tool: owned(call, "name").unwrap_or_default(),
            input: call.get("args").cloned().unwrap_or_default(),
        },
        EntryKind::ToolResult {
            tool_id: owned(call, "id"),
            text: told.or_else(|| owned(call, "resultDisplay")).unwrap_or_default(),
            is_error: text(call, "status") != Some("success"),
        },
    ]
}

/// What was read from the cache is part of the input here; thoughts are put out too.
fn usage(tokens: &Value) -> Usage {
    let count = |key: &str| tokens.get(key).and_then(Value::as_u64).unwrap_or_default();
    Usage {
        input_tokens: count("input").saturating_sub(count("cached")).saturating_add(count("tool")),
        output_tokens: count("output").saturating_add(count("thoughts")),
        cache_read_tokens: count("cached"),
        cache_write_tokens: 0,
    }
}
