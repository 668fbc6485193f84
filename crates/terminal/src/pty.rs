//! A child on a pseudo-terminal: started, read, written to, resized, signalled, waited for.
//!
//! The master is non-blocking and belongs to whoever polls it; there is no thread in here.

mod child;
mod exec;
mod orphans;
mod reader;
mod register;
#[cfg(target_os = "linux")]
mod session;
mod signal;
mod spawn;
#[cfg(test)]
mod tests;

pub use child::{Child, ExitStatus, Target};
pub use orphans::{adopt_orphans, reap_orphans};
pub use reader::{Reader, ReaderStop};
pub use rustix::process::Pid;
pub use signal::{Signal, SignalError};
pub use spawn::{Command, SpawnError, spawn};

use crate::Size;
use rustix::io::{Errno, retry_on_intr};
use rustix::termios::{LocalModes, Winsize};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;

/// The terminal's side of a PTY. Dropping it hangs the line up: the child's session gets SIGHUP.
#[derive(Debug)]
pub struct Pty {
    /// Shared only with weak references, so that there is one owner whose drop closes it.
    master: Arc<OwnedFd>,
}

impl Pty {
    /// One that another process has opened.
    pub fn adopt(master: OwnedFd) -> io::Result<Self> {
        let flags = rustix::fs::fcntl_getfl(&master)?;
        rustix::fs::fcntl_setfl(&master, flags | rustix::fs::OFlags::NONBLOCK)?;
        Ok(Self { master: Arc::new(master) })
    }

    /// Output of the child; 0 is its end, `WouldBlock` means none yet.
    ///
    /// The end comes when no process has the terminal open any more, which a descendant can put off for ever.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        match retry_on_intr(|| rustix::io::read(&self.master, &mut *buf)) {
            // How Linux says that the other side is closed; what was written before has been read by then.
            Err(Errno::IO) => Ok(0),
            read => Ok(read?),
        }
    }

    /// Input for the child. Takes what fits, often less than all: the child's queue is a few KiB.
    ///
    /// Keep reading meanwhile: a child that waits for room to write does not read.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(retry_on_intr(|| rustix::io::write(&self.master, bytes))?)
    }

    /// The kernel tells the foreground processes with SIGWINCH.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        Ok(rustix::termios::tcsetwinsize(&self.master, winsize(size))?)
    }

    /// Whether the line discipline collects lines, which cuts those over 4,096 bytes.
    pub fn is_canonical(&self) -> io::Result<bool> {
        Ok(rustix::termios::tcgetattr(&self.master)?.local_modes.contains(LocalModes::ICANON))
    }

    /// Whether lines are typed that are not shown, as where a password is asked for. A program that reads key by key shows what it
    /// likes.
    pub fn hides(&self) -> io::Result<bool> {
        let modes = rustix::termios::tcgetattr(&self.master)?.local_modes;
        Ok(modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO))
    }

    /// The process group that Ctrl-C goes to, if there is one.
    #[must_use]
    pub fn foreground_group(&self) -> Option<Pid> {
        foreground_group(&self.master)
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

impl AsRawFd for Pty {
    fn as_raw_fd(&self) -> RawFd {
        self.master.as_raw_fd()
    }
}

fn foreground_group(master: &OwnedFd) -> Option<Pid> {
    // An error is the same as none: the terminal is nobody's any more.
    rustix::termios::tcgetpgrp(master).ok()
}

fn winsize(size: Size) -> Winsize {
    Winsize { ws_col: size.cols(), ws_row: size.rows(), ws_xpixel: 0, ws_ypixel: 0 }
}
