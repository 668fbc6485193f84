//! `cargo xtask bench`: how fast, how small and how quiet coop is, next to peers measured in the same run.
//!
//! Only ratios mean something on a shared machine: peers take turns, and medians are compared. Everything that is
//! started here is a child of this process and ends with it, and nothing leaves the machine.

mod attach;
mod board;
pub(crate) mod child;
mod clients;
mod coop;
mod corpus;
mod hook;
mod http;
mod hub;
mod idle;
mod latency;
mod process;
mod pty;
mod random;
mod report;
mod side;
mod start;
mod stats;
mod throughput;
mod tmux;
mod turn;
mod web;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use corpus::{Corpus, Recording};
use report::Section;

/// The screen of all measurements.
const COLS: u16 = 200;
const ROWS: u16 = 50;

pub(crate) const USAGE: &str = "\
usage: cargo xtask bench [options] [measurement…]

measurements, all of them if none is named:
  throughput   from the child to the screen, against tmux and a reader that discards
  clients      what clients that follow the output cost
  latency      from the child to a client and back, against a bare PTY
  idle         CPU and wake-ups when nothing happens
  start        start-up time, memory and binary size
  hook         what `coop hook` costs an agent, against true and curl
  turn         what coop adds to each tool call of Claude Code, against a bare PTY
  hub          2,000 sessions and 5,000 events a second on one hub, 500 prompts, streams resumed, kill -9
  board        the board with 50 sessions: CPU, pictures and bytes, against htop
  attach       what an attached coop costs a tmux, against tmux alone
  web          the web app in Chromium: from an agent's event to the picture, and a flooded terminal, against xterm.js

options:
  --quick        smaller and fewer: under a minute, with more noise
  --check        fail if a floor is missed
  --json FILE    write the numbers there too
  --coop BINARY  measure this one instead of building coop
";

type Measurement = fn(&Setup) -> anyhow::Result<Section>;

const MEASUREMENTS: [(&str, Measurement); 11] = [
    ("throughput", throughput::measure),
    ("clients", clients::measure),
    ("latency", latency::measure),
    ("idle", idle::measure),
    ("start", start::measure),
    ("hook", hook::measure),
    ("turn", turn::measure),
    ("hub", hub::measure),
    ("board", board::measure),
    ("attach", attach::measure),
    ("web", web::measure),
];

/// What is asked for on the command line.
#[derive(Debug, Default, PartialEq)]
struct Options {
    quick: bool,
    check: bool,
    json: Option<PathBuf>,
    coop: Option<PathBuf>,
    only: Vec<String>,
}

/// What all measurements need.
#[derive(Debug)]
struct Setup {
    coop: PathBuf,
    corpora: PathBuf,
    quick: bool,
}

pub(crate) fn run(args: &[&str]) -> anyhow::Result<ExitCode> {
    if matches!(args, ["help" | "--help" | "-h", ..]) {
        print!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(args)?;
    let setup = Setup::new(&options)?;
    let conditions = conditions()?;
    println!("{conditions}");
    let mut sections = Vec::new();
    for (_, measure) in MEASUREMENTS.iter().filter(|(name, _)| options.wants(name)) {
        let section = measure(&setup)?;
        print!("\n{}", section.table);
        sections.push(section);
    }
    if let Some(file) = &options.json {
        let mut data = serde_json::json!({ "conditions": conditions });
        for section in &sections {
            data[section.name] = section.data.clone();
        }
        let text = serde_json::to_string_pretty(&data)? + "\n";
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(verdict(&sections, options.check))
}

fn verdict(sections: &[Section], check: bool) -> ExitCode {
    let missed: Vec<&String> = sections.iter().flat_map(|section| &section.missed).collect();
    if missed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("\nbelow the floor:");
    missed.iter().for_each(|missed| println!("  {missed}"));
    if check { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What the numbers depend on.
fn conditions() -> anyhow::Result<String> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let (kernel, load) = (read("/proc/sys/kernel/osrelease"), read("/proc/loadavg"));
    let load = load.split_whitespace().next().unwrap_or("?");
    Ok(format!("{cores} cores, Linux {}, {}, load {load} before", kernel.trim(), tmux::version()?))
}

impl Options {
    fn parse(args: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(&arg) = args.next() {
            let mut value = || args.next().map(PathBuf::from).with_context(|| format!("{arg} needs a path"));
            match arg {
                "--quick" => options.quick = true,
                "--check" => options.check = true,
                "--json" => options.json = Some(value()?),
                "--coop" => options.coop = Some(value()?),
                name if MEASUREMENTS.iter().any(|(known, _)| *known == name) => options.only.push(name.to_owned()),
                other => bail!("bench: there is no `{other}`\n\n{USAGE}"),
            }
        }
        Ok(options)
    }

    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

impl Setup {
    fn new(options: &Options) -> anyhow::Result<Self> {
        let coop = match &options.coop {
            Some(path) => path.canonicalize().with_context(|| format!("there is no {}", path.display()))?,
            None => coop::build()?,
        };
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(default_target, PathBuf::from);
        Ok(Self { coop, corpora: target.join("bench"), quick: options.quick })
    }

    /// Large enough that start and end do not count, and that the kernel moves reader and writer between processors
    /// during one run: of runs of 32 MB on two processors some were twice as fast as others for that alone.
    fn recording(&self, corpus: &Corpus) -> anyhow::Result<Recording> {
        corpus.recording(&self.corpora, if self.quick { 8 << 20 } else { 128 << 20 })
    }

    fn repetitions(&self) -> usize {
        if self.quick { 3 } else { 7 }
    }
}

fn default_target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target")
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        let parsed = |line: &str| Options::parse(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(parsed("").unwrap(), Options::default());
        let options = parsed("--quick latency --json out.json idle").unwrap();
        assert!(options.quick && !options.check && options.wants("idle") && !options.wants("start"));
        assert_eq!(options.json.as_deref(), Some(Path::new("out.json")));
        for bad in ["--json", "--fast", "speed"] {
            assert!(parsed(bad).is_err(), "{bad}");
        }
    }
}
