//! The way of tokens from a process to its child: a socket, and a word of the child before anything is sent.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, getpid, getppid};

use super::{VARIABLE, close_memory};
use crate::survive;

/// Reported by the child when its memory is closed.
const READY: u8 = b'R';
/// Maximum time until the child has started and reported. A loaded machine takes longer than expected.
const LIMIT: Duration = Duration::from_secs(60);
/// Kinds of entries: a variable, and an argument by its number.
const NAMED: u8 = b'V';
const NUMBERED: u8 = b'A';

/// Arguments by number, and variables by name.
type Received = (Vec<(usize, OsString)>, Vec<(OsString, OsString)>);

/// Tokens on their way to a child.
#[must_use = "the child waits for its tokens"]
pub struct Given {
    way: Option<(UnixStream, UnixStream, Vec<u8>)>,
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Given(…)")
    }
}

/// Prepares `command` to take these. Without any, the command stays as it is.
#[allow(unsafe_code)]
pub(super) fn give<'a>(
    command: &mut Command,
    numbered: impl Iterator<Item = (usize, &'a OsStr)>,
    named: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
) -> io::Result<Given> {
    let mut message = Vec::new();
    let mut entry = |kind: u8, name: &[u8], value: &OsStr| {
        message.push(kind);
        for text in [name, value.as_bytes()] {
            message.extend_from_slice(text);
            message.push(0);
        }
    };
    numbered.for_each(|(at, arg)| entry(NUMBERED, at.to_string().as_bytes(), arg));
    named.for_each(|(name, value)| entry(NAMED, name.as_bytes(), value));
    if message.is_empty() {
        return Ok(Given { way: None });
    }
    let (ours, theirs) = UnixStream::pair()?;
    let number = theirs.as_raw_fd();
    command.env(VARIABLE, format!("{} {number}", getpid().as_raw_pid()));
    // SAFETY: one system call, which allocates nothing. The descriptor is open until the child was started.
    unsafe {
        command.pre_exec(move || {
            let theirs = std::os::fd::BorrowedFd::borrow_raw(number);
            Ok(fcntl_setfd(theirs, FdFlags::empty())?)
        });
    }
    Ok(Given { way: Some((ours, theirs, message)) })
}

impl Given {
    /// Hands the tokens to the child that was started, once it has closed its memory. A child that ends before gets none.
    pub fn deliver(self) -> io::Result<()> {
        let Some((mut ours, theirs, message)) = self.way else { return Ok(()) };
        drop(theirs);
        ours.set_read_timeout(Some(LIMIT))?;
        ours.set_write_timeout(Some(LIMIT))?;
        let mut word = [0];
        match ours.read(&mut word) {
            Ok(1) if word == [READY] => {}
            Ok(0) => return Ok(()),
            Ok(_) => return Err(io::ErrorKind::InvalidData.into()),
            Err(error) => return Err(error),
        }
        match ours.write_all(&message) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            sent => sent,
        }
    }
}

/// The process that hands tokens to this one.
pub(super) struct Giver(UnixStream);

/// Returns the process that hands tokens to this one, if one does, and removes the variable.
#[allow(unsafe_code)]
pub(super) fn giver() -> io::Result<Option<Giver>> {
    let Ok(said) = std::env::var(VARIABLE) else { return Ok(None) };
    // SAFETY: there is no other thread yet.
    unsafe { std::env::remove_var(VARIABLE) };
    let mut words = said.split_whitespace();
    let mut number = || words.next().and_then(|word| word.parse::<i32>().ok());
    let (Some(parent), Some(fd)) = (number().and_then(Pid::from_raw), number()) else { return Ok(None) };
    // Inherited by a process that is further down, and not meant for it.
    if getppid() != Some(parent) {
        return Ok(None);
    }
    close_memory()?;
    let fd = survive::adopt(fd).ok_or(io::ErrorKind::NotConnected)?;
    Ok(Some(Giver(UnixStream::from(fd))))
}

impl Giver {
    pub(super) fn receive(mut self) -> io::Result<Received> {
        self.0.set_read_timeout(Some(LIMIT))?;
        self.0.write_all(&[READY])?;
        let mut message = Vec::new();
        self.0.read_to_end(&mut message)?;
        read(&message).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

fn read(mut message: &[u8]) -> Option<Received> {
    fn text<'a>(message: &mut &'a [u8]) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, message)?;
        let (text, rest) = message.split_at(end);
        *message = &rest[1..];
        Some(text)
    }
    let (mut numbered, mut named) = (Vec::new(), Vec::new());
    while let Some((kind, rest)) = message.split_first() {
        message = rest;
        let (name, value) = (text(&mut message)?, text(&mut message)?);
        let value = OsString::from_vec(value.to_vec());
        match *kind {
            NUMBERED => numbered.push((std::str::from_utf8(name).ok()?.parse().ok()?, value)),
            NAMED => named.push((OsString::from_vec(name.to_vec()), value)),
            _ => return None,
        }
    }
    // A parent that died while it sent leaves nothing.
    (!numbered.is_empty() || !named.is_empty()).then_some((numbered, named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_whole_or_not_at_all() {
        let entry = |bytes: &[u8]| read(bytes);
        let (numbered, named) = entry(b"A2\0--token=x\0VNAME\0a value\0").unwrap();
        assert_eq!(numbered, [(2, "--token=x".into())]);
        assert_eq!(named, [("NAME".into(), "a value".into())]);
        for broken in [&b""[..], b"V", b"VNAME\0half", b"Ax\0y\0", b"?NAME\0x\0"] {
            assert!(entry(broken).is_none(), "{}", broken.escape_ascii());
        }
    }

    #[test]
    fn tokens_come_after_the_word_of_the_child() {
        let mut command = Command::new("bash");
        // Reports, reads, and shows what the kernel shows of it.
        command.args([
            "-c",
            "set -- $COOP_SECRETS; eval \"printf R >&$2; tr '\\0' ' ' <&$2\"; tr '\\0' '\\n' < /proc/$$/environ",
        ]);
        let given = give(
            &mut command,
            [(1, OsStr::new("n"))].into_iter(),
            [(OsStr::new("T"), OsStr::new("s3cret"))].into_iter(),
        );
        let given = given.unwrap();
        let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
        given.deliver().unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.starts_with("A1 n VT s3cret "), "{text}");
        assert_eq!(text.matches("s3cret").count(), 1, "{text}");
    }

    #[test]
    fn a_child_that_ends_gets_nothing() {
        let mut command = Command::new("true");
        let given = give(&mut command, std::iter::empty(), [(OsStr::new("T"), OsStr::new("x"))].into_iter()).unwrap();
        let mut child = command.spawn().unwrap();
        given.deliver().unwrap();
        child.wait().unwrap();
        let mut command = Command::new("true");
        give(&mut command, std::iter::empty(), std::iter::empty()).unwrap().deliver().unwrap();
        assert!(command.get_envs().next().is_none(), "nothing to hand over");
    }
}
