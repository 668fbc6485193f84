//! Reading on a thread of its own, so that the child goes on writing while somebody works on what it wrote before.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};

use super::Pty;
use crate::survive::Tape;

/// The kernel hands out at most this much at once; with less room than that a read is not worth its cost.
const READ_UNIT: usize = 4096;

/// Waits for the child's output. Only one should: two would tear it apart.
#[derive(Debug)]
pub struct Reader {
    master: OwnedFd,
    /// Readable when the other end is dropped.
    stop: OwnedFd,
    /// Where it is read to first, and which child's it is.
    tape: Option<(Arc<Tape>, u64)>,
}

/// Dropping it ends the wait of its [`Reader`], which keeps the line from being hung up as long as it lives.
#[derive(Debug)]
pub struct ReaderStop {
    _pipe: OwnedFd,
}

impl Pty {
    /// What is read is on the `tape` before anybody gets it, if there is one.
    pub fn reader(&self, tape: Option<(Arc<Tape>, u64)>) -> io::Result<(Reader, ReaderStop)> {
        let (stop, pipe) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok((Reader { master: self.master.try_clone()?, stop, tape }, ReaderStop { _pipe: pipe }))
    }
}

impl Reader {
    /// Blocks until there is output and adds all of it that fits in the room `buffer` has. 0 is the end, of the output
    /// or of the wish to have it.
    pub fn read(&self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let before = buffer.len();
        loop {
            match self.read_once(buffer) {
                Ok(count) if count > 0 && buffer.capacity() - buffer.len() >= READ_UNIT => {}
                Err(Errno::AGAIN) if buffer.len() == before => {
                    if self.wait()? {
                        return Ok(0);
                    }
                }
                // Said again at the next read.
                Err(_) if buffer.len() > before => return Ok(buffer.len() - before),
                // How Linux says that the other side is closed; what was written before has been read by then.
                Ok(_) | Err(Errno::IO) => return Ok(buffer.len() - before),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn read_once(&self, buffer: &mut Vec<u8>) -> rustix::io::Result<usize> {
        let room = buffer.capacity() - buffer.len();
        match &self.tape {
            Some((tape, generation)) => tape.read_from(self.master.as_fd(), *generation, room, buffer),
            None => retry_on_intr(|| rustix::io::read(&self.master, spare_capacity(buffer))),
        }
    }

    /// True when nobody wants the output any more.
    fn wait(&self) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.master, PollFlags::IN), PollFd::new(&self.stop, PollFlags::IN)];
        retry_on_intr(|| poll(&mut fds, None))?;
        Ok(!fds[1].revents().is_empty())
    }
}
