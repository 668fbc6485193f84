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
use crate::driven::moves::{Mover, play};
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
    let mut driven = Driven::of(TestSession::launch(talk.kind, version, talk.script, &options));
    driven.state("idle");
    play(&mut driven, talk, Mover::Person);
    let (published, changes) = (published(&driven.session), changes(&driven.session));
    let tells = Tells::new(version, without);
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
