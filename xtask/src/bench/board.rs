//! The board of a person with 50 agents: what it costs while they work and nobody needs anything, how long a picture
//! takes, and how much is written for it; beside htop, which paints as many cells at its own rate.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde::Serialize;

use super::Setup;
use super::http::Http;
use super::hub::{Hub, payload};
use super::process::{Usage, usage, wait_for};
use super::pty::Pty;
use super::report::{Section, Table, number};
use super::stats::Delays;

const SESSIONS: usize = 50;
/// Tool calls of all sessions together, each second: an agent that works makes one every few seconds.
const CALLS: u64 = 25;
/// Turns that begin or end, each second. More than fifty people would bear.
const TURNS: u64 = 20;
/// Until start-up work is over.
const SETTLE: Duration = Duration::from_secs(2);
/// A picture in less than a sixtieth of a second is not waited for.
const SOON_MS: f64 = 16.0;

#[derive(Debug, Serialize)]
struct Row {
    program: String,
    seconds: u64,
    /// As a share of one core.
    cpu: f64,
    wake_ups: u64,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct Found {
    rows: Vec<Row>,
    frames: usize,
    frame_ms: Delays,
    /// In the time in which turns began and ended.
    changes: u64,
    bytes_per_change: f64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let time = Duration::from_secs(if setup.quick { 5 } else { 20 });
    let hub = Hub::start(&setup.coop)?;
    let mut http = hub.http()?;
    for session in 0..SESSIONS {
        http.json("POST", "/api/v1/hooks/SessionStart", &payload(session))?;
        http.json("POST", "/api/v1/hooks/UserPromptSubmit", &payload(session))?;
    }
    let folder = tempfile::tempdir()?;
    let frames = folder.path().join("frames");
    let board = Watched::start(&board(&setup.coop, &hub.socket(), folder.path(), &frames))?;
    let htop = Watched::start(&peer(folder.path()))?;
    wait_for("the board to paint", || (board.bytes() > 1000).then_some(()))?;
    wait_for("htop to paint, which the board is compared with (install it)", || (htop.bytes() > 1000).then_some(()))?;
    thread::sleep(SETTLE);

    let quiet = |http: &mut Http| pace(http, time, 0, |_| Vec::new());
    let mut rows = vec![measured("board, nothing happens", &board, time, || quiet(&mut http))?];
    // A connection that nobody used for so long has been closed.
    http = hub.http()?;
    let both = || pace(&mut http, time, CALLS, |call| vec![hook("PreToolUse", call), hook("PostToolUse", call)]);
    let before = (htop.usage()?, htop.bytes());
    rows.push(measured(&format!("board, {CALLS} tool calls a second"), &board, time, both)?);
    rows.push(row("htop, at its default rate", time, htop.usage()?.since(before.0), htop.bytes() - before.1));
    let turns = || {
        pace(&mut http, time, TURNS, |turn| {
            vec![if turn_ends(turn) { hook("Stop", turn) } else { hook("UserPromptSubmit", turn) }]
        })
    };
    rows.push(measured(&format!("board, {TURNS} changes a second"), &board, time, turns)?);
    let changes = TURNS * time.as_secs();
    let written = rows.last().map_or(0, |row| row.bytes);

    drop(board);
    let taken = fs::read_to_string(&frames).context("the board has not told how long its pictures took")?;
    let taken: Vec<f64> =
        taken.lines().filter_map(|line| line.parse::<f64>().ok()).map(|micros| micros / 1000.0).collect();
    ensure!(!taken.is_empty(), "the board has painted nothing");
    let found = Found {
        rows,
        frames: taken.len(),
        frame_ms: Delays::of(taken),
        changes,
        bytes_per_change: written as f64 / changes as f64,
    };
    let mut section = Section::new("board", found.table(), &found)?;
    section.missed.extend(found.missed());
    Ok(section)
}

impl Found {
    fn table(&self) -> Table {
        let heading = format!("The board with {SESSIONS} sessions that work, 200×50");
        let mut table = Table::new(heading, &["program", "CPU ms/s", "wake-ups/s", "bytes/s"]);
        for row in &self.rows {
            let each = |count: u64| number(count as f64 / row.seconds as f64);
            table.row([row.program.clone(), number(row.cpu * 1000.0), each(row.wake_ups), each(row.bytes)]);
        }
        let Delays { p50, p99, most } = self.frame_ms;
        table.note(format!(
            "{} pictures: {} ms at the median, p99 {} ms, {} ms at the most",
            self.frames,
            number(p50),
            number(p99),
            number(most)
        ));
        table.note(format!("{} bytes written for each of {} changes", number(self.bytes_per_change), self.changes));
        table
    }

    fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        if self.frame_ms.p99 >= SOON_MS {
            missed.push(format!("board: p99 of a picture is {:.1} ms, and not below {SOON_MS} ms", self.frame_ms.p99));
        }
        if let [_, working, htop, ..] = self.rows.as_slice()
            && working.cpu > htop.cpu
        {
            missed.push("board: it takes more CPU than htop while agents work".into());
        }
        missed
    }
}

/// A program on a terminal, whose output is counted.
struct Watched {
    pty: Pty,
    bytes: Arc<AtomicU64>,
}

impl Watched {
    fn start(command: &[String]) -> anyhow::Result<Self> {
        let pty = Pty::spawn(command)?;
        let bytes = Arc::new(AtomicU64::new(0));
        let (mut output, count) = (pty.output()?, bytes.clone());
        // Ends with the program.
        thread::spawn(move || drain(&mut output, &count));
        Ok(Self { pty, bytes })
    }

    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn usage(&self) -> anyhow::Result<Usage> {
        usage(self.pty.pid())
    }
}

fn drain(output: &mut File, count: &AtomicU64) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = output.read(&mut buffer) {
        count.fetch_add(read as u64, Ordering::Relaxed);
    }
}

fn board(coop: &Path, socket: &Path, folder: &Path, frames: &Path) -> Vec<String> {
    let mut command = env(folder);
    command.extend([coop.display().to_string(), "board".into(), "--hub".into(), format!("unix:{}", socket.display())]);
    command.extend(["--frames".into(), frames.display().to_string()]);
    command
}

/// As it comes, without anybody's settings.
fn peer(folder: &Path) -> Vec<String> {
    let mut command = env(folder);
    command.push("htop".into());
    command
}

/// `env` becomes the program, and so has its number.
fn env(folder: &Path) -> Vec<String> {
    let home = format!("HOME={}", folder.display());
    ["env", "-u", "NO_COLOR", "-u", "XDG_CONFIG_HOME", "-u", "XDG_STATE_HOME", "TERM=xterm-256color", &home]
        .map(str::to_owned)
        .into()
}

fn measured(
    name: &str,
    board: &Watched,
    time: Duration,
    work: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<Row> {
    let (before, bytes) = (board.usage()?, board.bytes());
    work()?;
    Ok(row(name, time, board.usage()?.since(before), board.bytes() - bytes))
}

fn row(name: &str, time: Duration, used: Usage, bytes: u64) -> Row {
    let cpu = used.cpu.as_secs_f64() / time.as_secs_f64();
    Row { program: name.to_owned(), seconds: time.as_secs(), cpu, wake_ups: used.wake_ups, bytes }
}

/// An event of the session whose turn it is.
fn hook(event: &str, number: u64) -> (String, usize) {
    (format!("/api/v1/hooks/{event}"), number as usize % SESSIONS)
}

/// Each session ends a turn, and begins one when all others have ended theirs.
fn turn_ends(number: u64) -> bool {
    (number / SESSIONS as u64).is_multiple_of(2)
}

/// Sends `rate` things a second, evenly, for as long as `time`.
fn pace(http: &mut Http, time: Duration, rate: u64, what: impl Fn(u64) -> Vec<(String, usize)>) -> anyhow::Result<()> {
    let begin = Instant::now();
    for number in 0..rate * time.as_secs() {
        let due = begin + Duration::from_secs(1) * u32::try_from(number)? / u32::try_from(rate)?;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        for (path, session) in what(number) {
            let mut body = payload(session);
            body["tool_name"] = "Bash".into();
            body["tool_input"] = serde_json::json!({ "command": format!("make step-{number}") });
            http.json("POST", &path, &body)?;
        }
    }
    thread::sleep((begin + time).saturating_duration_since(Instant::now()));
    Ok(())
}
