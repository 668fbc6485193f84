//! The process at the other end of a socket.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

/// Returns a descriptor of the process that connected: it refers to that process, and never to a later one with the same
/// number. Nothing where the system has none (Linux before 6.5); an error if the process has ended and is forgotten.
#[allow(unsafe_code)]
pub fn pidfd(socket: BorrowedFd<'_>) -> io::Result<Option<OwnedFd>> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::{AsRawFd as _, FromRawFd as _};
        /// From `asm-generic/socket.h`.
        const SO_PEERPIDFD: i32 = 77;
        let (mut fd, mut length) = (-1_i32, libc::socklen_t::try_from(size_of::<i32>()).unwrap_or(4));
        // SAFETY: both pointers are to variables that outlive the call, and `length` is the size of what `fd` takes.
        let done = unsafe {
            let value = (&raw mut fd).cast();
            libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, SO_PEERPIDFD, value, &raw mut length)
        };
        if done == 0 && fd >= 0 {
            // SAFETY: the descriptor is new, and this process's alone.
            return Ok(Some(unsafe { OwnedFd::from_raw_fd(fd) }));
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ENOPROTOOPT | libc::EOPNOTSUPP) => Ok(None),
            _ => Err(error),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = socket;
        Ok(None)
    }
}
