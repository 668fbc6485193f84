//! A process that outlives the one that started it, and is not below it.

use std::io;

/// Goes on in a child whose parent ends at once, so that this process is not a descendant of the one that started it. Call
/// it before there is another thread.
#[allow(unsafe_code)]
pub fn leave_parent() -> io::Result<()> {
    // SAFETY: there is no other thread, so that the child is as this process was.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(()),
        // SAFETY: ends this process and runs nothing else: what would be run at the end is the child's.
        _ => unsafe { libc::_exit(0) },
    }
}
