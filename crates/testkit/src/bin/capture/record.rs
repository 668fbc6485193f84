//! Plays a case, and collects what the agent told while it went on.

mod logs;
mod print;
mod registry;

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use coop_terminal::pty::{Signal, Target};
use coop_testkit::agent::Options;
use coop_testkit::model::What;
use coop_testkit::{Agent, Bench, HookLine, Kind, ProgramStatus, Sight};
use serde_json::{Value, json};

use crate::cases::{Act, Case, Way};
use crate::normal::Normal;
use registry::Registry;

/// A screen that has not changed for so long stands still; one that never does, as it has a spinner, is taken after that.
const STILL: Duration = Duration::from_millis(400);
const ENOUGH: Duration = Duration::from_secs(3);

/// What one case gave, by name of file.
pub(crate) struct Evidence {
    /// The same in every run, but for what the agent itself does differently.
    pub(crate) texts: Vec<(String, String)>,
    /// All output with its times, as an asciicast.
    pub(crate) recording: Option<String>,
}

pub(crate) fn record(kind: Kind, version: &str, case: &Case) -> Evidence {
    let options = Options { args: case.args.iter().map(ToString::to_string).collect(), ..Options::default() };
    let acts = match case.way {
        Way::Terminal(acts) => acts,
        Way::Print => return print::record(kind, version, case, &options),
    };
    let bench = Bench::launch(kind, version, case.scenario, &options);
    let mut take = Take::new(bench);
    for act in acts {
        take.act(*act);
    }
    take.end();
    take.evidence(&format!("{} {version} {}", kind.name(), case.name))
}

struct Take {
    bench: Bench,
    started: Instant,
    registry: Registry,
    /// How many titles and reports there were before the person did anything. They depend on how fast it starts.
    before: Option<(usize, usize)>,
    screens: Vec<(&'static str, String)>,
    /// How many of each hook were waited for.
    hooks: HashMap<&'static str, usize>,
}

impl Take {
    fn new(bench: Bench) -> Self {
        let registry = Registry::watch(&bench.agent.home, bench.terminal.pid());
        Self { bench, started: Instant::now(), registry, before: None, screens: Vec::new(), hooks: HashMap::new() }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Ready => self.ready(),
            Act::Submit(text) => {
                let sight = self.bench.sight();
                self.before.get_or_insert((sight.titles.len(), sight.statuses.len()));
                self.bench.submit(text);
            }
            Act::Press(key) => self.bench.press(key),
            Act::Answer(key, dialog) => self.bench.answer(key, dialog),
            Act::Interrupt(key) => {
                self.bench.press(key);
                self.bench.insist("the interrupt", key, |sight| {
                    sight.model.iter().any(|event| event.what == What::Disconnected)
                });
            }
            Act::Hook(name) => {
                let seen = self.hooks.get(name).copied().unwrap_or(0) + 1;
                self.until(name, |sight| sight.hooks.iter().filter(|line| line.event == name).count() >= seen);
                self.hooks.insert(name, seen);
            }
            Act::Shows(text) => self.bench.shows(text),
            Act::Registered(status) => self.until(status, |_| self.registry.last()["status"] == status),
            Act::Reported(state) => {
                self.until(state, |sight| sight.statuses.last().is_some_and(|last| last.state == state));
            }
            Act::Title(text) => self.until(text, |sight| sight.title().contains(text)),
            Act::Look(name) => {
                let screen = self.still();
                self.screens.push((name, screen));
            }
        }
    }

    fn ready(&self) {
        let is_reported = |sight: &Sight| sight.statuses.last().is_some_and(|last| last.state == "idle");
        // The oldest version that is tested reports nothing to the terminal.
        let reports = Kind::Claude.versions().next() != Some(&self.bench.agent.version);
        self.until("the prompt", |sight| match self.bench.agent.kind {
            // With its first report its title loses the mark of idle.
            Kind::Claude if reports => is_reported(sight) && !sight.title().starts_with('✳'),
            Kind::Claude => self.registry.last()["status"] == "idle",
            Kind::Codex => is_reported(sight) && sight.screen.contains("GPT-5.5 default"),
            // It takes messages before that hook, and says that they are queued.
            Kind::Gemini if !sight.hook_names().contains(&"SessionStart") => false,
            Kind::Gemini => sight.title().contains("Ready") && sight.screen.contains("Type your message"),
            Kind::OpenCode => sight.screen.contains("Ask anything"),
        });
    }

