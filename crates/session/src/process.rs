//! What the system tells about processes.

use std::fs;
use std::path::{Path, PathBuf};

fn stat_field(pid: u32, index: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything; the first field after it is the third.
    let rest = &stat[stat.rfind(')')? + 1..];
    rest.split_ascii_whitespace().nth(index - 3).map(str::to_owned)
}

/// The session it belongs to: that of the process that was started on its terminal.
pub(crate) fn session_of(pid: u32) -> Option<u32> {
    stat_field(pid, 6)?.parse().ok()
}

/// When it was started, as the system counts. Another one means that the number was given again.
pub(crate) fn start_of(pid: u32) -> Option<String> {
    stat_field(pid, 22)
}

pub(crate) fn can_tell_files() -> bool {
    Path::new("/proc/self/fd").is_dir()
}

/// Files that a process and those of its session have open.
pub(crate) fn open_files(child: u32) -> Vec<PathBuf> {
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ours = pids.filter(|pid| *pid == child || session_of(*pid) == Some(child));
    let links = ours.flat_map(|pid| fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten());
    links.filter_map(|link| fs::read_link(link.path()).ok()).collect()
}
