//! One hub with as many agents as nobody has: what it costs, how soon a board hears of what happens, and whether anything
//! is ever lost. Agents are played by their hooks, which are all that a hub sees of them.

mod crash;
mod load;
mod prompts;
mod resume;

pub(super) use load::payload;

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, bail, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use tungstenite::WebSocket;

use super::Setup;
use super::http::Http;
use super::process::{self, PATIENCE, Process, Usage, wait_for};
use super::report::{Section, Table, mebibytes, number, percent};
use super::stats::Delays;

const SESSIONS: usize = 2000;
/// Most of what happens on a board is seen within this, in milliseconds.
const SOON: f64 = 20.0;

#[derive(Debug, Serialize)]
struct Found {
    sessions: usize,
    /// Bytes of the hub: with nobody, with all sessions at rest, and after what they did.
    resident: [u64; 3],
    load: load::Found,
    resumed: resume::Found,
    prompts: prompts::Found,
    crash: crash::Found,
}

pub(super) fn measure(setup: &Setup) -> anyhow::Result<Section> {
    let seconds = if setup.quick { 5 } else { 20 };
    let rounds = if setup.quick { 25 } else { 100 };
    let hub = Hub::start(&setup.coop)?;
    let empty = hub.usage()?.resident;
    let mut http = hub.http()?;
    for session in 0..SESSIONS {
        http.json("POST", "/api/v1/hooks/SessionStart", &load::payload(session))?;
        http.json("POST", "/api/v1/hooks/Stop", &load::payload(session))?;
    }
    let at_rest = hub.usage()?.resident;
    let (load, resumed) = load::run(&hub, seconds, rounds)?;
    let resident = [empty, at_rest, hub.usage()?.resident];
    let prompts = prompts::run(&hub, if setup.quick { 100 } else { 500 })?;
    let crash = crash::run(&setup.coop, if setup.quick { 10 } else { 50 })?;
    let found = Found { sessions: SESSIONS, resident, load, resumed, prompts, crash };
    let mut section = Section::new("hub", found.table(), &found)?;
    let late = found.load.delay_ms.p99;
    if late >= SOON {
        section.missed.push(format!("hub: p99 from event to subscriber is {late:.1} ms, and not below {SOON} ms"));
    }
    Ok(section)
}

impl Found {
    fn table(&self) -> Table {
        let heading = format!(
            "One hub with {} sessions: {} events in {} s, each to a subscriber; nothing was lost",
            self.sessions, self.load.events, self.load.seconds
        );
        let mut table = Table::new(heading, &["milliseconds", "p50", "p99", "most"]);
        let mut row = |what: &str, Delays { p50, p99, most }: Delays| {
            table.row([what.to_owned(), number(p50), number(p99), number(most)]);
        };
        row("event due → read by a subscriber", self.load.delay_ms);
        row("answer sent → hook has it", self.prompts.delay_ms);
        row("kill -9 → the next hub answers", self.crash.back_ms);
        let [empty, at_rest, busy] = self.resident;
        let each = |bytes: u64| number(bytes.saturating_sub(empty) as f64 / 1024.0 / self.sessions as f64);
        let all = mebibytes(busy as f64);
        table.note(format!("memory: {} KiB a session at rest, {} KiB after the load", each(at_rest), each(busy)));
        table.note(format!("{all} MiB in all, of which {} MiB without sessions", mebibytes(empty as f64)));
        table.note(format!("CPU of the hub under load: {} of one core", percent(self.load.cpu)));
        table.note(format!(
            "a stream resumed {} times: {} events, none lost, none twice",
            self.resumed.rounds, self.resumed.events
        ));
        table.note(format!("{} parked prompts answered in random order, each by its own answer", self.prompts.count));
        table.note(format!(
            "killed {} times: {} things acknowledged, all there",
            self.crash.kills, self.crash.acknowledged
        ));
        table
    }
}

/// The hub as it is measured.
#[derive(Debug)]
pub(super) struct Hub {
    binary: PathBuf,
    process: Process,
    folder: tempfile::TempDir,
}

