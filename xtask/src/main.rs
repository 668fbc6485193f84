//! Repository chores, run as `cargo xtask <command>`. Nothing of this is part of the product.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command for people at a terminal

#[cfg(target_os = "linux")] // it reads /proc
mod bench;
mod capture;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  bench  measure speed, memory and latency next to tmux and a bare PTY (Linux; see `bench --help`)
  capture [AGENT…]
         record what the pinned agents tell about themselves, for tests; after `make agents`
  tidy   check the rules the compiler does not know: who may use whom, what core may not do, tests, text
";

fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        #[cfg(target_os = "linux")]
        ["bench", ref options @ ..] => bench::run(options),
        #[cfg(target_os = "linux")]
        ["bench-child", ref role @ ..] => bench::child::run(role),
        ["capture", ref agents @ ..] => capture::run(agents),
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
