//! The real binary in a world of its own: an empty environment and a folder for sockets that ends with the test.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

pub(crate) mod person;
pub(crate) mod proxy;

use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use coop_api::client::{Client, Endpoint, Follow, Incoming};
use coop_api::ws::{ServerMessage, Tagged, Topic};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Nothing here takes longer unless it hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
pub(crate) const COOP: &str = env!("CARGO_BIN_EXE_coop");

pub(crate) struct World {
    folder: TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A coop that runs until it is dropped.
pub(crate) struct Running {
    child: Child,
    log: Receiver<String>,
    /// Lines read so far, for when something goes wrong.
    seen: Vec<String>,
    pub(crate) stdout: Option<std::process::ChildStdout>,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn socket(&self, name: &str) -> PathBuf {
        self.path().join(format!("coop/{name}.sock"))
    }

    /// The environment of every command here.
    pub(crate) fn env(&self) -> Vec<(String, String)> {
        let path = std::env::var("PATH").unwrap();
        let bin = Path::new(COOP).parent().unwrap().display().to_string();
        [
            ("PATH", format!("{bin}:{path}")),
            ("XDG_RUNTIME_DIR", self.path().display().to_string()),
            ("HOME", self.path().display().to_string()),
            ("USER", "tester".into()),
            ("PS1", "$ ".into()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(self.env()).stdin(Stdio::null());
        command
    }

    /// Signals that were ignored where the tests were started (`nohup` does that) would be ignored by coop too.
    pub(crate) fn coop(&self, args: &[&str]) -> Command {
        self.command("/usr/bin/env", &[&["--default-signal=HUP,INT", COOP], args].concat())
    }

    /// Runs coop to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Done {
        finish(self.coop(args))
    }

    /// The same for a verb that must succeed; what it printed.
    pub(crate) fn verb(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
        done.stdout
    }

    /// Starts coop, and returns when the program inside runs.
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        start(self.coop(args))
    }

    pub(crate) fn client(&self, name: &str) -> Client {
        Client::new(Endpoint::Unix(self.socket(name)), None)
    }

    /// Waits until the screen of a session shows `text`.
    pub(crate) fn shows(&self, name: &str, text: &str) -> String {
        shows(&self.client(name), text)
    }
}

pub(crate) fn finish(mut command: Command) -> Done {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

pub(crate) fn start(command: Command) -> Running {
    let mut running = spawn(command);
    running.logs("the program has started");
    running
}

pub(crate) fn spawn(mut command: Command) -> Running {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (send, log) = channel();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    let stdout = child.stdout.take();
    Running { child, log, seen: Vec::new(), stdout }
}

pub(crate) fn shows(client: &Client, text: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut last = String::new();
    let watch = async {
        let follow = Follow { topics: vec![Topic::Screen], ..Follow::default() };
        let mut socket = client.connect(&follow).await.unwrap();
        while let Some(message) = socket.next().await.unwrap() {
            let Incoming::Message(message) = message else { continue };
            let ServerMessage::Tagged(Tagged::Screen { screen, .. }) = *message else { continue };
            last = screen.lines.join("\n");
            if last.contains(text) {
                return;
            }
        }
    };
    let found = runtime.block_on(async { tokio::time::timeout(LIMIT, watch).await });
    assert!(found.is_ok() && last.contains(text), "never showed {text:?}:\n{last}");
    last
}

impl Running {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for a line on stderr with `text` in it.
    pub(crate) fn logs(&mut self, text: &str) -> String {
        if let Some(line) = self.seen.iter().find(|line| line.contains(text)) {
            return line.clone();
        }
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.log.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.contains(text) {
                        return line;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("never logged {text:?}: {:#?}", self.seen)
                }
            }
        }
    }

    /// Waits for its end; all it logged, and its code.
    pub(crate) fn wait(&mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.log.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("does not end: {:#?}", self.seen),
            }
        }
        (self.child.wait().unwrap().code(), self.seen.join("\n"))
    }

    /// The number after `"name":` in a logged line.
    pub(crate) fn logged_pid(&mut self) -> i32 {
        let line = self.logs("the program has started");
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        i32::try_from(line["pid"].as_i64().unwrap()).unwrap()
    }

    pub(crate) fn logged_url(&mut self) -> String {
        let line: serde_json::Value = serde_json::from_str(&self.logs("http://")).unwrap();
        line["address"].as_str().unwrap().to_owned()
    }
}

impl Drop for Running {
    /// Asked twice, coop kills what runs inside, and ends.
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        let _ = kill_process(self.pid(), Signal::TERM);
        let _ = kill_process(self.pid(), Signal::TERM);
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            if Instant::now() > deadline {
                let _ = self.child.kill();
            }
            std::thread::yield_now();
        }
    }
}

/// Reads until `text` has come; all that was read.
pub(crate) fn reads_until(from: &mut impl Read, text: &str) -> String {
    let mut got = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&got).contains(text) {
        let count = from.read(&mut piece).unwrap();
        assert!(count > 0, "ended without {text:?}: {}", String::from_utf8_lossy(&got));
        got.extend_from_slice(&piece[..count]);
    }
    String::from_utf8(got).unwrap()
}

/// Processes of a group that are not zombies.
pub(crate) fn alive_in_group(group: i32) -> Vec<String> {
    let listed = Command::new("ps").args(["-eo", "pgid=,stat=,args="]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let counts = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next() == Some(&group.to_string()) && words.next().is_some_and(|stat| !stat.starts_with('Z'))
    };
    listed.lines().filter(counts).map(str::to_owned).collect()
}
