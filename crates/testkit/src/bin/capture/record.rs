//! Plays a case, and collects what the agent told while it went on.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coop_terminal::pty::{Signal, Target};
use coop_testkit::agent::Options;
use coop_testkit::model::What;
use coop_testkit::{Bench, Kind, ProgramStatus, Sight};
use serde_json::{Value, json};

use crate::cases::{Act, Case};
use crate::normal::Normal;

/// A screen that has not changed for so long stands still; one that never does, as it has a spinner, is taken after that.
const STILL: Duration = Duration::from_millis(400);
const ENOUGH: Duration = Duration::from_secs(3);

/// What one case gave, by name of file.
pub(crate) struct Evidence {
    /// The same in every run, but for what the agent itself does differently.
    pub(crate) texts: Vec<(String, String)>,
    /// All output with its times, as an asciicast.
    pub(crate) recording: String,
}

pub(crate) fn record(kind: Kind, version: &str, case: &Case) -> Evidence {
    let options = Options { args: case.args.iter().map(ToString::to_string).collect(), ..Options::default() };
    let bench = Bench::launch(kind, version, case.scenario, &options);
    let mut take = Take::new(bench);
    for act in case.acts {
        take.act(*act);
    }
    take.end();
    take.evidence(&format!("{} {version} {}", kind.name(), case.name))
}

struct Take {
    bench: Bench,
    started: Instant,
    /// How much output there was when.
    lengths: RefCell<Vec<(Duration, usize)>>,
    /// The entries of Claude's registry, each when it changed.
    registry: RefCell<Vec<Value>>,
    screens: Vec<(&'static str, String)>,
    /// How many of each hook were waited for.
    hooks: HashMap<&'static str, usize>,
}

impl Take {
    fn new(bench: Bench) -> Self {
        let (lengths, registry) = (RefCell::default(), RefCell::default());
        Self { bench, started: Instant::now(), lengths, registry, screens: Vec::new(), hooks: HashMap::new() }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Submit(text) => self.bench.submit(text),
            Act::Answer(key, dialog) => self.bench.answer(key, dialog),
            Act::Interrupt(key) => {
                self.bench.press(key);
                self.bench.insist("the interrupt", key, |sight| {
                    self.sample();
                    sight.model.iter().any(|event| event.what == What::Disconnected)
                });
            }
            Act::Hook(name) => {
                let seen = self.hooks.get(name).copied().unwrap_or(0) + 1;
                self.until(name, |sight| sight.hooks.iter().filter(|line| line.event == name).count() >= seen);
                self.hooks.insert(name, seen);
            }
            Act::Shows(text) => self.until(text, |sight| sight.screen.contains(text)),
            Act::Registered(status) => self.until(status, |_| self.entry()["status"] == status),
            Act::Look(name) => {
                let screen = self.still();
                self.screens.push((name, screen));
            }
        }
        self.sample();
    }

    /// Tells the program to end. A command such as `/exit` is not always in the log by the time it has ended.
    fn end(&self) {
        // An error is that it has ended already.
        let _ = self.bench.terminal.signal(Signal::Term, Target::Group);
        self.until("the end", |sight| sight.exit.is_some());
    }

    /// Waits, and takes samples meanwhile.
    fn until(&self, what: &str, mut is_so: impl FnMut(&Sight) -> bool) {
        self.bench.until(what, |sight| {
            self.sample();
            is_so(sight).then_some(())
        });
    }

    /// The screen when it has stopped moving.
    fn still(&self) -> String {
        let began = Instant::now();
        let mut last = (began, String::new());
        self.until("a screen that stands still", |sight| {
            if last.1 != sight.screen {
                last = (Instant::now(), sight.screen.clone());
            }
            last.0.elapsed() > STILL || began.elapsed() > ENOUGH
        });
        last.1
    }

    fn sample(&self) {
        let length = self.bench.terminal.raw().len();
        let mut lengths = self.lengths.borrow_mut();
        if lengths.last().is_none_or(|(_, last)| *last < length) {
            lengths.push((self.started.elapsed(), length));
        }
        let (entry, mut registry) = (self.entry(), self.registry.borrow_mut());
        // Without a status it is still being written.
        if entry["status"].is_string() && registry.last() != Some(&entry) {
            registry.push(entry);
        }
    }

