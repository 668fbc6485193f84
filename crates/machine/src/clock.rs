//! Agents write wall time; decisions are made in monotonic time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
#[must_use]
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// When it was `at_ms`. Both clocks are read now, so that a jump of the wall clock does not stay; nothing happened in
/// the future.
#[must_use]
pub fn instant_of(at_ms: u64) -> Instant {
    let ago = Duration::from_millis(now_ms().saturating_sub(at_ms));
    let now = Instant::now();
    now.checked_sub(ago).unwrap_or(now)
}

/// What the wall clock says at a moment to come.
#[must_use]
pub fn ms_of(at: Instant) -> u64 {
    let left = at.saturating_duration_since(Instant::now());
    now_ms().saturating_add(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
}
