//! What a line of `--print --output-format stream-json` says.

use coop_core::agent::Fact;
use coop_core::agent::state::Failure;
use serde_json::Value;

use super::log::Memory;
use crate::heard::Heard;
use crate::json::{flag, owned, text};

pub(super) fn hear(memory: &mut Memory, line: &str) -> Heard {
    let line = line.trim();
    let parsed = if line.starts_with('{') { serde_json::from_str::<Value>(line).ok() } else { None };
    let Some(value) = parsed else {
        return Heard::nothing();
    };
    let facts = match (text(&value, "type"), text(&value, "subtype")) {
        (Some("system"), Some("init")) => started(&value),
        (Some("system"), Some("compact_boundary")) => vec![Fact::Compacted],
        (Some("result"), _) => vec![result(&value)],
        (Some("user" | "assistant"), _) => memory.facts(&value),
        _ => Vec::new(),
    };
    Heard { facts, session_id: owned(&value, "session_id"), ..Heard::nothing() }
}

/// It is printed when a message has been taken, not before.
fn started(value: &Value) -> Vec<Fact> {
    let session = Fact::SessionStarted {
        id: owned(value, "session_id"),
        cause: Some("startup".to_owned()),
        model: owned(value, "model"),
        log: None,
    };
    vec![session, Fact::TurnStarted { text: None }]
}

/// Of the whole run, in picodollars.
pub(super) fn cost(line: &str) -> Option<u64> {
    let value: Value = serde_json::from_str(line.trim()).ok()?;
    let usd = value.get("total_cost_usd").filter(|_| text(&value, "type") == Some("result"))?;
    usd.as_f64().and_then(coop_core::agent::cost::picodollars)
}

fn result(value: &Value) -> Fact {
    let said = owned(value, "result");
    let subtype = text(value, "subtype").unwrap_or("unknown");
    if !flag(value, "is_error") && subtype == "success" {
        return Fact::TurnEnded { last_message: said };
    }
    let status = value.get("api_error_status").and_then(Value::as_u64);
    let kind = match status {
        Some(429) => "rate_limit",
        Some(401 | 403) => "authentication_failed",
        Some(500..) => "server_error",
        _ if subtype == "success" => "unknown",
        _ => subtype,
    };
    let detail = said.unwrap_or_default();
    let resume_at_ms = super::limit::lifts_at_ms(kind, &detail);
    Fact::TurnFailed { failure: Failure { kind: kind.to_owned(), detail, resume_at_ms } }
}
