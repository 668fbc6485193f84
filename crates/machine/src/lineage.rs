//! Where a client process comes from: the processes above it, and the traces that sessions leave on them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

use coop_core::inside::{Ancestor, Line, Server};

use crate::process::{self, Stat};

/// Variable that coop sets for an agent: the name of its session.
pub const MARK: &str = "COOP_INSIDE_AGENT";
/// Variables by which agents mark the commands they run.
const VENDOR_MARKS: [&str; 2] = ["CLAUDECODE", "GEMINI_CLI"];
/// Name of a thread of every process that serves or holds an agent's session. The system shows it to everyone, and no
/// other process can change it.
const GUARD: &str = "coop-guard";
/// Programs that run a script, whose name counts then.
const INTERPRETERS: [&str; 6] = ["node", "nodejs", "bun", "deno", "python", "python3"];
/// Maximum number of ancestors. A line that is longer counts as one that cannot be read.
const GENERATIONS: usize = 256;
/// Attempts to read a line while processes of it end.
const ATTEMPTS: usize = 4;

/// Tells by the file name of a program whether it is an agent, and which.
pub type AgentOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A client process, as it was when it connected.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    pid: u32,
    started: u64,
}

impl Client {
    /// Nothing if it has ended. The pidfd refers to the process and not to its number; Linux before 6.5 has none for the
    /// peer of a socket.
    #[must_use]
    pub fn new(pid: u32, pidfd: Option<&OwnedFd>) -> Option<Self> {
        let started = process::started(pid)?;
        // Asked after the time was read: the number was not given again before.
        pidfd.is_none_or(|pidfd| pid_of(pidfd) == Some(pid)).then_some(Self { pid, started })
    }

    /// Reads the processes above it. Nothing if it has ended.
    #[must_use]
    pub fn line(&self, agent_of: AgentOf<'_>) -> Line {
        for _ in 0..ATTEMPTS {
            if !self.is_there() {
                return None;
            }
            let line = walk(self.pid, agent_of);
            if line.is_some() && self.is_there() {
                return line;
            }
        }
        None
    }

    /// Whether the process that connected still runs, and not another one with its number.
    fn is_there(&self) -> bool {
        process::started(self.pid) == Some(self.started)
    }
}

/// Returns what is known of this process as a server. `held` says that its parent is the holder of its session.
#[must_use]
pub fn server(held: bool) -> Server {
    let line = std::iter::successors(Some(std::process::id()), |pid| process::parent_of(*pid).filter(|pid| *pid > 0));
    let line = line.skip(if held { 2 } else { 1 }).take(GENERATIONS);
    let above = line.map_while(|pid| Some((pid, Stat::of(pid)?.field(22)?.parse().ok()?)));
    let marks = [MARK].iter().chain(&VENDOR_MARKS).filter_map(|name| mark(name, &std::env::var_os(name)?));
    Server { above: above.collect(), marks: marks.collect() }
}

/// Returns the name of the agent's session that this process was started in. It is a hint for people: the variable can be
/// removed.
#[must_use]
pub fn mark_of_this_process() -> Option<String> {
    std::env::var(MARK).ok().filter(|name| !name.is_empty())
}

/// Marks this process as one that serves or holds an agent's session, for as long as it runs.
pub fn guard() -> io::Result<()> {
    let wait = || loop {
        std::thread::park();
    };
    std::thread::Builder::new().name(GUARD.into()).stack_size(64 << 10).spawn(wait).map(drop)
}

/// The number of the process that a pidfd refers to. Nothing when that process was reaped.
fn pid_of(pidfd: &OwnedFd) -> Option<u32> {
    let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd())).ok()?;
    info.lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok())
}

fn walk(client: u32, agent_of: AgentOf<'_>) -> Line {
    let mut line: Vec<Ancestor> = Vec::new();
    let mut next = Some(client);
    while let Some(pid) = next {
        if line.len() == GENERATIONS {
            return None;
        }
        let stat = match Stat::of(pid) {
            Some(stat) => stat,
            // Of another account, and hidden (`hidepid`): no agent of this one is above it. One that has ended is another
            // matter: its child has a new parent by now.
            None if line.last().is_some_and(|child| process::parent_of(child.pid) == Some(pid)) => break,
            None => return None,
        };
        let started: u64 = stat.field(22)?.parse().ok()?;
        if line.last().is_some_and(|child| child.started < started) {
            // A parent is older than its child: the number was given again.
            return None;
        }
        next = stat.field(4)?.parse().ok().filter(|parent| *parent > 0);
        line.push(Ancestor {
            pid,
            started,
            agent: names(&process::command_of(pid)).find_map(|name| agent_of(&name)),
            mark: marked(pid),
            guards: guards(pid),
        });
    }
    // While it was read, a process of it may have ended, and its child have come below another one.
    let holds = line.windows(2).all(|pair| process::parent_of(pair[0].pid) == Some(pair[1].pid));
    holds.then_some(line)
}

