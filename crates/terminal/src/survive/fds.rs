//! Descriptors that go from one process to the next.

use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};

/// Ours from now on, and nobody's whom we start.
#[allow(unsafe_code)]
pub(crate) fn adopt(number: RawFd) -> Option<OwnedFd> {
    // The first three are in use by everybody.
    if number < 3 {
        return None;
    }
    // SAFETY: the number was given to this process alone, by the one that started it and left it open, and is taken
    // once, before anything else could have been opened or closed under it.
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    if fcntl_getfd(&fd).is_err() {
        // There is none of this number; dropping it would be an error of its own.
        std::mem::forget(fd);
        return None;
    }
    fcntl_setfd(&fd, FdFlags::CLOEXEC).ok()?;
    Some(fd)
}

/// For whom we start next.
pub(super) fn leave_open(fd: BorrowedFd<'_>) -> std::io::Result<()> {
    Ok(fcntl_setfd(fd, FdFlags::empty())?)
}
