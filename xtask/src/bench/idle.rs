//! What a session costs when nothing happens in it.

use std::time::Duration;

use serde::Serialize;

use super::coop::Coop;
use super::process::Usage;
use super::report::{Section, Table, mebibytes, number};
use super::tmux::Tmux;
use super::{Setup, words};

const CLIENTS: usize = 10;
/// Until start-up work and greetings are over.
const SETTLE: Duration = Duration::from_secs(1);
/// A few may come from outside, for example from the clock being set. A timer that ticks makes many more.
const MAX_WAKE_UPS: u64 = 5;

#[derive(Debug, Serialize)]
struct Row {
    session: String,
    seconds: u64,
    cpu_ms: f64,
    wake_ups: u64,
    resident: u64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let time = Duration::from_secs(if setup.quick { 3 } else { 10 });
    let sleeper = words(&["sleep", "1000"]);
    let bare = Coop::start(&setup.coop, &sleeper)?;
    let watched = Coop::start(&setup.coop, &sleeper)?;
    let clients = (0..CLIENTS).map(|_| watched.web_socket("mode=all")).collect::<anyhow::Result<Vec<_>>>()?;
    let tmux = Tmux::start(&sleeper)?;
    // All at once: they do nothing, so they do not disturb each other.
    let look = || anyhow::Ok([bare.usage()?, watched.usage()?, tmux.usage()?]);
    std::thread::sleep(SETTLE);
    let before = look()?;
    std::thread::sleep(time);
    let after = look()?;
    drop(clients);
    let names = ["coop, no client".to_owned(), format!("coop, {CLIENTS} clients"), "tmux, one window".to_owned()];
    let used = before.into_iter().zip(after).map(|(before, after)| after.since(before));
    let rows: Vec<Row> = names.into_iter().zip(used).map(|(name, used)| row(name, time, used)).collect();
    let mut section = Section::new("idle", table(&rows, time), &rows)?;
    let busy = rows.iter().filter(|row| row.session.starts_with("coop") && row.wake_ups > MAX_WAKE_UPS);
    section.missed = busy
        .map(|row| format!("{}: {} wake-ups while idle, more than {MAX_WAKE_UPS}", row.session, row.wake_ups))
        .collect();
    Ok(section)
}

fn row(session: String, time: Duration, used: Usage) -> Row {
    Row {
        session,
        seconds: time.as_secs(),
        cpu_ms: used.cpu.as_secs_f64() * 1000.0,
        wake_ups: used.wake_ups,
        resident: used.resident,
    }
}

fn table(rows: &[Row], time: Duration) -> Table {
    let heading = format!("Idle for {} s", time.as_secs());
    let mut table = Table::new(heading, &["session", "CPU ms", "wake-ups", "resident MiB"]);
    for row in rows {
        let numbers = [number(row.cpu_ms), row.wake_ups.to_string(), mebibytes(row.resident as f64)];
        table.row([row.session.clone()].into_iter().chain(numbers));
    }
    table
}
