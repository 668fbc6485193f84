//! Makes two runs of the same case read the same: folders, ids, ports, times, and words that agents pick at random.
//!
//! What stands for something has its length, so that a screen stays as it was painted.

use std::collections::HashMap;

use coop_testkit::Agent;
use serde_json::{Number, Value};

const FOLDER: &str = "/tmp/coop-bench-000000";
const FOLDER_NAME: &str = "coop-bench-";
const LOG: &str = "log-of-the-session";
const TIME: &str = "2000-01-01T00:00:00.000Z";
const SECONDS: i64 = 946_684_800;
/// Times of this century, in seconds.
const NOW: std::ops::Range<i64> = 1_500_000_000..4_000_000_000;
/// Longer texts are the agent's own instructions, with which it could fill the repository.
const LONGEST: usize = 2000;

/// Numbers that only measure this machine, and those of its processes.
const MEASURED: &[&str] = &[
    "pid",
    "process_id",
    "procStart",
    "duration_ms",
    "durationMs",
    "durationSeconds",
    "duration_api_ms",
    "hookDurationMs",
    "first_content_frame_ms",
    "time_to_first_token_ms",
    "time_to_request_ms",
    "toolInputStreamMs",
    "ttft_ms",
    "ttft_stream_ms",
    // Of a duration.
    "nanos",
    "secs",
];
/// The same in a text, after these words.
const MEASURED_AFTER: &[&str] = &["Chunk ID: ", "Wall time: ", "Process Group PGID: ", "<current_date>", "<timezone>"];
/// A screen, cell by cell. There is one of it in a file of its own.
const CELLS: &[&str] = &["resultDisplay", "returnDisplay"];
/// Words made up on the spot, what names this machine or a process, and a reference to bookkeeping, whose order is by chance.
const MADE_UP: &[&str] =
    &["slug", "messagingSocketPath", "messaging_socket_path", "parentUuid", "pidDomain", "projectHash"];

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
        let text = replace(&text, is_folder, |found| {
            let name = found.len() - FOLDER_NAME.len();
            format!("{FOLDER_NAME}{}", "0".repeat(name))
        });
        let text = self.with_ids(&text);
        let text = replace(&text, is_time, |_| TIME.to_owned());
        let text = replace(&text, is_log, |_| LOG.to_owned());
        let text = replace(&text, is_agent, |_| "a0000000000000000".to_owned());
        let text = replace(&text, is_cut_id, |_| "00000000-0000-4…".to_owned());
        let text = replace(&text, is_clock, |found| found.replace(|c: char| c.is_ascii_digit(), "0"));
        let text = replace(&text, is_measured, |found| format!("{}0", measured_after(found).unwrap_or_default()));
        replace(&text, is_plan, |_| "/plans/plan.md".to_owned())
    }

    /// A line of a title: with a spinner that stands still, without the name of the conversation, which comes at some
    /// time, and without the blinking.
    pub(crate) fn title(&mut self, title: &str) -> String {
        let title = self.text(title).replace(|c| ('\u{2800}'..='\u{28ff}').contains(&c), "⠂");
        title.replace("Scripted title | ", "").replace("[ . ]", "[ ! ]") + "\n"
    }

    /// The rows of a screen, without what an agent decorates them with at random.
    pub(crate) fn screen(&mut self, screen: &str) -> String {
        // The mascot blinks.
        let rows = self.text(screen.trim_end()).replace("▛███▂█", "▛███▛█");
        let rows = rows.lines().map(|row| match row.split_once("Tip: ") {
            Some((start, _)) => format!("{start}Tip: …"),
            None => plain_row(row).to_owned(),
        });
        rows.map(|row| row.trim_end().to_owned() + "\n").collect()
    }

    fn json(&mut self, key: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, value)| (self.text(key), self.json(key, value)));
                Value::Object(fields.collect())
            }
            Value::Array(_) if CELLS.contains(&key) => "(cells)".into(),
            Value::Array(items) => items.iter().map(|item| self.json(key, item)).collect(),
            Value::Number(_) if MEASURED.contains(&key) => 0.into(),
            Value::Number(number) => neutral_time(number).unwrap_or_else(|| value.clone()),
            Value::String(_) if MEASURED.contains(&key) || MADE_UP.contains(&key) => "0".into(),
            Value::String(text) if key == "name" && text.starts_with("project-") => "project-00".into(),
            // Of which the order is by chance.
            Value::String(text) if text.starts_with('{') => match serde_json::from_str::<Value>(text) {
                Ok(inner) => self.json(key, &inner).to_string().into(),
                Err(_) => shortened(&self.text(text)).into(),
            },
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

