//! A hub for a test: `coop hub` as the process it is, in a home of its own, with the commands that talk to it.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Instant;

use coop_api::client::{Client, Endpoint};
use hyper::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::bench::{GLANCE, LIMIT};
use crate::coop;

/// Where a hub and the agents beside it meet: the folder of sockets. Made first, so that agents can be told of it.
#[derive(Debug)]
pub struct Meeting {
    folder: TempDir,
}

impl Default for Meeting {
    fn default() -> Self {
        let folder = tempfile::Builder::new().prefix("coop-hub-").tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("a folder of our own");
        Self { folder }
    }
}

impl Meeting {
    /// What a program needs in its environment to find it.
    #[must_use]
    pub fn env(&self) -> (String, String) {
        ("XDG_RUNTIME_DIR".into(), self.folder.path().to_string_lossy().into_owned())
    }

    /// The socket of the hub.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("coop/hub.sock")
    }
}

/// Ends when it is dropped.
#[derive(Debug)]
pub struct TestHub {
    pub client: Client,
    pub meeting: Meeting,
    /// What it said when it was started: where it listens.
    pub said: Vec<String>,
    home: PathBuf,
    arguments: Vec<String>,
    process: Child,
    runtime: Runtime,
}

impl TestHub {
    /// In the home of an agent. It listens when this returns.
    #[must_use]
    pub fn start(meeting: Meeting, home: &Path, arguments: &[&str]) -> Self {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let (process, said) = run(&meeting, home, &arguments);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let client = Client::new(Endpoint::Unix(meeting.socket()), None);
        let runtime = runtime.expect("a runtime");
        Self { client, meeting, said, home: home.to_owned(), arguments, process, runtime }
    }

    /// coop beside it, before it is told what to do.
    #[must_use]
    pub fn command(&self) -> Command {
        command(&self.meeting, &self.home)
    }

    /// `coop ARGUMENTS` as a person beside it would type it.
    #[must_use]
    pub fn coop(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).stdin(Stdio::null()).output().expect("coop")
    }

    /// The same, which must work: what it prints.
    #[track_caller]
    pub fn does(&self, arguments: &[&str]) -> String {
        let output = self.coop(arguments);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "coop {arguments:?}: {err}\n{out}");
        out.into_owned()
    }

    /// What a GET answers; an error is one of the JSON.
    #[must_use]
    pub fn json(&self, path: &str) -> Value {
        let asked = self.runtime.block_on(self.client.request(Method::GET, path, &json!({})));
        asked.unwrap_or_else(|error| json!({ "error": error.to_string() }))
    }

    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, coop_api::client::ClientError> {
        self.runtime.block_on(self.client.request(Method::POST, path, body))
    }

    /// Waits until what a GET of `path` answers has what `find` looks for.
    #[track_caller]
    pub fn until<T>(&self, path: &str, what: &str, find: impl Fn(&Value) -> Option<T>) -> T {
        let last = RefCell::new(Value::Null);
        let end = Instant::now() + LIMIT;
        loop {
            last.replace(self.json(path));
            if let Some(found) = find(&last.borrow()) {
                return found;
            }
            assert!(Instant::now() < end, "waited in vain for {what} at {path}, which says {:#}", last.borrow());
            thread::sleep(GLANCE); // tidy: what another process publishes is asked for
        }
    }

    /// Waits for a session that fits, also among those that have ended.
    #[track_caller]
    pub fn session(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.until("/api/v1/sessions?all=true", what, |all| {
            all["sessions"].as_array()?.iter().find(|session| fits(session)).cloned()
        })
    }

    /// Waits for a prompt that fits.
    #[track_caller]
    pub fn prompt(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.until("/api/v1/prompts", what, |all| {
            all["prompts"].as_array()?.iter().find(|prompt| fits(prompt)).cloned()
        })
    }

    /// Waits for how a request ended.
    #[track_caller]
    pub fn settled(&self, id: &Value) -> Value {
        self.until("/api/v1/history", &format!("the end of request {id}"), |all| {
            all["history"].as_array()?.iter().find(|settled| settled["id"] == *id).cloned()
        })
    }

    /// Its port on this machine, if it was given one.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        let address = self.said.iter().find_map(|line| line.split_once("://127.0.0.1:"))?.1;
        address.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// Kills it as a crash would, and starts it again in the same home.
    pub fn crash(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        (self.process, self.said) = run(&self.meeting, &self.home, &self.arguments);
    }
}

impl Drop for TestHub {
    fn drop(&mut self) {
        let limit = Instant::now() + LIMIT;
        while matches!(self.process.try_wait(), Ok(None)) {
            match Instant::now() < limit {
                true => drop(kill_process(Pid::from_child(&self.process), Signal::TERM)),
                false => drop(self.process.kill()),
            }
            thread::sleep(GLANCE); // tidy: a process that ends does not tell
        }
    }
}

fn command(meeting: &Meeting, home: &Path) -> Command {
    let mut command = Command::new(coop::binary());
    let (name, value) = meeting.env();
    // What a test puts there is found first.
    let own = [home.join("bin")].into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.chain(std::env::split_paths(&path))).expect("a path");
    command.env_clear().env("HOME", home).env("PATH", path).env(name, value).current_dir(home);
    command
}

fn run(meeting: &Meeting, home: &Path, arguments: &[String]) -> (Child, Vec<String>) {
    let mut command = command(meeting, home);
    command
        .args(["hub", "--log-level", "warn"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let mut process = command.spawn().unwrap_or_else(|error| panic!("the hub does not start: {error}"));
    let mut said = BufReader::new(process.stdout.take().expect("its output"));
    // It says a line for each address, and nothing else.
    let places = if arguments.iter().any(|argument| argument == "--port") { 2 } else { 1 };
    let lines: Vec<String> = said.by_ref().lines().take(places).map_while(Result::ok).collect();
    assert_eq!(lines.len(), places, "the hub does not start: {lines:?}");
    thread::spawn(move || said.lines().map_while(Result::ok).for_each(drop));
    (process, lines)
}
