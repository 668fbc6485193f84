//! What runs during the demo: the model, coop around the agent, and a client that follows its events. All of it ends
//! with the stage.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, IsTerminal as _, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use coop_testkit::agent::Hooks;
use coop_testkit::{Agent, Kind, Options, Scenario};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::Outcome;
use crate::inbox::{Inbox, News, Report};

/// A screen that fits into most windows.
const COLS: &str = "90";
const ROWS: &str = "30";
/// coop listens in milliseconds; a busy machine may take longer.
const START: Duration = Duration::from_secs(10);
/// What the agent gets to end by itself, and then coop to end after it.
const SHUTDOWN: Duration = Duration::from_secs(3);
const END: Duration = Duration::from_secs(8);
/// How often something is looked at that does not tell.
const GLANCE: Duration = Duration::from_millis(50);

pub(crate) struct Stage {
    coop: PathBuf,
    /// Name of the session.
    pub(crate) name: String,
    session: Child,
    follower: Option<Child>,
    /// Its home, its project and its model; they end with it.
    pub(crate) agent: Agent,
}

impl Stage {
    /// Starts the model, and coop around the newest agent there is.
    pub(crate) fn set(scenario: Scenario) -> Outcome<Self> {
        let coop = coop()?;
        let version = Kind::Claude.versions().last().ok_or("scripts/agents.txt names no claude")?;
        let options = Options { hooks: Hooks::None, ..Options::default() };
        let agent = Agent::launch(Kind::Claude, version, scenario, &options)?;
        let name = free_name(&coop);
        let log = File::create(log(&agent))?;
        let session = Command::new(&coop)
            .args(["--name", &name, "--cols", COLS, "--rows", ROWS, "--agent", "claude"])
            .args(["--shutdown-timeout", &SHUTDOWN.as_secs().to_string(), "--cwd"])
            .arg(&agent.project)
            .arg("--")
            .arg(&agent.command.program)
            .args(&agent.command.args)
            .env_clear()
            .envs(agent.command.env.iter().map(|(name, value)| (name, value)))
            // Where the person's own `coop` looks for sessions.
            .envs(std::env::var_os("XDG_RUNTIME_DIR").map(|folder| ("XDG_RUNTIME_DIR", folder)))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            // A Ctrl-C is for the demo, which then ends it.
            .process_group(0)
            .spawn()?;
        let mut stage = Self { coop, name, session, follower: None, agent };
        stage.until_served()?;
        Ok(stage)
    }

    /// Puts what the agent reports into the inbox.
    pub(crate) fn follow(&mut self, inbox: &Inbox) -> Outcome<()> {
        let mut follower = client(&self.coop);
        follower.args(["events", &self.name, "--follow", "--json"]).stdout(Stdio::piped()).process_group(0);
        let mut follower = follower.spawn()?;
        let events = follower.stdout.take().ok_or("the events cannot be read")?;
        self.follower = Some(follower);
        let news = inbox.sender.clone();
        thread::spawn(move || pass_on(events, &news));
        Ok(())
    }

    /// A command line as the person would type it.
    pub(crate) fn line(&self, verb: &str, args: &[&str]) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        let coop = self.coop.strip_prefix(here).unwrap_or(&self.coop);
        let quoted = args.iter().map(|arg| quoted(arg));
        [coop.display().to_string(), verb.to_owned(), "-s".to_owned(), self.name.clone()]
            .into_iter()
            .chain(quoted)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Runs that command. What it says when it fails is the error.
    pub(crate) fn run(&self, verb: &str, args: &[&str]) -> Outcome<String> {
        let done = client(&self.coop).args([verb, "-s", &self.name]).args(args).output()?;
        if done.status.success() {
            Ok(String::from_utf8_lossy(&done.stdout).into_owned())
        } else {
            Err(String::from_utf8_lossy(&done.stderr).trim_end().to_owned().into())
        }
    }

    /// The rows of the screen once they show `text`, or as they are when time is up.
    pub(crate) fn rows(&self, text: &str, limit: Duration) -> Outcome<Vec<String>> {
        let end = Instant::now() + limit;
        loop {
            let plain = self.run("screen", &[])?;
            if plain.contains(text) || Instant::now() > end {
                // Colours are for a terminal, not for a file.
                let painted = match std::io::stdout().is_terminal() {
                    true => self.run("screen", &["--format", "ansi"])?,
                    false => plain,
                };
                return Ok(painted.lines().map(str::to_owned).collect());
            }
            thread::sleep(GLANCE); // tidy: a screen is looked at, it does not tell
        }
    }

    fn until_served(&mut self) -> Outcome<()> {
        let end = Instant::now() + START;
        while self.run("status", &[]).is_err() {
            if self.session.try_wait()?.is_some() || Instant::now() > end {
                let said = fs::read_to_string(log(&self.agent)).unwrap_or_default();
                return Err(format!("coop did not start:\n{said}").into());
            }
            thread::sleep(GLANCE); // tidy: there is nobody to tell yet
        }
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        end(&mut self.session);
        if let Some(follower) = &mut self.follower {
            end(follower);
        }
    }
}

/// Asks a process of ours to end, and makes it.
fn end(child: &mut Child) {
    let limit = Instant::now() + END;
    // Not waited for until here, so the number is still its own.
    while matches!(child.try_wait(), Ok(None)) {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        match pid {
            Some(pid) if Instant::now() < limit => drop(kill_process(pid, Signal::TERM)),
            _ => drop(child.kill()),
        }
        thread::sleep(GLANCE); // tidy: a process that ends does not tell
    }
}

fn pass_on(events: impl Read, news: &Sender<News>) {
    for line in BufReader::new(events).lines().map_while(Result::ok) {
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        let told = match event["type"].as_str() {
            Some("program_status") => news.send(News::Report(report(&event))),
            _ => Ok(()),
        };
        if told.is_err() {
            return;
        }
    }
    // The demo has ended when nobody takes it.
    let _ = news.send(News::Over);
}

fn report(event: &Value) -> Report {
    let details = [&event["kind"], &event["message"]];
    let details = details.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join(": ");
    Report { state: event["state"].as_str().unwrap_or_default().to_owned(), details }
}

/// `coop`, without what the person's environment says about other sessions.
fn client(coop: &Path) -> Command {
    let mut command = Command::new(coop);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"COOP")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The one that was built beside this program.
fn coop() -> Outcome<PathBuf> {
    let coop = std::env::current_exe()?.with_file_name("coop");
    if coop.exists() { Ok(coop) } else { Err("coop is not built: run `make demo`".into()) }
}

/// `demo`, or another where a demo is running already.
fn free_name(coop: &Path) -> String {
    let is_taken = client(coop).args(["status", "demo"]).output().is_ok_and(|done| done.status.success());
    if is_taken { format!("demo-{}", std::process::id()) } else { "demo".to_owned() }
}

fn log(agent: &Agent) -> PathBuf {
    agent.home.join("coop.log")
}

/// For a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if text.chars().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
