//! What the system tells about processes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use rustix::process::{Pid, test_kill_process};
use rustix::termios::LocalModes;

/// What stands between a program and a command that it runs.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ash", "busybox"];
/// There are a shell or two.
const GENERATIONS: usize = 4;

/// To open a terminal without making it ours, or waiting for it.
const NO_CONTROL: i32 = rustix::fs::OFlags::NOCTTY.union(rustix::fs::OFlags::NONBLOCK).bits().cast_signed();

/// When it was started, as the system counts; 0 where the system does not say. Nothing if it does not run, and so for one
/// that has ended and whose parent has not asked how. Another one means that the number was given again.
#[must_use]
pub fn started(pid: u32) -> Option<u64> {
    if cfg!(target_os = "linux") {
        let stat = Stat::of(pid)?;
        return if stat.has_ended() { None } else { stat.field(22)?.parse().ok() };
    }
    test_kill_process(raw(pid)?).is_ok().then_some(0)
}

/// How it ended, where its parent has not asked: as `wait` would tell.
#[must_use]
pub fn ended(pid: u32) -> Option<ExitStatus> {
    let stat = Stat::of(pid).filter(Stat::has_ended)?;
    stat.field(52)?.parse().ok().map(ExitStatus::from_raw)
}

/// The session it belongs to: that of the process that was started on its terminal.
#[must_use]
pub fn session_of(pid: u32) -> Option<u32> {
    stat_field(pid, 6)?.parse().ok()
}

/// The process group in the foreground of its terminal, which Ctrl-C goes to.
#[must_use]
pub fn foreground_of(pid: u32) -> Option<u32> {
    // A negative one is that there is none.
    stat_field(pid, 8)?.parse().ok()
}

/// Whether this terminal collects lines, and cuts those that are too long. One that cannot be asked does not.
#[must_use]
pub fn reads_lines(terminal: &Path) -> bool {
    modes_of(terminal).is_some_and(|modes| modes.contains(LocalModes::ICANON))
}

/// Whether this terminal collects lines that it does not show. One that cannot be asked may.
#[must_use]
pub fn hides_lines(terminal: &Path) -> bool {
    modes_of(terminal).is_none_or(|modes| modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO))
}

fn modes_of(terminal: &Path) -> Option<LocalModes> {
    let terminal = fs::File::options().read(true).custom_flags(NO_CONTROL).open(terminal).ok()?;
    rustix::termios::tcgetattr(&terminal).ok().map(|modes| modes.local_modes)
}

#[must_use]
pub fn parent_of(pid: u32) -> Option<u32> {
    stat_field(pid, 4)?.parse().ok()
}

/// The program that runs this one as its hook: the nearest above it that is no shell. Nothing for one without a terminal,
/// which may run the hooks of several sessions.
#[must_use]
pub fn runner_of(pid: u32) -> Option<u32> {
    let line = std::iter::successors(parent_of(pid), |pid| parent_of(*pid)).take_while(|pid| *pid > 1);
    let runner = line.take(GENERATIONS).find(|pid| !SHELLS.contains(&name_of(*pid).unwrap_or_default().as_str()))?;
    let has_terminal = stat_field(runner, 7).is_some_and(|terminal| terminal != "0");
    has_terminal.then_some(runner)
}

/// Its file name, as far as the system keeps it.
fn name_of(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim_end().to_owned())
}

/// The folder it works in.
#[must_use]
pub fn cwd_of(pid: u32) -> Option<String> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()?.into_os_string().into_string().ok()
}

/// The command line it was started with, or shows instead of it.
#[must_use]
pub fn command_of(pid: u32) -> Vec<OsString> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = line.strip_suffix(b"\0").unwrap_or(&line);
    line.split(|byte| *byte == 0).map(|word| OsStr::from_bytes(word).to_owned()).collect()
}

/// The environment it was started with.
#[must_use]
pub fn environment_of(pid: u32) -> Vec<(OsString, OsString)> {
    let all = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let pairs = all.split(|byte| *byte == 0).filter_map(|pair| {
        let at = pair.iter().position(|byte| *byte == b'=')?;
        Some((OsStr::from_bytes(&pair[..at]).to_owned(), OsStr::from_bytes(&pair[at + 1..]).to_owned()))
    });
    pairs.collect()
}

/// The processes on the terminal whose session this one leads, itself first and then those it started, the oldest first.
#[must_use]
pub fn members_of(leader: u32) -> Vec<u32> {
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut members: Vec<u32> = pids.filter(|pid| *pid == leader || session_of(*pid) == Some(leader)).collect();
    members.sort_by_key(|pid| (*pid != leader, started(*pid), *pid));
    members
}

