//! How much the model had before it, and the most it can hold, from the lines of the rollout.

use coop_core::agent::spent::Context;
use serde_json::Value;

use super::log::parse;
use crate::json::text;

pub(super) fn after(line: &str, known: Option<Context>) -> Option<Context> {
    let matters = ["\"token_count\"", "\"compacted\""].iter().any(|word| line.contains(word));
    let Some(value) = matters.then(|| parse(line)).flatten() else { return known };
    let payload = value.get("payload").unwrap_or(&Value::Null);
    match (text(&value, "type"), text(payload, "type")) {
        // How much is left then is told with the next request.
        (Some("compacted"), _) => None,
        (Some("event_msg"), Some("token_count")) => {
            // The first of a turn may know of limits only.
            payload.get("info").and_then(told).or(known)
        }
        _ => known,
    }
}

/// As its own `context left` counts: what went in and what came out of the last request.
fn told(info: &Value) -> Option<Context> {
    let tokens = info.get("last_token_usage")?.get("total_tokens")?.as_u64().filter(|tokens| *tokens > 0)?;
    Some(Context { tokens, window: info.get("model_context_window").and_then(Value::as_u64) })
}
