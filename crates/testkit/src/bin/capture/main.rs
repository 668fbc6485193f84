//! `cargo xtask capture [AGENT…]`: runs the pinned agents through short scenarios and writes down all that they tell, so
//! that a new version of one is a command and a diff to read.
//!
//! What differs from run to run (folders, ids, times) is made the same. A case whose text has not changed keeps its
//! recording of the terminal too: that one is never the same twice.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command for people at a terminal
#![allow(clippy::panic, reason = "a case ends by panicking, as a bench does, and the others go on")]

mod cases;
mod normal;
mod record;
mod write;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

use coop_testkit::Kind;

/// Beside this package: the drivers are tested with it. One folder per agent, version and case.
const TARGET: &str = "../drivers/testdata";

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let kinds: Vec<Kind> =
        [Kind::Claude, Kind::Codex, Kind::Gemini].into_iter().filter(|kind| !cases::of(*kind).is_empty()).collect();
    if let Some(unknown) = names.iter().find(|name| kinds.iter().all(|kind| kind.name() != *name)) {
        let known: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
        eprintln!("capture: there are no cases for `{unknown}`; there are some for {}", known.join(", "));
        return ExitCode::from(2);
    }
    // A bench panics with all that it saw, which is enough.
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    let wanted = kinds.into_iter().filter(|kind| names.is_empty() || names.iter().any(|name| name == kind.name()));
    let failed = wanted.flat_map(capture).count();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Every case on every version of an agent. Gives those that failed; what was seen has been printed by then.
fn capture(kind: Kind) -> Vec<String> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join(TARGET);
    let mut failed = Vec::new();
    for version in kind.versions() {
        for case in cases::of(kind) {
            let name = format!("{}/{version}/{}", kind.name(), case.name);
            // The other cases are worth having all the same.
            let evidence = catch_unwind(AssertUnwindSafe(|| record::record(kind, version, case)));
            let done = evidence.map_err(|_| "failed".to_owned()).and_then(|evidence| {
                write::write(&target.join(&name), &evidence).map_err(|error| format!("cannot be written: {error}"))
            });
            match done {
                Ok(change) => println!("{name}: {change}"),
                Err(problem) => {
                    eprintln!("{name}: {problem}");
                    failed.push(name);
                }
            }
        }
    }
    failed
}
