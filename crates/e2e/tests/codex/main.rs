//! The real Codex under coop, against a scripted model: what is published, and what is answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod conversation;
mod nudge;
mod plan;
mod print;
mod respond;
mod resume;
mod server;
mod setup;
mod start;
mod states;

use coop_e2e::Driven;
use coop_testkit::agent::Hooks;
use coop_testkit::{Kind, Options};

/// As it is for everybody: nobody's hooks run.
#[track_caller]
pub(crate) fn launch(scenario: &str, args: &[&str], coop: &[&str]) -> Driven {
    let driven = begin(scenario, coop, options(args));
    driven.state("idle");
    driven
}

/// Does not wait for the agent: it may ask something first, or end.
#[track_caller]
pub(crate) fn begin(scenario: &str, coop: &[&str], options: Options) -> Driven {
    Driven::begin(Kind::Codex, Kind::Codex.versions().last().unwrap(), scenario, coop, options)
}

pub(crate) fn options(args: &[&str]) -> Options {
    Options { hooks: Hooks::None, args: args.iter().map(ToString::to_string).collect(), ..Options::default() }
}

/// Waits until what a tool came back with last, as the model was told, is as expected.
#[track_caller]
pub(crate) fn result(driven: &Driven, what: &str, fits: impl Fn(&str) -> bool) {
    driven.session.until(&format!("a tool result {what}"), |session| {
        let requests = session.agent.model.requests();
        let items = requests.iter().filter_map(|request| request["input"].as_array()).flatten();
        let outputs = items.filter(|item| item["type"].as_str().is_some_and(|kind| kind.ends_with("call_output")));
        let last = outputs.map(|item| item["output"].to_string()).next_back();
        last.filter(|output| fits(output)).map(|_| ())
    });
}
