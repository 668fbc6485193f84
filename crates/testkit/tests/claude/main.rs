//! Claude Code, every pinned version: what it tells about itself, held against what the model did.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod conversation;
mod dialogs;
mod errors;
mod files;
mod plan;
mod work;

use std::fs;
use std::ops::{Deref, DerefMut};

use coop_testkit::{Bench, Kind, Options};
use serde_json::Value;

/// Each scenario on each version, as a test of its own.
macro_rules! on_every_version {
    ($($module:ident :: $name:ident),* $(,)?) => {
        mod v2_1_197 {
            $(#[test] fn $name() { super::$module::$name("2.1.197"); })*
        }
        mod v2_1_325 {
            $(#[test] fn $name() { super::$module::$name("2.1.325"); })*
        }
        #[test]
        fn every_pinned_version_is_tested() {
            assert_eq!(Kind::Claude.versions().collect::<Vec<_>>(), ["2.1.197", "2.1.325"]);
        }
    };
}

on_every_version! {
    conversation::conversation, dialogs::trust, dialogs::api_key, dialogs::login, errors::errors, files::files,
    plan::plan, work::work,
}

/// A session of Claude Code and where it tells about itself.
struct Claude {
    bench: Bench,
    /// It reports its state to the terminal (OSC 7501).
    reports: bool,
}

impl Deref for Claude {
    type Target = Bench;
    fn deref(&self) -> &Bench {
        &self.bench
    }
}

impl DerefMut for Claude {
    fn deref_mut(&mut self) -> &mut Bench {
        &mut self.bench
    }
}

impl Claude {
    #[track_caller]
    fn launch(version: &str, scenario: &str, options: &Options) -> Self {
        let bench = Bench::launch(Kind::Claude, version, scenario, options);
        Self { bench, reports: version != "2.1.197" }
    }

    /// At its prompt, by all it says about itself.
    #[track_caller]
    fn started(version: &str, scenario: &str, options: &Options) -> Self {
        let mut claude = Self::launch(version, scenario, options);
        assert_eq!(claude.hook("SessionStart")["source"], "startup");
        claude.registered("idle");
        claude.reported("idle");
        claude.title("has no spinner", |title| !title.is_empty() && !is_spinner(title));
        claude
    }

    /// Its file in the registry of sessions.
    fn registry(&self) -> Value {
        let path = self.agent.home.join(format!(".claude/sessions/{}.json", self.terminal.pid()));
        let text = fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Waits for the status in the registry.
    #[track_caller]
    fn registered(&self, status: &str) -> Value {
        self.until(&format!("{status} in the registry, which says {}", self.registry()), |_| {
            Some(self.registry()).filter(|entry| entry["status"] == status)
        })
    }

    /// Waits for the state reported to the terminal, by a version that does.
    #[track_caller]
    fn reported(&mut self, state: &str) -> Option<coop_testkit::ProgramStatus> {
        self.reports.then(|| self.bench.status(state))
    }

    /// Waits for a line of the session's log.
    #[track_caller]
    fn logged(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.until(&format!("{what} in the log"), |sight| {
            let path = sight.hooks.last()?.payload["transcript_path"].as_str()?.to_owned();
            let log = fs::read_to_string(path).ok()?;
            log.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(&fits).last()
        })
    }

    /// Does something, and gives the names of the hooks it led to, up to `last`.
    #[track_caller]
    fn hooks_of(&mut self, last: &str, act: impl FnOnce(&mut Self)) -> Vec<String> {
        let before = self.sight().hooks.len();
        act(self);
        self.until(&format!("a new {last}"), |sight| {
            let names: Vec<String> = sight.hook_names()[before..].iter().map(ToString::to_string).collect();
            names.iter().any(|name| name == last).then_some(names)
        })
    }

    /// Busy by its title: to a terminal that takes its reports it shows no spinner.
    #[track_caller]
    fn spins(&self) {
        if self.reports {
            assert!(!is_spinner(self.sight().title()));
        } else {
            self.title("begins with a spinner", is_spinner);
        }
    }

    /// Ends a turn: idle by all it says.
    #[track_caller]
    fn idle(&self) {
        self.registered("idle");
        self.title("has no spinner", |title| !is_spinner(title));
    }
}

fn is_spinner(title: &str) -> bool {
    title.starts_with(|c| ('\u{2800}'..='\u{28ff}').contains(&c) || "◐◑".contains(c))
}
