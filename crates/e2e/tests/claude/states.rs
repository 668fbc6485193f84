//! No wrong state is ever published. How soon the right one is, `make accuracy` measures.

use coop_e2e::accuracy::measure;

use crate::VERSIONS;

#[test]
fn published_states_are_the_truth() {
    for version in VERSIONS {
        let measured = measure(version, "");
        assert!(measured.wrong.is_empty(), "{measured}");
        for name in ["working", "prompt", "idle"] {
            assert!(measured.count(name) > 0, "{name} was never timed: {measured}");
        }
    }
}
