//! Codex: what it tells about itself, held against what the model did.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod conversation;
mod dialogs;
mod errors;
mod files;
mod plan;
mod work;

use std::fs;
use std::ops::{Deref, DerefMut};

use coop_testkit::{Bench, Kind, Options, Sight};
use serde_json::Value;

/// A session of Codex and where it tells about itself.
struct Codex(Bench);

impl Deref for Codex {
    type Target = Bench;
    fn deref(&self) -> &Bench {
        &self.0
    }
}

impl DerefMut for Codex {
    fn deref_mut(&mut self) -> &mut Bench {
        &mut self.0
    }
}

impl Codex {
    #[track_caller]
    fn launch(scenario: &str, options: &Options) -> Self {
        let version = Kind::Codex.versions().last().unwrap();
        Self(Bench::launch(Kind::Codex, version, scenario, options))
    }

    /// At its prompt. The composer is painted before that, and it reports work while it starts.
    #[track_caller]
    fn started(scenario: &str, options: &Options) -> Self {
        let mut codex = Self::launch(scenario, options);
        codex.ready();
        codex
    }

    #[track_caller]
    fn ready(&mut self) {
        self.until("the prompt", |sight| Self::is_ready(sight).then_some(()));
    }

    fn is_ready(sight: &Sight) -> bool {
        let is_idle = sight.states().last().is_some_and(|state| state == "idle");
        is_idle && sight.screen.contains("GPT-5.5 default")
    }

    /// Waits for a line of the rollout.
    #[track_caller]
    fn logged(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.until(&format!("{what} in the rollout"), |sight| {
            let path = sight.hooks.last()?.payload["transcript_path"].as_str()?.to_owned();
            let log = fs::read_to_string(path).ok()?;
            log.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(&fits).last()
        })
    }

    /// Does something, and gives the names of the hooks it led to, up to `last`; without those about the model.
    #[track_caller]
    fn hooks_of(&mut self, last: &str, act: impl FnOnce(&mut Self)) -> Vec<String> {
        let before = self.sight().hooks.len();
        act(self);
        self.until(&format!("a new {last}"), |sight| {
            let names = sight.hook_names().split_off(before).into_iter().filter(|name| !name.contains("ModelRequest"));
            let names: Vec<String> = names.map(str::to_owned).collect();
            names.iter().any(|name| name == last).then_some(names)
        })
    }
}

fn is_spinner(title: &str) -> bool {
    title.starts_with(|c| ('\u{2800}'..='\u{28ff}').contains(&c))
}

/// An event of the rollout.
fn is_event(line: &Value, kind: &str) -> bool {
    line["type"] == "event_msg" && line["payload"]["type"] == kind
}
