//! `make accuracy`: how right coop is about the real Claude Code, with all its sources and with each switched off.
#![allow(clippy::print_stdout, reason = "it prints a table")]

use coop_e2e::accuracy::{Measured, measure_some};

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
const WITHOUT: [&str; 6] = ["", "hook", "report", "registry", "log", "hook,report,registry,log"];

/// `accuracy [VERSION [WITHOUT [SCENE]]]`: all of it, or what is named.
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |place: usize, name: &str| args.get(place).is_none_or(|only| only == name);
    println!("delays in ms, from the agent's own change to coop's word\n\n{}", Measured::heading());
    let mut wrong = 0;
    for version in VERSIONS.into_iter().filter(|version| wanted(0, version)) {
        for without in WITHOUT.into_iter().filter(|without| wanted(1, without)) {
            let measured = measure_some(version, without, args.get(2).map_or("", String::as_str));
            wrong += measured.wrong.len();
            println!("{measured}");
        }
    }
    std::process::exit(i32::from(wrong > 0));
}
