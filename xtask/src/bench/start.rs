//! How long a session takes to be there, and what it takes up.

use std::ffi::OsStr;
use std::fs;
use std::time::Instant;

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use super::coop::Coop;
use super::process::{usage, wait_for};
use super::report::{Section, Table, mebibytes, number, percent};
use super::stats::Spread;
use super::{Setup, tmux, words};

/// One start.
#[derive(Clone, Copy, Debug)]
struct Run {
    ms: f64,
    resident: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    start_ms: Spread,
    resident: f64,
    binary: u64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let rounds = if setup.quick { 5 } else { 20 };
    let (mut coops, mut tmuxes) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        coops.push(start_coop(setup)?);
        tmuxes.push(start_tmux()?);
    }
    let tmux_binary = find("tmux").context("tmux is not in PATH")?;
    let rows = [
        row("coop, until it answers", &coops, fs::metadata(&setup.coop)?.len()),
        row("tmux new-session -d", &tmuxes, fs::metadata(tmux_binary)?.len()),
    ];
    Section::new("start", table(&rows, rounds), &rows)
}

fn start_coop(setup: &Setup) -> anyhow::Result<Run> {
    let begin = Instant::now();
    let coop = Coop::start_unleashed(&setup.coop, &words(&["sleep", "1000"]))?;
    let ms = begin.elapsed().as_secs_f64() * 1000.0;
    Ok(Run { ms, resident: coop.usage()?.resident as f64 })
}

/// As a person starts it: the server becomes a daemon, so it is ended by the pid it tells.
fn start_tmux() -> anyhow::Result<Run> {
    let folder = tempfile::tempdir()?;
    let begin = Instant::now();
    tmux::run(folder.path(), ["new-session", "-d", "--", "sleep", "1000"])?;
    let ms = begin.elapsed().as_secs_f64() * 1000.0;
    let pid: i32 = tmux::run(folder.path(), ["display-message", "-p", "#{pid}"])?.parse()?;
    let resident = usage(pid.unsigned_abs()).map(|usage| usage.resident as f64);
    kill_process(Pid::from_raw(pid).context("tmux told no pid")?, Signal::TERM)?;
    wait_for("tmux to end", || usage(pid.unsigned_abs()).is_err().then_some(()))?;
    Ok(Run { ms, resident: resident? })
}

fn find(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(OsStr::new(program))).find(|file| file.is_file())
}

fn row(program: &'static str, runs: &[Run], binary: u64) -> Row {
    let resident = Spread::of(runs.iter().map(|run| run.resident)).median;
    Row { program, start_ms: Spread::of(runs.iter().map(|run| run.ms)), resident, binary }
}

fn table(rows: &[Row], rounds: usize) -> Table {
    let heading = format!("Start and size of a session with `sleep`, median of {rounds} rounds");
    let mut table = Table::new(heading, &["program", "ms", "least", "noise", "resident MiB", "binary MiB"]);
    for row in rows {
        table.row([
            row.program.to_owned(),
            number(row.start_ms.median),
            number(row.start_ms.least),
            percent(row.start_ms.noise()),
            mebibytes(row.resident),
            mebibytes(row.binary as f64),
        ]);
    }
    table
}
