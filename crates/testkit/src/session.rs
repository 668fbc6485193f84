//! A session for a test: coop, as the process it is, around a real agent that talks to the scripted model. A test acts
//! and waits as a client does, through HTTP and the WebSocket, and sees everything when a wait is in vain.

mod feed;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use coop_api::client::{Client, Endpoint};
use coop_api::v1;
use hyper::Method;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::bench::{GLANCE, LIMIT, REPAINT, SWALLOWED, Turn};
use crate::coop::{self, Coop};
use crate::screen::Screen;
use crate::sending::{Next, Seen, Sending};
use crate::tmux::Tmux;
use crate::{Agent, Kind, Options, Scenario, sight};
use feed::Feed;

/// Enough of coop's log to see what it did last.
const LOG_LINES: usize = 40;
/// What an agent gets to end by itself when the test is over.
const SHUTDOWN: &str = "1";

/// Ends when it is dropped: the agent, coop, the model and their folders.
#[derive(Debug)]
pub struct TestSession {
    pub client: Client,
    /// Where coop listens.
    pub socket: std::path::PathBuf,
    /// How long a wait may take.
    pub limit: Duration,
    feed: Arc<Feed>,
    runtime: Runtime,
    /// The number of the last event that was waited for, by type.
    seen: HashMap<String, u64>,
    /// How many of each hook were waited for.
    hooks: HashMap<String, usize>,
    // In this order: coop ends before the home of its agent is removed.
    coop: Coop,
    /// The tmux that the agent runs in, if it does.
    pub tmux: Option<Tmux>,
    /// The same of GNU Screen.
    pub screen: Option<Screen>,
    pub agent: Agent,
    _turn: Turn,
}

impl TestSession {
    /// Starts coop around an agent that plays `scenario`. What is wrong is in the panic, with what to do about it.
    #[must_use]
    #[track_caller]
    pub fn launch(kind: Kind, version: &str, scenario: &str, options: &Options) -> Self {
        let turn = Turn::take();
        let scenario = Scenario::parse("scenario", scenario).unwrap_or_else(|error| panic!("{error}"));
        let agent = Agent::launch(kind, version, scenario, options).unwrap_or_else(|error| panic!("{error}"));
        Self::around(agent, turn, options)
    }

    /// Ends it, and starts coop around the same agent once more: in the same home, and where the script has got to.
    #[must_use]
    #[track_caller]
    pub fn relaunch(self, options: &Options) -> Self {
        let Self { coop, tmux, screen, mut agent, hooks, _turn: turn, .. } = self;
        drop((coop, tmux, screen));
        agent.relaunch(options).unwrap_or_else(|error| panic!("{error}"));
        Self { hooks, ..Self::around(agent, turn, options) }
    }

    fn around(agent: Agent, turn: Turn, options: &Options) -> Self {
        let socket = agent.home.with_file_name("coop.sock");
        let tmux = options.tmux.then(|| Tmux::around(&agent));
        let screen = options.screen.then(|| Screen::around(&agent));
        let command = match (&tmux, &screen) {
            (Some(tmux), _) => tmux.attach(&agent, &socket, options),
            (None, Some(screen)) => screen.attach(&agent, &socket, options),
            (None, None) => command(&agent, &socket, options),
        };
        let mut coop = Coop::run(command);
        let client = Client::new(Endpoint::Unix(socket.clone()), None);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime: {error}"));
        let feed = Arc::new(Feed::new(agent.bell.clone()));
        feed.read_log(&coop.log_so_far, coop.log.take());
        runtime.spawn(Arc::clone(&feed).follow(client.clone()));
        Self {
            client,
            socket,
            limit: LIMIT,
            feed,
            runtime,
            seen: HashMap::new(),
            hooks: HashMap::new(),
            coop,
            tmux,
            screen,
            agent,
            _turn: turn,
        }
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.coop.process.id()
    }

