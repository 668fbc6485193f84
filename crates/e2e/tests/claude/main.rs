//! The real Claude Code under coop, against a scripted model: what is published, and what is answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod cost;
mod faults;
mod gates;
mod nudge;
mod options;
mod parked;
mod plan;
mod print;
mod queued;
mod report;
mod respond;
mod restart;
mod resume;
mod screen;
mod setup;
mod soak;
mod start;
mod states;
mod survive;
mod system;
mod tmux;
mod transcripts;

use coop_e2e::Driven;
use coop_testkit::{Kind, Options};
use serde_json::Value;

pub(crate) const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];

#[track_caller]
pub(crate) fn launch(version: &str, scenario: &str, coop: &[&str]) -> Driven {
    launch_with(version, scenario, coop, Options::default())
}

#[track_caller]
pub(crate) fn launch_with(version: &str, scenario: &str, coop: &[&str], options: Options) -> Driven {
    let driven = begin(version, scenario, coop, options);
    driven.state("idle");
    driven
}

/// Does not wait for the agent: it may ask something first, or end.
#[track_caller]
pub(crate) fn begin(version: &str, scenario: &str, coop: &[&str], options: Options) -> Driven {
    Driven::begin(Kind::Claude, version, scenario, coop, options)
}

/// The files of the agent's own log.
pub(crate) fn log_files(driven: &Driven) -> Vec<std::path::PathBuf> {
    let projects = driven.session.agent.home.join(".claude/projects");
    let entries = |folder| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = entries(projects).flat_map(entries);
    files.filter(|path| path.extension().is_some_and(|ext| ext == "jsonl")).collect()
}

/// The agent's own log of its conversations.
pub(crate) fn log_lines(driven: &Driven) -> Vec<Value> {
    let logs = log_files(driven).into_iter();
    let text = logs.map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect::<String>();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Waits until the last thing a tool came back with, in the agent's own log, is as expected.
#[track_caller]
pub(crate) fn result(driven: &Driven, what: &str, fits: impl Fn(&str) -> bool) {
    let what = format!("a tool result {what}");
    driven.session.until(&what, |_| results(driven).last().is_some_and(|result| fits(result)).then_some(()));
}

fn results(driven: &Driven) -> Vec<String> {
    let lines = log_lines(driven);
    let results = lines.iter().filter(|line| line["type"] == "user").filter_map(|line| {
        let block = line["message"]["content"].as_array()?.iter().find(|block| block["type"] == "tool_result")?;
        Some(block["content"].as_str().map_or_else(|| block["content"].to_string(), str::to_owned))
    });
    results.collect()
}
