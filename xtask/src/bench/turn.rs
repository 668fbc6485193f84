//! What coop and its hooks add to each tool call of the real Claude Code. The agent runs offline against a scripted model
//! on the bench of the testkit, which this starts.

use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::Setup;
use super::report::{Section, Table, number};
use super::stats::middle;

/// The versions of `scripts/agents.txt`.
const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
/// No call of a tool may take so many milliseconds longer.
const CEILING: f64 = 2.0;

/// Tools that need no permission, as a scenario calls them: one of those that no hook is called for, and one for which two
/// are.
const TOOLS: [&str; 2] = ["read: README.md", "bash: pwd"];

/// As the testkit prints it: how long each call took, in milliseconds.
#[derive(Debug, Deserialize)]
struct Calls {
    bare: Vec<f64>,
    again: Vec<f64>,
    coop: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct Row {
    version: &'static str,
    tool: &'static str,
    calls: usize,
    bare: f64,
    coop: f64,
    added_per_call: f64,
    /// The same between two bare terminals.
    noise: f64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let times = if setup.quick { 1 } else { 4 };
    let mut rows = Vec::new();
    for version in VERSIONS {
        for tool in TOOLS {
            rows.push(row(setup, version, tool, times)?);
        }
    }
    let mut section = Section::new("turn", table(&rows), &rows)?;
    for row in rows.iter().filter(|row| row.added_per_call > CEILING) {
        let (added, version, tool) = (number(row.added_per_call), row.version, row.tool);
        section.missed.push(format!("turn: {added} ms are added to each `{tool}` of {version}, more than {CEILING}"));
    }
    Ok(section)
}

fn row(setup: &Setup, version: &'static str, tool: &'static str, times: usize) -> anyhow::Result<Row> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "coop-testkit", "--bin", "turn", "--"])
        .arg(&setup.coop)
        .args([version, tool, &times.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the turns of Claude Code {version} failed; is it installed (`make agents`)?");
    let calls: Calls = serde_json::from_slice(&output.stdout).context("what the testkit printed")?;
    let count = calls.coop.len();
    let (bare, again, coop) = (middle(calls.bare), middle(calls.again), middle(calls.coop));
    let noise = (again - bare).abs();
    Ok(Row { version, tool, calls: count, bare, coop, added_per_call: coop - (bare + again) / 2.0, noise })
}

fn table(rows: &[Row]) -> Table {
    let calls = rows.first().map_or(0, |row| row.calls);
    let heading = format!("A tool call of Claude Code in turns of 20, mean of the middle half of {calls}, in ms");
    let columns = ["version", "tool", "bare PTY", "with coop", "added per call", "between two bare PTYs"];
    let mut table = Table::new(heading, &columns);
    for row in rows {
        table.row([
            row.version.to_owned(),
            row.tool.to_owned(),
            number(row.bare),
            number(row.coop),
            number(row.added_per_call),
            number(row.noise),
        ]);
    }
    table
}
