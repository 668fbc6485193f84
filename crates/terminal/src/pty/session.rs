//! Every process of a session, found in /proc: shells with job control put each job in a group of its own, so that no
//! one group reaches them all.

use super::Signal;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
use std::collections::HashSet;
use std::{fs, io};

/// A process may fork while /proc is read, and its child may be missed: look again until nobody is new. Something that
/// forks faster than this many looks is not stopped by signals.
const PASSES: usize = 8;

/// Signals each member once. It is an error if nobody was reached.
pub(super) fn signal(session: Pid, signal: Signal) -> io::Result<()> {
    let mut seen = HashSet::new();
    let mut reached = Err(Errno::SRCH.into());
    for _ in 0..PASSES {
        let mut fresh = members(session)?;
        fresh.retain(|pid| seen.insert(*pid));
        if fresh.is_empty() {
            break;
        }
        for pid in fresh {
            // Some may be gone by now, or belong to another user.
            match send(session, pid, signal) {
                Ok(()) => reached = Ok(()),
                Err(error) => reached = reached.or(Err(error.into())),
            }
        }
    }
    reached
}

fn members(session: Pid) -> io::Result<Vec<Pid>> {
    let processes = fs::read_dir("/proc")?.filter_map(|entry| {
        let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
        Pid::from_raw(pid)
    });
    Ok(processes.filter(|pid| session_of(*pid) == Some(session)).collect())
}

/// The pidfd is taken first and the session read after it: if the pid was recycled in between, the session is not ours.
fn send(session: Pid, pid: Pid, signal: Signal) -> Result<(), Errno> {
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) if session_of(pid) == Some(session) => pidfd_send_signal(process, signal.raw()),
        Ok(_) => Err(Errno::SRCH),
        // Before Linux 5.3 and in some sandboxes; then only the moment since the look at /proc is unguarded.
        Err(Errno::NOSYS | Errno::PERM) => kill_process(pid, signal.raw()),
        Err(error) => Err(error),
    }
}

fn session_of(pid: Pid) -> Option<Pid> {
    parse_session(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The session in a line of /proc/pid/stat: `pid (comm) state ppid pgrp session …`.
///
/// The comm is whatever bytes a process calls itself, parentheses and spaces included, and nothing after it has any.
fn parse_session(stat: &[u8]) -> Option<Pid> {
    let after_comm = stat.get(memchr::memrchr(b')', stat)? + 1..)?;
    let session = str::from_utf8(after_comm).ok()?.split_ascii_whitespace().nth(3)?;
    // Kernel threads are in session 0, and a process that is just being reaped in -1.
    Pid::from_raw(session.parse().ok().filter(|session| *session > 0)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_parsed() {
        let lines: [(&[u8], Option<i32>); 10] = [
            (b"42 (sh) S 1 42 41 34816 42 4194560", Some(41)),
            (b"42 (a) (b) R 7 (c) S 1 42 41 0", Some(41)),
            (b"42 () S 1 42 41 0", Some(41)),
            (b"42 (\xff\n) S 1 42 41 0", Some(41)),
            (b"2 (kthreadd) S 0 0 0 0 -1", None),
            (b"42 (sh) X 0 -1 -1 0 -1", None),
            (b"42 (sh) S 1 42", None),
            (b"42 (sh)", None),
            (b"42 sh S 1 42 41", None),
            (b"", None),
        ];
        for (line, session) in lines {
            assert_eq!(parse_session(line).map(Pid::as_raw_pid), session, "{}", line.escape_ascii());
        }
    }
}
