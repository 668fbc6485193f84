//! The peer that does nothing: a bare PTY, read in this process. What it reaches is what the kernel allows.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::process::Process;
use super::{COLS, ROWS};

/// A child on a PTY. Its output is read from here, its input written here.
#[derive(Debug)]
pub(super) struct Pty {
    master: File,
    child: Process,
}

impl Pty {
    pub(super) fn spawn(command: &[String]) -> anyhow::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        tcsetwinsize(&master, Winsize { ws_col: COLS, ws_row: ROWS, ws_xpixel: 0, ws_ypixel: 0 })?;
        let slave = ioctl_tiocgptpeer(&master, flags)?;
        let mut child = Command::new(std::env::current_exe()?);
        child.args(["bench-child", "on-terminal"]).args(command);
        child.stdin(Stdio::from(slave.try_clone()?)).stdout(Stdio::from(slave.try_clone()?)).stderr(Stdio::from(slave));
        // With the command our copies of the slave are gone, so that the child's end is the end of the output.
        Ok(Self { child: Process::spawn(child)?, master: master.into() })
    }

    /// Of the child, which becomes the command.
    pub(super) fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// What it writes, for somebody else to read.
    pub(super) fn output(&self) -> io::Result<File> {
        self.master.try_clone()
    }

    /// Reads to the end, as a terminal that shows nothing. Returns how much there was.
    pub(super) fn drain(&mut self) -> io::Result<u64> {
        let mut buffer = vec![0; 64 << 10];
        let mut total = 0;
        loop {
            match self.read(&mut buffer)? {
                0 => return Ok(total),
                count => total += count as u64,
            }
        }
    }
}

impl Read for Pty {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.master.read(buffer) {
            // How Linux says that the other side is closed.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::IO) => Ok(0),
            read => read,
        }
    }
}

impl Write for Pty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.master.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
