//! A pane of tmux: found by its name, and attached to.

mod answers;
mod client;
mod link;
mod pace;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use coop_terminal::tmux::{FORMAT, Pane};

use super::{AttachError, Keyboard};
use crate::backend::Wires;

/// Where a name can be said exactly, and a server its process. Older ones are refused.
const OLDEST: Version = (2, 1);
/// Where spaces at the end of lines can be asked for.
const KEEPS_SPACES: Version = (3, 1);
/// Where control mode has what is needed here: clients that do not count for sizes, and that are not waited for. In older
/// ones a pane is looked at again and again.
const FOLLOWED: Version = (3, 2);

type Version = (u32, u32);

/// Which pane, on which server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The server's socket, if it is not the one that `tmux` itself would use.
    pub socket: Option<PathBuf>,
    /// As a person says it: `NAME`, `NAME:WINDOW.PANE`, or an id such as `%5`.
    pub name: String,
}

/// A pane that is there.
#[derive(Clone, Debug)]
pub struct Found {
    target: Target,
    pub pane: Pane,
    /// Nothing of one that is built from a branch, which is new.
    version: Option<Version>,
}

impl Target {
    /// Finds the pane. What is wrong is for the person who named it.
    pub fn find(&self) -> Result<Found, AttachError> {
        let version = self.version()?;
        let pane = self.pane(&self.exact())?;
        if pane.dead {
            return Err(AttachError::Dead { what: self.title() });
        }
        Ok(Found { target: self.clone(), pane, version })
    }

    /// One that is too old is refused.
    fn version(&self) -> Result<Option<Version>, AttachError> {
        let said = self.run(&["-V"]).map_err(not_installed)?;
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        match version(&said) {
            Some(version) if version < OLDEST => Err(AttachError::NotInstalled {
                program: "tmux",
                why: format!("this is {said}, and coop needs tmux {}.{} or a newer one", OLDEST.0, OLDEST.1),
            }),
            version => Ok(version),
        }
    }

    fn title(&self) -> String {
        format!("tmux pane {}", self.name)
    }

    /// In tmux's words, where a name stands for itself alone and not for others that begin with it.
    fn exact(&self) -> String {
        match self.name.chars().next() {
            Some('%' | '@' | '$' | '=') => self.name.clone(),
            _ if self.name.contains(':') => format!("={}", self.name),
            _ => format!("={}:", self.name),
        }
    }

    /// What tmux says of a pane. It names another one where this is not there, so the answer is looked at.
    fn pane(&self, target: &str) -> Result<Pane, AttachError> {
        let not_found = |why: String| AttachError::NotFound { what: self.title(), why };
        // It fails for a pane that is not there, which what prints a format does not.
        let listed = self.run(&["list-panes", "-t", target, "-F", "x"]).map_err(not_installed)?;
        if !listed.status.success() {
            return Err(not_found(String::from_utf8_lossy(&listed.stderr).trim().to_owned()));
        }
        let said = self.run(&["display-message", "-p", "-t", target, FORMAT]).map_err(not_installed)?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let pane = said.lines().next().and_then(Pane::parse);
        let pane = pane.filter(|pane| !target.starts_with('%') || pane.id == target);
        pane.ok_or_else(|| not_found("tmux says nothing about it".into()))
    }

    /// The process of the server, if one runs.
    fn server(&self) -> Option<u32> {
        let said = self.run(&["display-message", "-p", "#{pid}"]).ok().filter(|said| said.status.success())?;
        String::from_utf8_lossy(&said.stdout).trim().parse().ok()
    }

    fn run(&self, args: &[&str]) -> io::Result<std::process::Output> {
        self.command().args(args).stdin(Stdio::null()).output()
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        if let Some(socket) = &self.socket {
            command.arg("-S").arg(socket);
        }
        // What is printed is cells of a terminal: without this, other letters than English ones become underscores.
        command.arg("-u").env_remove("TMUX_PANE");
        command
    }
}

impl Found {
    /// The name of tmux's own for it, for people.
    #[must_use]
    pub fn title(&self) -> String {
        self.target.title()
    }

