//! How fast output gets from a child to a screen: coop, tmux, and a reader that throws everything away.

use serde::Serialize;

use super::Setup;
use super::coop::Coop;
use super::corpus::{CORPORA, Corpus, Floor, Recording};
use super::process::Usage;
use super::pty::Pty;
use super::report::{Section, Table, mebibytes, number, percent};
use super::side::Side;
use super::stats::Spread;
use super::tmux::Tmux;

/// The same child with each of the readers, one after the other.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Millions of bytes per second.
    drain: f64,
    tmux: Run,
    coop: Run,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    /// Millions of bytes per second.
    speed: f64,
    usage: Usage,
}

#[derive(Debug, Serialize)]
struct Row {
    corpus: &'static str,
    bytes: u64,
    drain: Spread,
    tmux: Spread,
    coop: Spread,
    coop_of_drain: Ratio,
    coop_of_tmux: Ratio,
    cpu_ms_per_mb: Pair,
    resident_after: Pair,
}

/// What others do on the machine spoils the one or the other, and rarely both.
#[derive(Clone, Copy, Debug, Serialize)]
struct Ratio {
    /// Of runs in the same round, which share their luck.
    median: f64,
    /// Of the best runs, which had no bad luck.
    of_bests: f64,
}

#[derive(Debug, Serialize)]
struct Pair {
    tmux: f64,
    coop: f64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let recordings = CORPORA.iter().map(|corpus| setup.recording(corpus)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut rounds: Vec<Vec<Round>> = vec![Vec::new(); CORPORA.len()];
    for _ in 0..setup.repetitions() {
        for (recording, rounds) in recordings.iter().zip(&mut rounds) {
            rounds.push(Round { drain: drain(recording)?, tmux: tmux(recording)?, coop: coop(setup, recording)? });
        }
    }
    let measured = recordings.iter().zip(&rounds);
    let rows: Vec<Row> =
        CORPORA.iter().zip(measured).map(|(corpus, (recording, rounds))| row(corpus, recording, rounds)).collect();
    let mut section = Section::new("throughput", table(setup, &rows), &rows)?;
    section.missed = CORPORA.iter().zip(&rows).flat_map(|(corpus, row)| row.missed(corpus.floor)).collect();
    Ok(section)
}

fn drain(recording: &Recording) -> anyhow::Result<f64> {
    let side = Side::new()?;
    let mut pty = Pty::spawn(&side.cat(&recording.path))?;
    let begin = side.start()?;
    let read = pty.drain()?;
    let time = begin.elapsed();
    anyhow::ensure!(read == recording.arriving, "the PTY gave {read} bytes, not {}", recording.arriving);
    Ok(recording.speed(time))
}

fn tmux(recording: &Recording) -> anyhow::Result<Run> {
    let mut side = Side::new()?;
    let tmux = Tmux::start(&side.cat(&recording.path))?;
    let begin = side.start()?;
    // Asked for before, the state of the window would cost what is being measured.
    side.report::<1>()?;
    let time = tmux.wait_until_over()? - begin;
    Ok(Run { speed: recording.speed(time), usage: tmux.usage()? })
}

fn coop(setup: &Setup, recording: &Recording) -> anyhow::Result<Run> {
    let mut side = Side::new()?;
    let coop = Coop::start_lingering(&setup.coop, &side.cat(&recording.path))?;
    let begin = side.start()?;
    side.report::<1>()?;
    let time = coop.wait_until_shown(recording.arriving)? - begin;
    Ok(Run { speed: recording.speed(time), usage: coop.usage()? })
}

fn row(corpus: &Corpus, recording: &Recording, rounds: &[Round]) -> Row {
    let spread = |pick: &dyn Fn(&Round) -> f64| Spread::of(rounds.iter().map(pick));
    let pair = |pick: &dyn Fn(&Run) -> f64| Pair {
        tmux: spread(&|round| pick(&round.tmux)).median,
        coop: spread(&|round| pick(&round.coop)).median,
    };
    let (drain, tmux, coop) =
        (spread(&|round| round.drain), spread(&|round| round.tmux.speed), spread(&|round| round.coop.speed));
    Row {
        corpus: corpus.name,
        bytes: recording.size,
        coop_of_drain: Ratio {
            median: spread(&|round| round.coop.speed / round.drain).median,
            of_bests: coop.most / drain.most,
        },
        coop_of_tmux: Ratio {
            median: spread(&|round| round.coop.speed / round.tmux.speed).median,
            of_bests: coop.most / tmux.most,
        },
        drain,
        tmux,
        coop,
        cpu_ms_per_mb: pair(&|run| run.usage.cpu.as_secs_f64() * 1000.0 / recording.megabytes()),
        resident_after: pair(&|run| run.usage.resident as f64),
    }
}

impl Ratio {
    fn reaches(self, floor: f64) -> bool {
        self.median.max(self.of_bests) >= floor
    }

    fn text(self, text: fn(f64) -> String) -> String {
        format!("{} | {}", text(self.median), text(self.of_bests))
    }
}

impl Row {
    fn missed(&self, floor: Option<Floor>) -> Vec<String> {
        let Some(floor) = floor else { return Vec::new() };
        let drain = (!self.coop_of_drain.reaches(floor.of_drain)).then(|| {
            format!("{}: {} of drain, not {}", self.corpus, self.coop_of_drain.text(percent), percent(floor.of_drain))
        });
        let tmux = (!self.coop_of_tmux.reaches(floor.of_tmux)).then(|| {
            format!("{}: {} × tmux, not {}", self.corpus, self.coop_of_tmux.text(number), number(floor.of_tmux))
        });
        drain.into_iter().chain(tmux).collect()
    }
}

fn table(setup: &Setup, rows: &[Row]) -> Table {
    let heading = format!(
        "Throughput to a screen of 200×50 in MB/s, best of {} rounds; ratios: median of rounds | of bests",
        setup.repetitions()
    );
    let columns = ["corpus", "drain", "tmux", "coop", "of drain", "floor", "× tmux", "floor", "CPU ms/MB", "(tmux)"];
    let mut table = Table::new(heading, &[&columns[..], &["MiB after", "(tmux)"]].concat());
    for (corpus, row) in CORPORA.iter().zip(rows) {
        let floor = |text: &dyn Fn(Floor) -> String| corpus.floor.map_or_else(|| "–".to_owned(), text);
        table.row([
            row.corpus.to_owned(),
            number(row.drain.most),
            number(row.tmux.most),
            number(row.coop.most),
            row.coop_of_drain.text(percent),
            floor(&|floor| percent(floor.of_drain)),
            row.coop_of_tmux.text(number),
            floor(&|floor| number(floor.of_tmux)),
            number(row.cpu_ms_per_mb.coop),
            number(row.cpu_ms_per_mb.tmux),
            mebibytes(row.resident_after.coop),
            mebibytes(row.resident_after.tmux),
        ]);
    }
    let noise = |pick: fn(&Row) -> Spread| percent(rows.iter().map(|row| pick(row).noise()).fold(0.0, f64::max));
    let (drain, tmux, coop) = (noise(|row| row.drain), noise(|row| row.tmux), noise(|row| row.coop));
    table.note(format!(
        "noise, best − worst of the median in the worst corpus: drain {drain}, tmux {tmux}, coop {coop}"
    ));
    table
}
