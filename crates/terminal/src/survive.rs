//! How a program outlives the process that serves its terminal: a holder that has what must not be lost, the way to it,
//! and memory that stays. See docs/adr/0005.
//!
//! The holder is the process that the user started. It starts the server, keeps whatever the server gives it, and starts
//! another one when the server dies, which inherits all of that. It never looks into any of it.

mod fds;
mod hold;
mod link;
mod notes;
mod signals;
mod tape;

pub(crate) use fds::adopt;
pub use hold::{End, Start, hold};
pub use link::Link;
pub use notes::Notes;
pub use tape::Tape;

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::process::{Pid, getpid, getppid};

/// The variable by which a process is told what it inherits: from whom, how often and how the one before ended, and a
/// number for each.
pub const VARIABLE: &str = "COOP_HELD";

/// How the process before ended, among what the variable says.
const HANDED: &str = "handed";
const DIED: &str = "died";
/// The way to the holder, among what is inherited.
const CONTROL: &str = "control";
/// The terminal's side of the PTY.
pub const MASTER: &str = "master";

/// What a process has inherited from the one before it.
#[derive(Debug)]
pub struct Inherited {
    /// How often the program has lost the process that served it.
    pub deaths: u32,
    /// The last one did not die, and ended to be followed by this one.
    pub handed: bool,
    fds: Vec<(String, OwnedFd)>,
}

impl Inherited {
    /// What the variable says, if it is meant for this process. Call once, and before anything is opened.
    #[must_use]
    pub fn take() -> Option<Self> {
        let said = std::env::var(VARIABLE).ok()?;
        let mut words = said.split_whitespace();
        let giver = words.next()?.parse().ok().and_then(Pid::from_raw)?;
        // Others get the variable too, whoever starts them.
        if getppid() != Some(giver) && getpid() != giver {
            return None;
        }
        let deaths = words.next()?.parse().ok()?;
        let handed = words.next()? == HANDED;
        signals::unblock();
        let fds = words.filter_map(|word| {
            let (name, number) = word.split_once('=')?;
            Some((name.to_owned(), fds::adopt(number.parse().ok()?)?))
        });
        Some(Self { deaths, handed, fds: fds.collect() })
    }

    pub fn fd(&mut self, name: &str) -> Option<OwnedFd> {
        let at = self.fds.iter().position(|(known, _)| known == name)?;
        Some(self.fds.swap_remove(at).1)
    }

    /// The way to the holder.
    pub fn link(&mut self) -> Option<io::Result<Link>> {
        self.fd(CONTROL).map(Link::new)
    }
}

/// What the variable says to whom `giver` starts, or becomes.
fn said<'a>(
    giver: Pid,
    deaths: u32,
    handed: bool,
    fds: impl Iterator<Item = (&'a str, &'a OwnedFd)>,
) -> io::Result<String> {
    let mut said = format!("{} {deaths} {}", giver.as_raw_pid(), if handed { HANDED } else { DIED });
    for (name, fd) in fds {
        fds::leave_open(fd.as_fd())?;
        said.push_str(&format!(" {name}={}", std::os::fd::AsRawFd::as_raw_fd(fd)));
    }
    Ok(said)
}

#[cfg(target_os = "linux")]
fn memory(name: &str) -> io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create(name, rustix::fs::MemfdFlags::CLOEXEC)?)
}

#[cfg(not(target_os = "linux"))]
fn memory(_: &str) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}
