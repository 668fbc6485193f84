//! The PTY with a runtime that says when it takes input.

use std::io;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::Pty;

impl Pty {
    /// Hands the PTY to the runtime this is called in, for writing: it would otherwise wake with all the output.
    #[allow(unsafe_code)]
    pub fn registered(self) -> io::Result<AsyncFd<Pty>> {
        // SAFETY: the master stays open and the same as long as the `Pty` lives: it is set once, never replaced, and
        // closed by its drop alone, which comes with that of the `AsyncFd`.
        Ok(unsafe { AsyncFd::register_with_interest(self, Interest::WRITABLE) }?)
    }
}
