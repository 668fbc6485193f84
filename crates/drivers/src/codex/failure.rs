//! Why a turn failed.

use coop_core::agent::state::Failure;
use serde_json::Value;

use crate::json::text;

/// `resets_at_ms` is when the limits that were told last lift.
pub(super) fn failure(error: &Value, resets_at_ms: Option<u64>) -> Failure {
    let detail = text(error, "message").unwrap_or_default().to_owned();
    let kind = kind(error.get("codex_error_info"));
    let limited = kind == "usage_limit_exceeded" || kind == "rate_limit";
    Failure { resume_at_ms: resets_at_ms.filter(|_| limited), kind, detail }
}

/// Its own name for it, or what the status of the reply says more plainly.
fn kind(info: Option<&Value>) -> String {
    let (name, status) = match info {
        Some(Value::String(name)) => (name.as_str(), None),
        Some(Value::Object(fields)) => match fields.iter().next() {
            Some((name, more)) => (name.as_str(), more.get("http_status_code").and_then(Value::as_u64)),
            None => ("unknown", None),
        },
        _ => ("unknown", None),
    };
    match status {
        Some(401 | 403) => "authentication_failed".to_owned(),
        Some(429) => "rate_limit".to_owned(),
        _ => name.to_owned(),
    }
}

/// When the limit that is used up lifts, of those a `token_count` tells.
pub(super) fn resets_at_ms(limits: &Value) -> Option<u64> {
    let used_up = |limit: &&Value| limit.get("used_percent").and_then(Value::as_f64).is_some_and(|used| used >= 100.0);
    let windows = ["primary", "secondary"].iter().filter_map(|name| limits.get(name)).filter(used_up);
    windows.filter_map(|limit| limit.get("resets_at")?.as_u64()).max().map(|seconds| seconds * 1000)
}