    /// Tells the program to end. A command such as `/exit` is not always in the log by the time it has ended.
    fn end(&self) {
        // An error is that it has ended already.
        let _ = self.bench.terminal.signal(Signal::Term, Target::Group);
        self.until("the end", |sight| sight.exit.is_some());
    }

    fn until(&self, what: &str, mut is_so: impl FnMut(&Sight) -> bool) {
        self.bench.until(what, |sight| is_so(sight).then_some(()));
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

    fn evidence(self, title: &str) -> Evidence {
        let sight = self.bench.sight();
        let agent = &self.bench.agent;
        let mut normal = Normal::new(agent);
        let (titles, reports) = self.before.unwrap_or_default();
        let titles = sight.titles[titles.saturating_sub(1)..].iter().map(|title| normal.title(title));
        let titles = if agent.kind == Kind::Codex { each_once(titles) } else { changes(titles) };
        let mut texts = vec![("titles.txt".to_owned(), titles)];
        texts.extend(told(agent, sight.hooks, &mut normal));
        let entries = self.registry.end();
        texts.push(("registry.jsonl".to_owned(), changes(entries.iter().map(|entry| normal.line(entry)))));
        let reports = steady(agent.kind, &sight.statuses[reports.saturating_sub(1)..]);
        let reports = reports.map(|status| normal.line(&report(status)));
        texts.push(("reports.jsonl".to_owned(), changes(reports)));
        for (name, screen) in &self.screens {
            texts.push((format!("{name}.screen.txt"), normal.screen(screen)));
        }
        texts.retain(|(_, text)| !text.is_empty());
        let size = agent.command.size;
        let head = json!({"version": 2, "width": size.cols(), "height": size.rows(), "title": title});
        let recording = cast(&head, &self.bench.terminal, self.started, &mut normal);
        Evidence { texts, recording: Some(recording) }
    }
}

/// What its hooks were told, and its own record of the conversation.
fn told(agent: &Agent, mut hooks: Vec<HookLine>, normal: &mut Normal) -> Vec<(String, String)> {
    // Comes before Interrupt or after it.
    hooks.retain(|line| line.payload["status"] != "cancelled");
    // Gemini tells of two tools at the same time.
    for same in hooks.chunk_by_mut(|one, next| one.event == next.event) {
        same.sort_by_cached_key(|line| format!("{}{}", line.payload["tool_input"], line.payload["details"]));
    }
    // Gemini tells of its end more than once.
    let hooks = changes(hooks.iter().map(|line| normal.line(&line.payload)));
    let mut texts = vec![("hooks.jsonl".to_owned(), hooks)];
    texts.extend(logs::texts(agent.kind, &agent.home, normal));
    texts
}

/// Without what Codex reports in passing: it may be idle for a moment while it starts, and from the first key after a
/// turn to the next turn.
fn steady(kind: Kind, reports: &[ProgramStatus]) -> impl Iterator<Item = &ProgramStatus> {
    let last = reports.len().saturating_sub(1);
    let is_passing = move |at: usize| kind == Kind::Codex && at > 0 && at < last;
    let kept = reports.iter().enumerate().filter(move |(at, report)| !(is_passing(*at) && report.state == "idle"));
    kept.map(|(_, report)| report)
}

fn report(status: &ProgramStatus) -> Value {
    json!({"state": status.state, "app": status.app, "kind": status.kind, "message": status.message})
}

/// Without lines that say the same as the one before.
fn changes(lines: impl Iterator<Item = String>) -> String {
    let mut kept: Vec<String> = lines.collect();
    kept.dedup();
    kept.concat()
}

/// In the order of the alphabet: the spinner of Codex comes and goes while it starts, and after a turn.
fn each_once(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<BTreeSet<_>>().into_iter().collect()
}

/// An asciicast: a line of JSON per piece of output, each of whole characters.
fn cast(head: &Value, terminal: &coop_testkit::terminal::Terminal, started: Instant, normal: &mut Normal) -> String {
    let raw = terminal.raw();
    let mut text = format!("{head}\n");
    let mut start = 0;
    for (at, length) in terminal.pieces() {
        let piece = &raw[start..length];
        let whole = match str::from_utf8(piece) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => piece.len(),
        };
        start += whole;
        let seconds = (at.saturating_duration_since(started).as_secs_f64() * 1000.0).round() / 1000.0;
        let said = normal.text(&String::from_utf8_lossy(&piece[..whole]));
        text += &format!("{}\n", json!([seconds, "o", said]));
    }
    text
}
