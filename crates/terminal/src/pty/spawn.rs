//! Starting a program on a new PTY.
//!
//! What can be known before the fork is checked before it, so that an error says what is wrong and not only its number.

use super::{Child, Pty, exec, orphans, winsize};
use crate::Size;
use rustix::fs::{Access, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{InputModes, OptionalActions, tcgetattr, tcsetattr, tcsetwinsize};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::{env, fmt, io};

/// Where programs are looked for when the environment has no PATH, as C libraries do.
const DEFAULT_PATH: &str = "/usr/local/bin:/bin:/usr/bin";

/// What to run and what it is given.
#[derive(Clone)]
pub struct Command {
    /// A path, or a name to look up in the PATH of `env`.
    pub program: OsString,
    pub args: Vec<OsString>,
    /// Our own working directory if there is none. A relative `program` is relative to it.
    pub cwd: Option<PathBuf>,
    /// The whole environment of the child: nothing of ours is added.
    pub env: Vec<(OsString, OsString)>,
    pub size: Size,
    /// Command that runs the program: its path and arguments, which the path of the program and its arguments follow.
    /// Without one, the program is run directly.
    pub runner: Vec<OsString>,
}

/// Why a program did not start, in a sentence for the person who asked for it.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("`{}` was not found: install it, or give the full path of it", program.display())]
    NotFound { program: OsString },
    /// Not permitted, for another machine, or a script that does not say what runs it.
    #[error(
        "`{}` cannot be executed: check its permissions, and that it is a program for this machine or a script with a \
         #! line",
        program.display()
    )]
    NotExecutable { program: OsString },
    /// The program is there, and what its `#!` line or its ELF header names is not.
    #[error("`{}` needs an interpreter or loader that is not installed", program.display())]
    NoInterpreter { program: OsString },
    #[error("the working directory `{}` does not exist or cannot be entered", path.display())]
    BadCwd { path: PathBuf },
    #[error("no terminal could be opened: {0}")]
    Pty(io::Error),
    #[error("`{}` could not be started: {error}", program.display())]
    Other { program: OsString, error: io::Error },
}

impl fmt::Debug for Command {
    /// The environment by its names only: its values are where keys and tokens are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .field("env", &names)
            .field("size", &self.size)
            .finish()
    }
}

/// Starts a program as the leader of a new session whose terminal is the PTY.
pub fn spawn(command: &Command) -> Result<(Pty, Child), SpawnError> {
    let cwd = working_directory(command)?;
    let path = command.env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.as_os_str());
    let program = resolve(&command.program, path, &cwd)?;
    let (master, slave) = open(command.size).map_err(SpawnError::Pty)?;
    let starting = orphans::starting();
    let child = exec::start(command, &program, &cwd, slave).map_err(|error| explain(command, error))?;
    let pid = Pid::from_child(&child);
    starting.started(pid);
    let master = Arc::new(master);
    let child = Child::new(pid, &master);
    Ok((Pty { master }, child))
}

/// The directory to start in, absolute: joined to it, a relative program means the same before the fork and after it.
fn working_directory(command: &Command) -> Result<PathBuf, SpawnError> {
    let cwd = command.cwd.as_deref().unwrap_or(Path::new("."));
    match path::absolute(cwd) {
        // Our own needs no look: we are in it.
        Ok(absolute) if command.cwd.is_none() => Ok(absolute),
        Ok(absolute) if absolute.is_dir() && is_executable(&absolute) => Ok(absolute),
        _ => Err(SpawnError::BadCwd { path: cwd.to_owned() }),
    }
}

/// Finds the program as a shell would. Looked up after the fork, a miss in PATH and a missing interpreter would be the
/// same error.
fn resolve(program: &OsStr, path: Option<&OsStr>, cwd: &Path) -> Result<PathBuf, SpawnError> {
    let candidates: Vec<PathBuf> = if program.as_bytes().contains(&b'/') {
        vec![cwd.join(program)]
    } else if program.is_empty() {
        Vec::new()
    } else {
        let path = path.unwrap_or(OsStr::new(DEFAULT_PATH));
        env::split_paths(path).map(|directory| cwd.join(directory).join(program)).collect()
    };
    match candidates.iter().find(|file| file.is_file() && is_executable(file)) {
        Some(found) => Ok(found.clone()),
        None if candidates.iter().any(|file| file.exists()) => {
            Err(SpawnError::NotExecutable { program: program.to_owned() })
        }
        None => Err(SpawnError::NotFound { program: program.to_owned() }),
    }
}

/// For a file, whether it can be run; for a directory, whether it can be entered.
fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// What an exec that failed means, now that the file and the directory are known to be there.
fn explain(command: &Command, error: io::Error) -> SpawnError {
    let program = command.program.clone();
    match Errno::from_io_error(&error) {
        Some(Errno::ACCESS | Errno::NOEXEC) => SpawnError::NotExecutable { program },
        Some(Errno::NOENT) => SpawnError::NoInterpreter { program },
        _ => SpawnError::Other { program, error },
    }
}

/// A new PTY: the master, non-blocking, and the slave, sized before anyone can ask.
fn open(size: Size) -> io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OPEN)?;
    #[cfg(not(target_os = "linux"))]
    rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let slave = open_slave(&master)?;
    tcsetwinsize(&slave, winsize(size))?;
    let mut termios = tcgetattr(&slave)?;
    // So that Backspace in a line editor of the kernel's takes a character and not a byte.
    termios.input_modes |= InputModes::IUTF8;
    tcsetattr(&slave, OptionalActions::Now, &termios)?;
    rustix::fs::fcntl_setfl(&master, rustix::fs::fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
    Ok((master, slave))
}

#[cfg(target_os = "linux")]
const OPEN: OpenptFlags = OpenptFlags::RDWR.union(OpenptFlags::NOCTTY).union(OpenptFlags::CLOEXEC);
/// Where close-on-exec cannot be asked for here, it is set right after.
#[cfg(not(target_os = "linux"))]
const OPEN: OpenptFlags = OpenptFlags::RDWR.union(OpenptFlags::NOCTTY);

fn open_slave(master: &OwnedFd) -> io::Result<OwnedFd> {
    // By the master and not by name: in a container /dev/pts may be another one. Some sandboxes only know names.
    #[cfg(target_os = "linux")]
    if let Ok(slave) = rustix::pty::ioctl_tiocgptpeer(master, OPEN) {
        return Ok(slave);
    }
    let name = ptsname(master, Vec::new())?;
    Ok(rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
}
