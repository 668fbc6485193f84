//! A window of GNU Screen: found by its name, and attached to. Screen can be told to log what a program prints, to give a
//! copy of the screen that knows no letters but Latin ones, and to type; of everything else it tells nothing.

mod link;
mod picture;
mod typing;

use std::io;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use coop_machine::process;
use coop_terminal::Size;

use super::{AttachError, Keyboard};
use crate::backend::Wires;

/// What Screen may take from its start to that of a program.
const JUST_STARTED: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(20);

/// Which window of which session, as a person says it: `NAME` or `NAME:WINDOW`, where the name may be `PID.NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub name: String,
}

/// A window that is there.
#[derive(Clone, Debug)]
pub struct Found {
    /// The session by its whole name, which is no other's.
    session: String,
    window: u32,
    /// The program that was started in it.
    pub pid: u32,
    pub size: Size,
    tty: PathBuf,
}

/// A window among all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// As [`Target::name`] takes it.
    pub name: String,
    pub pid: u32,
}

impl Target {
    /// What is wrong is for the person who named it.
    pub fn find(&self) -> Result<Found, AttachError> {
        let not_found = |why: String| AttachError::NotFound { what: format!("Screen session {}", self.name), why };
        let (name, window) = match self.name.rsplit_once(':') {
            Some((name, window)) => (name, Some(window)),
            None => (self.name.as_str(), None),
        };
        let all = sessions().map_err(not_installed)?;
        let named: Vec<&String> = all.iter().filter(|session| is_called(session, name)).collect();
        let session = match named[..] {
            [session] => session,
            [] => return Err(not_found("`screen -ls` does not show it".into())),
            _ => return Err(not_found("there are several of this name: give the number before it too".into())),
        };
        let windows = first_windows(session);
        let window = match window {
            Some(window) => window.parse().map_err(|_| not_found(format!("{window} is no number of a window")))?,
            None => current(session).or(windows.first().map(|(number, _)| *number)).unwrap_or(0),
        };
        let pid = windows.iter().find(|(number, _)| *number == window).map(|(_, pid)| *pid);
        let pid = pid.ok_or_else(|| not_found(format!("it has no window {window} with a program in it")))?;
        let tty = process::terminal_of(pid);
        let size = tty.as_deref().and_then(process::size_of);
        let (Some(tty), Some((cols, rows))) = (tty, size) else {
            return Err(not_found("its terminal cannot be found".into()));
        };
        Ok(Found { session: session.clone(), window, pid, size: Size::clamped(cols, rows), tty })
    }
}

impl Found {
    /// For people.
    #[must_use]
    pub fn title(&self) -> String {
        format!("window {} of Screen session {}", self.window, self.session)
    }

    pub(crate) fn wires(self, history: usize, agent: bool) -> io::Result<Wires> {
        let (keyboard, typed) = Keyboard::new(Some(self.tty.clone()));
        let (output, exit) = link::start(self, typed, history, agent)?;
        Ok(Wires { terminal: Some(Box::new(keyboard)), output: Some(output), exit })
    }

    /// Has Screen do something with the window.
    fn tell(&self, words: &[&str]) -> io::Result<()> {
        let window = self.window.to_string();
        let told = run(&[&["-S", &self.session, "-p", &window, "-X"], words].concat())?;
        if told.status.success() {
            return Ok(());
        }
        Err(io::Error::other(String::from_utf8_lossy(&told.stdout).trim().to_owned()))
    }

    /// What Screen says about the window: where the cursor is, among others.
    fn info(&self) -> Option<String> {
        let window = self.window.to_string();
        let said = run(&["-S", &self.session, "-p", &window, "-Q", "info"]).ok()?;
        Some(String::from_utf8_lossy(&said.stdout).into_owned())
    }
}

/// All windows of all sessions of this user that a program runs in.
#[must_use]
pub fn all() -> Vec<Listed> {
    let of = |session: String| {
        let windows = windows(&session).into_iter();
        windows.map(move |(window, pid)| Listed { name: format!("{session}:{window}"), pid }).collect::<Vec<_>>()
    };
    sessions().unwrap_or_default().into_iter().flat_map(of).collect()
}

/// By their whole names: the number of the process, a dot, and the name.
fn sessions() -> io::Result<Vec<String>> {
    let said = run(&["-ls"])?;
    Ok(listed(&String::from_utf8_lossy(&said.stdout)))
}

fn listed(said: &str) -> Vec<String> {
    let session = |line: &str| {
        let rest = line.strip_prefix('\t')?;
        let name = rest.split('\t').next()?;
        let is_dead = rest.contains("(Dead") || rest.contains("(Remote or dead");
        server(name).filter(|_| !is_dead).map(|_| name.to_owned())
    };
    said.lines().filter_map(session).collect()
}

/// Its process.
fn server(session: &str) -> Option<u32> {
    session.split_once('.')?.0.parse().ok()
}

fn is_called(session: &str, name: &str) -> bool {
    session == name || session.split_once('.').is_some_and(|(pid, rest)| rest == name || pid == name)
}

/// The same of a session that may just have been started, and has none for a moment.
fn first_windows(session: &str) -> Vec<(u32, u32)> {
    let until = Instant::now() + JUST_STARTED;
    loop {
        let windows = windows(session);
        if !windows.is_empty() || Instant::now() > until {
            return windows;
        }
        std::thread::sleep(LOOK); // tidy: Screen does not tell when it has started a program
    }
}

/// The number of each window, and its program.
fn windows(session: &str) -> Vec<(u32, u32)> {
    let children = server(session).map(process::children_of).unwrap_or_default();
    let window = |pid: u32| {
        let env = process::environment_of(pid);
        let number = env.iter().find(|(name, _)| name == "WINDOW")?.1.to_str()?.parse().ok()?;
        // Between its fork and its start it has none.
        process::terminal_of(pid)?;
        Some((number, pid))
    };
    let mut windows: Vec<(u32, u32)> = children.into_iter().filter_map(window).collect();
    windows.sort_unstable();
    windows
}

/// The window that is shown, if Screen says which.
fn current(session: &str) -> Option<u32> {
    let said = run(&["-S", session, "-Q", "number"]).ok()?;
    String::from_utf8_lossy(&said.stdout).split_whitespace().next()?.parse().ok()
}

fn run(args: &[&str]) -> io::Result<Output> {
    // Inside another session it would mean that one.
    Command::new("screen").args(args).env_remove("STY").env("LC_ALL", "C.UTF-8").stdin(Stdio::null()).output()
}

#[allow(clippy::needless_pass_by_value, reason = "made for map_err")]
fn not_installed(error: io::Error) -> AttachError {
    AttachError::NotInstalled { program: "screen", why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_read_from_the_list() {
        let said = "There are screens on:\n\t159.work\t(11/15/26 23:39:03)\t(Detached)\n\t77.a.b\t(Attached)\n\
                    \t5.old\t(Dead ???)\n3 Sockets in /run/screen/S-root.\n";
        assert_eq!(listed(said), ["159.work", "77.a.b"]);
        assert_eq!(listed("No Sockets found in /run/screen/S-root.\n"), Vec::<String>::new());
        for (name, called) in [("work", true), ("159", true), ("159.work", true), ("wor", false), ("15", false)] {
            assert_eq!(is_called("159.work", name), called, "{name}");
        }
        assert!(is_called("77.a.b", "a.b"));
    }
}