/// File names that a command line may be known by: of its program, and of the script that an interpreter runs.
fn names(words: &[OsString]) -> impl Iterator<Item = String> {
    let file = |word: &OsStr| {
        // A program that calls itself something has a line of its own making.
        let word = word.to_str()?.trim_start_matches('-').split(' ').next()?.to_owned();
        Path::new(&word).file_name()?.to_str().map(str::to_owned)
    };
    let program = words.first().and_then(|word| file(word));
    let runs = program.as_deref().is_some_and(|name| INTERPRETERS.contains(&name));
    let script = words.iter().skip(1).find(|word| !word.to_string_lossy().starts_with('-')).filter(|_| runs);
    let script = script.and_then(|word| file(word));
    let stem = script.as_deref().and_then(|name| Path::new(name).file_stem()?.to_str().map(str::to_owned));
    [program, script, stem].into_iter().flatten()
}

fn mark(name: &str, value: &OsStr) -> Option<String> {
    match name {
        MARK => Some(value.to_string_lossy().into_owned()),
        // It names no session.
        _ => (!value.is_empty()).then(String::new),
    }
}

/// The session that its environment names. A process whose environment is closed to this one has none.
fn marked(pid: u32) -> Option<String> {
    let environment = process::environment_of(pid);
    let value = |name: &&str| environment.iter().find(|(own, _)| own == name).and_then(|(_, value)| mark(name, value));
    value(&MARK).or_else(|| VENDOR_MARKS.iter().find_map(value))
}

fn guards(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut names = threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok());
    names.any(|name| name.trim_end() == GUARD)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, Stdio};

    fn nothing(_: &str) -> Option<String> {
        None
    }

    /// A process that waits, and the number of its last descendant.
    fn run(script: &str, env: &[(&str, &str)]) -> (Child, u32) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env_clear().envs(env.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (child, line.trim().parse().unwrap())
    }

    #[test]
    fn the_line_goes_up_to_the_first_process() {
        let (mut child, last) = run("sh -c 'echo $$; read line; true'; true", &[(MARK, "work")]);
        let line = Client::new(last, None).unwrap().line(&|name| (name == "sh").then(|| "sh!".to_owned())).unwrap();
        let pids: Vec<u32> = line.iter().map(|process| process.pid).collect();
        assert_eq!(pids[..3], [last, child.id(), std::process::id()], "{line:?}");
        assert_eq!(line[0].mark.as_deref(), Some("work"));
        assert_eq!(line[1].agent.as_deref(), Some("sh!"));
        // Another test may have such a thread in this process.
        assert!(line[..2].iter().all(|process| !process.guards));
        let server = server(false);
        assert_eq!(server.above.iter().map(|(pid, _)| *pid).collect::<Vec<_>>(), pids[3..], "{server:?}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_serves_an_agent_is_known_by_a_thread() {
        guard().unwrap();
        let (mut child, last) = run("echo $$; read line", &[]);
        let line = Client::new(last, None).unwrap().line(&nothing).unwrap();
        let own = line.iter().find(|process| process.pid == std::process::id()).unwrap();
        assert!(own.guards && line[0].pid == last && !line[0].guards, "{line:?}");
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_has_ended_has_no_line() {
        let (mut child, last) = run("echo $$; read line", &[]);
        let pidfd = rustix::process::pidfd_open(process::raw(last).unwrap(), rustix::process::PidfdFlags::empty());
        let pidfd = pidfd.unwrap();
        let client = Client::new(last, Some(&pidfd)).unwrap();
        assert!(client.line(&nothing).is_some());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(client.line(&nothing), None);
        assert!(Client::new(last, None).is_none(), "it had ended before");
        assert!(Client::new(std::process::id(), Some(&pidfd)).is_none(), "another process has the number");
        // The first process was started at another time, whatever the resolution of the clock.
        let other = Client { pid: 1, ..client };
        assert_eq!(other.line(&nothing), None, "another one");
    }

    #[test]
    fn commands_are_known_by_program_and_script() {
        for (words, expected) in [
            (&["/opt/bin/claude", "--resume"][..], "claude"),
            (&["claude --resume"], "claude"),
            (&["-bash"], "bash"),
            (&["node", "--no-warnings", "/x/bin/codex.js"], "node codex.js codex"),
            (&["vim", "claude"], "vim"),
            (&[], ""),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(names(&words).collect::<Vec<_>>().join(" "), expected, "{words:?}");
        }
    }
}
