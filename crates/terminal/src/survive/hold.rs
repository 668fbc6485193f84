//! The holder: starts the server, waits, and starts another one when it dies. It has no runtime and no timers, and sleeps
//! as long as nothing happens.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketFlags, SocketType, recvmsg,
    send, socketpair,
};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, wait};

use super::link::{BYE, ENDED, HAND_OVER, KEEP, LONGEST, PROGRAM, SECRET, told_gone};
use super::signals::Signals;
use super::{CONTROL, said};
use crate::pty::ExitStatus;

/// Those that ask for something are for the server.
const HANDED_ON: [Signal; 6] = [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2];
/// A server that dies this often in this time would do so for ever.
const MOST_DEATHS: usize = 5;
const WITHIN: Duration = Duration::from_secs(60);
/// Before the second start, and twice as long before each further one.
const PAUSE: Duration = Duration::from_millis(100);
/// What the program gets to end by itself when it is given up.
const GRACE: Duration = Duration::from_secs(10);

/// What a server is to be started with.
#[derive(Debug)]
pub struct Start<'a> {
    /// The variable's name and value. The process that is started must be a child of this one.
    pub env: (&'a str, &'a str),
    /// Token that the server before has left for this one. It belongs into memory: see [`crate::secret`].
    pub secret: Option<&'a [u8]>,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As the server did, or as the program did if that is all that is known.
    Status(ExitStatus),
    /// The server died too often, and the program was ended.
    GivenUp { last: ExitStatus, program: Option<ExitStatus> },
}

