//! A case without a terminal: the agent runs to its end, and what it prints is kept.

use std::process::{Command, Stdio};

use coop_testkit::{Agent, Kind, Options, Scenario};
use serde_json::Value;

use super::{Evidence, told};
use crate::cases::Case;
use crate::normal::Normal;

pub(super) fn record(kind: Kind, version: &str, case: &Case, options: &Options) -> Evidence {
    let scenario = Scenario::parse(case.name, case.scenario).unwrap_or_else(|error| panic!("{error}"));
    let agent = Agent::launch(kind, version, scenario, options).unwrap_or_else(|error| panic!("{error}"));
    let mut command = Command::new(&agent.command.program);
    command.args(&agent.command.args).current_dir(&agent.project).stdin(Stdio::null());
    command.env_clear().envs(agent.command.env.iter().map(|(name, value)| (name, value)));
    let done = command.output().unwrap_or_else(|error| panic!("{error}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let unplayed = agent.model.unplayed();
    assert!(unplayed.is_empty(), "not played: {unplayed:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");

    let mut normal = Normal::new(&agent);
    // Claude does not wait for this one, and may have ended before it.
    let mut hooks = agent.hook_lines();
    hooks.retain(|line| line.event != "StopFailure");
    let mut texts = told(&agent, hooks, &mut normal);
    let line = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(value) => normal.line(&value),
        Err(_) => normal.text(line) + "\n",
    };
    texts.push(("stdout.jsonl".to_owned(), stdout.lines().map(line).collect()));
    texts.push(("exit.txt".to_owned(), format!("{}\n", done.status)));
    texts.retain(|(_, text)| !text.is_empty());
    Evidence { texts, recording: None }
}
