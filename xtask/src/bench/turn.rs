//! What coop and its hooks add to each tool call of the real Claude Code. The agent runs offline against a scripted model
//! on the bench of the testkit, which this starts.

use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::Setup;
use super::report::{Section, Table, number, percent};
use super::stats::Spread;

/// The versions of `scripts/agents.txt`.
const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
/// No call of a tool may take so many milliseconds longer.
const CEILING: f64 = 2.0;

/// As the testkit prints it: how long each turn took, in milliseconds.
#[derive(Debug, Deserialize)]
struct Turns {
    calls: u32,
    bare: Vec<f64>,
    coop: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct Row {
    version: &'static str,
    calls: u32,
    bare: Spread,
    coop: Spread,
    added_per_call: f64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let rounds = if setup.quick { 3 } else { 11 };
    let rows = VERSIONS.iter().map(|&version| row(setup, version, rounds)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut section = Section::new("turn", table(&rows, rounds), &rows)?;
    for row in rows.iter().filter(|row| row.added_per_call > CEILING) {
        let added = number(row.added_per_call);
        section.missed.push(format!("turn: {added} ms are added to each call of {}, more than {CEILING}", row.version));
    }
    Ok(section)
}

fn row(setup: &Setup, version: &'static str, rounds: usize) -> anyhow::Result<Row> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "coop-testkit", "--bin", "turn", "--"])
        .arg(&setup.coop)
        .args([version, &rounds.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the turns of Claude Code {version} failed; is it installed (`make agents`)?");
    let turns: Turns = serde_json::from_slice(&output.stdout).context("what the testkit printed")?;
    let (bare, coop) = (Spread::of(turns.bare), Spread::of(turns.coop));
    let added_per_call = (coop.median - bare.median) / f64::from(turns.calls);
    Ok(Row { version, calls: turns.calls, bare, coop, added_per_call })
}

fn table(rows: &[Row], rounds: usize) -> Table {
    let calls = rows.first().map_or(0, |row| row.calls);
    let heading = format!("A turn of Claude Code with {calls} tool calls, median of {rounds} rounds, in ms");
    let mut table = Table::new(heading, &["version", "bare PTY", "noise", "with coop", "noise", "added per call"]);
    for row in rows {
        table.row([
            row.version.to_owned(),
            number(row.bare.median),
            percent(row.bare.noise()),
            number(row.coop.median),
            percent(row.coop.noise()),
            number(row.added_per_call),
        ]);
    }
    table
}
