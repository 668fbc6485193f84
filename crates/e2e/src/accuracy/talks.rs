//! Agents that time no change themselves: what they did is what their model saw, which is when their request came, and
//! when it had its answer. What the agent needs between that and its own change counts against coop.

use std::time::SystemTime;

use coop_testkit::agent::Hooks;
use coop_testkit::model::{Stop, What};
use coop_testkit::{Kind, Options, TestSession};

use super::compare::pairs;
use super::play::published;
use super::{Delay, IDLE_GRACE, Measured, Tells};
use crate::Driven;
use crate::driven::moves::{Mover, play_as_known};
use crate::driven::talks::{Talk, gemini_hooks};

/// Plays the whole conversation at the terminal, without some of the sources. A wrong state ends it.
#[must_use]
pub fn measure_talk(talk: &Talk, without: &str) -> Measured {
    let version = talk.kind.versions().last().unwrap_or_default();
    let mut coop = vec!["--idle-grace".to_owned(), IDLE_GRACE.as_secs().to_string()];
    if !without.is_empty() {
        coop.extend(["--without".to_owned(), without.to_owned()]);
    }
    let hooks = if talk.kind == Kind::Gemini { Hooks::Table(gemini_hooks()) } else { Hooks::None };
    let options = Options { coop, hooks, ..Options::default() };
    // A turn of a blink need not be seen by those who only look now and then.
    let script = if without.is_empty() { talk.script.to_owned() } else { slow(talk.script) };
    let mut driven = Driven::of(TestSession::launch(talk.kind, version, &script, &options));
    driven.state("idle");
    let tells = tells(talk.kind, without);
    play_as_known(&mut driven, talk, Mover::Person, |state| tells.known(state));
    let (published, changes) = (published(&driven.session), changes(&driven.session));
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
    Tells { errors, limits: log, soon, ends: soon || log }
}

/// What the agent did, as far as its model can know.
fn changes(session: &TestSession) -> Vec<(SystemTime, &'static str)> {
    let events = session.agent.model.events();
    let in_talk = |request: u64| {
        events.iter().any(|event| event.request == request && matches!(event.what, What::Request { .. }))
    };
    let changes = events.iter().filter(|event| in_talk(event.request)).filter_map(|event| {
        let name = match &event.what {
            What::Request { .. } => "working",
            What::Finished(Stop::Tools) => "prompt",
            What::Finished(_) | What::Failed(_) => "idle",
            What::Disconnected => "interrupt",
            _ => return None,
        };
        Some((event.clock, name))
    });
    changes.collect()
}
