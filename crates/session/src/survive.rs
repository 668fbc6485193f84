//! What is written down of a session, so that another process can go on with it: a note of how things are, and the output
//! since then. See docs/adr/0005.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use coop_terminal::Size;
use coop_terminal::pty::{Child, Pid, Pty};
use coop_terminal::survive::{Link, Notes, Tape};
use serde::{Deserialize, Serialize};

use crate::launch::Change;

/// So much may be printed between two notes, each of which is a picture of the screen.
pub(crate) const NOTE_EVERY: u64 = 1 << 20;
/// What the reader may be ahead of the owner, and more.
const SLACK: usize = 1 << 20;

/// Where it is written, all of which outlives this process.
#[derive(Clone, Debug)]
pub struct Survival {
    /// To the process that holds it.
    pub link: Option<Link>,
    pub tape: Arc<Tape>,
    pub notes: Arc<Notes>,
}

impl Survival {
    /// For a session that keeps `log_size` bytes of output.
    pub fn new(link: Option<Link>, log_size: usize) -> io::Result<Self> {
        let tape = Tape::new(log_size + 2 * NOTE_EVERY as usize + SLACK)?;
        Ok(Self { link, tape: Arc::new(tape), notes: Arc::new(Notes::new()?) })
    }

    /// A child was started: what it prints goes on the tape from its first byte on.
    pub(crate) fn begin(&self, generation: u64, pty: &Pty, child: &Child) -> io::Result<(Arc<Tape>, u64)> {
        self.tape.begin(generation);
        if let Some(link) = &self.link {
            link.program(pty, child)?;
        }
        Ok((Arc::clone(&self.tape), generation))
    }
}

/// How things are at one place in the output. The picture that paints it follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Noted {
    pub(crate) pid: u32,
    pub(crate) generation: u64,
    pub(crate) cols: u16,
    pub(crate) rows: u16,
    /// Where in the output the picture was taken.
    pub(crate) offset: u64,
    pub(crate) conversation: Option<String>,
    pub(crate) env: BTreeMap<String, Option<String>>,
    pub(crate) args: Option<Vec<String>>,
}

impl Noted {
    pub(crate) fn change(&self) -> Change {
        let env = self.env.iter().map(|(name, value)| (name.into(), value.as_ref().map(Into::into)));
        Change { env: env.collect(), args: self.args.as_ref().map(|args| args.iter().map(Into::into).collect()) }
    }

    pub(crate) fn size(&self) -> Size {
        Size::clamped(self.cols, self.rows)
    }

    /// With the picture.
    pub(crate) fn written(&self, picture: &[u8]) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).unwrap_or_default();
        text.push(b'\n');
        text.extend_from_slice(picture);
        text
    }

    fn read(text: &[u8]) -> Option<(Self, Vec<u8>)> {
        let end = memchr::memchr(b'\n', text)?;
        Some((serde_json::from_slice(&text[..end]).ok()?, text[end + 1..].to_vec()))
    }
}

/// A session that lost the process that served it.
#[derive(Debug)]
pub struct Left {
    pub(crate) survival: Survival,
    pub(crate) noted: Noted,
    pub(crate) picture: Vec<u8>,
    /// What was read of the output. What comes after it is read by this process, from before it is looked at.
    pub(crate) end: u64,
    master: OwnedFd,
}

impl Left {
    /// What `survival` tells of the program on this terminal.
    pub fn find(survival: &Survival, master: OwnedFd) -> io::Result<Self> {
        let (noted, picture) =
            survival.notes.read().as_deref().and_then(Noted::read).ok_or(io::ErrorKind::InvalidData)?;
        if noted.generation != survival.tape.generation() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self { survival: survival.clone(), noted, picture, end: survival.tape.end(), master })
    }

    /// The agent's own id of its conversation.
    #[must_use]
    pub fn conversation(&self) -> Option<String> {
        self.noted.conversation.clone()
    }

    pub(crate) fn size(&self) -> Size {
        self.noted.size()
    }

    pub(crate) fn program(&self) -> io::Result<(Pty, Child, (Arc<Tape>, u64))> {
        let pid = i32::try_from(self.noted.pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
        let pty = Pty::adopt(self.master.try_clone()?)?;
        let child = Child::adopt(pid, &pty, self.survival.link.as_ref());
        Ok((pty, child, (Arc::clone(&self.survival.tape), self.noted.generation)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let noted = Noted {
            pid: 7,
            generation: 2,
            cols: 80,
            rows: 24,
            offset: 99,
            conversation: Some("a\nb".into()),
            env: [("A".into(), Some("1".into())), ("B".into(), None)].into(),
            args: Some(vec!["-x".into()]),
        };
        let picture = b"\x1b[H\nlines\n".to_vec();
        assert_eq!(Noted::read(&noted.written(&picture)), Some((noted.clone(), picture)));
        assert_eq!(Noted::read(b"{}\n"), None);
        assert_eq!(noted.change().args, Some(vec!["-x".into()]));
    }
}