impl Hub {
    pub(super) fn start(binary: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let process = spawn(binary, folder.path())?;
        let mut hub = Self { binary: binary.to_owned(), process, folder };
        hub.wait()?;
        Ok(hub)
    }

    fn wait(&mut self) -> anyhow::Result<()> {
        let answers = wait_for("the hub to answer", || match self.http().and_then(|mut http| http.get(HEALTH)) {
            Ok(_) => Some(true),
            Err(_) => self.process.has_ended().then_some(false),
        })?;
        ensure!(answers, "the hub ended instead of serving");
        Ok(())
    }

    /// Ends it as a crash would. Returns when the next one answers.
    fn crash(&mut self) -> anyhow::Result<()> {
        self.process.kill();
        self.process = spawn(&self.binary, self.folder.path())?;
        self.wait()
    }

    pub(super) fn socket(&self) -> PathBuf {
        socket(self.folder.path())
    }

    pub(super) fn http(&self) -> anyhow::Result<Http> {
        Http::connect(&self.socket())
    }

    fn usage(&self) -> anyhow::Result<Usage> {
        self.process.usage()
    }
}

const HEALTH: &str = "/api/v1/health";

fn socket(folder: &Path) -> PathBuf {
    folder.join("hub.sock")
}

fn spawn(binary: &Path, folder: &Path) -> anyhow::Result<Process> {
    let mut command = process::leashed(binary.as_os_str())?;
    command.env("XDG_RUNTIME_DIR", folder).env("HOME", folder).env_remove("XDG_STATE_HOME").stderr(Stdio::inherit());
    command.args(["hub", "--log-level", "error", "--socket"]).arg(socket(folder));
    Process::spawn(command)
}

/// Somebody who follows the board.
struct Subscriber {
    socket: WebSocket<UnixStream>,
    generation: u64,
    /// The last event that was seen.
    seq: u64,
}

/// As much of an event as is looked at.
#[derive(Debug, serde::Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    seq: u64,
    #[serde(default)]
    next: String,
    #[serde(default)]
    resume: String,
    session: Option<Whose>,
}

#[derive(Debug, serde::Deserialize)]
struct Whose {
    session_id: String,
}

impl Subscriber {
    /// From now on, or from where another one was.
    fn new(socket: &Path, after: Option<(u64, u64)>) -> anyhow::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let query = after.map(|(generation, seq)| format!("?last_event_id={generation}:{seq}")).unwrap_or_default();
        let Ok((mut socket, _)) = tungstenite::client(format!("ws://localhost/ws{query}"), stream) else {
            bail!("the hub refused a WebSocket");
        };
        let hello: Value = serde_json::from_str(socket.read()?.to_text()?)?;
        let number = |key: &str| hello[key].as_u64().with_context(|| format!("no `{key}` in the greeting: {hello}"));
        let (generation, newest) = (number("generation")?, number("seq")?);
        let mut subscriber = Self { socket, generation, seq: after.map_or(newest, |(_, seq)| seq) };
        if after.is_some() {
            let first = subscriber.message()?;
            ensure!(first.kind == "resume" && first.resume == "ok", "it cannot be resumed: {first:?}");
        }
        Ok(subscriber)
    }

    /// The next event, which follows the last one: none is lost, none comes twice.
    fn next(&mut self) -> anyhow::Result<Event> {
        let event = self.message()?;
        ensure!(event.seq == self.seq + 1, "event {} after {}: {event:?}", event.seq, self.seq);
        self.seq = event.seq;
        Ok(event)
    }

    fn message(&mut self) -> anyhow::Result<Event> {
        loop {
            if let tungstenite::Message::Text(text) = self.socket.read()? {
                return serde_json::from_str(&text).with_context(|| format!("{text}"));
            }
        }
    }
}

/// A request for a permission, in the words of the bridge.
fn request(session: &str, command: &str) -> Value {
    let params = json!({ "session_id": session, "tool_name": "Bash", "tool_input": { "command": command } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params })
}
