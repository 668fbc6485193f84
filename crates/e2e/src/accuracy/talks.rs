//! Agents that keep no status with a time: what they did is what their model saw, which is when their request came, and
//! when it had its answer. What the agent needs between that and its own change counts against coop. Gemini runs the hooks
//! of a tool before it asks, and tells its hooks when it does ask: that is its own word.

use std::time::{Duration, SystemTime};

use coop_drivers::time::rfc3339_ms;
use coop_testkit::agent::Hooks;
use coop_testkit::model::{Stop, What};
use coop_testkit::{Kind, Options, TestSession};
use serde_json::{Value, json};

use super::compare::pairs;
use super::play::published;
use super::{Delay, IDLE_GRACE, Measured, Tells};
use crate::Driven;
use crate::driven::moves::{Mover, play_as_known};
use crate::driven::talks::{Talk, gemini_hooks};

/// Codex and Gemini show a dialog up to 0.3 s after their model has called the tool.
const SHOWN: Duration = Duration::from_millis(500);
/// The hook that Gemini calls when it asks.
const ASKS: &str = "Notification";

/// Plays the whole conversation at the terminal, without some of the sources. A wrong state ends it.
#[must_use]
pub fn measure_talk(talk: &Talk, without: &str) -> Measured {
    let version = talk.kind.versions().last().unwrap_or_default();
    let mut coop = vec!["--idle-grace".to_owned(), IDLE_GRACE.as_secs().to_string()];
    if !without.is_empty() {
        coop.extend(["--without".to_owned(), without.to_owned()]);
    }
    // Who has no hooks does not wait for them either.
    let table = if without.split(',').any(|off| off == "hook") { json!({ ASKS: [] }) } else { gemini_hooks() };
    let hooks = if talk.kind == Kind::Gemini { Hooks::Beside(table, ASKS) } else { Hooks::None };
    let options = Options { coop, hooks, ..Options::default() };
    // A turn of a blink need not be seen by those who only look now and then.
    let script = if without.is_empty() { talk.script.to_owned() } else { slow(talk.script) };
    let mut driven = Driven::of(TestSession::launch(talk.kind, version, &script, &options));
    driven.state("idle");
    let tells = tells(talk.kind, without);
    play_as_known(&mut driven, talk, Mover::Person, |state| tells.known(state));
    let (published, changes) = (published(&driven.session), changes(&driven.session, talk.kind));
    let delays = pairs(&published, &changes).into_iter().map(|(change, said)| {
        let ((at, kind), (said_at, _)) = (changes[change], &published[said]);
        let by = said_at.duration_since(at).unwrap_or_default();
        Delay { kind, scene: "the conversation", by, bound: tells.bound(kind) }
    });
    Measured {
        version: format!("{} {version}", talk.kind.name()),
        without: without.to_owned(),
        states: published.len(),
        delays: delays.collect(),
        wrong: Vec::new(),
    }
}

/// The same conversation with a model that thinks before each reply.
fn slow(script: &str) -> String {
    let line = |line: &str| {
        let pause = if line.starts_with(['u', 'r']) { "  pause: 700ms\n" } else { "" };
        format!("{line}\n{pause}")
    };
    script.lines().map(line).collect()
}

/// Who tells of what. Only the log of Gemini has its errors, and the log or a report those of Codex.
fn tells(kind: Kind, without: &str) -> Tells {
    let on = |source: &str| !without.split(',').any(|off| off == source);
    let (log, report) = (on("log"), on("report"));
    let errors = log || kind == Kind::Codex && report;
    let soon = report || kind == Kind::Gemini && on("hook");
    // The title of Gemini says that it asks when the dialog is shown.
    let asks = if kind == Kind::Gemini { on("hook") } else { report };
    let shown = if asks { Duration::ZERO } else { SHOWN };
    Tells { errors, limits: log, soon, shown, answers: soon, ends: soon || log }
}

/// What the agent did, as far as its model can know, and when it asked, where it says so itself.
fn changes(session: &TestSession, kind: Kind) -> Vec<(SystemTime, &'static str)> {
    let events = session.agent.model.events();
    let in_talk = |request: u64| {
        events.iter().any(|event| event.request == request && matches!(event.what, What::Request { .. }))
    };
    let changes = events.iter().filter(|event| in_talk(event.request)).filter_map(|event| {
        let name = match &event.what {
            What::Request { .. } => "working",
            What::Finished(Stop::Tools) if kind == Kind::Gemini => return None,
            What::Finished(Stop::Tools) => "prompt",
            What::Finished(_) | What::Failed(_) => "idle",
            What::Disconnected => "interrupt",
            _ => return None,
        };
        Some((event.clock, name))
    });
    let asked = session.agent.hook_lines().into_iter().filter(|line| line.event == ASKS);
    let asked = asked.filter_map(|line| Some((own_time(&line.payload)?, "prompt")));
    let mut all: Vec<_> = changes.chain(asked).collect();
    all.sort_unstable();
    all
}

/// When the agent itself says it was.
fn own_time(payload: &Value) -> Option<SystemTime> {
    let ms = rfc3339_ms(payload["timestamp"].as_str()?)?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_millis(ms))
}
