//! `make soak`: a thousand messages from eight callers at once to the real Claude Code; `make soak COUNT=50` for fewer.
#![allow(clippy::print_stdout, reason = "it prints a table")]

use coop_e2e::soak::soak;

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
const COUNT: usize = 1000;
/// An agent sends the whole conversation with every message, so each gets a part.
const AT_ONCE: usize = 100;

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(COUNT);
    let mut wrong = 0;
    for (part, first) in (0..count).step_by(AT_ONCE).enumerate() {
        let tally = soak(VERSIONS[part % VERSIONS.len()], first, AT_ONCE.min(count - first), true);
        wrong += tally.wrong.len();
        println!("{tally}");
    }
    std::process::exit(i32::from(wrong > 0));
}
