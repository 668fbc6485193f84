//! What an attached coop costs a tmux: the same output through a pane, without coop and with it, in turns.

use serde::Serialize;

use super::Setup;
use super::coop::Coop;
use super::corpus::{CORPORA, Recording};
use super::report::{Section, Table, mebibytes, number, percent};
use super::side::Side;
use super::stats::Spread;
use super::tmux::Tmux;

/// Each is long.
const ROUNDS: usize = 3;
/// tmux with coop attached may not be slower than this part of tmux without.
const FLOOR: f64 = 0.8;
/// What coop may use after it, in bytes: the log, the screen and the most that may be on its way.
const MOST_MEMORY: f64 = (64 << 20) as f64;

#[derive(Clone, Copy, Debug)]
struct Round {
    /// Millions of bytes per second.
    alone: f64,
    attached: f64,
    /// Of coop, afterwards.
    resident: f64,
}

#[derive(Debug, Serialize)]
struct Row {
    corpus: &'static str,
    bytes: u64,
    alone: Spread,
    attached: Spread,
    ratio: f64,
    ratio_of_bests: f64,
    resident: f64,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    // Long enough that what coop does at the beginning does not count.
    let size = if setup.quick { 8 << 20 } else { 100 << 20 };
    let recordings = CORPORA.iter().map(|corpus| corpus.recording(&setup.corpora, size));
    let recordings = recordings.collect::<anyhow::Result<Vec<_>>>()?;
    let mut rounds: Vec<Vec<Round>> = vec![Vec::new(); CORPORA.len()];
    for _ in 0..ROUNDS {
        for (recording, rounds) in recordings.iter().zip(&mut rounds) {
            let (alone, _) = through(None, recording)?;
            let (attached, resident) = through(Some(setup), recording)?;
            rounds.push(Round { alone, attached, resident });
        }
    }
    let measured = CORPORA.iter().zip(&recordings).zip(&rounds);
    let rows: Vec<Row> = measured.map(|((corpus, recording), rounds)| row(corpus.name, recording, rounds)).collect();
    let mut section = Section::new("attach", table(&rows), &rows)?;
    section.missed = rows.iter().flat_map(Row::missed).collect();
    Ok(section)
}

/// How fast tmux takes it, with coop attached if there is a setup; and what coop uses then.
fn through(with: Option<&Setup>, recording: &Recording) -> anyhow::Result<(f64, f64)> {
    let mut side = Side::new()?;
    let tmux = Tmux::start(&side.cat(&recording.path))?;
    let coop = with.map(|setup| Coop::attach(&setup.coop, &tmux.socket())).transpose()?;
    let begin = side.start()?;
    side.report::<1>()?;
    let time = tmux.wait_until_over()? - begin;
    let resident = coop.map(|coop| coop.usage()).transpose()?.map_or(0.0, |usage| usage.resident as f64);
    Ok((recording.speed(time), resident))
}

fn row(corpus: &'static str, recording: &Recording, rounds: &[Round]) -> Row {
    let spread = |pick: &dyn Fn(&Round) -> f64| Spread::of(rounds.iter().map(pick));
    let (alone, attached) = (spread(&|round| round.alone), spread(&|round| round.attached));
    Row {
        corpus,
        bytes: recording.size,
        ratio: spread(&|round| round.attached / round.alone).median,
        ratio_of_bests: attached.most / alone.most,
        resident: spread(&|round| round.resident).most,
        alone,
        attached,
    }
}

impl Row {
    fn missed(&self) -> Vec<String> {
        let slow = self.ratio.max(self.ratio_of_bests) < FLOOR;
        let slow =
            slow.then(|| format!("{}: {} of tmux alone, not {}", self.corpus, percent(self.ratio), percent(FLOOR)));
        let large = (self.resident > MOST_MEMORY).then(|| format!("{}: {} MiB", self.corpus, mebibytes(self.resident)));
        slow.into_iter().chain(large).collect()
    }
}

fn table(rows: &[Row]) -> Table {
    let heading = format!("tmux with coop attached, in MB/s, best of {ROUNDS} rounds");
    let columns = ["corpus", "MB", "alone", "attached", "median of rounds", "of bests", "floor", "MiB of coop"];
    let mut table = Table::new(heading, &columns);
    for row in rows {
        table.row([
            row.corpus.to_owned(),
            number(row.bytes as f64 / 1e6),
            number(row.alone.most),
            number(row.attached.most),
            percent(row.ratio),
            percent(row.ratio_of_bests),
            percent(FLOOR),
            mebibytes(row.resident),
        ]);
    }
    table
}
