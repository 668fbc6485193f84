//! The coop command: runs a program under a terminal that others can reach, and talks to those that run.

mod args;
mod commands;
mod config;
mod error;
mod folders;
mod hook;
mod mask;
mod out;
mod pages;
mod reconnect;
mod run;
mod secret;
mod sessions;
mod settings;

use std::process::ExitCode;
use std::time::Instant;

use args::Cli;
use error::CommandError;

/// `coop` alone, at a terminal, while a hub runs.
fn shows_board() -> bool {
    secret::args().len() == 1 && commands::board::is_at_a_terminal() && sessions::HubTarget::here().client().is_ok()
}

fn main() -> ExitCode {
    // Before anything else: an agent waits for it at every step it takes.
    let started = Instant::now();
    if let Some(called) = hook::requested(std::env::args_os()) {
        return hook::run(&called, started);
    }
    if let Some(code) = run::sealed::requested(std::env::args_os()) {
        return code;
    }
    // Before there is another thread, or a child.
    let secrets = match secret::take() {
        Ok(secrets) => secrets,
        Err(error) => {
            let error = CommandError::failed(format!("The tokens cannot be moved to memory: {error}"));
            return error.report();
        }
    };
    let Cli { verb, flags } = match secrets.lend(|| args::parse(secret::args())) {
        Ok(cli) => cli,
        Err(error) => return args::report(&error),
    };
    let done = match verb {
        Some(verb) => verb.run(),
        None if shows_board() => commands::Verb::Board(commands::board::Board::here()).run(),
        None => run::run(flags, false),
    };
    done.unwrap_or_else(|error| error.report())
}
