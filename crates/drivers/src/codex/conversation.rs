//! The conversation, from the lines of the rollout.

use coop_core::agent::conversation::{Entry, EntryKind, Usage};
use serde_json::Value;

use super::log::{parse, said};
use super::tool;
use crate::json::{list, owned, text};

pub(super) fn read(number: u64, line: &str) -> (Vec<Entry>, Usage) {
    let Some(value) = parse(line) else {
        return (Vec::new(), Usage::default());
    };
    let payload = value.get("payload").unwrap_or(&Value::Null);
    let kind = text(&value, "type").unwrap_or_default();
    let entry = entry(kind, payload).map(|(id, kind)| Entry {
        line: number,
        index: 0,
        id,
        timestamp: owned(&value, "timestamp"),
        agent: None,
        kind,
    });
    let used = if kind == "token_usage_record" { usage(payload.get("usage")) } else { Usage::default() };
    (entry.into_iter().collect(), used)
}

/// The model that a turn is begun with, if this line says so.
pub(super) fn model(line: &str) -> Option<String> {
    let value = line.contains("\"turn_context\"").then(|| parse(line)).flatten()?;
    owned(value.get("payload").filter(|_| text(&value, "type") == Some("turn_context"))?, "model")
}

fn entry(kind: &str, payload: &Value) -> Option<(Option<String>, EntryKind)> {
    match (kind, text(payload, "type")) {
        ("compacted", _) => {
            let text = owned(payload, "message").filter(|text| !text.is_empty());
            Some((None, EntryKind::Compaction { text }))
        }
        ("response_item", Some("function_call" | "custom_tool_call")) => {
            let (tool, input) = tool::call(payload)?;
            Some((owned(payload, "id"), EntryKind::ToolCall { tool_id: owned(payload, "call_id"), tool, input }))
        }
        ("response_item", Some("function_call_output" | "custom_tool_call_output")) => {
            let text = tool::output(payload);
            let is_error = failed(&text);
            Some((owned(payload, "id"), EntryKind::ToolResult { tool_id: owned(payload, "call_id"), text, is_error }))
        }
        ("event_msg", Some("item_completed")) => {
            let item = payload.get("item")?;
            item_entry(item).map(|kind| (owned(item, "id"), kind))
        }
        ("event_msg", Some("turn_aborted")) => Some((owned(payload, "turn_id"), EntryKind::Interrupted)),
        ("event_msg", Some("task_complete")) => {
            let error = payload.get("error").filter(|error| !error.is_null())?;
            let text = owned(error, "message").unwrap_or_default();
            Some((owned(payload, "turn_id"), EntryKind::Error { text }))
        }
        _ => None,
    }
}

fn item_entry(item: &Value) -> Option<EntryKind> {
    match text(item, "type")? {
        "UserMessage" => Some(EntryKind::User { text: said(item) }),
        "AgentMessage" => Some(EntryKind::Assistant { text: said(item) }),
        "Plan" => Some(EntryKind::Assistant { text: owned(item, "text").unwrap_or_default() }),
        "Reasoning" => {
            let parts = list(item, "summary_text").iter().filter_map(Value::as_str);
            Some(EntryKind::Thinking { text: parts.collect::<Vec<_>>().join("\n") })
        }
        _ => None,
    }
}

/// `Process exited with code 1` of a command, `Exit code: 1` of a patch.
fn failed(output: &str) -> bool {
    let code = |line: &str| {
        let code = line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "))?;
        code.trim().parse::<i32>().ok()
    };
    tool::is_aborted(output) || output.lines().take(6).find_map(code).is_some_and(|code| code != 0)
}

/// What was read from the cache counts in the tokens that went in.
fn usage(usage: Option<&Value>) -> Usage {
    let tokens = |key: &str| usage.and_then(|usage| usage.get(key)).and_then(Value::as_u64).unwrap_or_default();
    let cached = tokens("cached_input_tokens");
    Usage {
        input_tokens: tokens("input_tokens").saturating_sub(cached),
        output_tokens: tokens("output_tokens"),
        cache_read_tokens: cached,
        cache_write_tokens: tokens("cache_write_input_tokens"),
    }
}
