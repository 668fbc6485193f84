//! An agent in a tmux that somebody started: a server of its own, without a person's settings.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use coop_terminal::{Size, pty};

use crate::terminal::Terminal;
use crate::{Agent, Options, coop};

/// The session that the agent is in.
pub const NAME: &str = "work";

/// Ends the server when it is dropped, and what runs in it.
#[derive(Debug)]
pub struct Tmux {
    pub socket: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Tmux {
    /// Starts the agent as a person would: from a shell.
    #[must_use]
    pub fn around(agent: &Agent) -> Self {
        let tmux = Self { socket: agent.home.with_file_name("tmux.sock"), env: agent.command.env.clone() };
        let size = agent.command.size;
        let mut start = tmux.command();
        start
            .args(["new-session", "-d", "-s", NAME, "-x", &size.cols().to_string(), "-y", &size.rows().to_string()])
            .arg("-c")
            .arg(&agent.project)
            .args(["/bin/bash", "-c", "\"$@\"; true", "bash"])
            .arg(&agent.command.program)
            .args(&agent.command.args);
        done(start);
        tmux
    }

    /// What starts coop to attach to it.
    #[must_use]
    pub fn attach(&self, agent: &Agent, socket: &Path, options: &Options) -> Command {
        let mut command = Command::new(options.program.as_deref().unwrap_or_else(|| coop::binary()));
        command
            .args(["--attach", &format!("tmux:{NAME}"), "--agent", agent.kind.name()])
            .arg("--tmux-socket")
            .arg(&self.socket)
            .arg("--socket")
            .arg(socket)
            .args(&options.coop)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        if options.old_tmux {
            let path = self.env.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(""), |(_, path)| path);
            command.env("PATH", old(&agent.home.with_file_name("old-tmux"), path));
        }
        command
    }

    /// Somebody who sits at it, with room for the pane in its size and for tmux's own line.
    #[must_use]
    #[track_caller]
    pub fn person(&self, size: Size) -> Terminal {
        let socket = self.socket.clone().into_os_string();
        let args = ["-f".into(), "/dev/null".into(), "-u".into(), "-S".into(), socket];
        let mut env = self.env.clone();
        env.retain(|(name, _)| name != "TERM");
        env.push(("TERM".into(), "xterm-256color".into()));
        let command = pty::Command {
            program: "tmux".into(),
            args: args.into_iter().chain(["attach", "-t", NAME].map(Into::into)).collect(),
            cwd: None,
            env,
            size: Size::clamped(size.cols(), size.rows() + 1),
            runner: Vec::new(),
        };
        let person = Terminal::start(&command, coop_terminal::Options::default());
        person.unwrap_or_else(|error| panic!("tmux, which tests need, does not run: {error}"))
    }

    /// Runs a command of tmux; what it printed.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> String {
        let mut command = self.command();
        command.args(args);
        String::from_utf8_lossy(&done(command).stdout).trim_end().to_owned()
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-f", "/dev/null", "-u", "-S"]).arg(&self.socket);
        command.env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// A PATH on which tmux is an old one, as far as coop can tell. It is written to this folder.
#[track_caller]
pub fn old(folder: &Path, path: &OsStr) -> OsString {
    let program = folder.join("tmux");
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&program, include_str!("../old-tmux")))
        .and_then(|()| std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)));
    written.unwrap_or_else(|error| panic!("{} cannot be written: {error}", program.display()));
    [folder.as_os_str(), path].join(OsStr::new(":"))
}

#[track_caller]
fn done(mut command: Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("tmux, which tests need, does not run: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // It may have ended with what ran in it.
        drop(self.command().arg("kill-server").output());
    }
}
