//! No wrong state is ever published. How soon the right one is, `make accuracy` measures, with each source switched off.

use coop_e2e::accuracy::measure;

use crate::VERSIONS;

#[test]
fn published_states_are_the_truth() {
    for version in VERSIONS {
        let measured = measure(version, "");
        assert!(measured.wrong.is_empty(), "{measured}");
        for kind in ["working", "prompt", "idle", "interrupt"] {
            assert!(measured.count(kind) > 0, "{kind} was never timed: {measured}");
        }
    }
}
