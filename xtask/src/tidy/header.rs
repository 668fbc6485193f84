//! Every module says in its first line what it is for.

use super::tree::File;
use super::{Finding, Rule};

const RULE: Rule =
    Rule { name: "header", why: "a reader who opens a file at random learns from its first line what it is for" };

pub(super) fn check(file: &File) -> Vec<Finding> {
    let is_module =
        file.is_rust() && file.path.starts_with("crates/") && file.has_folder("src") && !file.has_folder("testdata");
    if !is_module || file.is_generated() || says_something(file.line(1)) {
        return Vec::new();
    }
    vec![Finding::new(file, 1, RULE, "the file does not start with a `//!` line that says what it is for")]
}

fn says_something(line: &str) -> bool {
    line.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        crate::tidy::assert_rows(
            check,
            &[
                ("crates/core/src/state.rs", "//! The states of an agent.\n", &[]),
                ("crates/core/src/state.rs", "use std::fmt;\n", &[1]),
                ("crates/core/src/state.rs", "\n//! Too late.\n", &[1]),
                ("crates/core/src/state.rs", "//!\n", &[1]),
                ("crates/core/src/state.rs", "", &[1]),
                ("crates/core/src/proto.rs", "// @generated\n", &[]),
                ("crates/core/tests/replay.rs", "use std::fmt;\n", &[]),
                ("crates/core/build.rs", "fn main() {}\n", &[]),
            ],
        );
    }
}