    /// Runs one request of the client to its end.
    #[track_caller]
    pub fn ask<T>(&self, request: impl Future<Output = Result<T, coop_api::client::ClientError>>) -> T {
        self.runtime.block_on(request).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// Waits until `look` finds what it looks for. It is asked again whenever something has happened.
    #[track_caller]
    pub fn until<T>(&self, what: &str, look: impl FnMut(&Self) -> Option<T>) -> T {
        self.until_said(&|| what.to_owned(), look)
    }

    /// The same for what is said when the wait is over.
    #[track_caller]
    fn until_said<T>(&self, what: &dyn Fn() -> String, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let end = Instant::now() + self.limit;
        loop {
            let rings = self.agent.bell.rings();
            if let Some(found) = look(self) {
                return found;
            }
            let unexpected = sight::unexpected(&self.agent.model.events());
            assert!(unexpected.is_none(), "waiting for {}, the script has no reply: {unexpected:?}\n{self}", what());
            assert!(Instant::now() < end, "waited {:?} in vain for {}\n{self}", self.limit, what());
            self.agent.bell.wait(rings, GLANCE);
        }
    }

    /// The screen as coop last sent it.
    #[must_use]
    pub fn screen(&self) -> String {
        self.feed.screen()
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        self.until(&format!("{text:?} on the screen"), |session| session.screen().contains(text).then_some(()));
    }

    /// Waits until the screen does not show `text`.
    #[track_caller]
    pub fn hides(&self, text: &str) {
        self.until(&format!("no {text:?} on the screen"), |session| (!session.screen().contains(text)).then_some(()));
    }

    /// What coop wrote to its log so far.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.feed.log()
    }

    /// All events so far, each with the time it was first heard. What coop has published when this is called is
    /// among them, even if it is still on its way.
    #[must_use]
    pub fn timed_events(&self) -> Vec<(std::time::SystemTime, Value)> {
        let mut since = 0;
        let page = async |since| self.client.events(&v1::GetEventsRequest { since, limit: None }).await;
        while let Ok(published) = self.runtime.block_on(page(since)) {
            since = published.last;
            if published.events.is_empty() {
                break;
            }
            self.feed.add(published.events);
        }
        self.feed.timed_events()
    }

    /// Waits for the next event of this type that fits, after those of the type that were waited for before.
    #[track_caller]
    pub fn event(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let seen = self.seen.get(kind).copied().unwrap_or(0);
        let (number, event) = self.until(&format!("an event {kind} that fits, after number {seen}"), |session| {
            let mut new = session.feed.events().into_iter().filter(|(number, _)| *number > seen);
            new.find(|(_, event)| event["type"] == kind && fits(event))
        });
        self.seen.insert(kind.to_owned(), number);
        event
    }

    /// Waits for the next call of a hook by name, after those of that name that were waited for before.
    #[track_caller]
    pub fn hook(&mut self, event: &str) -> Value {
        let seen = self.hooks.get(event).copied().unwrap_or(0);
        let payload = self.until(&format!("hook {event} number {}", seen + 1), |session| {
            let calls = session.agent.hook_lines().into_iter().filter(|line| line.event == event);
            calls.map(|line| line.payload).nth(seen)
        });
        self.hooks.insert(event.to_owned(), seen + 1);
        payload
    }

    /// Waits for the next report of the agent about itself (OSC 7501) with this state.
    #[track_caller]
    pub fn reported(&mut self, state: &str) -> Value {
        self.event("program_status", |event| event["state"] == state)
    }

    /// Waits until what a GET of `path` answers is as `fits` says. An answer that is an error does not fit.
    #[track_caller]
    pub fn wait_json(&self, path: &str, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let last = RefCell::new(Value::Null);
        let what = || format!("{what} at {path}, which says {}", last.borrow());
        self.until_said(&what, |session| {
            let asked = session.runtime.block_on(session.client.request(Method::GET, path, &json!({})));
            last.replace(asked.unwrap_or_else(|error| error.to_string().into()));
            Some(last.borrow().clone()).filter(&fits)
        })
    }

    /// Presses keys by name, such as `Escape` or `Down Enter`.
    #[track_caller]
    pub fn press(&self, names: &str) {
        let keys = names.split_whitespace().map(str::to_owned).collect();
        self.ask(self.client.keys(&v1::SendKeysRequest { keys, lease: None }));
    }

    /// Sends text as if typed.
    #[track_caller]
    pub fn types(&self, text: &str) {
        self.input(text, false);
    }

    /// Sends text as if pasted.
    #[track_caller]
    pub fn paste(&self, text: &str) {
        self.input(text, true);
    }

