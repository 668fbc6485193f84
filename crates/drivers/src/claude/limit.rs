//! When a rate limit lifts, as far as an error says so.

use serde_json::Value;

use crate::time::rfc3339_ms;

/// Seconds before which a number cannot be a time since 1970: 2001-09-09.
const FIRST_EPOCH: u64 = 1_000_000_000;

/// Looks for a time in the words of a rate limit: `…|1794725778`, an RFC 3339 time, or a field or header about a reset.
pub(super) fn lifts_at_ms(kind: &str, text: &str) -> Option<u64> {
    let limited = kind == "rate_limit" || kind == "overloaded" || text.contains("limit");
    if !limited {
        return None;
    }
    after_bar(text).or_else(|| time_in(text)).or_else(|| reset_field(text))
}

/// `Claude AI usage limit reached|1794725778`, in seconds.
fn after_bar(text: &str) -> Option<u64> {
    text.split('|').skip(1).find_map(|rest| epoch_ms(leading_number(rest)?))
}

fn time_in(text: &str) -> Option<u64> {
    text.split(|c: char| c.is_whitespace() || "\"'(),;".contains(c)).find_map(rfc3339_ms)
}

/// `"resets_at": 1794725778` and the like, wherever the JSON in the text has it.
fn reset_field(text: &str) -> Option<u64> {
    let object = serde_json::from_str::<Value>(text.get(text.find('{')?..)?.lines().next()?).ok()?;
    find_reset(&object)
}

fn find_reset(value: &Value) -> Option<u64> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let named = name.to_ascii_lowercase().contains("reset");
            let here = if named { value.as_u64().and_then(epoch_ms) } else { None };
            here.or_else(|| find_reset(value))
        }),
        Value::Array(items) => items.iter().find_map(find_reset),
        _ => None,
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits)?.parse().ok()
}

/// Seconds or milliseconds since 1970, told apart by their size.
fn epoch_ms(number: u64) -> Option<u64> {
    match number {
        0..FIRST_EPOCH => None,
        FIRST_EPOCH..100_000_000_000 => Some(number * 1000),
        _ => Some(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        #[rustfmt::skip]
        let rows = [
            ("rate_limit", "Claude AI usage limit reached|1794725778", Some(1_794_725_778_000)),
            ("rate_limit", "try again at 2026-11-15T06:56:18Z.", None),
            ("rate_limit", "try again at 2026-11-15T06:56:18Z", Some(1_794_725_778_000)),
            ("rate_limit", "429 {\"error\":{\"type\":\"rate_limit_error\",\"resets_at\":1794725778}}", Some(1_794_725_778_000)),
            ("rate_limit", "429 {\"error\":{\"resetsAt\":1794725778123}}", Some(1_794_725_778_123)),
            ("rate_limit", "429 too many requests", None),
            ("unknown", "400 at 2026-11-15T06:56:18Z", None),
            ("rate_limit", "a|b|12|", None),
        ];
        for (kind, text, expected) in rows {
            assert_eq!(lifts_at_ms(kind, text), expected, "{text}");
        }
    }
}
