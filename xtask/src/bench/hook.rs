//! What a hook costs the agent that runs it: `coop hook`, against a program that does nothing and one that asks the same.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde::Serialize;

use super::coop::Coop;
use super::process::quiet;
use super::report::{Section, Table, number, percent};
use super::stats::Spread;
use super::{Setup, words};

const EVENT: &str = "PostToolUse";

/// As an agent sends it after a command.
const PAYLOAD: &str = r#"{"session_id":"00000000-0000-4000-8000-000000000000","hook_event_name":"PostToolUse","cwd":"/","permission_mode":"default","tool_name":"Bash","tool_use_id":"toolu_01","tool_input":{"command":"cargo test","description":"Run the tests"},"tool_response":{"stdout":"ok","stderr":"","interrupted":false}}"#;

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    ms: Spread,
    /// In the program itself, without the kernel; nothing where neither `perf` nor callgrind can count.
    instructions: Option<f64>,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let rounds = if setup.quick { 50 } else { 400 };
    let folder = tempfile::tempdir()?;
    let session = Coop::start_agent(&setup.coop, "claude", &[sleeper(folder.path())?])?;
    let programs = [("true", nothing()), ("coop hook", hook(setup)), ("curl", curl(&session))];
    let mut times = vec![Vec::new(); programs.len()];
    for _ in 0..rounds {
        for ((name, words), times) in programs.iter().zip(&mut times) {
            times.push(run(&session, words).with_context(|| (*name).to_owned())?);
        }
    }
    let rows = programs.iter().zip(times).map(|((program, words), times)| Row {
        program,
        ms: Spread::of(times),
        instructions: instructions(&session, words),
    });
    let rows: Vec<Row> = rows.collect();
    Section::new("hook", table(&rows, rounds), &rows)
}

/// A program that does nothing, whatever an agent would be told.
fn sleeper(folder: &Path) -> anyhow::Result<String> {
    let path = folder.join("sleeper");
    fs::write(&path, "#!/bin/sh\nexec sleep 1000\n")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path.to_string_lossy().into_owned())
}

fn nothing() -> Vec<String> {
    words(&["true"])
}

fn hook(setup: &Setup) -> Vec<String> {
    vec![setup.coop.to_string_lossy().into_owned(), "hook".into(), EVENT.into()]
}

fn curl(session: &Coop) -> Vec<String> {
    let socket = session.socket().to_string_lossy().into_owned();
    let url = format!("http://localhost/api/v1/hooks/{EVENT}");
    let mut command = words(&["curl", "--silent", "--fail", "--header", "Content-Type: application/json"]);
    command.extend(["--unix-socket".into(), socket, "--data-binary".into(), "@-".into(), url]);
    command
}

/// Milliseconds from the start of a program to its end, with the event as its input.
fn run(session: &Coop, words: &[String]) -> anyhow::Result<f64> {
    let begin = Instant::now();
    let mut child = command(session, words).spawn()?;
    // One that does not read ends before it has all of it.
    drop(child.stdin.take().map(|mut stdin| stdin.write_all(PAYLOAD.as_bytes())));
    let status = child.wait()?;
    let ms = begin.elapsed().as_secs_f64() * 1000.0;
    ensure!(status.success(), "it failed: {status}");
    Ok(ms)
}

fn command(session: &Coop, words: &[String]) -> Command {
    let mut command = quiet(words[0].as_ref());
    command.args(&words[1..]).env("COOP_SOCKET", session.socket()).stdin(Stdio::piped());
    command
}

/// Of one run, as `perf` counts them, or callgrind where the machine lets nobody count.
fn instructions(session: &Coop, program: &[String]) -> Option<f64> {
    let perf = ["perf", "stat", "-x", ",", "-e", "instructions:u", "--"];
    let callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--"];
    let counted = |line: &str| line.contains("instructions").then(|| line.split(',').next()?.parse().ok())?;
    let collected = |line: &str| line.split_once("Collected :")?.1.trim().parse().ok();
    counts(session, &perf, program, counted).or_else(|| counts(session, &callgrind, program, collected))
}

/// What a program that watches another says about it.
fn counts(session: &Coop, watcher: &[&str], program: &[String], read: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let mut counted = words(watcher);
    counted.extend(program.iter().cloned());
    let mut child = command(session, &counted).stderr(Stdio::piped()).spawn().ok()?;
    drop(child.stdin.take().map(|mut stdin| stdin.write_all(PAYLOAD.as_bytes())));
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stderr).ok()?.lines().find_map(read)
}

fn table(rows: &[Row], rounds: usize) -> Table {
    let heading = format!("A hook of an agent ({EVENT}), from its start to its end, median of {rounds} rounds");
    let mut table = Table::new(heading, &["program", "ms", "least", "noise", "million instructions"]);
    for row in rows {
        table.row([
            row.program.to_owned(),
            number(row.ms.median),
            number(row.ms.least),
            percent(row.ms.noise()),
            row.instructions.map_or("not measured".into(), |count| number(count / 1e6)),
        ]);
    }
    table
}
