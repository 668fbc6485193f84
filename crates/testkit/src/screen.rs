//! An agent in a GNU Screen that somebody started and sits at: a folder for its socket of its own, and no person's settings.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use coop_terminal::pty;

use crate::terminal::Terminal;
use crate::{Agent, Options, coop};

/// The session that the agent is in.
pub const NAME: &str = "work";

const START: Duration = Duration::from_secs(30);

/// Ends what runs in it when it is dropped.
#[derive(Debug)]
pub struct Screen {
    folder: PathBuf,
    env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    /// Where the person sits.
    pub person: Terminal,
}

impl Screen {
    /// Starts the agent as a person would: from a shell.
    #[must_use]
    pub fn around(agent: &Agent) -> Self {
        let folder = agent.home.with_file_name("screen");
        fs::DirBuilder::new().mode(0o700).create(&folder).unwrap_or_else(|error| panic!("no folder: {error}"));
        let rc = folder.join("rc");
        fs::write(&rc, "startup_message off\n").unwrap_or_else(|error| panic!("no settings: {error}"));
        let mut env = agent.command.env.clone();
        env.retain(|(name, _)| name != "TERM" && name != "LC_ALL");
        let more =
            [("SCREENDIR", folder.as_os_str()), ("TERM", "xterm-256color".as_ref()), ("LC_ALL", "C.UTF-8".as_ref())];
        env.extend(more.map(|(name, value)| (name.into(), value.to_owned())));
        let shell = ["/bin/bash", "-c", "\"$@\"; true", "bash"].map(Into::into);
        let mut args: Vec<std::ffi::OsString> = vec!["-U".into(), "-c".into(), rc.into(), "-S".into(), NAME.into()];
        args.extend(shell);
        args.push(agent.command.program.clone());
        args.extend(agent.command.args.iter().cloned());
        let command = pty::Command {
            program: "screen".into(),
            args,
            cwd: Some(agent.project.clone()),
            env: env.clone(),
            size: agent.command.size,
            runner: Vec::new(),
        };
        let person = Terminal::start(&command, coop_terminal::Options::default());
        let person = person.unwrap_or_else(|error| panic!("screen, which tests need, does not run: {error}"));
        let screen = Self { folder, env, person };
        let limit = Instant::now() + START;
        while !screen.has_begun() {
            assert!(Instant::now() < limit, "Screen does not start");
            std::thread::yield_now();
        }
        screen
    }

    fn has_begun(&self) -> bool {
        let listed = self.command().arg("-ls").output().map(|listed| listed.stdout).unwrap_or_default();
        String::from_utf8_lossy(&listed).contains(&format!(".{NAME}\t"))
    }

    /// What starts coop to attach to it.
    #[must_use]
    pub fn attach(&self, agent: &Agent, socket: &Path, options: &Options) -> Command {
        let mut command = Command::new(options.program.as_deref().unwrap_or_else(|| coop::binary()));
        command
            .args(["--attach", &format!("screen:{NAME}"), "--agent", agent.kind.name()])
            .arg("--socket")
            .arg(socket)
            .args(&options.coop)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new("screen");
        command.env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended with what ran in it.
        drop(self.command().args(["-S", NAME, "-X", "quit"]).output());
        drop(fs::remove_dir_all(&self.folder));
    }
}
