//! The conversation, from the lines of the session log.

use std::collections::VecDeque;

use coop_core::agent::conversation::{Entry, EntryKind, Usage};
use coop_core::agent::cost::{Priced, picodollars};
use serde_json::{Value, json};

use super::log::parse;
use crate::json::{flag, list, owned, text};

/// Lines of one message follow each other closely; subagents mix theirs in.
const MESSAGES: usize = 256;

/// What was counted of the last messages: each line of a message repeats its usage, a later one may have more.
#[derive(Debug, Default)]
pub(super) struct Counted(VecDeque<(String, Usage)>);

pub(super) fn read(counted: &mut Counted, number: u64, line: &str) -> (Vec<Entry>, Usage) {
    let Some(value) = parse(line) else {
        return (Vec::new(), Usage::default());
    };
    let kinds = kinds(&value);
    let agent = owned(&value, "agentId").or_else(|| flag(&value, "isSidechain").then(String::new));
    let entries = kinds.into_iter().zip(0..).map(|(kind, index)| Entry {
        line: number,
        index,
        id: owned(&value, "uuid"),
        timestamp: owned(&value, "timestamp"),
        agent: agent.clone(),
        kind,
    });
    (entries.collect(), counted.add(&value))
}

/// Older versions write what a message cost next to it.
pub(super) fn priced(line: &str) -> Priced {
    let Some(value) = parse(line) else { return Priced::default() };
    let said = value.get("costUSD").and_then(Value::as_f64).and_then(picodollars);
    Priced { model: value.get("message").and_then(|message| owned(message, "model")), said }
}

