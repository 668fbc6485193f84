//! The signals that ask coop to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use super::held::Held;

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
    /// The process that holds us is gone, and with it whoever started coop.
    alone: Option<oneshot::Receiver<()>>,
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
            alone: None,
        })
    }

    /// The end of the holder is one more.
    pub(super) fn end_with(&mut self, held: &Held) -> io::Result<()> {
        let (tell, alone) = oneshot::channel();
        let link = held.link.clone();
        std::thread::Builder::new().name("coop-alone".into()).spawn(move || {
            link.until_alone();
            // Nobody may wait for it any more.
            tell.send(()).ok();
        })?;
        self.alone = Some(alone);
        Ok(())
    }

    /// The name of the next one.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            () = received(&mut self.interrupt) => "SIGINT",
            () = received(&mut self.hang_up) => "SIGHUP",
            () = told(&mut self.alone) => "the end of the process that coop was started as",
        }
    }
}

/// Once.
async fn told(alone: &mut Option<oneshot::Receiver<()>>) {
    match alone {
        Some(receiver) => {
            let gone = receiver.await;
            *alone = None;
            if gone.is_err() {
                std::future::pending::<()>().await;
            }
        }
        None => std::future::pending().await,
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
