//! Signals as something to be read, for a process that does nothing but wait.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::Signal;

/// From when it is made, these signals do nothing but wait here.
#[derive(Debug)]
pub(super) struct Signals {
    fd: OwnedFd,
}

#[cfg(target_os = "linux")]
impl Signals {
    #[allow(unsafe_code)]
    pub(super) fn new(signals: &[Signal]) -> io::Result<Self> {
        use std::os::fd::FromRawFd as _;
        // SAFETY: the set is initialised before it is used and lives until the calls are over; no handler is installed;
        // the descriptor is new and nobody else's. Ends the state in which the end of children is ignored, which may
        // have been inherited.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in signals {
                libc::sigaddset(&raw mut set, signal.as_raw());
            }
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            if libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
            match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(Self { fd: OwnedFd::from_raw_fd(fd) }),
            }
        }
    }

    /// The next one that waits, if any does.
    pub(super) fn next(&self) -> Option<Signal> {
        let mut info = [0; size_of::<libc::signalfd_siginfo>()];
        let read = rustix::io::read(&self.fd, &mut info).ok()?;
        let number = info.get(..4).filter(|_| read == info.len())?;
        Signal::from_named_raw(i32::from_ne_bytes(number.try_into().ok()?))
    }
}

#[cfg(not(target_os = "linux"))]
impl Signals {
    pub(super) fn new(_: &[Signal]) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn next(&self) -> Option<Signal> {
        None
    }
}

/// Signals come as they are sent again, for whom somebody has started for whom they wait.
#[allow(unsafe_code)]
pub(super) fn unblock() {
    // SAFETY: the set is initialised by `sigemptyset` before it is read, and no old set is asked for.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
