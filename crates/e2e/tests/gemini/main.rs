//! The real Gemini CLI under coop, against a scripted model: what is published, and what is answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod conversation;
mod nudge;
mod plan;
mod print;
mod respond;
mod resume;
mod setup;
mod start;
mod states;

use coop_e2e::Driven;
use coop_e2e::driven::talks::gemini_hooks;
use coop_testkit::agent::Hooks;
use coop_testkit::{Kind, Options};

/// Whether the user has put coop's hooks into the settings. Without them the title, the chat log and the screen tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    WithHooks,
    WithoutHooks,
}

#[track_caller]
pub(crate) fn launch(told: Told, scenario: &str, args: &[&str]) -> Driven {
    let driven = begin(scenario, &[], options(told, args));
    driven.state("idle");
    driven
}

/// Does not wait for the agent: it may ask something first, or end.
#[track_caller]
pub(crate) fn begin(scenario: &str, coop: &[&str], options: Options) -> Driven {
    Driven::begin(Kind::Gemini, Kind::Gemini.versions().last().unwrap(), scenario, coop, options)
}

/// Waits until what a tool came back with last, as the model was told, is as expected.
#[track_caller]
pub(crate) fn result(driven: &Driven, what: &str, fits: impl Fn(&str) -> bool) {
    driven.session.until(&format!("a tool result {what}"), |session| {
        let requests = session.agent.model.requests();
        let parts = requests.iter().filter_map(|request| request["contents"].as_array()).flatten();
        let parts = parts.filter_map(|content| content["parts"].as_array()).flatten();
        let last = parts.map(|part| &part["functionResponse"]).rfind(|answer| answer.is_object());
        last.map(ToString::to_string).filter(|answer| fits(answer)).map(|_| ())
    });
}

pub(crate) fn options(told: Told, args: &[&str]) -> Options {
    let hooks = if told == Told::WithHooks { Hooks::Table(gemini_hooks()) } else { Hooks::None };
    Options { hooks, args: args.iter().map(ToString::to_string).collect(), ..Options::default() }
}

/// The file in the working folder that lets go what [`holding`] holds.
pub(crate) const RELEASED: &str = "released";

/// With hooks, of which the one before a tool whose input has this word waits.
pub(crate) fn holding(word: &str) -> Options {
    let mut hooks = gemini_hooks();
    let command = &mut hooks["BeforeTool"][0]["hooks"][0]["command"];
    let coop = command.as_str().unwrap().to_owned();
    let wait = format!("while [ ! -e \"$GEMINI_PROJECT_DIR/{RELEASED}\" ]; do sleep 0.05; done");
    *command =
        format!("input=$(cat); case \"$input\" in *{word}*) {wait};; esac; printf %s \"$input\" | {coop}").into();
    Options { hooks: Hooks::Table(hooks), ..Options::default() }
}
