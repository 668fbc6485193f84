//! Repository chores, run as `cargo xtask <command>`. Nothing of this is part of the product.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command for people at a terminal

mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  tidy   check the rules the compiler does not know: who may use whom, what core may not do, tests, text
";

fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["tidy"] => tidy::run(),
        [] | ["help" | "--help" | "-h", ..] => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprint!("xtask: there is no command `{}`\n\n{USAGE}", args.join(" "));
            Ok(ExitCode::from(2))
        }
    }
}
