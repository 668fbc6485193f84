//! What runs inside the terminals that are measured, as `xtask bench-child …`: this program once more, in small parts.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context as _, bail};
use rustix::process::{Signal, ioctl_tiocsctty, set_parent_process_death_signal, setsid};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use rustix::time::{ClockId, clock_gettime};

pub(crate) fn run(args: &[&str]) -> anyhow::Result<ExitCode> {
    match args {
        ["leashed", program, args @ ..] => leashed(program, args)?,
        ["on-terminal", program, args @ ..] => on_terminal(program, args)?,
        ["clock", go, count, gap_ms, len] => {
            clock(Path::new(go), count.parse()?, Duration::from_millis(gap_ms.parse()?), len.parse()?)?;
        }
        ["keys", back, count] => keys(Path::new(back), count.parse()?)?,
        _ => bail!("bench-child: {args:?} is for `xtask bench` only"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Nanoseconds of a clock that all processes of the machine share.
pub(super) fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// This program as a child with these arguments.
pub(super) fn command(args: &[&str]) -> anyhow::Result<Vec<String>> {
    let program = std::env::current_exe()?.display().to_string();
    Ok([&program, "bench-child"].iter().chain(args).map(|arg| (*arg).to_owned()).collect())
}

/// Becomes `program`, which ends with whoever started it.
fn leashed(program: &str, args: &[&str]) -> anyhow::Result<()> {
    set_parent_process_death_signal(Some(Signal::TERM))?;
    Err(Command::new(program).args(args).exec()).with_context(|| format!("cannot run {program}"))
}

/// Becomes `program` as the leader of a session on the terminal it was given, as terminals start programs. It is more than
/// manners: Linux shares out the CPU by session.
fn on_terminal(program: &str, args: &[&str]) -> anyhow::Result<()> {
    setsid()?;
    ioctl_tiocsctty(std::io::stdin())?;
    Err(Command::new(program).args(args).exec()).with_context(|| format!("cannot run {program}"))
}

/// Waits for its start, then writes the time into the terminal `count` times with pauses, each time with as many blanks
/// behind it as make it `len` bytes. There are no newlines: the terminal would send them as a piece of their own.
fn clock(go: &Path, count: u32, gap: Duration, len: usize) -> anyhow::Result<()> {
    File::open(go)?.read_exact(&mut [0])?;
    let mut terminal = std::io::stdout();
    for _ in 0..count {
        std::thread::sleep(gap);
        terminal.write_all(format!("{:<len$}", now()).as_bytes())?;
        terminal.flush()?;
    }
    Ok(())
}

/// Reads `count` keys as they come, and reports the time of each. The first report says that it is ready.
fn keys(back: &Path, count: u32) -> anyhow::Result<()> {
    let mut terminal = std::io::stdin();
    let mut modes = tcgetattr(&terminal)?;
    modes.make_raw();
    tcsetattr(&terminal, OptionalActions::Now, &modes)?;
    let mut back = File::options().write(true).open(back)?;
    back.write_all(&now().to_le_bytes())?;
    for _ in 0..count {
        terminal.read_exact(&mut [0])?;
        back.write_all(&now().to_le_bytes())?;
    }
    Ok(())
}
