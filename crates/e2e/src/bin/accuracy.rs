//! `make accuracy`: how right coop is about the real agents, with all its sources and with each switched off.
#![allow(clippy::print_stdout, reason = "it prints a table")]

use coop_e2e::accuracy::{Measured, Place, measure_in, measure_some, measure_talk};
use coop_e2e::driven::talks::{CODEX, GEMINI, Talk};

/// Of Claude Code.
const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
const WITHOUT: [&str; 6] = ["", "hook", "report", "registry", "log", "hook,report,registry,log"];

/// The others, and the sources that each has. Nobody's hooks run in Codex until its user has looked at them. The reports of
/// Gemini are its title, which is never missing where there is a screen: without both, not every short turn is seen.
const TALKS: [(&Talk, &[&str]); 2] =
    [(&CODEX, &["", "report", "log", "report,log"]), (&GEMINI, &["", "hook", "report", "log", "hook,log"])];

/// `accuracy [WHO [WITHOUT [SCENE]]]`: all of it, or what is named. WHO is a version of Claude Code, or `codex` or `gemini`.
/// WITHOUT may also be a place where the agent runs already: `in tmux`.
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |place: usize, name: &str| args.get(place).is_none_or(|only| only == name);
    println!("delays in ms, from the agent's own change to coop's word\n\n{}", Measured::heading());
    let mut wrong = 0;
    let mut tell = |measured: Measured| {
        wrong += measured.wrong.len();
        println!("{measured}");
    };
    for version in VERSIONS.into_iter().filter(|version| wanted(0, version)) {
        for without in WITHOUT.into_iter().filter(|without| wanted(1, without)) {
            tell(measure_some(version, without, args.get(2).map_or("", String::as_str)));
        }
        for place in Place::ALL.into_iter().filter(|place| wanted(1, place.name())) {
            tell(measure_in(version, place, args.get(2).map_or("", String::as_str)));
        }
    }
    for (talk, sources) in TALKS.into_iter().filter(|(talk, _)| wanted(0, talk.kind.name())) {
        for without in sources.iter().filter(|without| wanted(1, without)) {
            tell(measure_talk(talk, without));
        }
    }
    std::process::exit(i32::from(wrong > 0));
}
