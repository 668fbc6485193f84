//! The agent's own files, watched on a thread of their own: the registry of running sessions, and the session log.
//!
//! Files are read here and nowhere else, so that a slow disk delays neither the terminal nor a request about it. The
//! watcher is a hint; every ten seconds the files are looked at anyway.

mod log;
mod registry;
mod spool;
mod transcripts;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use coop_core::agent::cost::{Cost, Prices};
use coop_core::agent::evidence::{Evidence, Source};
use coop_core::agent::spent::Spent;
use coop_drivers::{Driver, Recipe};
use notify::{RecursiveMode, Watcher as _};
use tokio::sync::{mpsc, oneshot};

use crate::handle::agent::{Catchup, ConversationPage, HookCall, TranscriptInfo};
use crate::{SessionError, logs};
use coop_machine::clock;
pub(crate) use coop_machine::clock::{instant_of, now_ms};
use log::LogFile;
use registry::Registry;
use spool::Spool;
use transcripts::Transcripts;

/// The bound within which a lost notification is made good.
const POLL: Duration = Duration::from_secs(10);
/// What may wait for the owner.
const QUEUE: usize = 256;

pub(crate) struct Settings {
    pub(crate) recipe: Recipe,
    /// The process that was started; the agent is it or one of its descendants.
    pub(crate) child: u32,
    /// Where it works.
    pub(crate) cwd: PathBuf,
    /// Where the agent keeps its files.
    pub(crate) config_dir: Option<PathBuf>,
    /// Where coop keeps what it saves of this agent's conversations.
    pub(crate) state_dir: Option<PathBuf>,
    /// Where hooks that could not reach us leave what they had to say.
    pub(crate) spool: Option<PathBuf>,
    pub(crate) registry: bool,
    pub(crate) log: bool,
    pub(crate) prices: Arc<Prices>,
}

/// What was found in the files.
#[derive(Debug)]
pub(crate) enum Found {
    Evidence(Box<Evidence>),
    Session {
        id: String,
    },
    /// What the conversation has used and cost so far.
    Spent(Spent),
    /// The model that spoke last.
    Model(String),
    Hook(HookCall),
}

#[derive(Debug)]
pub(crate) enum Command {
    Changed(Vec<PathBuf>),
    /// The agent says what it cost, in picodollars.
    Cost(u64),
    /// The conversation is in this file.
    Log(PathBuf),
    /// The conversation has this id.
    Session(String),
    /// To be told after what the log has to say.
    ReadLogFirst(Box<Evidence>),
    Conversation {
        after_line: u64,
        limit: usize,
        reply: oneshot::Sender<Result<ConversationPage, SessionError>>,
    },
    Transcripts {
        reply: oneshot::Sender<Result<Vec<TranscriptInfo>, SessionError>>,
    },
    Catchup {
        since_transcript: u64,
        since_line: u64,
        reply: oneshot::Sender<Result<Catchup, SessionError>>,
    },
    /// Keep the conversation as it is now.
    Snapshot {
        done: oneshot::Sender<Option<TranscriptInfo>>,
    },
}

#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) found: mpsc::Receiver<Found>,
    commands: Sender<Command>,
}

impl Sources {
    /// The thread lives as long as this; a command it cannot take drops its reply, which says so.
    pub(crate) fn send(&self, command: Command) {
        drop(self.commands.send(command));
    }
}

pub(crate) fn start(settings: Settings) -> std::io::Result<Sources> {
    let (commands, inbox) = channel();
    let (sender, found) = mpsc::channel(QUEUE);
    let changes = commands.clone();
    std::thread::Builder::new()
        .name("coop-files".into())
        .spawn(move || Files::new(settings, sender, changes).run(&inbox))?;
    Ok(Sources { found, commands })
}

struct Files {
    recipe: Recipe,
    driver: Box<dyn Driver>,
    watcher: Option<notify::RecommendedWatcher>,
    watched: Vec<PathBuf>,
    config_dir: Option<PathBuf>,
    registry: Option<Registry>,
    log: Option<LogFile>,
    use_log: bool,
    session: Option<String>,
    child: u32,
    cwd: PathBuf,
    /// Logs of others, looked at since the last poll.
    foreign: HashSet<PathBuf>,
    transcripts: Transcripts,
    spool: Option<Spool>,
    started_ms: u64,
    prices: Arc<Prices>,
    said_cost: Option<u64>,
    /// What was told of the conversation's cost last.
    spent: Spent,
    found: mpsc::Sender<Found>,
}

