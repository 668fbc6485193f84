//! The peer that people know: a tmux server of our own with one window of the same size.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use super::process::{self, Process, Usage, wait_for};
use super::{COLS, ROWS};

/// No status line, which would take a row; and a window that stays when its program has ended.
const SETTINGS: &str = "\
set -g status off
set -g remain-on-exit on
set -g exit-empty off
";

#[derive(Debug)]
pub(super) struct Tmux {
    server: Process,
    folder: tempfile::TempDir,
}

impl Tmux {
    /// Starts a server with a window that runs `command`.
    pub(super) fn start(command: &[String]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::write(settings(folder.path()), SETTINGS)?;
        let mut server = process::leashed(OsStr::new("tmux"))?;
        // Not as a daemon, so that it is our child.
        server.arg("-D").arg("-S").arg(socket(folder.path())).arg("-f").arg(settings(folder.path()));
        let tmux = Self { server: Process::spawn(server)?, folder };
        wait_for("tmux to listen", || socket(tmux.folder.path()).exists().then_some(()))?;
        let size = [COLS.to_string(), ROWS.to_string()];
        let window = ["new-session", "-d", "-x", &size[0], "-y", &size[1], "--"];
        run(tmux.folder.path(), window.into_iter().chain(command.iter().map(String::as_str)))?;
        Ok(tmux)
    }

    pub(super) fn socket(&self) -> PathBuf {
        socket(self.folder.path())
    }

    pub(super) fn usage(&self) -> anyhow::Result<Usage> {
        self.server.usage()
    }

    /// Waits until the child is gone and its output has been read. Returns when it had been.
    ///
    /// There is a hook for that, `pane-died`, but now and then tmux 3.3 does not run it.
    pub(super) fn wait_until_over(&self) -> anyhow::Result<Instant> {
        let dead = || run(self.folder.path(), ["display-message", "-p", "#{pane_dead}"]).is_ok_and(|dead| dead == "1");
        wait_for("tmux to read everything", || dead().then(Instant::now))
    }
}

/// Which tmux we are compared with.
pub(super) fn version() -> anyhow::Result<String> {
    run(Path::new(""), ["-V"])
}

/// Runs a command of tmux and returns what it prints.
pub(super) fn run<'a>(folder: &Path, args: impl IntoIterator<Item = &'a str>) -> anyhow::Result<String> {
    let mut tmux = process::quiet(OsStr::new("tmux"));
    let tmux = tmux.arg("-S").arg(socket(folder)).arg("-f").arg(settings(folder)).args(args);
    let output = tmux.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).output();
    let output = output.context("cannot run tmux, which coop is compared with: install it")?;
    ensure!(output.status.success(), "tmux: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("tmux.sock")
}

fn settings(folder: &Path) -> PathBuf {
    folder.join("tmux.conf")
}
