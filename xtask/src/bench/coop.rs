//! coop as it is measured: the release binary with one session, reached over its socket like by anybody else.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use tungstenite::WebSocket;

use super::http::Http;
use super::process::{self, PATIENCE, Process, Usage, wait_for};
use super::{COLS, ROWS};

/// Bytes in front of the output in a binary frame, which say where it begins.
pub(super) const OFFSET: usize = 8;

/// Builds the binary and says where it is.
pub(super) fn build() -> anyhow::Result<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--package", "coop", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "coop does not build");
    let messages = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Message>();
    let executable = messages.filter_map(|message| message.ok()?.executable).last();
    executable.context("cargo did not say where the binary is")
}

/// A running session.
#[derive(Debug)]
pub(super) struct Coop {
    process: Process,
    socket: PathBuf,
    /// For the socket, and in place of the folders of the person at the terminal.
    _folder: tempfile::TempDir,
}

impl Coop {
    /// Starts a session around `command`, and waits until it answers.
    pub(super) fn start(binary: &Path, command: &[String]) -> anyhow::Result<Self> {
        Self::spawn(process::leashed(binary.as_os_str())?, &[], command)
    }

    /// The same, and the session stays when the program has ended.
    pub(super) fn start_lingering(binary: &Path, command: &[String]) -> anyhow::Result<Self> {
        Self::spawn(process::leashed(binary.as_os_str())?, &["--linger"], command)
    }

    /// The same for an agent whose driver is named.
    pub(super) fn start_agent(binary: &Path, driver: &str, command: &[String]) -> anyhow::Result<Self> {
        Self::spawn(process::leashed(binary.as_os_str())?, &["--agent", driver], command)
    }

    /// Without the detour of the leash, which takes time. For measuring the start.
    pub(super) fn start_unleashed(binary: &Path, command: &[String]) -> anyhow::Result<Self> {
        Self::spawn(process::quiet(binary.as_os_str()), &[], command)
    }

    /// Attaches to the one session of a tmux.
    pub(super) fn attach(binary: &Path, tmux: &Path) -> anyhow::Result<Self> {
        let mut coop = process::leashed(binary.as_os_str())?;
        coop.args(["--attach", "tmux:0", "--agent", "unknown", "--linger", "--tmux-socket"]).arg(tmux);
        Self::serve(coop, &[])
    }

    fn spawn(mut coop: Command, flags: &[&str], command: &[String]) -> anyhow::Result<Self> {
        coop.args(["--cols", &COLS.to_string(), "--rows", &ROWS.to_string()]).args(flags);
        Self::serve(coop, &[&["--".to_owned()], command].concat())
    }

    fn serve(mut coop: Command, command: &[String]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let socket = folder.path().join("coop.sock");
        coop.env("XDG_RUNTIME_DIR", folder.path()).env("HOME", folder.path()).stderr(Stdio::inherit());
        coop.arg("--socket").arg(&socket).args(["--log-level", "error"]).args(command);
        let mut session = Self { process: Process::spawn(coop)?, socket, _folder: folder };
        let answer = wait_for("coop to answer", || session.is_alive())?;
        ensure!(answer, "coop ended instead of serving");
        Ok(session)
    }

    /// Nothing while that is not known yet.
    fn is_alive(&mut self) -> Option<bool> {
        let answers = self.http().is_ok_and(|mut http| http.get("/livez").is_ok());
        if answers { Some(true) } else { self.process.has_ended().then_some(false) }
    }

    pub(super) fn usage(&self) -> anyhow::Result<Usage> {
        self.process.usage()
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    pub(super) fn http(&self) -> anyhow::Result<Http> {
        Http::connect(&self.socket)
    }

    /// Connects a WebSocket and reads its greeting.
    pub(super) fn web_socket(&self, query: &str) -> anyhow::Result<WebSocket<UnixStream>> {
        let stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let address = format!("ws://localhost/ws?{query}");
        let Ok((mut socket, _)) = tungstenite::client(address, stream) else {
            bail!("coop refused a WebSocket with `{query}`");
        };
        let hello = socket.read()?;
        ensure!(hello.to_text().is_ok_and(|text| text.contains("hello")), "no greeting: {hello:?}");
        Ok(socket)
    }

    /// Waits until this many bytes of output are on the screen, then until the program is gone. Returns when they were.
    pub(super) fn wait_until_shown(&self, bytes: u64) -> anyhow::Result<Instant> {
        let mut http = self.http()?;
        let mut status = || serde_json::from_slice::<Status>(&http.get("/api/v1/status").ok()?).ok();
        let shown = wait_for("coop to read everything", || {
            status().filter(|status| status.bytes_read >= bytes).map(|_| Instant::now())
        })?;
        wait_for("the program to end", || status().filter(|status| status.state == "exited"))?;
        Ok(shown)
    }
}

#[derive(Debug, Deserialize)]
struct Status {
    state: String,
    bytes_read: u64,
}
