//! `make demo`: the real Claude Code under coop, with a scripted model, as a guided tour in one terminal.
//!
//! It only says what it sees: the agent's screen, and what the agent itself reports to its terminal. It needs no key and
//! no network, and leaves nothing running.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command for people at a terminal

mod inbox;
mod stage;
mod tour;

use std::error::Error;
use std::process::ExitCode;

use coop_testkit::Scenario;

use inbox::Inbox;
use stage::Stage;

/// What this is about, where it is not an error of something else.
type Outcome<T> = Result<T, Box<dyn Error>>;

const SCENARIO: &str = include_str!("../../../scenarios/demo.txt");

fn main() -> ExitCode {
    match demo() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\ndemo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn demo() -> Outcome<()> {
    let inbox = Inbox::open()?;
    let mut stage = Stage::set(Scenario::parse("scenarios/demo.txt", SCENARIO)?)?;
    stage.follow(&inbox)?;
    tour::guide(&stage, &inbox)?;
    drop(stage);
    println!("\nIt has ended, and nothing is left running. README.md says what else coop can do.");
    Ok(())
}