    /// Claude's file in its registry of sessions.
    fn entry(&self) -> Value {
        let path = self.bench.agent.home.join(format!(".claude/sessions/{}.json", self.bench.terminal.pid()));
        let text = fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn evidence(self, title: &str) -> Evidence {
        let sight = self.bench.sight();
        let agent = &self.bench.agent;
        let mut normal = Normal::new(agent);
        let mut texts = Vec::new();
        let mut add = |name: &str, text: String| {
            if !text.is_empty() {
                texts.push((name.to_owned(), text));
            }
        };
        add("hooks.jsonl", sight.hooks.iter().map(|line| normal.line(&line.payload)).collect());
        add("registry.jsonl", changes(self.registry.borrow().iter().map(|entry| normal.line(entry))));
        add("reports.jsonl", sight.statuses.iter().map(|status| normal.line(&report(status))).collect());
        add("titles.txt", changes(sight.titles.iter().map(|title| normal.title(title))));
        for log in logs(agent.kind, &agent.home) {
            let text = fs::read_to_string(log).unwrap_or_default();
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let (other, said): (Vec<_>, Vec<_>) = lines.partition(is_bookkeeping);
            add("log.jsonl", said.iter().map(|line| normal.line(line)).collect());
            add("log-other.txt", kinds(&other));
        }
        for (name, screen) in &self.screens {
            add(&format!("{name}.screen.txt"), normal.screen(screen));
        }
        let size = agent.command.size;
        let head = json!({"version": 2, "width": size.cols(), "height": size.rows(), "title": title});
        let recording = cast(&head, &self.bench.terminal.raw(), &self.lengths.borrow(), &mut normal);
        Evidence { texts, recording }
    }
}

fn report(status: &ProgramStatus) -> Value {
    json!({"state": status.state, "app": status.app, "kind": status.kind, "message": status.message})
}

/// What an agent's log has beside the conversation: its instructions, requests, costs and settings. Written whenever it
/// comes to it, so only what kinds there are is kept.
const BOOKKEEPING: &[&str] = &[
    "agent-name",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attachment",
    "cost-state",
    "file-history-delta",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "tools-used",
];

fn is_bookkeeping(line: &Value) -> bool {
    line["type"].as_str().is_some_and(|kind| BOOKKEEPING.contains(&kind))
}

/// The kinds of these lines, each once.
fn kinds(lines: &[Value]) -> String {
    let kind = |line: &Value| {
        [&line["type"], &line["attachment"]["type"]].map(|part| part.as_str().unwrap_or_default()).join(" ")
    };
    let kinds: BTreeSet<String> = lines.iter().map(kind).collect();
    kinds.iter().map(|kind| kind.trim_end().to_owned() + "\n").collect()
}

/// Without lines that say the same as the one before.
fn changes(lines: impl Iterator<Item = String>) -> String {
    let mut kept: Vec<String> = lines.collect();
    kept.dedup();
    kept.concat()
}

/// The agent's own record of the conversation, oldest first.
fn logs(kind: Kind, home: &Path) -> Vec<PathBuf> {
    let (folder, is_log): (_, fn(&str) -> bool) = match kind {
        Kind::Claude => (".claude/projects", |name| name.ends_with(".jsonl")),
        Kind::Codex => (".codex/sessions", |name| name.starts_with("rollout-")),
        Kind::Gemini => (".gemini/tmp", |name| name.starts_with("session-")),
    };
    let mut found = Vec::new();
    let mut folders = vec![home.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if is_log(&entry.file_name().to_string_lossy()) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// An asciicast: a line of JSON per piece of output, each of whole characters.
fn cast(head: &Value, raw: &[u8], lengths: &[(Duration, usize)], normal: &mut Normal) -> String {
    let mut text = format!("{head}\n");
    let mut start = 0;
    for (at, length) in lengths {
        let piece = &raw[start..*length];
        let whole = match str::from_utf8(piece) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => piece.len(),
        };
        start += whole;
        let seconds = (at.as_secs_f64() * 1000.0).round() / 1000.0;
        let said = normal.text(&String::from_utf8_lossy(&piece[..whole]));
        text += &format!("{}\n", json!([seconds, "o", said]));
    }
    text
}
