//! What the system tells about processes.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, test_kill_process};

/// What stands between a program and a command that it runs.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ash", "busybox"];
/// There are a shell or two.
const GENERATIONS: usize = 4;

/// When it was started, as the system counts; 0 where the system does not say. Nothing if it does not run. Another one
/// means that the number was given again.
#[must_use]
pub fn started(pid: u32) -> Option<u64> {
    if cfg!(target_os = "linux") {
        return stat_field(pid, 22)?.parse().ok();
    }
    test_kill_process(raw(pid)?).is_ok().then_some(0)
}

/// The session it belongs to: that of the process that was started on its terminal.
#[must_use]
pub fn session_of(pid: u32) -> Option<u32> {
    stat_field(pid, 6)?.parse().ok()
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
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ours = pids.filter(|pid| *pid == child || session_of(*pid) == Some(child));
    let links = ours.flat_map(|pid| fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten());
    links.filter_map(|link| fs::read_link(link.path()).ok()).collect()
}

fn stat_field(pid: u32, index: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything; the first field after it is the third.
    let rest = &stat[stat.rfind(')')? + 1..];
    rest.split_ascii_whitespace().nth(index - 3).map(str::to_owned)
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
        }
    }
}