impl Files {
    fn new(settings: Settings, found: mpsc::Sender<Found>, changes: Sender<Command>) -> Self {
        // Without a watcher the files are still polled.
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Ok(event) = event
                && !event.kind.is_access()
            {
                drop(changes.send(Command::Changed(event.paths)));
            }
        })
        .inspect_err(|error| tracing::warn!(%error, "files are not watched, only polled"))
        .ok();
        let driver = settings.recipe.driver();
        let sessions = settings.config_dir.as_ref().filter(|_| settings.registry);
        let sessions = sessions.zip(driver.paths().registry).map(|(dir, registry)| dir.join(registry));
        Self {
            registry: sessions.map(|folder| Registry::new(folder, settings.child)),
            child: settings.child,
            cwd: settings.cwd,
            foreign: HashSet::new(),
            driver,
            recipe: settings.recipe,
            watcher,
            watched: Vec::new(),
            config_dir: settings.config_dir,
            log: None,
            use_log: settings.log,
            session: None,
            transcripts: Transcripts::new(settings.state_dir),
            spool: settings.spool.map(Spool::new),
            started_ms: clock::now_ms(),
            prices: settings.prices,
            said_cost: None,
            spent: Spent::default(),
            found,
        }
    }

    fn run(&mut self, inbox: &Receiver<Command>) {
        self.poll();
        let mut polled = Instant::now();
        loop {
            let wait = POLL.saturating_sub(polled.elapsed());
            match inbox.recv_timeout(wait) {
                Ok(command) => self.command(command),
                Err(RecvTimeoutError::Timeout) => {
                    self.poll();
                    polled = Instant::now();
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.found.is_closed() {
                return;
            }
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            // Somebody else reads them now.
            Command::Changed(_) if self.found.is_closed() => {}
            Command::Changed(paths) => self.changed(&paths),
            Command::Cost(said) => {
                self.said_cost = Some(said);
                self.tell_spent();
            }
            // It may be told by way of a link.
            Command::Log(path) => self.open_log(path.canonicalize().unwrap_or(path)),
            Command::Session(id) => self.session(id),
            Command::ReadLogFirst(evidence) => {
                self.look_for_log();
                self.send(Found::Evidence(evidence));
            }
            Command::Conversation { after_line, limit, reply } => {
                self.look_for_log();
                let page = match &mut self.log {
                    Some(log) => log.conversation(after_line, limit),
                    None => Ok(log::empty_page()),
                };
                let page = page.map(|page| {
                    let spent = self.priced(page.spent);
                    ConversationPage { session_id: self.session.clone(), spent, ..page }
                });
                drop(reply.send(page.map_err(|error| SessionError::Terminal(error.to_string()))));
            }
            Command::Transcripts { reply } => {
                drop(reply.send(Ok(self.transcripts.list(self.session.as_deref()))));
            }
            Command::Catchup { since_transcript, since_line, reply } => {
                self.look_for_log();
                let mut catchup = self.log.as_ref().map(|log| log.lines_since(since_line)).unwrap_or_default();
                catchup.transcripts = self.transcripts.list(self.session.as_deref());
                catchup.transcripts.retain(|info| info.number > since_transcript);
                drop(reply.send(Ok(catchup)));
            }
            Command::Snapshot { done } => {
                let path = self.log.as_ref().map(LogFile::path);
                let info = path.and_then(|path| self.transcripts.snapshot(self.session.as_deref(), path));
                drop(done.send(info));
            }
        }
    }

    fn look_for_log(&mut self) {
        if self.log.is_none() {
            self.find_log();
        }
        self.read_log();
    }

    fn poll(&mut self) {
        self.foreign.clear();
        self.watch_folders();
        self.read_spool();
        self.read_registry();
        self.find_log();
        self.read_log();
    }

    fn read_spool(&mut self) {
        let calls = self.spool.as_mut().map(Spool::take).unwrap_or_default();
        for call in calls {
            self.send(Found::Hook(call));
        }
    }

    fn changed(&mut self, paths: &[PathBuf]) {
        let is_log = self.log.as_ref().is_some_and(|log| paths.iter().any(|path| path == log.path()));
        if is_log {
            self.read_log();
        }
        if self.spool.as_ref().is_some_and(|spool| paths.iter().any(|path| path == spool.path())) {
            self.read_spool();
        }
        // A folder that has just been made may hold what is looked for.
        let more = self.watch_folders();
        let registry = self.registry.as_ref().is_some_and(|registry| paths.iter().any(|path| registry.has(path)));
        if registry || more {
            self.read_registry();
        }
        let others = paths.iter().filter(|path| self.is_other_log(path)).cloned().collect::<Vec<_>>();
        if self.log.is_none() || !others.is_empty() {
            self.find_log();
        }
        let open = self.log.as_ref().map(|log| log.path().to_owned());
        // One that has just been made does not say yet whose it is.
        let judged = others.into_iter().filter(|path| logs::head(self.driver.as_ref(), path).is_some());
        self.foreign.extend(judged.filter(|path| Some(path) != open.as_ref()));
    }

    /// A log that has not been looked at: the agent may have gone on to another conversation.
    fn is_other_log(&self, path: &Path) -> bool {
        let open = self.log.as_ref().is_some_and(|log| log.path() == path);
        self.follows_process()
            && !open
            && !self.foreign.contains(path)
            && logs::id(self.driver.as_ref(), path).is_some()
    }

    /// No registry tells which conversation is under way.
    fn follows_process(&self) -> bool {
        self.driver.paths().registry.is_none()
    }

    /// Watches what exists of the folders that matter. True if that is more than before.
    fn watch_folders(&mut self) -> bool {
        let config = self.config_dir.clone();
        let home = config.as_ref().and_then(|config| config.parent().map(ToOwned::to_owned));
        // Only until the folder in it is there.
        let home = home.filter(|_| config.as_ref().is_some_and(|config| !config.is_dir()));
        let registry = self.registry.as_ref().map(|registry| registry.folder().to_owned());
        let parent = |path: &Path| path.parent().map(ToOwned::to_owned);
        let log = self.log.as_ref().and_then(|log| parent(log.path()));
        let spool = self.spool.as_ref().and_then(|spool| parent(spool.path()));
        let before = self.watched.len();
        let logs = self
            .config_dir
            .as_ref()
            .filter(|_| self.follows_process())
            .map(|dir| logs::newest_folders(&logs::root(self.driver.as_ref(), dir), self.driver.paths().log_depth));
        let marked = self.config_dir.as_ref().map(|dir| logs::marked_folders(self.driver.as_ref(), dir, &self.cwd));
        let logs = logs.into_iter().chain(marked).flatten();
        for folder in [home, config, registry, log, spool].into_iter().flatten().chain(logs) {
            if self.watched.contains(&folder) || !folder.is_dir() {
                continue;
            }
            if let Some(watcher) = &mut self.watcher
                && watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok()
            {
                self.watched.push(folder);
            }
        }
        self.watched.len() > before
    }

    fn read_registry(&mut self) {
        let Some(registry) = &mut self.registry else { return };
        let Some(entry) = registry.read(self.driver.as_mut()) else { return };
        if let Some(id) = entry.session_id.clone() {
            self.session(id);
        }
        let (Some(look), Some(at_ms)) = (entry.look, entry.status_at_ms) else { return };
        let fact = coop_core::agent::Fact::Looks(look);
        self.tell(Evidence { source: Source::Registry, at: instant_of(at_ms), turn: None, fact });
    }

    fn session(&mut self, id: String) {
        if self.session.as_ref() == Some(&id) {
            return;
        }
        let first = self.session.is_none();
        self.session = Some(id.clone());
        if !first {
            // Another conversation under the same process has another file.
            self.log = None;
        }
        self.send(Found::Session { id });
        self.find_log();
    }

    fn find_log(&mut self) {
        let Some(dir) = self.config_dir.clone() else { return };
        let driver = self.driver.as_ref();
        if self.follows_process() {
            let found = logs::of_process(driver, &dir, self.child, &self.cwd, self.started_ms);
            if let Some((path, id)) = found.and_then(|path| Some((path.clone(), logs::whole_id(driver, &path)?))) {
                return self.follow(path, id);
            }
        }
        if self.log.is_some() {
            return;
        }
        if let Some(path) = self.session.as_ref().and_then(|id| logs::by_id(driver, &dir, id)) {
            self.open_log(path);
        }
    }

    /// The process writes this log.
    fn follow(&mut self, path: PathBuf, id: String) {
        if self.session.as_ref() != Some(&id) {
            self.session = Some(id.clone());
            self.send(Found::Session { id });
        }
        if self.log.as_ref().is_none_or(|log| log.path() != path) {
            self.open_log(path);
        }
    }

    fn open_log(&mut self, path: PathBuf) {
        if self.log.as_ref().is_none_or(|log| log.path() != path) {
            self.log = Some(LogFile::new(path, &self.recipe, self.prices.clone()));
        }
        self.watch_folders();
        self.read_log();
    }

    fn read_log(&mut self) {
        let Some(log) = &mut self.log else { return };
        let mut heard = Vec::new();
        log.read(|line| heard.push(self.driver.log_line(line)));
        if let Some(model) = heard.iter().rev().find_map(|heard| heard.model.clone()) {
            self.send(Found::Model(model));
        }
        self.tell_spent();
        if !self.use_log {
            return;
        }
        for heard in heard {
            // What was written before this process is the past.
            let Some(at_ms) = heard.at_ms.filter(|at| *at >= self.started_ms) else { continue };
            // Read once: what one line says happened at one time, however the clocks are read.
            let at = instant_of(at_ms);
            for fact in heard.facts {
                self.tell(Evidence { source: Source::Log, at, turn: heard.turn.clone(), fact });
            }
        }
    }

    fn tell_spent(&mut self) {
        let spent = self.priced(self.log.as_ref().map(LogFile::spent).unwrap_or_default());
        if spent != self.spent {
            self.spent = spent;
            self.send(Found::Spent(spent));
        }
    }

    /// What the agent says it was in all is better than what was counted.
    fn priced(&self, spent: Spent) -> Spent {
        Spent { cost: self.said_cost.map(Cost::said).or(spent.cost), ..spent }
    }

    fn tell(&self, evidence: Evidence) {
        self.send(Found::Evidence(Box::new(evidence)));
    }

    fn send(&self, found: Found) {
        // The owner may be gone; the next turn of the loop sees that.
        drop(self.found.blocking_send(found));
    }
}
