//! All of what a prompt is about, as lines: a command, a change of a file as a difference, a plan.
//!
//! What is approved is what is shown: nothing of the input is left out.

use coop_api::hub::Prompt;
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};

use crate::text::clean;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What the rest is about.
    Head,
    Plain,
    Added,
    Removed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: Kind,
    pub text: String,
}

/// What would be done, whole.
#[must_use]
pub fn lines(prompt: &Prompt) -> Vec<Line> {
    match (prompt.kind.as_str(), prompt.input.as_object()) {
        ("permission", Some(input)) => change(input).unwrap_or_else(|| command(prompt, input)),
        // The questions are a form of their own.
        ("question", _) if !prompt.questions.is_empty() => Vec::new(),
        _ => plain(&prompt.text).collect(),
    }
}

fn plain(text: &str) -> impl Iterator<Item = Line> {
    clean(text)
        .split('\n')
        .map(|line| Line { kind: Kind::Plain, text: line.to_owned() })
        .collect::<Vec<_>>()
        .into_iter()
}

fn head(text: &str) -> impl Iterator<Item = Line> {
    plain(text).map(|line| Line { kind: Kind::Head, ..line })
}

/// The hub's text leaves out what the agent says that the command is for.
fn command(prompt: &Prompt, input: &Map<String, Value>) -> Vec<Line> {
    let why = input.get("description").and_then(Value::as_str).filter(|why| !prompt.text.contains(*why));
    let patch = prompt.text.contains("*** Begin Patch");
    let marked = |line: Line| match line.text.as_bytes().first() {
        Some(b'+') if patch => Line { kind: Kind::Added, ..line },
        Some(b'-') if patch => Line { kind: Kind::Removed, ..line },
        _ => line,
    };
    let why = why.into_iter().flat_map(head);
    why.chain(plain(&prompt.text).map(marked)).collect()
}

/// A tool that writes files, if it has nothing in its input that would not be seen here.
fn change(input: &Map<String, Value>) -> Option<Vec<Line>> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let only = |known: &[&str]| input.keys().all(|key| known.contains(&key.as_str()));
    let path = text("file_path")?;
    if only(&["file_path", "content"]) {
        let lines = plain(text("content")?).map(|line| Line { kind: Kind::Added, text: format!("+{}", line.text) });
        return Some(head(&format!("writes {path}")).chain(lines).collect());
    }
    if only(&["file_path", "old_string", "new_string", "replace_all"]) {
        return Some(head(&format!("edits {path}")).chain(edit(input)?).collect());
    }
    if only(&["file_path", "edits"]) {
        let mut lines: Vec<Line> = head(&format!("edits {path}")).collect();
        for one in input.get("edits")?.as_array()? {
            let one = one.as_object()?;
            let known = ["old_string", "new_string", "replace_all"];
            if !one.keys().all(|key| known.contains(&key.as_str())) {
                return None;
            }
            lines.extend(edit(one)?);
        }
        return Some(lines);
    }
    None
}

fn edit(input: &Map<String, Value>) -> Option<Vec<Line>> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let (old, new) = (clean(text("old_string")?), clean(text("new_string")?));
    let everywhere = match input.get("replace_all") {
        None | Some(Value::Bool(false)) => None,
        Some(Value::Bool(true)) => Some("everywhere in it"),
        Some(_) => return None,
    };
    let mut lines: Vec<Line> = everywhere.into_iter().flat_map(head).collect();
    for change in TextDiff::from_lines(&old, &new).iter_all_changes() {
        let (kind, sign) = match change.tag() {
            ChangeTag::Equal => (Kind::Plain, ' '),
            ChangeTag::Delete => (Kind::Removed, '-'),
            ChangeTag::Insert => (Kind::Added, '+'),
        };
        lines.push(Line { kind, text: format!("{sign}{}", change.value().trim_end_matches('\n')) });
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(kind: &str, text: &str, input: Value, expected: &[&str]) {
        let prompt = Prompt { kind: kind.into(), text: text.into(), input, ..Prompt::default() };
        let mark = |kind| match kind {
            Kind::Head => "# ",
            _ => "",
        };
        let found: Vec<String> =
            lines(&prompt).iter().map(|line| format!("{}{}", mark(line.kind), line.text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn rows() {
        check("permission", "ls", json!({ "command": "ls", "description": "Look" }), &["# Look", "ls"]);
        let edit =
            json!({ "file_path": "/a", "old_string": "one\ntwo", "new_string": "one\nthree", "replace_all": true });
        check("permission", "", edit, &["# edits /a", "# everywhere in it", " one", "-two", "+three"]);
        let write = json!({ "file_path": "/a\u{202e}", "content": "x\u{1b}[1m\ny" });
        check("permission", "", write, &["# writes /a<U+202E>", "+x␛[1m", "+y"]);
        let many = json!({ "file_path": "/a", "edits": [{ "old_string": "a", "new_string": "b" }] });
        check("permission", "", many, &["# edits /a", "-a", "+b"]);
        // Something that nobody would see here: as the hub says it, which is whole.
        let odd = json!({ "file_path": "/a", "content": "x", "mode": "0777" });
        check("permission", "{ all of it }", odd, &["{ all of it }"]);
        check("plan", "1. do\n2. it", Value::Null, &["1. do", "2. it"]);
        check(
            "permission",
            "*** Begin Patch\n-a\n+b",
            json!({ "command": "*** Begin Patch\n-a\n+b" }),
            &["*** Begin Patch", "-a", "+b"],
        );
    }
}