fn kinds(value: &Value) -> Vec<EntryKind> {
    let message = value.get("message").unwrap_or(&Value::Null);
    match text(value, "type") {
        Some("system") if text(value, "subtype") == Some("compact_boundary") => {
            vec![EntryKind::Compaction { text: owned(value, "content") }]
        }
        Some("user") if flag(value, "isCompactSummary") => {
            vec![EntryKind::Compaction { text: super::log::said(message.get("content")) }]
        }
        Some("user") if flag(value, "isMeta") => Vec::new(),
        Some("assistant") if flag(value, "isApiErrorMessage") => {
            vec![EntryKind::Error { text: super::log::said(message.get("content")).unwrap_or_default() }]
        }
        Some(from @ ("user" | "assistant")) => match message.get("content") {
            Some(Value::String(said)) => words(from, said).into_iter().collect(),
            Some(Value::Array(blocks)) => blocks.iter().flat_map(|block| parts(from, block)).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn words(from: &str, said: &str) -> Option<EntryKind> {
    if from == "assistant" {
        return Some(EntryKind::Assistant { text: said.to_owned() });
    }
    if said.starts_with("[Request interrupted by user") {
        return Some(EntryKind::Interrupted);
    }
    if said.starts_with("<local-command-") || said.starts_with("<bash-stdout") || said.starts_with("<bash-stderr") {
        return None;
    }
    let command = tagged(said, "command-name").map(|name| {
        let arguments = tagged(said, "command-args").unwrap_or_default();
        format!("{name} {arguments}").trim_end().to_owned()
    });
    let shell = || tagged(said, "bash-input").map(|input| format!("!{input}"));
    Some(EntryKind::User { text: command.or_else(shell).unwrap_or_else(|| said.to_owned()) })
}

/// What is between `<tag>` and `</tag>`, where the text begins like a command.
fn tagged<'a>(said: &'a str, tag: &str) -> Option<&'a str> {
    let begins = said.starts_with("<command-") || said.starts_with("<bash-input>");
    let inner = said.split_once(&format!("<{tag}>"))?.1.split_once(&format!("</{tag}>"))?.0;
    begins.then_some(inner)
}

/// What a block is, and behind the result of a tool the pictures in it.
fn parts(from: &str, block: &Value) -> Vec<EntryKind> {
    let is_result = text(block, "type") == Some("tool_result");
    let inner = if is_result { list(block, "content") } else { &[] };
    let pictures = inner.iter().filter(|inner| text(inner, "type") == Some("image"));
    let pictures = pictures.map(|picture| image(owned(block, "tool_use_id"), picture));
    part(from, block).into_iter().chain(pictures).collect()
}

/// The kinds that every browser shows and none runs.
const SHOWN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// In base64. Models take no larger ones.
const LARGEST_IMAGE: usize = 8 << 20;

fn image(tool_id: Option<String>, block: &Value) -> EntryKind {
    let source = block.get("source").unwrap_or(&Value::Null);
    let media_type = owned(source, "media_type").unwrap_or_else(|| "image".into());
    let plain = |data: &&str| data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    let data = text(source, "data").filter(|data| data.len() <= LARGEST_IMAGE).filter(plain);
    let data = data.filter(|_| SHOWN.contains(&media_type.as_str())).map(str::to_owned);
    EntryKind::Image { tool_id, media_type, data }
}

fn part(from: &str, block: &Value) -> Option<EntryKind> {
    match text(block, "type") {
        Some("text") => words(from, text(block, "text").unwrap_or_default()),
        Some("thinking") => Some(EntryKind::Thinking { text: owned(block, "thinking").unwrap_or_default() }),
        Some("redacted_thinking") => Some(EntryKind::Thinking { text: String::new() }),
        Some("tool_use") => Some(EntryKind::ToolCall {
            tool_id: owned(block, "id"),
            tool: owned(block, "name").unwrap_or_default(),
            input: block.get("input").cloned().unwrap_or_default(),
        }),
        Some("tool_result") => Some(EntryKind::ToolResult {
            tool_id: owned(block, "tool_use_id"),
            text: result_text(block),
            is_error: flag(block, "is_error"),
        }),
        Some("image") => Some(image(None, block)),
        // The bytes of a document are not part of what was said.
        Some(kind @ "document") => Some(EntryKind::Unknown { value: json!({ "type": kind }) }),
        _ => Some(EntryKind::Unknown { value: block.clone() }),
    }
}

fn result_text(block: &Value) -> String {
    match block.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(_)) => {
            list(block, "content").iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

impl Counted {
    fn add(&mut self, value: &Value) -> Usage {
        let message = value.get("message").unwrap_or(&Value::Null);
        let (Some(id), Some(usage)) = (text(message, "id"), message.get("usage")) else {
            return Usage::default();
        };
        let tokens = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or_default();
        let now = Usage {
            input_tokens: tokens("input_tokens"),
            output_tokens: tokens("output_tokens"),
            cache_read_tokens: tokens("cache_read_input_tokens"),
            cache_write_tokens: tokens("cache_creation_input_tokens"),
        };
        let Some((_, before)) = self.0.iter_mut().find(|(known, _)| known == id) else {
            self.0.push_back((id.to_owned(), now));
            if self.0.len() > MESSAGES {
                self.0.pop_front();
            }
            return now;
        };
        let more = Usage {
            input_tokens: now.input_tokens.saturating_sub(before.input_tokens),
            output_tokens: now.output_tokens.saturating_sub(before.output_tokens),
            cache_read_tokens: now.cache_read_tokens.saturating_sub(before.cache_read_tokens),
            cache_write_tokens: now.cache_write_tokens.saturating_sub(before.cache_write_tokens),
        };
        before.input_tokens = before.input_tokens.saturating_add(more.input_tokens);
        before.output_tokens = before.output_tokens.saturating_add(more.output_tokens);
        before.cache_read_tokens = before.cache_read_tokens.saturating_add(more.cache_read_tokens);
        before.cache_write_tokens = before.cache_write_tokens.saturating_add(more.cache_write_tokens);
        more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_entries_of_their_own() {
        let picture = |kind: &str, data: &str| json!({ "type": "image", "source": { "type": "base64", "media_type": kind, "data": data } });
        let image = |tool_id: Option<&str>, kind: &str, data: Option<&str>| EntryKind::Image {
            tool_id: tool_id.map(str::to_owned),
            media_type: kind.to_owned(),
            data: data.map(str::to_owned),
        };
        let result = |content: Value| json!({ "type": "tool_result", "tool_use_id": "t", "content": content });
        let nothing = EntryKind::ToolResult { tool_id: Some("t".into()), text: String::new(), is_error: false };
        let large = "A".repeat(LARGEST_IMAGE + 1);
        for (block, expected) in [
            (picture("image/png", "AAA="), vec![image(None, "image/png", Some("AAA="))]),
            (picture("image/svg+xml", "AAAA"), vec![image(None, "image/svg+xml", None)]),
            (picture("image/png", "\"><script>"), vec![image(None, "image/png", None)]),
            (picture("image/png", &large), vec![image(None, "image/png", None)]),
            (json!({ "type": "image" }), vec![image(None, "image", None)]),
            (
                result(json!([picture("image/jpeg", "AAAA"), picture("image/png", "BBBB")])),
                vec![
                    nothing.clone(),
                    image(Some("t"), "image/jpeg", Some("AAAA")),
                    image(Some("t"), "image/png", Some("BBBB")),
                ],
            ),
            (result(json!("")), vec![nothing.clone()]),
        ] {
            assert_eq!(parts("user", &block), expected);
        }
    }
}