    #[track_caller]
    fn input(&self, text: &str, paste: bool) {
        self.ask(self.client.input(&v1::SendInputRequest { text: text.to_owned(), enter: false, paste, lease: None }));
    }

    /// Gives the agent a message, and returns when it has taken it.
    #[track_caller]
    pub fn submit(&self, text: &str) {
        self.wait_json("/api/v1/screen", "bracketed paste", |screen| screen["modes"]["bracketed_paste"] == true);
        let taken = || sight::prompts(&self.agent.hook_lines(), &self.agent.model.events(), text);
        let mut sending = Sending::new(self.agent.kind, text, taken());
        self.until(&format!("{text:?} sent"), |session| {
            let seen = Seen { screen: &session.screen(), taken: taken(), has_ended: session.feed.has_ended() };
            match sending.next(Instant::now(), &seen) {
                Next::Clear => session.press("Ctrl-U"),
                Next::Paste => session.paste(text),
                Next::Enter => session.press("Enter"),
                Next::Wait => {}
                Next::Done => return Some(()),
            }
            None
        });
    }

    /// Presses a key in answer to a dialog, and again while `dialog` stays on the screen: one that has just opened takes
    /// no keys.
    #[track_caller]
    pub fn answer(&self, key: &str, dialog: &str) {
        self.shows(dialog);
        self.press(key);
        let (mut again, mut gone) = (Instant::now() + SWALLOWED, None);
        self.until(&format!("{key} to close {dialog:?}"), |session| {
            if !session.screen().contains(dialog) {
                return (gone.get_or_insert_with(Instant::now).elapsed() >= REPAINT).then_some(());
            }
            gone = None;
            if Instant::now() > again {
                session.press(key);
                again = Instant::now() + SWALLOWED;
            }
            None
        });
    }

    /// Checks that the whole script was played and nothing else was asked.
    #[track_caller]
    pub fn finish(self) {
        let unexpected = sight::unexpected(&self.agent.model.events());
        assert!(unexpected.is_none(), "the script has no reply: {unexpected:?}\n{self}");
        let unplayed = self.agent.model.unplayed();
        assert!(unplayed.is_empty(), "not played: {unplayed:?}\n{self}");
    }
}

/// What starts coop around an agent.
#[must_use]
pub fn command(agent: &Agent, socket: &std::path::Path, options: &Options) -> Command {
    let mut command = Command::new(options.program.as_deref().unwrap_or_else(|| coop::binary()));
    let size = agent.command.size;
    command
        .args(["--agent", agent.kind.name(), "--shutdown-timeout", SHUTDOWN])
        .args(["--cols", &size.cols().to_string(), "--rows", &size.rows().to_string()])
        .arg("--socket")
        .arg(socket)
        .arg("--cwd")
        .arg(&agent.project)
        .args(&options.coop)
        .arg("--")
        .arg(&agent.command.program)
        .args(&agent.command.args)
        // The agent inherits it, so nothing of the caller's may be in it.
        .env_clear()
        .envs(agent.command.env.iter().map(|(name, value)| (name, value)));
    command
}

impl fmt::Display for TestSession {
    /// All there is to see, for a test that failed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let events = self.feed.events().into_iter().map(|(_, event)| event.to_string());
        let log = self.feed.log();
        let nothing = json!({});
        let explain = self.client.request(Method::GET, "/api/v1/agent/explain", &nothing);
        let said: Result<Value, _> = self.runtime.block_on(explain);
        let evidence = match said {
            Ok(mut said) => said["recent"].take().as_array().into_iter().flatten().map(ToString::to_string).collect(),
            Err(error) => vec![error.to_string()],
        };
        let sections = [
            ("screen", vec![self.screen().trim_end().to_owned()]),
            ("events", events.collect()),
            ("evidence", evidence),
            ("hooks", sight::hook_rows(&self.agent.hook_lines())),
            ("model", sight::model_rows(&self.agent.model.events())),
            ("files of the agent", sight::own_rows(&self.agent.home)),
            ("log of coop", log[log.len().saturating_sub(LOG_LINES)..].to_vec()),
        ];
        sections.iter().try_for_each(|(name, rows)| writeln!(f, "--- {name}\n{}", rows.join("\n")))
    }
}
