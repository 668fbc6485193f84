//! An agent's own record of the conversation: what was said and done, and apart from it that there is more.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use coop_testkit::Kind;
use serde_json::Value;

use crate::normal::Normal;

/// What an agent's log has beside the conversation: its instructions, requests, costs and settings. Written whenever it
/// comes to it, so only what kinds there are is kept.
const BOOKKEEPING: &[&str] = &[
    "agent-name",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attachment",
    "cost-state",
    "file-history-delta",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "tools-used",
    // Codex
    "session_meta",
    "token_usage_record",
    "turn_context",
    "world_state",
];

pub(super) fn texts(kind: Kind, home: &Path, normal: &mut Normal) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (at, log) in files(kind, home).iter().enumerate() {
        let text = fs::read_to_string(log).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let (other, said): (Vec<_>, Vec<_>) = lines.partition(is_bookkeeping);
        let number = if at == 0 { String::new() } else { format!("-{}", at + 1) };
        texts.push((format!("log{number}.jsonl"), said.iter().map(|line| normal.line(line)).collect()));
        texts.push((format!("log{number}-other.txt"), kinds(&other)));
    }
    texts
}

fn is_bookkeeping(line: &Value) -> bool {
    let is_known = line["type"].as_str().is_some_and(|kind| BOOKKEEPING.contains(&kind));
    let payload = &line["payload"];
    // What Codex tells its model about itself, and what it counts.
    let of_codex = payload["role"] == "developer"
        || payload["type"] == "token_count"
        || payload["thread_settings"].is_object()
        || is_context(payload);
    // Gemini's notes of when it wrote.
    is_known || of_codex || line.get("$set").is_some()
}

/// Words about the folder and the date that Codex puts into the person's mouth.
fn is_context(payload: &Value) -> bool {
    payload["role"] == "user" && payload["content"][0]["text"].as_str().is_some_and(|text| text.starts_with('<'))
}

/// The kinds of these lines, each once.
fn kinds(lines: &[Value]) -> String {
    let kind = |line: &Value| {
        let parts = [&line["type"], &line["attachment"]["type"], &line["payload"]["type"], &line["payload"]["role"]];
        let set =
            line["$set"].as_object().map(|set| format!("$set {}", set.keys().cloned().collect::<Vec<_>>().join(" ")));
        let named = parts.into_iter().filter_map(Value::as_str).map(str::to_owned);
        named.chain(set).collect::<Vec<_>>().join(" ")
    };
    let kinds: BTreeSet<String> = lines.iter().map(kind).collect();
    kinds.iter().map(|kind| kind.clone() + "\n").collect()
}

/// Oldest first.
fn files(kind: Kind, home: &Path) -> Vec<PathBuf> {
    let (folder, is_log): (_, fn(&str) -> bool) = match kind {
        Kind::Claude => (".claude/projects", |name| name.ends_with(".jsonl")),
        Kind::Codex => (".codex/sessions", |name| name.starts_with("rollout-")),
        Kind::Gemini => (".gemini/tmp", |name| name.starts_with("session-")),
        // It keeps a database.
        Kind::OpenCode => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut folders = vec![home.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if is_log(&entry.file_name().to_string_lossy()) => found.push(path),
                _ => {}
            }
        }
    }
    // Their names are made of random ids.
    found.sort_by_cached_key(|path| fs::metadata(path).and_then(|file| file.created()).ok());
    found
}
