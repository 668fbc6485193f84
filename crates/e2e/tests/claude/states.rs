//! No wrong state is ever published, and the right one soon: `make accuracy` says how soon, with each source switched off.

use std::time::Duration;

use coop_e2e::accuracy::measure;

use crate::VERSIONS;

#[test]
fn published_states_are_the_truth() {
    for version in VERSIONS {
        let measured = measure(version, "");
        assert!(measured.wrong.is_empty(), "{measured}");
        for kind in ["working", "prompt", "idle", "interrupt"] {
            assert!(measured.count(kind) > 0, "{kind} was never timed: {measured}");
            // The bound itself is measured by `make accuracy` on a quiet machine; here only that no timer had to help.
            let slowest = measured.percentile(kind, 100).unwrap();
            assert!(slowest < Duration::from_secs(2), "{kind} took {slowest:?}: {measured}");
        }
    }
}
