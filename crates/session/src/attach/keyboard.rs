//! Typing into a terminal that somebody else has: bytes are handed over, and count when that one has taken them.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use coop_machine::process;
use coop_terminal::Size;
use tokio::sync::{mpsc, oneshot};

use crate::SessionError;
use crate::backend::Terminal;

/// The most that is handed over at once.
const PIECE: usize = 2048;

/// Bytes to be typed.
#[derive(Debug)]
pub(crate) struct Typed {
    pub(crate) bytes: Vec<u8>,
    /// Told when they are taken.
    pub(crate) done: oneshot::Sender<io::Result<()>>,
}

pub(crate) struct Keyboard {
    to: mpsc::UnboundedSender<Typed>,
    /// Where the program reads, if that is known.
    tty: Option<PathBuf>,
    on_its_way: Mutex<Way>,
}

enum Way {
    Free,
    /// `hides` is as it was then: what was typed may change it.
    Sent {
        bytes: Vec<u8>,
        hides: bool,
        done: oneshot::Receiver<io::Result<()>>,
    },
    Taken {
        bytes: Vec<u8>,
        hides: bool,
        result: io::Result<()>,
    },
}

impl Keyboard {
    pub(crate) fn new(tty: Option<PathBuf>) -> (Self, mpsc::UnboundedReceiver<Typed>) {
        let (to, from) = mpsc::unbounded_channel();
        (Self { to, tty, on_its_way: Mutex::new(Way::Free) }, from)
    }

    fn way(&self) -> MutexGuard<'_, Way> {
        self.on_its_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, bytes: &[u8]) -> io::Result<Way> {
        let bytes = bytes[..bytes.len().min(PIECE)].to_vec();
        let (done, taken) = oneshot::channel();
        let (typed, hides) = (Typed { bytes: bytes.clone(), done }, self.hides_now());
        self.to.send(typed).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(Way::Sent { bytes, hides, done: taken })
    }

    fn hides_now(&self) -> bool {
        self.tty.as_deref().is_none_or(process::hides_lines)
    }
}

impl Terminal for Keyboard {
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut way = self.way();
        let Way::Sent { bytes, hides, done } = &mut *way else { return Poll::Ready(Ok(())) };
        let result = match Pin::new(done).poll(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(result) => result.unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into())),
        };
        *way = Way::Taken { bytes: std::mem::take(bytes), hides: *hides, result };
        Poll::Ready(Ok(()))
    }

    /// Would block until what was sent is taken; then it says so.
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut way = self.way();
        match std::mem::replace(&mut *way, Way::Free) {
            Way::Taken { bytes: taken, result, .. } if bytes.starts_with(&taken) => {
                return result.map(|()| taken.len());
            }
            sent @ Way::Sent { .. } => *way = sent,
            // What was taken has been given up meanwhile.
            Way::Free | Way::Taken { .. } => *way = self.send(bytes)?,
        }
        Err(io::ErrorKind::WouldBlock.into())
    }

    fn resize(&self, _: Size) -> Result<(), SessionError> {
        let instead = "It has the size that the person at it gave it. Resize it there.";
        Err(SessionError::Unsupported { what: "change the size of its terminal", instead })
    }

    fn is_canonical(&self) -> bool {
        self.tty.as_deref().is_some_and(process::reads_lines)
    }

    fn hides(&self) -> bool {
        match &*self.way() {
            Way::Free => self.hides_now(),
            Way::Sent { hides, .. } | Way::Taken { hides, .. } => *hides,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    #[test]
    fn bytes_count_when_they_are_taken() {
        let (keyboard, mut typed) = Keyboard::new(None);
        let mut cx = Context::from_waker(Waker::noop());
        let blocks = |result: io::Result<usize>| result.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        let long = vec![b'x'; PIECE + 5];
        assert!(keyboard.poll_writable(&mut cx).is_ready());
        assert!(blocks(keyboard.write(&long)), "sent, and not taken");
        assert!(keyboard.poll_writable(&mut cx).is_pending() && blocks(keyboard.write(&long)));
        let first = typed.try_recv().unwrap();
        assert_eq!(first.bytes.len(), PIECE);
        assert!(typed.try_recv().is_err(), "once");
        first.done.send(Ok(())).unwrap();
        assert!(keyboard.poll_writable(&mut cx).is_ready());
        assert_eq!(keyboard.write(&long).unwrap(), PIECE);
        assert!(blocks(keyboard.write(&long[PIECE..])));
        typed.try_recv().unwrap().done.send(Err(io::ErrorKind::NotFound.into())).unwrap();
        assert!(keyboard.poll_writable(&mut cx).is_ready());
        assert_eq!(keyboard.write(&long[PIECE..]).unwrap_err().kind(), io::ErrorKind::NotFound);
        // Given up, and something else typed: what was taken does not count for it.
        assert!(blocks(keyboard.write(b"a")));
        typed.try_recv().unwrap().done.send(Ok(())).unwrap();
        assert!(keyboard.poll_writable(&mut cx).is_ready() && blocks(keyboard.write(b"b")));
        assert_eq!(typed.try_recv().unwrap().bytes, b"b");
        drop(typed);
        assert!(keyboard.poll_writable(&mut cx).is_ready());
        assert_eq!(keyboard.write(b"b").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