/// Those that it has started and that run, the oldest first.
#[must_use]
pub fn children_of(parent: u32) -> Vec<u32> {
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut children: Vec<u32> = pids.filter(|pid| parent_of(*pid) == Some(parent)).collect();
    children.sort_by_key(|pid| (started(*pid), *pid));
    children
}

/// The terminal that it was started on.
#[must_use]
pub fn terminal_of(pid: u32) -> Option<PathBuf> {
    let opened = (0..3).filter_map(|fd| fs::read_link(format!("/proc/{pid}/fd/{fd}")).ok());
    opened.into_iter().find(|path| path.starts_with("/dev/pts") || path.starts_with("/dev/tty"))
}

/// Columns and rows of a terminal.
#[must_use]
pub fn size_of(terminal: &Path) -> Option<(u16, u16)> {
    let terminal = fs::File::options().read(true).custom_flags(NO_CONTROL).open(terminal).ok()?;
    rustix::termios::tcgetwinsize(&terminal).ok().map(|size| (size.ws_col, size.ws_row))
}

/// Tells the programs on a terminal that it has another size. Whoever shows the terminal is not told.
pub fn set_size(terminal: &Path, cols: u16, rows: u16) -> std::io::Result<()> {
    let terminal = fs::File::options().read(true).custom_flags(NO_CONTROL).open(terminal)?;
    let size = rustix::termios::tcgetwinsize(&terminal)?;
    Ok(rustix::termios::tcsetwinsize(&terminal, rustix::termios::Winsize { ws_col: cols, ws_row: rows, ..size })?)
}

/// Bytes that were typed into a terminal and that no program has read.
#[must_use]
pub fn unread(terminal: &Path) -> Option<u64> {
    let terminal = fs::File::options().read(true).custom_flags(NO_CONTROL).open(terminal).ok()?;
    rustix::io::ioctl_fionread(&terminal).ok()
}

/// The number of the user whose process this is.
#[must_use]
pub fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// As the system's own calls take it.
#[must_use]
pub fn raw(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

#[must_use]
pub fn can_tell_files() -> bool {
    Path::new("/proc/self/fd").is_dir()
}

/// Files that a process and those of its session have open.
#[must_use]
pub fn open_files(child: u32) -> Vec<PathBuf> {
    let links = members_of(child)
        .into_iter()
        .flat_map(|pid| fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten());
    links.filter_map(|link| fs::read_link(link.path()).ok()).collect()
}

fn stat_field(pid: u32, index: usize) -> Option<String> {
    Stat::of(pid)?.field(index).map(str::to_owned)
}

/// What the system says of a process, in one line.
pub(crate) struct Stat(String);

impl Stat {
    pub(crate) fn of(pid: u32) -> Option<Self> {
        // A process may call itself by bytes that are no text.
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        Some(Self(String::from_utf8_lossy(&stat).into_owned()))
    }

    /// As proc(5) counts them.
    pub(crate) fn field(&self, index: usize) -> Option<&str> {
        // The name in brackets may hold anything; the first field after it is the third.
        let rest = &self.0[self.0.rfind(')')? + 1..];
        rest.split_ascii_whitespace().nth(index - 3)
    }

    fn has_ended(&self) -> bool {
        matches!(self.field(3), Some("Z" | "X"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_this_very_process() {
        let me = std::process::id();
        assert!(started(me).is_some_and(|started| started > 0 || !cfg!(target_os = "linux")));
        if cfg!(target_os = "linux") {
            let here = std::env::current_dir().unwrap();
            assert_eq!(cwd_of(me).as_deref(), here.to_str());
            assert!(parent_of(me).is_some() && session_of(me).is_some());
            assert_eq!(command_of(me).first(), std::env::args_os().next().as_ref());
            assert!(environment_of(me).iter().any(|(name, _)| name == "PATH"));
            assert_eq!(members_of(me).first(), Some(&me));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn one_that_has_ended_does_not_run_and_says_how_it_ended() {
        use std::process::{Command, Stdio};
        for (script, expected) in
            [("read line; exit 7", ExitStatus::from_raw(7 << 8)), ("read line; kill -9 $$", ExitStatus::from_raw(9))]
        {
            let mut child = Command::new("/bin/sh").args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
            let pid = child.id();
            assert!(started(pid).is_some() && ended(pid).is_none(), "{script}");
            drop(child.stdin.take());
            let waited = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
            rustix::process::waitid(rustix::process::WaitId::Pid(raw(pid).unwrap()), waited).unwrap();
            assert_eq!((started(pid), ended(pid)), (None, Some(expected)), "{script}");
            child.wait().unwrap();
            assert_eq!((started(pid), ended(pid)), (None, None), "{script}");
        }
    }
}
