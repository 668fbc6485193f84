//! `make accuracy`: how right coop is about the real Claude Code, with all its sources and with each switched off.
#![allow(clippy::print_stdout, reason = "it prints a table")]

use coop_e2e::accuracy::measure;

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
const WITHOUT: [&str; 6] = ["", "hook", "report", "registry", "log", "hook,report,registry,log"];

fn main() {
    println!("delays in ms, from the agent's own change to coop's word\n");
    println!("version   without                      states");
    let only = std::env::args().nth(1);
    let mut wrong = 0;
    for version in VERSIONS.into_iter().filter(|version| only.as_ref().is_none_or(|only| only == version)) {
        for without in WITHOUT {
            let measured = measure(version, without);
            wrong += measured.wrong.len();
            println!("{measured}");
        }
    }
    std::process::exit(i32::from(wrong > 0));
}
