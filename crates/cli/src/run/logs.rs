//! Logs: lines on stderr, for people or for machines.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write, stderr};

use coop_core::text::{shown_json, shown_line};
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
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(on_terminal);
    let builder = builder.with_writer(move || Safe { format });
    // It would complain about a failed write on the same stderr, and end the program when that fails too.
    let builder = builder.log_internal_errors(false);
    match format {
        LogFormat::Json => builder.json().flatten_event(true).init(),
        LogFormat::Text => builder.with_target(false).init(),
    }
    Ok(())
}

/// Stderr, for lines whose fields may carry text of an agent: what would hide, act or begin another line is shown.
#[derive(Clone, Copy, Debug)]
struct Safe {
    format: LogFormat,
}

impl Write for Safe {
    /// Gets one event at a time.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        stderr().write_all(safe(self.format, &String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        stderr().flush()
    }
}

fn safe(format: LogFormat, event: &str) -> Cow<'_, str> {
    match format {
        LogFormat::Json => shown_json(event),
        LogFormat::Text => format!("{}\n", text(event.trim_end_matches('\n'))).into(),
    }
}

/// The formatter escapes ESC in fields: a sequence that sets colours is its own.
fn text(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let mut safe = shown_line(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        let (colour, rest) = part.split_at(end);
        match rest.strip_prefix('m') {
            Some(rest) => safe += &format!("\x1b[{colour}m{}", shown_line(rest)),
            None => safe += &shown_line(&format!("\x1b[{part}")),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cannot_act_on_the_terminal() {
        for (format, event, expected) in [
            (LogFormat::Text, "plain\n", "plain\n"),
            (LogFormat::Text, "\x1b[32m INFO\x1b[0m x\x1b[2Jy\n", "\x1b[32m INFO\x1b[0m x␛[2Jy\n"),
            (LogFormat::Text, "a\u{202e}b\nERROR forged\n", "a<U+202E>b␊ERROR forged\n"),
            (LogFormat::Text, "a\x1b]0;t\x07\u{9b}2J\n", "a␛]0;t␇<U+009B>2J\n"),
            (LogFormat::Json, "{\"a\":\"\u{202e}\u{9b}2J\"}\n", "{\"a\":\"\\u202e\\u009b2J\"}\n"),
        ] {
            assert_eq!(safe(format, event), expected, "{event:?}");
        }
    }
}
