//! A child of ours on a PTY of ours.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

use coop_terminal::Size;
use coop_terminal::pty::{Child, Pid, Pty, Signal, Target};
use coop_terminal::survive::Tape;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::oneshot;

use super::{Program, Terminal, Wires};
use crate::{SessionError, reader, translate};

/// Call within the owner's runtime.
pub(crate) fn wires(pty: Pty, child: &Child, tape: Option<(Arc<Tape>, u64)>) -> io::Result<Wires> {
    let output = reader::start(&pty, tape)?;
    let (tell, exit) = oneshot::channel();
    let waiter = child.clone();
    std::thread::Builder::new().name("coop-wait".into()).spawn(move || {
        if let Ok(status) = waiter.wait() {
            // The owner may be gone before the child; nobody needs the answer then.
            tell.send(translate::exit(status)).ok();
        }
    })?;
    Ok(Wires { terminal: Some(Box::new(pty.registered()?)), output: Some(output), exit })
}

impl Terminal for AsyncFd<Pty> {
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(cx).map_ok(drop)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.try_io(Interest::WRITABLE, |pty| pty.write(bytes))
    }

    fn resize(&self, size: Size) -> Result<(), SessionError> {
        self.get_ref().resize(size).map_err(|error| SessionError::Terminal(error.to_string()))
    }

    /// A terminal that cannot tell its mode is not one to be strict about.
    fn is_canonical(&self) -> bool {
        self.get_ref().is_canonical().unwrap_or(false)
    }

    fn hides(&self) -> bool {
        self.get_ref().hides().unwrap_or(true)
    }
}

impl Program for Child {
    fn pid(&self) -> u32 {
        number(Child::pid(self))
    }

    fn foreground(&self) -> Option<u32> {
        Child::foreground(self).map(number)
    }

    fn signal(&self, signal: Signal, target: Target) -> Result<(), SessionError> {
        Child::signal(self, signal, target).map_err(|error| SessionError::Terminal(error.to_string()))
    }

    fn free(&self) {
        Child::free(self);
    }

    fn is_own(&self) -> bool {
        true
    }
}

fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}