/// The name of the agent's folder, or as much of it as there was room for.
fn is_folder(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(FOLDER_NAME)?;
    let random = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    Some(FOLDER_NAME.len() + random.min(6))
}

/// A UUID at the start of the text.
fn is_id(text: &str) -> Option<usize> {
    fits(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh").then_some(36)
}

/// The id of a subagent of Claude.
fn is_agent(text: &str) -> Option<usize> {
    let pattern = "ahhhhhhhhhhhhhhhh";
    let is_whole = !text.get(pattern.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    (fits(text, pattern) && is_whole).then_some(pattern.len())
}

/// A UUID that Gemini had no room for.
fn is_cut_id(text: &str) -> Option<usize> {
    let whole = "hhhhhhhh-hhhh-h";
    (fits(text, whole) && text[whole.len()..].starts_with('…')).then_some(whole.len() + '…'.len_utf8())
}

/// The time of the day as Codex shows it.
fn is_clock(text: &str) -> Option<usize> {
    ["• dd:dd", "at d:dd AM", "at d:dd PM", "at dd:dd AM", "at dd:dd PM"]
        .iter()
        .find(|pattern| fits(text, pattern))
        .map(|pattern| pattern.len())
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

/// The folders and the time that Codex and Gemini put into the name of a log.
fn is_log(text: &str) -> Option<usize> {
    let patterns = ["dddd/dd/dd/rollout-dddd-dd-ddTdd-dd-dd", "session-dddd-dd-ddTdd-dd-hhhhhhhh"];
    patterns.iter().find(|pattern| fits(text, pattern)).map(|pattern| pattern.len())
}

/// Words of Codex and Gemini, and the number, id or place that follows.
fn is_measured(text: &str) -> Option<usize> {
    let words = measured_after(text)?;
    let rest = &text[words.len()..];
    let end = rest.find(|c: char| !"./-".contains(c) && !c.is_ascii_alphanumeric());
    Some(words.len() + end.unwrap_or(rest.len()))
}

fn measured_after(text: &str) -> Option<&'static str> {
    MEASURED_AFTER.iter().find(|words| text.starts_with(**words)).copied()
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
/// Codex says the time of the day. Gemini paints a row over that with the paths of the hooks it runs, and leaves some.
fn plain_row(row: &str) -> &str {
    match row {
        _ if row.starts_with('✻') && row.contains(" for ") => "✻ Worked for 0s",
        _ if row.starts_with("? for shortcuts") && row.contains(FOLDER_NAME) => "? for shortcuts",
        _ if row.starts_with("  Worked for ") => "  Worked for 0s • 00:00",
        "  Running a command" => "● Running a command",
        _ => row,
    }
}

/// For a moment in seconds or milliseconds.
fn neutral_time(number: &Number) -> Option<Value> {
    match number.as_i64().or_else(|| number.as_f64().map(|seconds| seconds as i64))? {
        seconds if NOW.contains(&seconds) => Some(SECONDS.into()),
        millis if NOW.contains(&(millis / 1000)) => Some((SECONDS * 1000).into()),
        _ => None,
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
            ("agent-a51cbd4c7e2a8262b.jsonl".to_owned(), "agent-a0000000000000000.jsonl".to_owned()),
            ("/1313d790-2f65-4… │".to_owned(), "/00000000-0000-4… │".to_owned()),
            ("try again at 7:58 AM.".to_owned(), "try again at 0:00 AM.".to_owned()),
            ("/tmp/coop-bench-1gB".to_owned(), "/tmp/coop-bench-000".to_owned()),
            ("on 2026-11-15".to_owned(), "on 2026-11-15".to_owned()),
            ("Chunk ID: a9b76d\nWall time: 0.0010 seconds".to_owned(), "Chunk ID: 0\nWall time: 0 seconds".to_owned()),
            ("<timezone>Etc/UTC</timezone>".to_owned(), "<timezone>0</timezone>".to_owned()),
            ("s/2026/11/15/rollout-2026-11-15T05-20-28-x".to_owned(), format!("s/{LOG}-x")),
            ("session-2026-11-15T05-20-0b2f1c9e.jsonl".to_owned(), format!("{LOG}.jsonl")),
        ] {
            assert_eq!(normal(&given), expected);
        }
    }
}
