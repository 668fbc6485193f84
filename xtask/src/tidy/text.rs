//! Rules about the text of files, whatever language they are in.

use super::tree::File;
use super::{Finding, Rule};

const SIZE: Rule = Rule { name: "size", why: "a file is for one thing; most have 100 to 200 lines" };
const MARKER: Rule = Rule { name: "unfinished", why: "what is here is done; what is not is no part of it" };
const MACHINE_PATH: Rule = Rule { name: "machine-path", why: "the project builds and reads the same on every machine" };

/// Three times the typical file: room for a flat match or a long table, and for nothing else.
const MAX_LINES: usize = 600;
const SOURCE: &[&str] = &["rs", "ts", "tsx", "js", "mjs", "css", "html", "py", "sh", "proto"];

const MARKERS: &[&str] = &["TODO", "FIXME", "XXX"];

const FOLDERS: &[&str] = &["/root/", "/work/"];
const HOMES: &[&str] = &["/home/", "/Users/"];
/// Names that stand for anybody in an example.
const ANYBODY: &[&str] = &["user", "you"];

/// This file names what it forbids.
const THIS_FILE: &str = "xtask/src/tidy/text.rs";

pub(super) fn check(file: &File) -> Vec<Finding> {
    if file.is_data() || file.is_generated() || file.path == THIS_FILE {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = size(file).into_iter().collect();
    for (number, line) in file.lines() {
        if let Some(word) = marker(line) {
            findings.push(Finding::new(file, number, MARKER, format!("`{word}`: do it or drop it")));
        }
        if let Some(path) = machine_path(line) {
            findings.push(Finding::new(file, number, MACHINE_PATH, format!("`{path}` names a folder of one machine")));
        }
    }
    findings
}

fn size(file: &File) -> Option<Finding> {
    let is_source = file.path.rsplit_once('.').is_some_and(|(_, ext)| SOURCE.contains(&ext));
    let lines = file.text.lines().count();
    let what = format!("{lines} lines, more than {MAX_LINES}: split it by what it is for");
    (is_source && lines > MAX_LINES).then(|| Finding::new(file, MAX_LINES + 1, SIZE, what))
}

fn marker(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.find(|word| MARKERS.contains(word))
}

fn machine_path(line: &str) -> Option<&str> {
    FOLDERS.iter().find_map(|folder| starts(line, folder).next()).or_else(|| {
        HOMES.iter().find_map(|home| {
            starts(line, home).find(|path| {
                path[home.len()..].split_once('/').is_some_and(|(name, _)| is_name(name) && !ANYBODY.contains(&name))
            })
        })
    })
}

/// The rest of the line from each place where an absolute path starts with `folder`.
fn starts<'a>(line: &'a str, folder: &'a str) -> impl Iterator<Item = &'a str> {
    let inside_a_path = |c: char| c.is_alphanumeric() || "_-.~/$}>)*".contains(c);
    line.match_indices(folder)
        .filter(move |(at, _)| !line[..*at].ends_with(inside_a_path))
        .map(|(at, _)| line[at..].split_whitespace().next().unwrap_or_default())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_paths() {
        crate::tidy::assert_rows(
            check,
            &[
                ("README.md", "Start here.\n", &[]),
                ("README.md", "ok\nTODO: write this\n", &[2]),
                ("a.rs", "fn f() {} // FIXME\n", &[1]),
                ("a.sh", "mktemp -d /tmp/coop.XXXXXX\n", &[]),
                ("a.sh", "# XXX\n", &[1]),
                ("a.rs", "enum Todo { TODOS }\n", &[]),
                ("testdata/log.txt", "TODO /root/ /home/ada/x\n", &[]),
                ("Makefile", "cd /root/coop\n", &[1]),
                ("a.rs", "let p = \"/work/main\";\n", &[1]),
                ("a.rs", "let p = \"crates/work/src\";\n", &[]),
                ("a.yaml", "mountPath: /workspace/app\n", &[]),
                ("a.md", "in /home/ada/src\n", &[1]),
                ("a.md", "in (/Users/ada/src)\n", &[1]),
                ("a.md", "/home/user/project and /home/ada/src\n", &[1]),
                ("a.md", "in /home/user/project and /home/<name>/src and /home/agent\n", &[]),
                ("a.md", "GET https://example.com/home/page/1\n", &[]),
            ],
        );
    }

    #[test]
    fn sizes() {
        let (fits, too_long) = ("x\n".repeat(MAX_LINES), "x\n".repeat(MAX_LINES + 1));
        let generated = format!("// @generated\n{too_long}");
        crate::tidy::assert_rows(
            check,
            &[
                ("a.rs", &fits, &[]),
                ("a.rs", &too_long, &[MAX_LINES + 1]),
                ("a.ts", &too_long, &[MAX_LINES + 1]),
                ("a.rs", &generated, &[]),
                ("a.md", &too_long, &[]),
                ("testdata/a.rs", &too_long, &[]),
            ],
        );
    }
}
