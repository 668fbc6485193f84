//! Messages of many callers at once: each is taken once, or refused with a reason. `make soak` says a thousand of them.

use coop_e2e::soak::soak;

use crate::VERSIONS;

/// To each version.
const COUNT: usize = 20;

#[test]
fn each_message_of_many_callers_is_taken_once_or_refused() {
    for (part, version) in VERSIONS.into_iter().enumerate() {
        let tally = soak(version, part * COUNT, COUNT, false);
        assert!(tally.wrong.is_empty(), "{tally}");
        assert!(tally.delivered > 0, "{tally}");
    }
}
