//! Why a turn failed, from the words of the error.

use coop_core::agent::state::Failure;
use serde_json::Value;

/// `[API Error: {"error":{"code":400,…}}]`, or words alone.
pub(super) fn failure(said: &str) -> Failure {
    let detail = inner(said);
    Failure { kind: kind(said, status(said)).to_owned(), detail, resume_at_ms: None }
}

fn kind(said: &str, status: Option<u64>) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    match status {
        Some(429) => "rate_limit",
        Some(401 | 403) => "authentication_failed",
        Some(404) => "model_not_found",
        Some(400) => "invalid_request",
        Some(500..) => "server_error",
        _ if has(&["quota", "Usage limit", "RESOURCE_EXHAUSTED", "rate limit"]) => "rate_limit",
        _ if has(&["safety", "blocked"]) => "refused",
        _ if has(&["terminated", "stream ended", "fetch failed", "network"]) => "server_error",
        _ => "unknown",
    }
}

/// The error as the API told it, if it is there.
fn told(said: &str) -> Option<Value> {
    let (from, to) = (said.find('{')?, said.rfind('}')?);
    serde_json::from_str(said.get(from..=to)?).ok()
}

fn status(said: &str) -> Option<u64> {
    told(said)?.get("error")?.get("code")?.as_u64()
}

/// The message alone, where the error has one.
fn inner(said: &str) -> String {
    let message = told(said).and_then(|told| Some(told.get("error")?.get("message")?.as_str()?.to_owned()));
    let bare = || {
        let words = said.trim().strip_prefix("[API Error:").unwrap_or(said);
        words.trim().trim_end_matches(']').to_owned()
    };
    message.unwrap_or_else(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        #[rustfmt::skip]
        let rows = [
            (r#"[API Error: {"error":{"code":400,"message":"no such thing","status":"INVALID_ARGUMENT"}}]"#, "invalid_request", "no such thing"),
            (r#"[API Error: {"error":{"code":401,"message":"bad key"}}]"#, "authentication_failed", "bad key"),
            (r#"[API Error: {"error":{"code":503,"message":"later"}}]"#, "server_error", "later"),
            ("[API Error: You have exhausted your daily quota on this model.]", "rate_limit", "You have exhausted your daily quota on this model."),
            ("[API Error: terminated]", "server_error", "terminated"),
            ("The model response was blocked due to safety settings.", "refused", "The model response was blocked due to safety settings."),
            ("something", "unknown", "something"),
            ("{", "unknown", "{"),
            ("}{", "unknown", "}{"),
        ];
        for (said, kind, detail) in rows {
            let failure = failure(said);
            assert_eq!((failure.kind.as_str(), failure.detail.as_str()), (kind, detail), "{said}");
        }
    }
}
