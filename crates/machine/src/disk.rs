//! Room on a disk.

use std::fs::File;
use std::io;

/// Gives the room back that the first `upto` bytes of a file take. It stays as long as it is, and they are zeros then.
#[cfg(target_os = "linux")]
pub fn free(file: &File, upto: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    Ok(fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, 0, upto)?)
}

#[cfg(not(target_os = "linux"))]
pub fn free(_: &File, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
