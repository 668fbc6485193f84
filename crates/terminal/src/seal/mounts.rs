//! What the sealed program finds in the file system.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::{Seal, SealError};

const PRIVATE: libc::c_ulong = libc::MS_REC | libc::MS_PRIVATE;
const HARMLESS: libc::c_ulong = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;

/// Covers what is hidden. Call in the first process of the new namespaces.
pub(super) fn cover(seal: &Seal) -> Result<(), SealError> {
    let failed = |step| move |error| SealError { step, error };
    mount(None, Path::new("/"), None, PRIVATE, None).map_err(failed("the mounts cannot be made private"))?;
    let proc = Path::new("/proc");
    mount(Some(c"proc"), proc, Some(c"proc"), HARMLESS, None).map_err(failed("a new /proc cannot be mounted"))?;
    // Settings of the whole system, which the files' owner could write: root is root there.
    let settings = Path::new("/proc/sys");
    bind(settings, settings).map_err(failed("/proc/sys cannot be covered"))?;
    let read_only = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | HARMLESS;
    mount(None, settings, None, read_only, None).map_err(failed("/proc/sys cannot be made read-only"))?;
    let opened = seal.kept.iter().map(|path| match open(path) {
        Ok(fd) => Ok(Some((path, fd))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    });
    let kept: Vec<Option<(&PathBuf, OwnedFd)>> =
        opened.collect::<io::Result<_>>().map_err(failed("a folder that is kept cannot be opened"))?;
    for path in &seal.hidden {
        // By its real path, so that a link does not lead around the cover.
        let Ok(path) = fs::canonicalize(path) else { continue };
        if path.is_dir() {
            mount(Some(c"coop"), &path, Some(c"tmpfs"), HARMLESS, Some(c"mode=0700,size=1m"))
        } else {
            bind(Path::new("/dev/null"), &path)
        }
        .map_err(failed("a folder cannot be hidden"))?;
    }
    for (path, fd) in kept.iter().flatten() {
        let shown = PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()));
        let put_back = || {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
            bind(&shown, path)
        };
        put_back().map_err(failed("a folder that is kept cannot be shown"))?;
    }
    Ok(())
}

fn open(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

fn bind(from: &Path, to: &Path) -> io::Result<()> {
    let from = CString::new(from.as_os_str().as_bytes())?;
    mount(Some(&from), to, None, libc::MS_BIND, None)
}

#[allow(unsafe_code)]
fn mount(
    source: Option<&CStr>,
    target: &Path,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let target = CString::new(target.as_os_str().as_bytes())?;
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: every pointer is null or to a string that ends with a zero byte and outlives the call.
    let done = unsafe { libc::mount(pointer(source), target.as_ptr(), pointer(kind), flags, pointer(options).cast()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