/// Starts a server with `start` and holds what it gives until all is over. Call it before there is another thread.
pub fn hold(mut start: impl FnMut(&Start<'_>) -> io::Result<process::Child>) -> io::Result<End> {
    let signals = Signals::new(&[&HANDED_ON[..], &[Signal::CHILD]].concat())?;
    // What loses its parent becomes a child of ours: the program, when its server dies.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;
    let mut holder = Holder {
        signals,
        kept: Vec::new(),
        secret: None,
        program: None,
        program_status: None,
        told: None,
        bye: false,
        handed: false,
    };
    let mut deaths: Vec<Instant> = Vec::new();
    loop {
        let status = holder.serve(deaths.len(), &mut start)?;
        if let Some(end) = holder.over(status) {
            return Ok(End::Status(end));
        }
        if holder.handed {
            continue;
        }
        deaths.push(Instant::now());
        let lately = deaths.iter().filter(|at| at.elapsed() < WITHIN).count();
        if lately >= MOST_DEATHS {
            return Ok(End::GivenUp { last: status, program: holder.end_program() });
        }
        if let Some(doublings) = u32::try_from(lately).ok().and_then(|lately| lately.checked_sub(2)) {
            std::thread::sleep(PAUSE * 2_u32.pow(doublings)); // tidy: nothing tells when it would be better
        }
    }
}

struct Holder {
    signals: Signals,
    kept: Vec<(String, OwnedFd)>,
    secret: Option<Vec<u8>>,
    program: Option<Pid>,
    /// How it ended, if it was a child of ours then.
    program_status: Option<ExitStatus>,
    /// How it ended, after everybody was told.
    told: Option<ExitStatus>,
    bye: bool,
    /// The server ends, and has not died.
    handed: bool,
}

impl Holder {
    /// One server, from its start to its end.
    fn serve(
        &mut self,
        deaths: usize,
        start: &mut impl FnMut(&Start<'_>) -> io::Result<process::Child>,
    ) -> io::Result<ExitStatus> {
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let server = {
            let kept = self.kept.iter().map(|(name, fd)| (name.as_str(), fd));
            let deaths = u32::try_from(deaths).unwrap_or(u32::MAX);
            let handed = std::mem::take(&mut self.handed);
            let value = said(getpid(), deaths, handed, kept.chain([(CONTROL, &theirs)]))?;
            Pid::from_child(&start(&Start { env: (super::VARIABLE, &value), secret: self.secret.as_deref() })?)
        };
        drop(theirs);
        if let (Some(pid), Some(status)) = (self.program, self.program_status) {
            tell(&ours, pid, status);
        }
        loop {
            let mut fds = [PollFd::new(&self.signals, PollFlags::IN), PollFd::new(&ours, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            // First: what a server said before it died counts.
            while self.hear(&ours) {}
            while let Some(signal) = self.signals.next() {
                if signal != Signal::CHILD {
                    // Gone already: its end is about to be seen.
                    let _ = kill_process(server, signal);
                    continue;
                }
                if let Some(status) = self.reap(server, &ours) {
                    while self.hear(&ours) {}
                    return Ok(status);
                }
            }
        }
    }

    /// Reaps all that have ended. How the server did, if it is among them.
    fn reap(&mut self, server: Pid, control: &OwnedFd) -> Option<ExitStatus> {
        let mut ended = None;
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let Some(status) = status_of(status) else { continue };
            if pid == server {
                ended = Some(status);
            } else if Some(pid) == self.program {
                self.program_status = Some(status);
                tell(control, pid, status);
            }
        }
        ended
    }

    /// Takes one message, if there is one.
    fn hear(&mut self, control: &OwnedFd) -> bool {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut text = [0; LONGEST];
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let Ok(received) = recvmsg(control, &mut [IoSliceMut::new(&mut text)], &mut ancillary, flags) else {
            return false;
        };
        let fds = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(fds) => Some(fds),
            _ => None,
        });
        let fd = fds.flatten().next();
        let Some((kind, rest)) = text.get(..received.bytes).and_then(<[u8]>::split_first) else { return false };
        let number = || rest.try_into().ok().map(i32::from_ne_bytes);
        match (*kind, fd) {
            (KEEP, Some(fd)) => self.keep(&String::from_utf8_lossy(rest), fd),
            (PROGRAM, _) => {
                self.program = number().and_then(Pid::from_raw);
                (self.program_status, self.told) = (None, None);
            }
            (ENDED, _) => self.told = number().map(ExitStatus::Code),
            (SECRET, _) => self.secret = Some(rest.to_vec()),
            (BYE, _) => self.bye = true,
            (HAND_OVER, _) => self.handed = true,
            _ => {}
        }
        true
    }

    fn keep(&mut self, name: &str, fd: OwnedFd) {
        self.kept.retain(|(known, _)| known != name);
        self.kept.push((name.to_owned(), fd));
    }

    /// How to end, if there is nothing left that would be worth another server.
    fn over(&self, server: ExitStatus) -> Option<ExitStatus> {
        let Some(program) = self.program.filter(|_| !self.bye) else { return Some(server) };
        if self.told.is_some() || self.program_status.is_some() {
            return self.told;
        }
        // A child of ours now, and not waited for: the number is its own as long as it is there.
        let is_there = rustix::process::test_kill_process(program) != Err(Errno::SRCH);
        (!is_there).then_some(ExitStatus::Code(1))
    }

    /// Hangs up, and kills what does not end.
    fn end_program(&mut self) -> Option<ExitStatus> {
        let program = self.program?;
        self.kept.clear();
        for signal in [Signal::HUP, Signal::CONT] {
            // It may have ended.
            let _ = kill_process_group(program, signal);
        }
        let deadline = Instant::now() + GRACE;
        let mut killed = false;
        loop {
            while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                if pid == program {
                    self.program_status = status_of(status);
                }
            }
            if self.program_status.is_some() || killed {
                return self.program_status;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let _ = kill_process_group(program, Signal::KILL);
                killed = true;
            }
            while self.signals.next().is_some() {}
            let timeout = Timespec::try_from(left.max(PAUSE)).ok();
            let _ = poll(&mut [PollFd::new(&self.signals.as_fd(), PollFlags::IN)], timeout.as_ref());
        }
    }
}

fn tell(control: &OwnedFd, pid: Pid, status: ExitStatus) {
    // A server that is gone already is followed by one that is told.
    let _ = send(control, &told_gone(pid, status), SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
}

fn status_of(status: WaitStatus) -> Option<ExitStatus> {
    status.exit_status().map(ExitStatus::Code).or_else(|| status.terminating_signal().map(ExitStatus::Signal))
}
