//! Makes two runs of the same case read the same: folders, ids, ports, times, and words that agents pick at random.
//!
//! What stands for something has its length, so that a screen stays as it was painted.

use std::collections::HashMap;

use coop_testkit::Agent;
use serde_json::Value;

const FOLDER: &str = "/tmp/coop-bench-000000";
const TIME: &str = "2000-01-01T00:00:00.000Z";
const MILLIS: i64 = 946_684_800_000;
/// Times of this century, in milliseconds.
const NOW: std::ops::Range<i64> = 1_500_000_000_000..4_000_000_000_000;
/// Longer texts are the agent's own instructions, with which it could fill the repository.
const LONGEST: usize = 2000;

/// Numbers that only measure this machine, and those of its processes.
const MEASURED: &[&str] = &["pid", "duration_ms", "durationMs", "durationSeconds", "hookDurationMs", "procStart"];
/// Words made up on the spot, what names this machine or a process, and a reference to bookkeeping, whose order is by chance.
const MADE_UP: &[&str] = &["slug", "messagingSocketPath", "parentUuid", "pidDomain"];

pub(crate) struct Normal {
    /// What stands in for what, longest first.
    known: Vec<(String, String)>,
    /// Ids in the order in which they were met.
    ids: HashMap<String, String>,
}

impl Normal {
    pub(crate) fn new(agent: &Agent) -> Self {
        let root = agent.home.parent().unwrap_or(&agent.home).to_string_lossy().into_owned();
        let dashed = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let url = agent.model.url();
        let port = url.rsplit(':').next().unwrap_or_default();
        let known = vec![
            (dashed(&root), dashed(FOLDER)),
            (format!("127.0.0.1:{port}"), format!("127.0.0.1:{}", "1".repeat(port.len()))),
            (root, FOLDER.to_owned()),
        ];
        Self { known, ids: HashMap::new() }
    }

    /// A line of JSON.
    pub(crate) fn line(&mut self, value: &Value) -> String {
        format!("{}\n", self.json("", value))
    }

    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (real, neutral) in &self.known {
            text = text.replace(real, neutral);
        }
        let text = self.with_ids(&text);
        let text = replace(&text, is_time, |_| TIME.to_owned());
        replace(&text, is_plan, |_| "/plans/plan.md".to_owned())
    }

    /// A line of a title, with a spinner that stands still.
    pub(crate) fn title(&mut self, title: &str) -> String {
        self.text(title).replace(|c| ('\u{2800}'..='\u{28ff}').contains(&c), "⠂") + "\n"
    }

    /// The rows of a screen, without what an agent decorates them with at random.
    pub(crate) fn screen(&mut self, screen: &str) -> String {
        let rows = self.text(screen.trim_end());
        rows.lines().map(|row| plain_row(row).trim_end().to_owned() + "\n").collect()
    }

    fn json(&mut self, key: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| (self.text(key), self.json(key, value)));
                Value::Object(fields.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.json(key, item)).collect(),
            Value::Number(_) if MEASURED.contains(&key) => 0.into(),
            Value::Number(number) if number.as_i64().is_some_and(|number| NOW.contains(&number)) => MILLIS.into(),
            Value::String(_) if MEASURED.contains(&key) || MADE_UP.contains(&key) => "0".into(),
            Value::String(text) if key == "name" && text.starts_with("project-") => "project-00".into(),
            Value::String(text) => shortened(&self.text(text)).into(),
            other => other.clone(),
        }
    }

    fn with_ids(&mut self, text: &str) -> String {
        let ids = &mut self.ids;
        replace(text, is_id, |id| {
            let next = format!("00000000-0000-4000-8000-{:012}", ids.len() + 1);
            ids.entry(id.to_owned()).or_insert(next).clone()
        })
    }
}

/// Replaces each place where `length` finds something, by its length.
fn replace(text: &str, length: fn(&str) -> Option<usize>, mut neutral: impl FnMut(&str) -> String) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let step = match length(rest) {
            Some(found) => {
                result += &neutral(&rest[..found]);
                found
            }
            None => {
                result.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[step..];
    }
    result
}

/// A UUID at the start of the text.
fn is_id(text: &str) -> Option<usize> {
    fits(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh").then_some(36)
}

/// A moment at the start of the text, such as `2026-01-31T12:00:00.000Z`.
fn is_time(text: &str) -> Option<usize> {
    if !fits(text, "dddd-dd-ddTdd:dd:dd") {
        return None;
    }
    let rest = &text[19..];
    let fraction = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[fraction..].starts_with('Z').then_some(19 + fraction + 1)
}

/// The file of a plan, which has a name of random words.
fn is_plan(text: &str) -> Option<usize> {
    let name = text.strip_prefix("/plans/")?;
    let end = name.find(|c: char| c != '-' && !c.is_ascii_alphanumeric())?;
    name[end..].starts_with(".md").then_some("/plans/".len() + end + ".md".len())
}

/// `h` is a hexadecimal digit, `d` a decimal one, all else is itself.
fn fits(text: &str, pattern: &str) -> bool {
    let mut bytes = text.bytes();
    pattern.bytes().all(|p| {
        bytes.next().is_some_and(|b| match p {
            b'h' => b.is_ascii_hexdigit(),
            b'd' => b.is_ascii_digit(),
            _ => b == p,
        })
    })
}

/// Claude ends a turn with a row such as `✻ Brewed for 2s`, another word every time, and what runs has a dot that blinks.
fn plain_row(row: &str) -> &str {
    match row {
        _ if row.starts_with('✻') && row.contains(" for ") => "✻ Worked for 0s",
        "  Running a command" => "● Running a command",
        _ => row,
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}… (cut)", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let normal = |text: &str| {
            let known = vec![("/tmp/x".to_owned(), FOLDER.to_owned())];
            Normal { known, ids: HashMap::new() }.text(text)
        };
        let (a, b) = ("0b2f1c9e-1a2b-4c3d-9e8f-001122334455", "1b2f1c9e-1a2b-4c3d-9e8f-001122334455");
        let (one, two) = ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002");
        for (given, expected) in [
            ("plain – text".to_owned(), "plain – text".to_owned()),
            ("in /tmp/x/project".to_owned(), format!("in {FOLDER}/project")),
            (format!("{b}/{a}/{b}"), format!("{one}/{two}/{one}")),
            ("at 2026-11-15T05:20:28.252Z.".to_owned(), format!("at {TIME}.")),
            ("at 2026-11-15T05:20:28Z".to_owned(), format!("at {TIME}")),
            ("~/plans/a-red-fox.md · x".to_owned(), "~/plans/plan.md · x".to_owned()),
            ("on 2026-11-15".to_owned(), "on 2026-11-15".to_owned()),
        ] {
            assert_eq!(normal(&given), expected);
        }
    }
}
