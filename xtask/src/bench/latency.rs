//! How long a byte takes from the child to a client, and a key from a client to the child. The peer is a bare PTY.

use std::io::{Read, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;
use tungstenite::{Bytes, Message, WebSocket};

use super::coop::{Coop, OFFSET};
use super::pty::Pty;
use super::report::{Section, Table, number};
use super::side::Side;
use super::stats::Delays;
use super::{Setup, child};

/// Long enough that everybody is asleep when the next byte comes.
const GAP: Duration = Duration::from_millis(10);
/// A time in nanoseconds, as a program writes a word.
const WORD: usize = 20;
/// Coloured text on a screen of 200×50: more than the PTY hands out at once.
const FRAME: usize = 12 << 10;

#[derive(Debug, Serialize)]
struct Row {
    path: &'static str,
    /// Microseconds.
    pty: Delays,
    coop: Delays,
}

/// Samples of both, in nanoseconds.
#[derive(Debug, Default)]
struct Samples {
    pty: Vec<u64>,
    coop: Vec<u64>,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let (rounds, count) = if setup.quick { (2, 50) } else { (4, 150) };
    let [mut word, mut frame, mut key] = [(); 3].map(|()| Samples::default());
    for _ in 0..rounds {
        for (samples, len) in [(&mut word, WORD), (&mut frame, FRAME)] {
            samples.pty.extend(output_of_pty(count, len)?);
            samples.coop.extend(output_of_coop(setup, count, len)?);
        }
        key.pty.extend(input_of_pty(count)?);
        key.coop.extend(input_of_coop(setup, count)?);
    }
    let rows = [
        word.row("child writes 20 bytes → read from a WebSocket"),
        frame.row("child writes 12 KiB → all read from a WebSocket"),
        key.row("POST /input/raw → child has read it"),
    ];
    Section::new("latency", table(&rows, rounds * count), &rows)
}

impl Samples {
    fn row(self, path: &'static str) -> Row {
        let delays = |samples: Vec<u64>| Delays::of(samples.into_iter().map(|ns| ns as f64 / 1000.0));
        Row { path, pty: delays(self.pty), coop: delays(self.coop) }
    }
}

/// A child that writes the time when it is told to begin.
fn clock(side: &Side, count: usize, len: usize) -> anyhow::Result<Vec<String>> {
    let go = side.go_path().display().to_string();
    child::command(&["clock", &go, &count.to_string(), &GAP.as_millis().to_string(), &len.to_string()])
}

fn output_of_pty(count: usize, len: usize) -> anyhow::Result<Vec<u64>> {
    let side = Side::new()?;
    let pty = Pty::spawn(&clock(&side, count, len)?)?;
    side.start()?;
    ages(pty, count, len)
}

fn output_of_coop(setup: &Setup, count: usize, len: usize) -> anyhow::Result<Vec<u64>> {
    let side = Side::new()?;
    let coop = Coop::start(&setup.coop, &clock(&side, count, len)?)?;
    let socket = coop.web_socket("subscribe=output&encoding=binary")?;
    side.start()?;
    ages(Frames { socket, rest: Bytes::new() }, count, len)
}

/// How old each time is when its last byte comes in.
fn ages(mut terminal: impl Read, count: usize, len: usize) -> anyhow::Result<Vec<u64>> {
    let mut record = vec![0; len];
    let mut age = || {
        terminal.read_exact(&mut record)?;
        let written: u64 = str::from_utf8(&record)?.trim().parse().context("the child wrote no time")?;
        Ok(child::now() - written)
    };
    (0..count).map(|_| age()).collect()
}

/// The output in the frames of a WebSocket.
struct Frames {
    socket: WebSocket<UnixStream>,
    /// What of the last frame has not been read yet.
    rest: Bytes,
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.rest.is_empty() {
            if let Message::Binary(frame) = self.socket.read().map_err(std::io::Error::other)? {
                self.rest = frame.slice(OFFSET..);
            }
        }
        let count = self.rest.as_ref().read(buffer)?;
        self.rest = self.rest.slice(count..);
        Ok(count)
    }
}

/// A child that reports when it reads a key, and is ready for the first.
fn keys(side: &Side, count: usize) -> anyhow::Result<Vec<String>> {
    child::command(&["keys", &side.back_path().display().to_string(), &count.to_string()])
}

fn input_of_pty(count: usize) -> anyhow::Result<Vec<u64>> {
    let side = Side::new()?;
    let mut pty = Pty::spawn(&keys(&side, count)?)?;
    type_keys(side, count, || Ok(pty.write_all(b"k")?))
}

fn input_of_coop(setup: &Setup, count: usize) -> anyhow::Result<Vec<u64>> {
    let side = Side::new()?;
    let coop = Coop::start(&setup.coop, &keys(&side, count)?)?;
    let mut http = coop.http()?;
    type_keys(side, count, || http.post("/api/v1/input/raw", b"k").map(drop))
}

/// Types keys with pauses, and returns how long each took to be read.
fn type_keys(mut side: Side, count: usize, mut press: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Vec<u64>> {
    side.report::<8>()?;
    let mut delays = Vec::with_capacity(count);
    for _ in 0..count {
        std::thread::sleep(GAP);
        let pressed = child::now();
        press()?;
        delays.push(u64::from_le_bytes(side.report()?) - pressed);
    }
    Ok(delays)
}

fn table(rows: &[Row], samples: usize) -> Table {
    let heading = format!("Latency in µs after {} ms of silence, {samples} samples each", GAP.as_millis());
    let columns = ["path", "bare PTY p50", "p99", "coop p50", "p99", "most", "added p50"];
    let mut table = Table::new(heading, &columns);
    for Row { path, pty, coop } in rows {
        let numbers = [pty.p50, pty.p99, coop.p50, coop.p99, coop.most, coop.p50 - pty.p50].map(number);
        table.row([(*path).to_owned()].into_iter().chain(numbers));
    }
    table
}
