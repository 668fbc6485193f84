//! The Gemini CLI: what it tells about itself, held against what the model did.
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

/// A session of the Gemini CLI and where it tells about itself.
struct Gemini(Bench);

impl Deref for Gemini {
    type Target = Bench;
    fn deref(&self) -> &Bench {
        &self.0
    }
}

impl DerefMut for Gemini {
    fn deref_mut(&mut self) -> &mut Bench {
        &mut self.0
    }
}

impl Gemini {
    #[track_caller]
    fn launch(scenario: &str, options: &Options) -> Self {
        let version = Kind::Gemini.versions().last().unwrap();
        Self(Bench::launch(Kind::Gemini, version, scenario, options))
    }

    #[track_caller]
    fn started(scenario: &str, options: &Options) -> Self {
        let mut gemini = Self::launch(scenario, options);
        assert_eq!(gemini.hook("SessionStart")["source"], "startup");
        gemini.ready();
        gemini
    }

    /// At its prompt, by its title.
    #[track_caller]
    fn ready(&self) {
        self.shows("Type your message");
        self.title("says Ready", |title| title.contains("Ready"));
    }

    /// Waits for a line of the chat log.
    #[track_caller]
    fn logged(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.until(&format!("{what} in the chat log"), |sight| {
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
}
