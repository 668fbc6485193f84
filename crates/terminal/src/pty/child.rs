//! The child: waiting for it and signalling it.
//!
//! A pid is only a number, and the kernel gives it to a stranger once the child is reaped. So waiting does not reap: the
//! exit is seen, and the child stays a zombie that holds its pid, its group and its session until the last handle is
//! dropped. Until then no signal can hit a stranger, and those the child left behind can still be found by its session.

use super::{Pty, Signal, foreground_group, orphans};
use crate::survive::Link;
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, kill_process_group, waitid, waitpid};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// A handle to the child. Clones are the same child: one for the thread that waits, one for the owner who signals.
#[derive(Clone, Debug)]
pub struct Child {
    process: Arc<Process>,
}

/// Whom a signal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The job in the foreground of the terminal, as with Ctrl-C; the child's own group if there is none.
    Foreground,
    /// The process group the child leads.
    Group,
    /// Everything started from the child that has not made itself a session of its own.
    Session,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    Code(i32),
    Signal(i32),
}

#[derive(Debug)]
struct Process {
    pid: Pid,
    /// Weak, so that a handle does not keep the terminal of a finished session open.
    master: Weak<OwnedFd>,
    /// The pid may be somebody else's by now.
    freed: AtomicBool,
    /// It is the holder's child, which waits for it and tells.
    held: Option<Link>,
}

impl Child {
    pub(super) fn new(pid: Pid, master: &Arc<OwnedFd>) -> Self {
        Self::with(pid, master, None)
    }

    /// One that another process has started on this terminal: this process before it became what it is, or a server before
    /// this one, whose children are its holder's.
    pub fn adopt(pid: Pid, pty: &Pty, link: Option<&Link>) -> Self {
        let ours = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG);
        Self::with(pid, &pty.master, link.filter(|_| ours.is_err()).cloned())
    }

    fn with(pid: Pid, master: &Arc<OwnedFd>, held: Option<Link>) -> Self {
        if held.is_none() {
            orphans::starting().started(pid);
        }
        let (master, freed) = (Arc::downgrade(master), AtomicBool::new(false));
        Self { process: Arc::new(Process { pid, master, freed, held }) }
    }

    /// Frees the pid of a child that has ended, so that nothing of it is left. It cannot be signalled any more.
    pub fn free(&self) {
        self.process.free();
    }

    /// The child's pid, which is also its process group and its session.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.process.pid
    }

    /// Blocks until the child has ended. Can be called again, and from several threads.
    pub fn wait(&self) -> io::Result<ExitStatus> {
        if let Some(link) = &self.process.held {
            let status = link.wait(self.pid());
            // Its holder has waited for it, and the number may be another's. As long as somebody is left in its group or
            // its session, it is not.
            self.process.freed.store(true, Ordering::Release);
            return status;
        }
        let wait = |options| retry_on_intr(|| waitid(WaitId::Pid(self.pid()), options));
        loop {
            let seen = wait(WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
            if let Some(status) = seen.as_ref().and_then(ExitStatus::of) {
                return Ok(status);
            }
            // macOS reports stops here although only exits were asked for: consume it and wait on.
            wait(WaitIdOptions::STOPPED | WaitIdOptions::CONTINUED | WaitIdOptions::NOHANG)?;
        }
    }

    /// Sends a signal. A child that has ended takes it without effect.
    pub fn signal(&self, signal: Signal, target: Target) -> io::Result<()> {
        if self.process.freed.load(Ordering::Acquire) {
            return Err(Errno::SRCH.into());
        }
        match target {
            Target::Foreground => Ok(kill_process_group(self.foreground().unwrap_or(self.pid()), signal.raw())?),
            Target::Group => Ok(kill_process_group(self.pid(), signal.raw())?),
            Target::Session => self.signal_session(signal),
        }
    }

    #[cfg(target_os = "linux")]
    fn signal_session(&self, signal: Signal) -> io::Result<()> {
        // Without /proc the groups we know of are better than nobody.
        super::session::signal(self.pid(), signal).or_else(|_| self.signal_groups(signal))
    }

    #[cfg(not(target_os = "linux"))]
    fn signal_session(&self, signal: Signal) -> io::Result<()> {
        self.signal_groups(signal)
    }

    /// The two groups of the session that are known without a list of processes.
    fn signal_groups(&self, signal: Signal) -> io::Result<()> {
        let own = self.signal(signal, Target::Group);
        let Some(group) = self.foreground().filter(|group| *group != self.pid()) else { return own };
        let foreground = kill_process_group(group, signal.raw());
        own.or_else(|_| Ok(foreground?))
    }

    /// The process group in the foreground of its terminal, which Ctrl-C goes to, if there is one.
    #[must_use]
    pub fn foreground(&self) -> Option<Pid> {
        foreground_group(self.process.master.upgrade()?.as_ref())
    }
}

impl ExitStatus {
    /// The code a shell would report: 128 and the signal's number for a child that was killed.
    #[must_use]
    pub fn shell_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(number) => 128 + number,
        }
    }

    fn of(status: &WaitIdStatus) -> Option<Self> {
        status.exit_status().map(Self::Code).or_else(|| status.terminating_signal().map(Self::Signal))
    }
}

impl Drop for Process {
    /// Frees the pid of a child that has ended. One that still runs would stay a zombie from its end until ours, so the
    /// thread that waits for it holds a handle.
    fn drop(&mut self) {
        self.free();
    }
}

impl Process {
    fn free(&self) {
        if self.freed.load(Ordering::Acquire) {
            return;
        }
        if self.held.is_some() {
            return;
        }
        // An error is that the child is not ours any more, which is what is wanted.
        let waited = waitpid(Some(self.pid), WaitOptions::NOHANG);
        let freed = !matches!(waited, Ok(None));
        self.freed.store(freed, Ordering::Release);
        if freed {
            orphans::freed(self.pid);
        }
    }
}
