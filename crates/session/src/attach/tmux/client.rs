//! The client in control mode: a process of tmux that reads commands and writes lines.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use super::Target;

/// A client that falls behind by so many seconds is not waited for; what it has missed it fetches.
const PAUSE_AFTER: u32 = 1;
/// The most that is read at once.
const PIECE: usize = 64 << 10;

pub(super) struct Client {
    process: Child,
    to: pipe::Sender,
    from: pipe::Receiver,
    /// Commands that tmux has not taken yet.
    unsent: Vec<u8>,
    /// Read, and not yet a whole line.
    read: Vec<u8>,
}

impl Client {
    /// Attaches to a session without a word in its size, and without changing its environment.
    pub(super) fn start(target: &Target, session: &str) -> io::Result<Self> {
        let flags = format!("ignore-size,pause-after={PAUSE_AFTER}");
        let mut process = target
            .command()
            .args(["-C", "attach-session", "-E", "-t", session, "-f", &flags])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = process.stdin.take().map(OwnedFd::from).zip(process.stdout.take().map(OwnedFd::from));
        let (to, from) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let (to, from) = (pipe::Sender::from_owned_fd(to)?, pipe::Receiver::from_owned_fd(from)?);
        Ok(Self { process, to, from, unsent: Vec::new(), read: Vec::with_capacity(PIECE) })
    }

    pub(super) fn send(&mut self, command: &str) {
        self.unsent.extend_from_slice(command.as_bytes());
        self.unsent.push(b'\n');
    }

    /// Writes what there is to write, and returns when there is more to read. False is the end.
    pub(super) async fn turn(&mut self) -> io::Result<bool> {
        loop {
            tokio::select! {
                read = self.from.read_buf(&mut self.read) => return Ok(read? > 0),
                ready = self.to.writable(), if !self.unsent.is_empty() => {
                    ready?;
                    match self.to.try_write(&self.unsent) {
                        Ok(count) => drop(self.unsent.drain(..count)),
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
    }

    /// The whole lines that were read.
    pub(super) fn take_lines(&mut self) -> Vec<u8> {
        let end = memchr::memrchr(b'\n', &self.read).map_or(0, |at| at + 1);
        let rest = self.read.split_off(end);
        let mut next = Vec::with_capacity(PIECE.max(rest.len() * 2));
        next.extend_from_slice(&rest);
        std::mem::replace(&mut self.read, next)
    }
}

impl Drop for Client {
    /// The client alone; tmux and what runs in it stay.
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
