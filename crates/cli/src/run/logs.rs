//! Logs: lines on stderr, for people or for machines.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::EnvFilter;

use super::flags::{LogFlags, LogFormat};
use crate::CommandError;

/// From here on `tracing` writes.
pub(crate) fn start(flags: &LogFlags) -> Result<(), CommandError> {
    let filter = EnvFilter::builder().parse(&flags.log_level).map_err(|_| {
        CommandError::usage(format!("`{}` is no log level", flags.log_level))
            .with_hint("It is error, warn, info, debug or trace, or a filter such as coop_server=debug.")
    })?;
    // A folder that is gone takes its watch with it, and notify warns that it cannot take it away once more.
    let quiet = "notify=error".parse().ok().filter(|_| !flags.log_level.contains("notify"));
    let filter = match quiet {
        Some(quiet) => filter.add_directive(quiet),
        None => filter,
    };
    let on_terminal = stderr().is_terminal();
    let format = flags.log_format.unwrap_or(if on_terminal { LogFormat::Text } else { LogFormat::Json });
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).with_ansi(on_terminal);
    // It would complain about a failed write on the same stderr, and end the program when that fails too.
    let builder = builder.log_internal_errors(false);
    match format {
        LogFormat::Json => builder.json().flatten_event(true).init(),
        LogFormat::Text => builder.with_target(false).init(),
    }
    Ok(())
}
