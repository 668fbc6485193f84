//! The end of a process, as it happens.

use std::time::Duration;

use coop_core::fleet::Process;
use coop_machine::process::{raw, started};
#[cfg(target_os = "linux")]
use rustix::process::Pid;

/// How often a process is looked at where the system does not tell of its end.
const LOOK: Duration = Duration::from_secs(1);

/// Returns when it has ended, however it did.
pub(crate) async fn ended(process: &Process) {
    #[cfg(target_os = "linux")]
    if let Some(handle) = raw(process.pid).and_then(handle) {
        // The handle may be of another process that got the number; it is the right one if it is the right one now.
        if started(process.pid) == Some(process.started) {
            drop(handle.readable().await);
        }
        return;
    }
    while started(process.pid) == Some(process.started) {
        tokio::time::sleep(LOOK).await;
    }
}

/// Becomes readable when the process ends.
#[cfg(target_os = "linux")]
#[allow(deprecated, reason = "sound for a descriptor that nobody else has; the other way needs unsafe")]
fn handle(pid: Pid) -> Option<tokio::io::unix::AsyncFd<rustix::fd::OwnedFd>> {
    let handle = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::NONBLOCK).ok()?;
    tokio::io::unix::AsyncFd::with_interest(handle, tokio::io::Interest::READABLE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_process_is_told_also_when_it_is_killed() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
            let process = Process { host: None, pid: child.id(), started: started(child.id()).unwrap() };
            let mut end = Box::pin(ended(&process));
            let soon = tokio::time::timeout(Duration::from_millis(50), &mut end).await;
            assert!(soon.is_err(), "it runs");
            child.kill().unwrap();
            tokio::time::timeout(Duration::from_secs(30), end).await.unwrap();
            child.wait().unwrap();
            let reused = Process { pid: std::process::id(), started: 1, host: None };
            tokio::time::timeout(Duration::from_secs(30), ended(&reused)).await.unwrap();
        });
    }
}
