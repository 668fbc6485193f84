//! coop as process 1 of a container. Whatever loses its parent there becomes a child of process 1, which must reap it.
//!
//! The session reaps its own child and nobody else's, so the work is split: process 1 starts coop once more, hands
//! signals on, reaps everything, and ends as that second coop ends.

use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode, ExitStatus};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use tokio::signal::unix::{SignalKind, signal};

use crate::{CommandError, secret};

/// Those that ask for something. The kernel tells process 1 only about signals it listens for.
const HANDED_ON: [Signal; 7] =
    [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2, Signal::WINCH];

pub(super) fn is_needed() -> bool {
    rustix::process::getpid().is_init()
}

/// Runs coop as a child of this process, with the same arguments, until it ends.
pub(super) fn run() -> Result<ExitCode, CommandError> {
    let failed = |error: io::Error| CommandError::failed(format!("coop could not start itself as a child: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let status = runtime.block_on(supervise()).map_err(failed)?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

async fn supervise() -> io::Result<ExitStatus> {
    // Before the child exists, so that nothing is missed.
    let mut ended = signal(SignalKind::child())?;
    let (send, mut handed_on) = tokio::sync::mpsc::channel(HANDED_ON.len());
    for number in HANDED_ON {
        let mut stream = signal(SignalKind::from_raw(number.as_raw()))?;
        let send = send.clone();
        tokio::spawn(async move { while stream.recv().await.is_some() && send.send(number).await.is_ok() {} });
    }
    let mut command = Command::new(std::env::current_exe()?);
    // In a group of its own: Ctrl-C reaches it through us, once, and not twice.
    command.process_group(0);
    let child = secret::spawn(&mut command, &secret::args()[1..], &[])?;
    let child = Pid::from_child(&child);
    loop {
        if let Some(status) = reap(child)? {
            return Ok(status);
        }
        tokio::select! {
            _ = ended.recv() => {}
            Some(number) = handed_on.recv() => {
                // Gone already: its end is about to be seen.
                let _ = kill_process(child, number);
            }
        }
    }
}

/// Reaps all that have ended. How `child` ended, if it is among them.
fn reap(child: Pid) -> io::Result<Option<ExitStatus>> {
    while let Some((pid, status)) = wait(WaitOptions::NOHANG)? {
        if pid == child {
            return Ok(Some(ExitStatus::from_raw(status.as_raw())));
        }
    }
    Ok(None)
}
