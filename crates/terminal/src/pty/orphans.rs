//! Processes below the child that lose their parent: they become children of this process, which reaps them.
//!
//! So they stay descendants of the server of their session, however they were started, and can be told apart from the
//! processes of the operator.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;

/// Children that were started here and are waited for elsewhere. Locked while one is started: no child is reaped before
/// it is among them.
static OWN: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Held from before the start of a child until its number is noted.
pub(super) struct Starting(MutexGuard<'static, BTreeSet<i32>>);

pub(super) fn starting() -> Starting {
    Starting(OWN.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Starting {
    pub(super) fn started(mut self, pid: Pid) {
        self.0.insert(pid.as_raw_pid());
    }
}

pub(super) fn freed(pid: Pid) {
    starting().0.remove(&pid.as_raw_pid());
}

/// Has processes that lose their parent become children of this process. On Linux; elsewhere nothing happens.
pub fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// Reaps processes that were adopted and have ended. Call it whenever a child has ended.
pub fn reap_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{WaitOptions, getpid, waitpid};
        let own = starting();
        // Programs that coop runs for itself stay in its session, and are waited for where they were started. In a container
        // the session may be one of outside, with the number 0, which the C library has no place for.
        let (parent, stat) = (getpid().as_raw_pid(), std::fs::read("/proc/self/stat")?);
        let session = fields(&stat).map(|(.., session)| session);
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            let stat = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
            let is_orphan = ended_child(&stat, parent).is_some_and(|of| Some(of) != session) && !own.0.contains(&pid);
            if is_orphan && let Some(pid) = Pid::from_raw(pid) {
                // It is a child of this process and has ended: this does not wait.
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
    }
    Ok(())
}

/// The session of a child of `parent`, if that child has ended.
#[cfg(target_os = "linux")]
fn ended_child(stat: &[u8], parent: i32) -> Option<i32> {
    fields(stat).filter(|(state, ppid, _)| *state == "Z" && *ppid == parent).map(|(.., session)| session)
}

/// State, parent and session of a process from its line of /proc/pid/stat: `pid (comm) state ppid pgrp session …`.
#[cfg(target_os = "linux")]
fn fields(stat: &[u8]) -> Option<(&str, i32, i32)> {
    let after_comm = stat.get(memchr::memrchr(b')', stat)? + 1..)?;
    let mut fields = str::from_utf8(after_comm).ok()?.split_ascii_whitespace();
    let (state, ppid, _, session) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    Some((state, ppid.parse().ok()?, session.parse().ok()?))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn children_that_have_ended_are_parsed() {
        let lines: [(&[u8], Option<i32>); 6] = [
            (b"42 (sh) Z 7 42 41 0", Some(41)),
            (b"42 (a) Z 1) Z 7 42 41 0", Some(41)),
            (b"42 (sh) S 7 42 41 0", None),
            (b"42 (sh) Z 8 42 41 0", None),
            (b"42 (sh) Z 7", None),
            (b"", None),
        ];
        for (line, session) in lines {
            assert_eq!(ended_child(line, 7), session, "{}", line.escape_ascii());
        }
    }
}