    /// What a person should know of this tmux: of an old one, that the pane cannot be followed.
    #[must_use]
    pub fn old(&self) -> Option<String> {
        let (major, minor) = self.version.filter(|version| *version < FOLLOWED)?;
        let (first, second) = FOLLOWED;
        Some(format!(
            "tmux {major}.{minor} does not tell of what is printed, so its pane is looked at again and again. tmux {first}.{second} \
             and newer ones do"
        ))
    }

    /// Begins to follow it. `pastes` is what is thought of marks around pastes where tmux does not say.
    pub(crate) fn wires(self, history: usize, pastes: bool) -> io::Result<Wires> {
        let tty = Some(self.pane.tty.clone()).filter(|tty| !tty.is_empty()).map(PathBuf::from);
        let (keyboard, typed) = Keyboard::new(tty);
        let (output, exit) = link::start(self, typed, history, pastes)?;
        Ok(Wires { terminal: Some(Box::new(keyboard)), output: Some(output), exit })
    }
}

#[allow(clippy::needless_pass_by_value, reason = "made for map_err")]
fn not_installed(error: io::Error) -> AttachError {
    AttachError::NotInstalled { program: "tmux", why: error.to_string() }
}

fn input_off() -> io::Error {
    io::Error::other("input to the pane is switched off in tmux")
}

/// Of `tmux 3.3a`. Nothing of one that is built from a branch, which is new.
fn version(said: &str) -> Option<Version> {
    let number = said.strip_prefix("tmux ")?.trim_start_matches("next-");
    let (major, minor) = number.split_once('.')?;
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A pane among all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub socket: PathBuf,
    /// As [`Target::name`] takes it.
    pub name: String,
    /// Its program.
    pub pid: u32,
}

/// All panes of a server; none if it does not run.
#[must_use]
pub fn panes(socket: &Path) -> Vec<Listed> {
    let target = Target { socket: Some(socket.to_owned()), name: String::new() };
    // A session has no colon in its name, and neither has what follows it.
    let format = "#{pane_pid} #{session_name}:#{window_index}.#{pane_index}";
    let listed = target.run(&["list-panes", "-a", "-F", format]).map(|listed| listed.stdout).unwrap_or_default();
    let lines = String::from_utf8_lossy(&listed).into_owned();
    let pane = |line: &str| {
        let (pid, name) = line.split_once(' ')?;
        Some(Listed { socket: socket.to_owned(), name: name.to_owned(), pid: pid.parse().ok()? })
    };
    lines.lines().filter_map(pane).collect()
}

/// The socket of the server that `tmux` would use.
#[must_use]
pub fn usual_socket() -> PathBuf {
    let named = std::env::var_os("TMUX").filter(|value| !value.is_empty());
    let named = named.and_then(|value| value.to_str()?.split(',').next().map(PathBuf::from));
    named.unwrap_or_else(|| folder().join("default"))
}

/// The sockets of servers of this user: the usual one, and those in the folder for them.
#[must_use]
pub fn sockets() -> Vec<PathBuf> {
    let folder = folder();
    // What another account has put there is no server of this one: keys would be sent to it.
    let is_own = coop_machine::private::check_folder(&folder).is_ok();
    let beside = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = beside.chain([usual_socket()]).filter(|path| path.exists()).collect();
    all.retain(|path| is_own || !path.starts_with(&folder));
    all.sort();
    all.dedup();
    all
}

fn folder() -> PathBuf {
    let base = std::env::var_os("TMUX_TMPDIR").filter(|value| !value.is_empty());
    let base = base.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    base.join(format!("tmux-{}", coop_machine::process::user()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (said, expected) in [
            ("tmux 3.3a", Some((3, 3))),
            ("tmux 2.9", Some((2, 9))),
            ("tmux next-3.6", Some((3, 6))),
            ("tmux master", None),
            ("tmux openbsd-7.5", None),
            ("", None),
        ] {
            assert_eq!(version(said), expected, "{said}");
        }
    }

    #[test]
    fn names_are_exact() {
        let exact = |name: &str| Target { socket: None, name: name.into() }.exact();
        assert_eq!(exact("work"), "=work:");
        assert_eq!(exact("work:1.0"), "=work:1.0");
        assert_eq!(exact("%3"), "%3");
    }
}
