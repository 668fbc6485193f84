//! How much the model had before it, from the lines of the session log.
//!
//! The window is not told: the log has the name of the model, and the same model has more than one size.

use coop_core::agent::spent::Context;
use serde_json::Value;

use super::log::parse;
use crate::json::{flag, list, text};

pub(super) fn after(line: &str, known: Option<Context>) -> Option<Context> {
    let matters = ["\"usage\"", "\"compact_boundary\""].iter().any(|word| line.contains(word));
    let value = matters.then(|| parse(line)).flatten();
    let Some(value) = value.filter(|value| !flag(value, "isSidechain")) else { return known };
    match text(&value, "type") {
        Some("system") if text(&value, "subtype") == Some("compact_boundary") => {
            let tokens = value.get("compactMetadata").and_then(|told| told.get("postTokens")).and_then(Value::as_u64);
            tokens.map(|tokens| Context { tokens, window: None })
        }
        Some("assistant") => sent(&value).map(|tokens| Context { tokens, window: None }).or(known),
        _ => known,
    }
}

/// What went in with the request, whether it was in a cache or not. Nothing for what no model said.
fn sent(value: &Value) -> Option<u64> {
    let message =
        value.get("message").filter(|message| !text(message, "model").is_some_and(|it| it.starts_with('<')))?;
    let usage = message.get("usage")?;
    // A message that took several requests counts all of them; the last one had the most.
    let usage = list(usage, "iterations").last().filter(|last| last.get("input_tokens").is_some()).unwrap_or(usage);
    let parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    let tokens = parts.iter().filter_map(|key| usage.get(key).and_then(Value::as_u64)).fold(0, u64::saturating_add);
    (tokens > 0).then_some(tokens)
}
