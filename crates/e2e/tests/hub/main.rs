//! The hub beside real agents, against a scripted model: what is on the board, and who answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod access;
mod background;
mod halfway;
mod hooked;
mod hostile;
mod mcp;
mod observed;
mod others;
mod owned;
mod remote;
mod run;
mod search;
mod sinks;
mod started;
mod tls;
mod wire;

use coop_testkit::agent::Hooks;
use coop_testkit::{Bench, Kind, Meeting, Options, TestHub};
use serde_json::Value;

pub(crate) const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];

/// Ends a hub in the background, whatever became of the test.
pub(crate) struct Background<'a>(pub(crate) &'a TestHub);

impl Drop for Background<'_> {
    fn drop(&mut self) {
        drop(self.0.coop(&["hub", "--stop"]));
    }
}

/// An agent in a plain terminal, and a hub beside it.
pub(crate) struct Beside {
    // The agent ends first.
    pub(crate) bench: Bench,
    pub(crate) hub: TestHub,
}

impl Beside {
    /// With hooks, `coop hooks install` is run before the agent is started.
    #[track_caller]
    pub(crate) fn launch(version: &str, scenario: &str, hooks: bool, args: &[&str]) -> Self {
        Self::launch_with(version, scenario, hooks, args, &[])
    }

    /// The same, with arguments for the hub.
    #[track_caller]
    pub(crate) fn launch_with(version: &str, scenario: &str, hooks: bool, args: &[&str], hub: &[&str]) -> Self {
        Self::begin(version, scenario, hooks, args, (hub, ""))
    }

    /// The same with hooks and a configuration file.
    #[track_caller]
    pub(crate) fn configured(version: &str, scenario: &str, config: &str) -> Self {
        Self::begin(version, scenario, true, &[], (&[], config))
    }

    #[track_caller]
    fn begin(version: &str, scenario: &str, hooks: bool, args: &[&str], (hub, config): (&[&str], &str)) -> Self {
        let meeting = Meeting::default();
        let options = Options {
            hooks: Hooks::None,
            env: vec![meeting.env()],
            args: args.iter().map(ToString::to_string).collect(),
            ..Options::default()
        };
        let (bench, hub) = Bench::launch_beside(Kind::Claude, version, scenario, &options, |agent| {
            let git = agent.project.join(".git");
            std::fs::create_dir(&git).unwrap();
            std::fs::write(git.join("HEAD"), "ref: refs/heads/topic\n").unwrap();
            let folder = agent.home.join(".config/coop");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("config.toml"), config).unwrap();
            let hub = TestHub::start(meeting, &agent.home, hub);
            if hooks {
                hub.does(&["hooks", "install", "--yes"]);
            }
            hub
        });
        let beside = Self { bench, hub };
        beside.state("idle");
        beside
    }

    /// Waits until the one agent there is is in this state.
    #[track_caller]
    pub(crate) fn state(&self, state: &str) -> Value {
        self.hub.session(&format!("state {state}"), |session| session["state"] == state)
    }

    /// Waits for a prompt of this kind.
    #[track_caller]
    pub(crate) fn asks(&self, kind: &str) -> Value {
        self.hub.prompt(&format!("a {kind}"), |prompt| prompt["kind"] == kind)
    }

    pub(crate) fn is(&self, state: &str) -> bool {
        self.hub.json("/api/v1/sessions")["sessions"][0]["state"] == state
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.bench.agent.project.join(file).exists()
    }
}
