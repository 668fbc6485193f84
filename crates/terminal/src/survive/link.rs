//! The server's end of the way to its holder.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recv, sendmsg};
use rustix::process::Pid;

use crate::pty::{Child, ExitStatus, Pty};

/// What the server says, in one message each: a letter, and what belongs to it.
pub(super) const KEEP: u8 = b'K';
pub(super) const PROGRAM: u8 = b'P';
pub(super) const ENDED: u8 = b'E';
pub(super) const BYE: u8 = b'B';
pub(super) const HAND_OVER: u8 = b'H';
/// A token that the next server needs. Descriptors can be opened by others while a server starts; the holder's memory
/// cannot be read.
pub(super) const SECRET: u8 = b'S';
/// Longest message that the holder takes.
pub(super) const LONGEST: usize = 16 << 10;
/// What the holder says: the program has ended, which is its child since the server before this one died.
pub(super) const GONE: u8 = b'X';

/// Cheap to clone. The holder is told at once, and answers nothing.
#[derive(Clone, Debug)]
pub struct Link {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    control: OwnedFd,
    heard: Mutex<Heard>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Heard {
    ended: Vec<(Pid, ExitStatus)>,
    /// The holder is not there any more.
    alone: bool,
}

impl Link {
    pub(super) fn new(control: OwnedFd) -> io::Result<Self> {
        let link = Self { shared: Arc::new(Shared { control, heard: Mutex::default(), news: Condvar::new() }) };
        let listener = link.clone();
        std::thread::Builder::new().name("coop-held".into()).spawn(move || listener.listen())?;
        Ok(link)
    }

    /// Has the holder keep it by this name, instead of what it kept by that name before.
    pub fn keep(&self, name: &str, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.send(KEEP, name.as_bytes(), Some(fd))
    }

    /// Says which program is not to be lost.
    pub fn program(&self, pty: &Pty, child: &Child) -> io::Result<()> {
        self.keep(super::MASTER, pty.as_fd())?;
        self.send(PROGRAM, &child.pid().as_raw_pid().to_ne_bytes(), None)
    }

    /// The program has ended, and everybody has been told.
    pub fn ended(&self, code: i32) -> io::Result<()> {
        self.send(ENDED, &code.to_ne_bytes(), None)
    }

    /// Has the holder keep a token in its memory for the next server, instead of the one it kept before.
    pub fn secret(&self, token: &[u8]) -> io::Result<()> {
        if token.len() >= LONGEST {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.send(SECRET, token, None)
    }

    /// The server ends because all is over, and the holder is to end like it.
    pub fn bye(&self) -> io::Result<()> {
        self.send(BYE, &[], None)
    }

    /// The server ends to be followed by another one, and has not died.
    pub fn hand_over(&self) -> io::Result<()> {
        self.send(HAND_OVER, &[], None)
    }

    /// Blocks until the holder is gone.
    pub fn until_alone(&self) {
        let mut heard = self.shared.heard.lock().unwrap_or_else(PoisonError::into_inner);
        while !heard.alone {
            heard = self.shared.news.wait(heard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Blocks until a program that is the holder's child has ended.
    pub(crate) fn wait(&self, pid: Pid) -> io::Result<ExitStatus> {
        let mut heard = self.shared.heard.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some((_, status)) = heard.ended.iter().find(|(known, _)| *known == pid) {
                return Ok(*status);
            }
            if heard.alone {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            heard = self.shared.news.wait(heard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn listen(&self) {
        loop {
            let mut message = [0; 16];
            let received = recv(&self.shared.control, &mut message, RecvFlags::empty());
            let mut heard = self.shared.heard.lock().unwrap_or_else(PoisonError::into_inner);
            match received {
                Ok((count, _)) if count > 0 => heard.ended.extend(gone(&message[..count])),
                Err(rustix::io::Errno::INTR) => {}
                _ => heard.alone = true,
            }
            let alone = heard.alone;
            drop(heard);
            self.shared.news.notify_all();
            if alone {
                return;
            }
        }
    }

    fn send(&self, kind: u8, text: &[u8], fd: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let fds: Vec<BorrowedFd<'_>> = fd.into_iter().collect();
        if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&fds)) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let kind = [kind];
        let parts = [IoSlice::new(&kind), IoSlice::new(text)];
        rustix::io::retry_on_intr(|| sendmsg(&self.shared.control, &parts, &mut control, SendFlags::NOSIGNAL))?;
        Ok(())
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.shared.control.as_fd()
    }
}

/// Which process ended, and how.
fn gone(message: &[u8]) -> Option<(Pid, ExitStatus)> {
    let [GONE, rest @ ..] = message else { return None };
    let number = |range: std::ops::Range<usize>| rest.get(range)?.try_into().ok().map(i32::from_ne_bytes);
    let (pid, kind, value) = (number(0..4)?, number(4..8)?, number(8..12)?);
    let status = if kind == 0 { ExitStatus::Code(value) } else { ExitStatus::Signal(value) };
    Some((Pid::from_raw(pid)?, status))
}

/// The same to be sent.
pub(super) fn told_gone(pid: Pid, status: ExitStatus) -> Vec<u8> {
    let (kind, value) = match status {
        ExitStatus::Code(code) => (0_i32, code),
        ExitStatus::Signal(signal) => (1, signal),
    };
    let numbers = [pid.as_raw_pid(), kind, value].map(i32::to_ne_bytes).concat();
    [&[GONE][..], &numbers].concat()
}
