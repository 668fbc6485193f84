//! The web app in a real Chromium: how soon what an agent does is a picture on the board and in the conversation, and how long
//! the page is busy at a stretch while a terminal is flooded, next to xterm.js alone with the same flood. The page is driven
//! by `web/bench`, which this starts.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::corpus::{CORPORA, REDRAW};
use super::report::{Section, Table, number};
use super::stats::{Delays, Spread};
use super::{Setup, process};

/// As `web/bench` prints it; times are milliseconds.
#[derive(Debug, Deserialize, Serialize)]
struct Measured {
    version: String,
    sessions: usize,
    board: Vec<f64>,
    conversation: Conversation,
    floods: Vec<Flood>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Conversation {
    /// Written to the log, and a hook was called.
    told: Vec<f64>,
    /// Written to the log, and that was all.
    untold: Vec<f64>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Flood {
    name: String,
    bytes: u64,
    coop: Vec<Busy>,
    plain: Vec<Busy>,
}

/// One flood, until its end was shown.
#[derive(Debug, Deserialize, Serialize)]
struct Busy {
    ms: f64,
    /// Long tasks, as browsers count them: over 50 ms.
    count: f64,
    longest: f64,
    total: f64,
    /// The longest time without a frame.
    gap: f64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let size = if setup.quick { 8 << 20 } else { 32 << 20 };
    let floods = [CORPORA[0], REDRAW].map(|corpus| {
        let recording = corpus.recording(&setup.corpora, size)?;
        Ok(json!({ "name": corpus.name, "path": recording.path.canonicalize()? }))
    });
    let floods = floods.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let (events, rounds) = if setup.quick { (40, 1) } else { (200, 3) };
    let told = json!({ "coop": setup.coop, "events": events, "rounds": rounds, "floods": floods });
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    ensure!(web.join("node_modules").is_dir(), "the web app is not built: run `make web`");
    let mut node = process::leashed("node".as_ref())?;
    node.arg(web.join("bench/measure.mjs")).env("COOP_BENCH", told.to_string());
    let output = node.stdout(Stdio::piped()).stderr(Stdio::inherit()).output().context("node, which nodejs.org has")?;
    ensure!(output.status.success(), "web/bench failed; what it saw is above");
    let measured: Measured = serde_json::from_slice(&output.stdout)?;
    Section::new("web", table(&measured), &measured)
}

fn table(measured: &Measured) -> Table {
    let heading = format!("From an agent's event to the picture, Chromium {}, in milliseconds", measured.version);
    let mut table = Table::new(heading, &["", "p50", "p99", "most"]);
    let mut row = |what: String, samples: &[f64]| {
        let Delays { p50, p99, most } = Delays::of(samples.iter().copied());
        table.row([what, number(p50), number(p99), number(most)]);
    };
    row(format!("on the board, {} sessions", measured.sessions), &measured.board);
    row("in the conversation, with a hook".into(), &measured.conversation.told);
    row("in the conversation, in the log only".into(), &measured.conversation.untold);
    for flood in &measured.floods {
        let (coop, plain) = (Medians::of(&flood.coop), Medians::of(&flood.plain));
        table.note(format!("{} MB of {} on the terminal page: {coop}", number(flood.bytes as f64 / 1e6), flood.name));
        table.note(format!("  xterm.js alone over a plain WebSocket: {plain}"));
        let ratio = |of: fn(&Medians) -> f64| match of(&plain) {
            0.0 => "-".to_owned(),
            peer => number(of(&coop) / peer),
        };
        let (longest, total, ms) = (ratio(|m| m.longest), ratio(|m| m.total), ratio(|m| m.ms));
        table.note(format!("  coop / xterm.js: longest {longest}, all long tasks {total}, until the end {ms}"));
    }
    table
}

struct Medians {
    ms: f64,
    count: f64,
    longest: f64,
    total: f64,
    gap: f64,
}

impl Medians {
    fn of(rounds: &[Busy]) -> Self {
        let median = |pick: fn(&Busy) -> f64| Spread::of(rounds.iter().map(pick)).median;
        Self {
            ms: median(|one| one.ms),
            count: median(|one| one.count),
            longest: median(|one| one.longest),
            total: median(|one| one.total),
            gap: median(|one| one.gap),
        }
    }
}

impl std::fmt::Display for Medians {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { ms, count, longest, total, gap } = self;
        write!(
            f,
            "{} long tasks, the longest {} ms, {} ms in all; ",
            number(*count),
            number(*longest),
            number(*total)
        )?;
        write!(f, "no frame for {} ms at most; the end shown after {} s", number(*gap), number(ms / 1000.0))
    }
}
