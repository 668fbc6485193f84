//! Processes: told apart by when they were started, and their end as it happens.

use std::fs;
use std::time::Duration;

use coop_core::fleet::Process;
use rustix::process::{Pid, test_kill_process};

/// How often a process is looked at where the system does not tell of its end.
const LOOK: Duration = Duration::from_secs(1);

/// When it was started, in the system's own unit; 0 where the system does not say. Nothing if it does not run.
pub(crate) fn started(pid: u32) -> Option<u64> {
    if cfg!(target_os = "linux") {
        return stat_field(pid, 22)?.parse().ok();
    }
    test_kill_process(raw(pid)?).is_ok().then_some(0)
}

/// The process that leads its session: the program a terminal was opened for.
pub(crate) fn session_of(pid: u32) -> Option<u32> {
    stat_field(pid, 6)?.parse().ok()
}

pub(crate) fn parent_of(pid: u32) -> Option<u32> {
    stat_field(pid, 4)?.parse().ok()
}

/// The folder it works in.
pub(crate) fn cwd_of(pid: u32) -> Option<String> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()?.into_os_string().into_string().ok()
}

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

fn raw(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

fn stat_field(pid: u32, index: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything; the first field after it is the third.
    let rest = &stat[stat.rfind(')')? + 1..];
    rest.split_ascii_whitespace().nth(index - 3).map(str::to_owned)
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
            assert_eq!(parent_of(child.id()), Some(std::process::id()));
            assert!(cwd_of(child.id()).is_some() && session_of(child.id()).is_some());
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
