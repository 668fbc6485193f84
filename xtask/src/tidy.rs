//! `cargo xtask tidy`: the rules of the project that the compiler and clippy cannot check.
//!
//! Each check is a pure function from file contents to findings, so that its tests are rows of text.

mod code;
mod deps;
mod header;
mod manifest;
mod purity;
mod test_code;
mod text;
mod tree;
mod unsafe_code;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use tree::File;

/// A rule that was broken, and where.
#[derive(Debug)]
struct Finding {
    file: String,
    line: usize,
    rule: Rule,
    what: String,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    name: &'static str,
    why: &'static str,
}

impl Finding {
    fn new(file: &File, line: usize, rule: Rule, what: impl Into<String>) -> Self {
        Self { file: file.path.clone(), line, rule, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, rule, what } = self;
        write!(f, "{file}:{line}: [{}] {what}\n    why: {}", rule.name, rule.why)
    }
}

const FILE_CHECKS: &[fn(&File) -> Vec<Finding>] =
    &[code::check, header::check, manifest::check, purity::check, test_code::check, text::check, unsafe_code::check];

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let files = tree::read(&root)?;
    let mut findings: Vec<Finding> = FILE_CHECKS.iter().flat_map(|check| files.iter().flat_map(check)).collect();
    findings.extend(deps::check(&deps::packages(&root)?, &files));
    findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    for finding in &findings {
        println!("{finding}");
    }
    Ok(match findings.len() {
        0 => {
            println!("tidy: no findings in {} files", files.len());
            ExitCode::SUCCESS
        }
        n => {
            eprintln!("tidy: {n} finding{} in {} files", if n == 1 { "" } else { "s" }, files.len());
            ExitCode::FAILURE
        }
    })
}

/// Runs rows of `(path, text, lines with a finding)` through one check.
#[cfg(test)]
#[track_caller]
fn assert_rows(check: fn(&File) -> Vec<Finding>, rows: &[(&str, &str, &[usize])]) {
    for (path, text, lines) in rows {
        let found = check(&File::new(path, text));
        let found_lines: Vec<usize> = found.iter().map(|f| f.line).collect();
        assert_eq!(&found_lines, lines, "{path}:\n{text}\n{found:#?}");
    }
}
