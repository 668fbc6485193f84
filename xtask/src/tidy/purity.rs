//! `core` decides and does nothing else: no clock, no file, no socket, no environment.

use super::tree::File;
use super::{Finding, Rule};

const RULE: Rule = Rule {
    name: "core-is-pure",
    why: "time and evidence come in as arguments and effects go out, so that a recorded run replays to the same effects",
};

/// Paths that `core` may not name. `Instant` and `Duration` are fine as types: only reading a clock is not.
const FORBIDDEN: &[&str] = &[
    "tokio",
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "Instant::now",
    "SystemTime",
    ".elapsed",
];

/// What `core` may depend on: values and their text form. Anything that could do I/O is not here.
pub(super) const MAY_DEPEND_ON: &[&str] =
    &["brush-parser", "globset", "regex", "serde", "serde_json", "sha2", "thiserror", "toml", "unicode-normalization"];

pub(super) fn check(file: &File) -> Vec<Finding> {
    if !file.path.starts_with("crates/core/src/") {
        return Vec::new();
    }
    // Tests stand last in a file, and virtual time has to start somewhere.
    let tests = file.text.lines().position(|line| line == "#[cfg(test)]").unwrap_or(usize::MAX);
    let spots = file.code.spots.iter().filter(|spot| spot.line <= tests);
    spots
        .filter_map(|spot| {
            let part = FORBIDDEN.iter().find(|part| spot.mentions(part))?;
            Some(Finding::new(file, spot.line, RULE, format!("`{}` is used (`{part}`)", spot.path)))
        })
        .collect()
}

pub(super) fn dependency(file: &File, line: usize, name: &str) -> Option<Finding> {
    let allowed = MAY_DEPEND_ON.contains(&name);
    (!allowed).then(|| {
        let what = format!("core depends on `{name}`; it may depend on {} only", MAY_DEPEND_ON.join(", "));
        Finding::new(file, line, RULE, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        crate::tidy::assert_rows(
            check,
            &[
                ("crates/core/src/a.rs", "use std::time::{Duration, Instant};\n", &[]),
                ("crates/core/src/a.rs", "// tokio, std::fs\nlet a = \"std::fs\";\n", &[]),
                ("crates/core/src/a.rs", "use std::fmt;\nuse std::fs;\n", &[2]),
                ("crates/core/src/a.rs", "use std::{fmt,\n net::IpAddr};\n", &[2]),
                ("crates/core/src/a.rs", "use std::time::SystemTime;\n", &[1]),
                ("crates/core/src/a.rs", "fn f() { SystemTime::now() }\n", &[1]),
                ("crates/core/src/a.rs", "fn f() { std::time::Instant::now() }\n", &[1]),
                ("crates/core/src/a.rs", "fn f(t: Instant) { t.elapsed() }\n", &[1]),
                ("crates/core/src/a.rs", "fn f() {\n tokio::spawn(x) }\n", &[2]),
                ("crates/core/src/a.rs", "m!(std::env::var(\"A\"))\n", &[1]),
                ("crates/core/src/a.rs", "std::thread::spawn(f); std::process::exit(1)\n", &[1, 1]),
                ("crates/core/src/a.rs", "fn f() {}\n#[cfg(test)]\nmod tests { fn f() { Instant::now() } }\n", &[]),
                ("crates/core/src/a.rs", "fn f() { Instant::now() }\n#[cfg(test)]\nmod tests {}\n", &[1]),
                ("crates/core/tests/a.rs", "use std::fs;\n", &[]),
                ("crates/session/src/a.rs", "use std::fs;\n", &[]),
            ],
        );
    }

    #[test]
    fn dependencies() {
        let file = File::new("crates/core/Cargo.toml", "");
        assert!(dependency(&file, 1, "serde").is_none());
        assert!(dependency(&file, 1, "tokio").is_some());
    }
}
