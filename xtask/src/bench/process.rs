//! Processes that are measured: what the kernel counts about them, and their end.

use std::ffi::OsStr;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::process::{Pid, Signal, kill_process};

/// Long enough for anything measured here, and short enough to notice that something hangs.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// A process that was asked to end gets this long before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// Between two looks at something that cannot be waited for.
const LOOK: Duration = Duration::from_micros(200);

/// A child of ours. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Process(Child);

/// What the kernel has counted about a process so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Time on a CPU, in the program and in the kernel on its behalf.
    pub(super) cpu: Duration,
    /// How often one of its threads went to sleep by itself, and so had been woken up.
    pub(super) wake_ups: u64,
    /// Bytes of memory in use now.
    pub(super) resident: u64,
}

impl Usage {
    /// What was used since `before`. Memory is what it is now.
    pub(super) fn since(self, before: Self) -> Self {
        // A thread that ended in between takes its count with it.
        let (cpu, wake_ups) = (self.cpu.saturating_sub(before.cpu), self.wake_ups.saturating_sub(before.wake_ups));
        Self { cpu, wake_ups, resident: self.resident }
    }
}

/// `program`, quiet and on a leash: it also ends if we are killed and nothing is dropped.
pub(super) fn leashed(program: &OsStr) -> anyhow::Result<Command> {
    let mut command = quiet(std::env::current_exe()?.as_os_str());
    command.args(["bench-child", "leashed"]).arg(program);
    Ok(command)
}

/// `program` without a terminal, and without what describes a session we may be running in ourselves.
pub(super) fn quiet(program: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name == "TMUX" || name.as_encoded_bytes().starts_with(b"COOP") {
            command.env_remove(name);
        }
    }
    command
}

/// Tries until there is a result.
pub(super) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> anyhow::Result<T> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match look() {
            Some(found) => return Ok(found),
            None if Instant::now() > deadline => bail!("waited {} s for {what}", PATIENCE.as_secs()),
            None => std::thread::sleep(LOOK),
        }
    }
}

impl Process {
    pub(super) fn spawn(mut command: Command) -> anyhow::Result<Self> {
        let child = command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self(child))
    }

    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// As a crash would end it.
    pub(super) fn kill(&mut self) {
        // It may be gone already.
        drop(self.0.kill());
        drop(self.0.wait());
    }

    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    pub(super) fn usage(&self) -> anyhow::Result<Usage> {
        usage(self.pid())
    }

    fn ends_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while !self.has_ended() {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.has_ended() {
            return;
        }
        // It may go this very moment; then it needs no signal.
        let asked = kill_process(Pid::from_child(&self.0), Signal::TERM);
        if asked.is_err() || !self.ends_within(GRACE) {
            drop(self.0.kill());
            drop(self.0.wait());
        }
    }
}

/// What the kernel has counted about any process of ours.
pub(super) fn usage(pid: u32) -> anyhow::Result<Usage> {
    let read = |file: &str| fs::read_to_string(format!("/proc/{pid}/{file}")).with_context(|| format!("process {pid}"));
    let resident = field(&read("status")?, "VmRSS:").context("no VmRSS in /proc")? * 1024;
    let mut usage = Usage { resident, ..Usage::default() };
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        // A thread may end while we look.
        let read = |file: &str| fs::read_to_string(thread.as_ref().ok()?.path().join(file)).ok();
        let (status, times) = (read("status").unwrap_or_default(), read("schedstat").unwrap_or_default());
        usage.wake_ups += field(&status, "voluntary_ctxt_switches:").unwrap_or(0);
        usage.cpu += Duration::from_nanos(field(&times, "").unwrap_or(0));
    }
    // The threads count in nanoseconds, but only while they live. The process counts all of them, in ticks of 10 ms.
    usage.cpu = usage.cpu.max(cpu_time(&read("stat")?).context("no times in /proc")?);
    Ok(usage)
}

/// User and system time. The name of the program, in parentheses, may hold anything, so counting starts behind it.
fn cpu_time(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<u64> = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    let [user, system] = ticks[..] else { return None };
    Some(Duration::from_secs(user + system) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?)
}

/// The number after `name` at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_kernel() {
        let status = "Name:\tcoop\nVmRSS:\t   12345 kB\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t9\n";
        assert_eq!(field(status, "VmRSS:"), Some(12345));
        assert_eq!(field(status, "voluntary_ctxt_switches:"), Some(7));
        assert_eq!(field(status, "VmHWM:"), None);
        assert_eq!(field("99318 617101 2\n", ""), Some(99318));
        let stat = "42 (a ) name) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 3 0 100 1000 200";
        assert_eq!(cpu_time(stat), Some(Duration::from_secs(2)));
        assert_eq!(cpu_time("42 (x) S 1"), None);
    }

    #[test]
    fn our_own_numbers() {
        let usage = usage(std::process::id()).unwrap();
        assert!(usage.cpu > Duration::ZERO && usage.resident > 100_000, "{usage:?}");
    }

    #[test]
    fn a_dropped_process_ends() {
        let mut command = Command::new("sleep");
        command.arg("1000");
        let process = Process::spawn(command).unwrap();
        let pid = process.pid();
        assert!(process.usage().unwrap().resident > 0);
        drop(process);
        assert!(usage(pid).is_err());
    }
}
