//! How much the model had before it, from the lines of the chat log.

use coop_core::agent::cost::{Priced, of_model};
use coop_core::agent::spent::Context;
use serde_json::Value;

use super::log::parse;
use crate::json::{owned, text};
use crate::table::Table;

/// As its own `context used` counts: what went in, whether it was in a cache or not.
pub(super) fn after(table: &Table, line: &str, known: Option<Context>) -> Option<Context> {
    let Some(value) = message(line) else { return known };
    let tokens = value.get("tokens").and_then(|tokens| tokens.get("input")).and_then(Value::as_u64);
    let Some(tokens) = tokens.filter(|tokens| *tokens > 0) else { return known };
    let window = text(&value, "model").and_then(|model| of_model(&table.windows, model)).copied();
    Some(Context { tokens, window })
}

pub(super) fn priced(line: &str) -> Priced {
    Priced { model: message(line).and_then(|value| owned(&value, "model")), said: None }
}

fn message(line: &str) -> Option<Value> {
    let value = line.contains("\"tokens\"").then(|| parse(line)).flatten();
    value.filter(|value| text(value, "type") == Some("gemini"))
}
