//! The PTY with a runtime that says when it is ready.

use std::io;

use tokio::io::unix::AsyncFd;

use super::Pty;

impl Pty {
    /// Hands the PTY to the runtime this is called in.
    #[allow(unsafe_code)]
    pub fn registered(self) -> io::Result<AsyncFd<Pty>> {
        // SAFETY: the master stays open and the same as long as the `Pty` lives: it is set once, never replaced, and
        // closed by its drop alone, which comes with that of the `AsyncFd`.
        Ok(unsafe { AsyncFd::register(self) }?)
    }
}
