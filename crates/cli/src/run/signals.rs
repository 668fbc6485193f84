//! The signals that ask coop to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens from when it is made.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    /// None if we were started with it ignored, as `nohup` does, or a shell for jobs in the background.
    hang_up: Option<Signal>,
    interrupt: Option<Signal>,
    /// Nobody waits for it. But listening ends the state in which it is ignored, which we may have inherited, and in
    /// which the kernel would reap the program before we can ask how it ended.
    _child: Signal,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let unless_ignored = |kind: SignalKind| match is_ignored(kind.as_raw_value()) {
            true => Ok(None),
            false => signal(kind).map(Some),
        };
        Ok(Self {
            hang_up: unless_ignored(SignalKind::hangup())?,
            interrupt: unless_ignored(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            _child: signal(SignalKind::child())?,
        })
    }

    /// The name of the next one.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            () = received(&mut self.interrupt) => "SIGINT",
            () = received(&mut self.hang_up) => "SIGHUP",
        }
    }
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether a signal was ignored when we were started. Only Linux tells without unsafe code.
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}
