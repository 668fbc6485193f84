//! What one more client that follows the output costs.

use std::os::unix::net::UnixStream;

use anyhow::bail;
use serde::Serialize;
use tungstenite::{Message, WebSocket};

use super::Setup;
use super::coop::{Coop, OFFSET};
use super::corpus::{REDRAW, Recording};
use super::report::{Section, Table, number, percent};
use super::side::Side;
use super::stats::Spread;

const CLIENTS: [usize; 3] = [0, 1, 10];

/// One child with some clients.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Millions of bytes per second, until they are on the screen.
    speed: f64,
    /// Of coop, until the last client has everything.
    cpu_ms: f64,
    /// Share of the output that a client got; for the rest it was too slow and got the screen.
    delivered: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    clients: usize,
    speed: Spread,
    of_none: Spread,
    cpu_ms: Spread,
    /// What the clients add, for each of them and each MB.
    cpu_ms_per_client_and_mb: Option<f64>,
    delivered: Option<f64>,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let recording = setup.recording(&REDRAW)?;
    let mut rounds = Vec::new();
    for _ in 0..setup.repetitions() {
        let runs = CLIENTS.map(|clients| run(setup, &recording, clients));
        rounds.push(runs.into_iter().collect::<anyhow::Result<Vec<Run>>>()?);
    }
    let rows: Vec<Row> = (0..CLIENTS.len()).map(|place| row(place, &rounds, &recording)).collect();
    Section::new("clients", table(setup, &rows), &rows)
}

fn run(setup: &Setup, recording: &Recording, clients: usize) -> anyhow::Result<Run> {
    let mut side = Side::new()?;
    let coop = Coop::start_lingering(&setup.coop, &side.cat(&recording.path))?;
    let sockets = (0..clients)
        .map(|_| coop.web_socket("subscribe=output,state&encoding=binary"))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let before = coop.usage()?;
    let readers: Vec<_> = sockets.into_iter().map(|socket| std::thread::spawn(|| read_all(socket))).collect();
    let begin = side.start()?;
    side.report::<1>()?;
    let time = coop.wait_until_shown(recording.arriving)? - begin;
    let mut delivered = 0;
    for reader in readers {
        delivered += reader.join().map_err(|_| anyhow::anyhow!("a client failed"))??;
    }
    Ok(Run {
        speed: recording.speed(time),
        cpu_ms: coop.usage()?.since(before).cpu.as_secs_f64() * 1000.0,
        delivered: delivered as f64 / (recording.arriving as f64 * clients as f64),
    })
}

/// Reads until the program is gone. Returns how many bytes of output came.
fn read_all(mut socket: WebSocket<UnixStream>) -> anyhow::Result<u64> {
    let mut total = 0;
    loop {
        match socket.read()? {
            Message::Binary(frame) => total += (frame.len() - OFFSET) as u64,
            Message::Text(text) if text.contains("\"exit\"") => return Ok(total),
            Message::Close(_) => bail!("coop closed the connection before the end"),
            // Other events, and the screen where output was missed.
            _ => {}
        }
    }
}

fn row(place: usize, rounds: &[Vec<Run>], recording: &Recording) -> Row {
    let clients = CLIENTS[place];
    let spread = |pick: &dyn Fn(&[Run]) -> f64| Spread::of(rounds.iter().map(|runs| pick(runs)));
    let added = spread(&|runs| (runs[place].cpu_ms - runs[0].cpu_ms) / (clients as f64 * recording.megabytes()));
    Row {
        clients,
        speed: spread(&|runs| runs[place].speed),
        of_none: spread(&|runs| runs[place].speed / runs[0].speed),
        cpu_ms: spread(&|runs| runs[place].cpu_ms),
        cpu_ms_per_client_and_mb: (clients > 0).then_some(added.median),
        delivered: (clients > 0).then(|| spread(&|runs| runs[place].delivered).median),
    }
}

fn table(setup: &Setup, rows: &[Row]) -> Table {
    let heading = format!("Clients that follow the output ({}), median of {} rounds", REDRAW.name, setup.repetitions());
    let columns =
        ["WebSocket clients", "MB/s", "of none", "coop CPU ms", "ms per client and MB", "delivered to each", "noise"];
    let mut table = Table::new(heading, &columns);
    for row in rows {
        let known = |value: Option<f64>, text: fn(f64) -> String| value.map_or_else(|| "–".to_owned(), text);
        table.row([
            row.clients.to_string(),
            number(row.speed.median),
            percent(row.of_none.median),
            number(row.cpu_ms.median),
            known(row.cpu_ms_per_client_and_mb, number),
            known(row.delivered, percent),
            percent(row.speed.noise()),
        ]);
    }
    table.note("clients run on the same cores; a client too slow for the log gets the screen instead of the rest");
    table
}
