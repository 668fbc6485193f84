//! Dependencies are declared once, in the root `Cargo.toml`, and each line says why the crate is there.

use super::tree::File;
use super::{Finding, Rule};

const WHY: Rule =
    Rule { name: "dependency-why", why: "who updates or removes a dependency must know what it was chosen for" };
const ONCE: Rule =
    Rule { name: "dependency-once", why: "one version and one reason per crate, in the root Cargo.toml" };

pub(super) fn check(file: &File) -> Vec<Finding> {
    match file.path.as_str() {
        "Cargo.toml" => entries(file)
            .filter(|entry| entry.section == "workspace.dependencies" && !entry.is_local() && !entry.has_why())
            .map(|entry| entry.finding(file, WHY, "say why it is here in a comment at the end of the line"))
            .collect(),
        // A fuzz target is a workspace of its own, for another compiler.
        path if path.ends_with("/Cargo.toml") && !path.contains("/fuzz/") && !file.is_data() => entries(file)
            .filter(|entry| entry.section.ends_with("dependencies") && !entry.is_local() && !entry.is_inherited())
            .map(|entry| {
                entry.finding(file, ONCE, "declare it in the root Cargo.toml and write `workspace = true` here")
            })
            .chain(entries(file).filter_map(|entry| entry.table_of_one(file)))
            .collect(),
        _ => Vec::new(),
    }
}

/// A `key = value # comment` line and the section it is in.
struct Entry<'a> {
    line: usize,
    section: &'a str,
    key: &'a str,
    value: &'a str,
    comment: &'a str,
}

fn entries(file: &File) -> impl Iterator<Item = Entry<'_>> {
    let mut section = "";
    file.lines().filter_map(move |(line, text)| {
        let (code, comment) = split_comment(text);
        if let Some(name) = code.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim();
            return None;
        }
        let (key, value) = code.split_once('=')?;
        Some(Entry { line, section, key: key.trim(), value: value.trim(), comment })
    })
}

impl Entry<'_> {
    fn is_local(&self) -> bool {
        self.value.contains("path =")
    }

    fn has_why(&self) -> bool {
        !self.comment.is_empty()
    }

    fn is_inherited(&self) -> bool {
        let value = self.value.replace(' ', "");
        (self.key.ends_with(".workspace") && value == "true") || value.contains("workspace=true")
    }

    /// `[dependencies.name]` hides a version from the checks above.
    fn table_of_one(&self, file: &File) -> Option<Finding> {
        let is_version = self.section.contains("dependencies.") && matches!(self.key, "version" | "git");
        is_version.then(|| self.finding(file, ONCE, "declare the crate in the root Cargo.toml and inherit it here"))
    }

    fn finding(&self, file: &File, rule: Rule, what: &str) -> Finding {
        Finding::new(file, self.line, rule, format!("`{}`: {what}", self.key))
    }
}

/// Splits at the first `#` outside quotes.
fn split_comment(line: &str) -> (&str, &str) {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' | '\'' => quoted = !quoted,
            '#' if !quoted => return (line[..at].trim(), line[at + 1..].trim()),
            _ => {}
        }
    }
    (line.trim(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_says_why() {
        let in_root: fn(&File) -> Vec<Finding> = check;
        let section = "[workspace.dependencies]\n";
        for (line, findings) in [
            ("serde = \"1\" # JSON", 0),
            ("serde = \"1\"", 1),
            ("serde = \"1\" #", 1),
            ("serde = { version = \"1\", features = [\"a#b\"] }", 1),
            ("coop-core = { path = \"crates/core\" }", 0),
        ] {
            let found = in_root(&File::new("Cargo.toml", &format!("{section}{line}\n")));
            assert_eq!(found.len(), findings, "{line}: {found:?}");
            assert!(found.iter().all(|finding| finding.line == 2));
        }
        let other = File::new("Cargo.toml", "[workspace.dependencies]\n[workspace.package]\nversion = \"1\"\n");
        assert!(check(&other).is_empty());
    }

    #[test]
    fn crates_inherit() {
        crate::tidy::assert_rows(
            check,
            &[
                ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nserde.workspace = true\n", &[]),
                ("crates/a/Cargo.toml", "[dependencies]\nserde = { workspace = true, features = [\"x\"] }\n", &[]),
                ("crates/a/Cargo.toml", "[dependencies]\nb = { path = \"../b\" }\n", &[]),
                ("crates/a/Cargo.toml", "[dependencies]\nserde = \"1\"\n", &[2]),
                ("crates/a/Cargo.toml", "[dev-dependencies]\nserde = { version = \"1\" }\n", &[2]),
                ("crates/a/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nserde = \"1\"\n", &[2]),
                ("crates/a/Cargo.toml", "[dependencies.serde]\nversion = \"1\"\n", &[2]),
                ("crates/a/Cargo.toml", "[dependencies.serde]\nworkspace = true\n", &[]),
                ("crates/a/Cargo.toml", "[features]\nx = [\"y\"]\n", &[]),
            ],
        );
    }
}
