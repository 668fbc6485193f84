//! Tests run always and wait for events.

use super::tree::File;
use super::{Finding, Rule};

const IGNORED: Rule = Rule { name: "ignored-test", why: "a test that does not run proves nothing" };
const SLEEP: Rule = Rule {
    name: "sleep-in-test",
    why: "sleeping is slow when the machine is fast and fails when it is slow; wait for the event instead",
};

/// What ends a line on which a sleep is meant, followed by the reason.
const EXEMPTION: &str = "// tidy:";

pub(super) fn check(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for spot in &file.code.spots {
        if spot.in_attribute && spot.path == "ignore" {
            findings.push(Finding::new(file, spot.line, IGNORED, "a test is ignored: make it run, or remove it"));
        }
        let sleeps = spot.mentions("thread::sleep") || spot.mentions("time::sleep");
        if sleeps && holds_tests(file) && !is_exempt(file.line(spot.line)) {
            let what =
                format!("`{}` in a test; where it is right, end the line with `{EXEMPTION} <reason>`", spot.path);
            findings.push(Finding::new(file, spot.line, SLEEP, what));
        }
    }
    findings
}

fn holds_tests(file: &File) -> bool {
    let test_crate = ["crates/e2e/", "crates/testkit/"].iter().any(|folder| file.path.starts_with(folder));
    test_crate || file.has_folder("tests") || file.path.ends_with("/tests.rs")
}

fn is_exempt(line: &str) -> bool {
    line.split_once(EXEMPTION).is_some_and(|(_, reason)| !reason.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        crate::tidy::assert_rows(
            check,
            &[
                ("crates/api/src/a.rs", "#[test]\nfn t() {}\n", &[]),
                ("crates/api/src/a.rs", "#[test]\n#[ignore]\nfn t() {}\n", &[2]),
                ("crates/api/src/a.rs", "#[ignore = \"slow\"]\nfn t() {}\n", &[1]),
                ("crates/api/src/a.rs", "#[cfg_attr(debug_assertions, ignore)]\nfn t() {}\n", &[1]),
                ("crates/api/src/a.rs", "fn ignore() {}\n", &[]),
                ("crates/api/src/a.rs", "std::thread::sleep(d);\n", &[]),
                ("crates/api/tests/a.rs", "std::thread::sleep(d);\n", &[1]),
                ("crates/api/tests/a.rs", "use tokio::time::sleep;\n", &[1]),
                ("crates/api/tests/a.rs", "use tokio::time::{self, sleep};\n", &[1]),
                ("crates/api/tests/a.rs", "// thread::sleep\n", &[]),
                ("crates/api/tests/a.rs", "time::sleep(d); // tidy: the child sleeps, not the test\n", &[]),
                ("crates/api/tests/a.rs", "time::sleep(d); // tidy:\n", &[1]),
                ("crates/api/src/a/tests.rs", "time::sleep(d);\n", &[1]),
                ("crates/testkit/src/a.rs", "time::sleep(d);\n", &[1]),
            ],
        );
    }
}
