//! From fork to exec: what a child does before it becomes the program, and all the unsafe code there is.
//!
//! Between the two there are system calls only. Another thread may have held any lock at the moment of the fork, the
//! allocator's included, and in the child nobody will ever release it.

use super::Command;
use rustix::process::{Resource, getrlimit, ioctl_tiocsctty, setsid};
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::{io, process, ptr};

/// Where close-on-exec has to be set one by one: container runtimes allow a billion descriptors, which takes minutes.
const MAX_FDS: u64 = 65_536;

/// The last signal there is: real-time ones included on Linux.
const LAST_SIGNAL: i32 = if cfg!(target_os = "linux") { 64 } else { 31 };

/// Forks and executes. The slave is dropped with `fork`: with one open in the parent, output would never end.
#[allow(unsafe_code)]
pub(super) fn start(command: &Command, program: &Path, cwd: &Path, slave: OwnedFd) -> io::Result<process::Child> {
    let image = Image::new(command, program)?;
    let fds = getrlimit(Resource::Nofile).current.unwrap_or(MAX_FDS).min(MAX_FDS) as RawFd;
    let mut fork = process::Command::new(program);
    if command.cwd.is_some() {
        fork.current_dir(cwd);
    }
    fork.stdin(slave.try_clone()?).stdout(slave.try_clone()?).stderr(slave);
    // SAFETY: `enter` and `exec` make system calls and allocate nothing.
    unsafe { fork.pre_exec(move || enter(fds).and_then(|()| Err(image.exec()))) };
    fork.spawn()
}

/// The arguments of execve, complete before the fork.
///
/// std would call execvp, which on most systems hands a file that the kernel refuses to /bin/sh: a program for another
/// machine then starts, and ends with a syntax error on the screen.
struct Image {
    program: CString,
    argv: Strings,
    envp: Strings,
}

/// An array of C strings as C wants it: pointers to each, and a null pointer at the end.
struct Strings {
    pointers: Vec<*const c_char>,
    /// What the pointers point to.
    _strings: Vec<CString>,
}

// SAFETY: the pointers are into the strings next to them, which nobody changes.
#[allow(unsafe_code)]
unsafe impl Send for Strings {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Strings {}

impl Image {
    fn new(command: &Command, program: &Path) -> io::Result<Self> {
        let c_string = |string: &OsStr| CString::new(string.as_bytes());
        let (named, runner) = match command.runner.first() {
            Some(runner) => (program.as_os_str(), runner.as_os_str()),
            None => (command.program.as_os_str(), program.as_os_str()),
        };
        let words = command.runner.iter().map(OsString::as_os_str).chain([named]);
        let argv: Result<_, _> = words.chain(command.args.iter().map(OsString::as_os_str)).map(c_string).collect();
        // Of a name given twice the last counts, as for a shell.
        let env: BTreeMap<_, _> = command.env.iter().map(|(name, value)| (name, value)).collect();
        let envp: Result<_, _> = env
            .into_iter()
            .map(|(name, value)| CString::new([name.as_bytes(), value.as_bytes()].join(&b'=')))
            .collect();
        Ok(Self { program: c_string(runner)?, argv: Strings::new(argv?), envp: Strings::new(envp?) })
    }

    /// Becomes the program; returns only if it cannot.
    #[allow(unsafe_code)]
    fn exec(&self) -> io::Error {
        // SAFETY: all three are null-terminated and live as long as `self`.
        unsafe {
            libc::execve(self.program.as_ptr(), self.argv.pointers.as_ptr(), self.envp.pointers.as_ptr());
        }
        io::Error::last_os_error()
    }
}

impl Strings {
    fn new(strings: Vec<CString>) -> Self {
        let pointers = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Self { pointers, _strings: strings }
    }
}

/// What the child does before it becomes the program: a session with the terminal on fd 0, and nothing inherited.
fn enter(fds: RawFd) -> io::Result<()> {
    setsid()?;
    ioctl_tiocsctty(rustix::stdio::stdin())?;
    reset_signals();
    close_on_exec(fds);
    Ok(())
}

/// Exec keeps ignored signals ignored and blocked ones blocked: an agent under `nohup coop` would survive its hangup.
#[allow(unsafe_code)]
fn reset_signals() {
    for signal in 1..=LAST_SIGNAL {
        // SAFETY: no handler is installed. KILL, STOP and the C library's own refuse, which is fine: they cannot be
        // ignored either.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: the set is initialised by `sigemptyset` before it is read, and no old set is asked for.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// Ours are all close-on-exec, but coop may have been started with others open, and libraries may open some.
///
/// They are marked and not closed: one of them is how std reports a failed exec.
#[allow(unsafe_code)]
fn close_on_exec(fds: RawFd) {
    const FIRST: RawFd = 3;
    #[cfg(target_os = "linux")]
    {
        // SAFETY: a system call with three integers. By number, because not every C library has it as a function.
        let marked = unsafe { libc::syscall(libc::SYS_close_range, FIRST, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
        if marked == 0 {
            return;
        }
    }
    // Before Linux 5.11, in old container runtimes, and on other systems.
    for fd in FIRST..fds {
        // SAFETY: sets a flag of a descriptor, or fails because there is none of that number.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}
