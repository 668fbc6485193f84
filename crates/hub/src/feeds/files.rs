//! The files an agent keeps of its running sessions, and their logs: every agent on the machine, with nothing configured.
//!
//! Files are read on a thread of their own, and nowhere else. The watcher is a hint; every ten seconds all is looked at
//! anyway.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use coop_core::agent::cost::Prices;
use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::fleet::{Control, Process, Sighting};
use coop_drivers::{Driver, RegistryEntry};
use coop_machine::clock::{instant_of, now_ms};
use coop_machine::{git, process, regular};
use notify::{RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use super::news::{Log, News};
use super::{POLL, Told};

pub(super) fn start(agent: &str, config: PathBuf, prices: Arc<Prices>, tell: mpsc::Sender<Told>) -> io::Result<()> {
    // Agents that keep no list of what runs are known by their sidecars and hooks only.
    let driver = coop_drivers::driver(agent).filter(|driver| driver.paths().registry.is_some());
    let Some(driver) = driver else { return Ok(()) };
    let (changes, inbox) = channel();
    // Without a watcher the files are still polled.
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            drop(changes.send(event.paths));
        }
    })
    .inspect_err(|error| tracing::warn!(%error, "files are not watched, only polled"))
    .ok();
    let files = Files { driver, config, prices, watcher, watched: Vec::new(), running: HashMap::new(), tell };
    std::thread::Builder::new().name("coop-files".into()).spawn(move || files.run(&inbox))?;
    Ok(())
}

struct Files {
    driver: Box<dyn Driver>,
    config: PathBuf,
    prices: Arc<Prices>,
    watcher: Option<notify::RecommendedWatcher>,
    watched: Vec<PathBuf>,
    /// By the file in which the agent keeps its status.
    running: HashMap<PathBuf, Running>,
    tell: mpsc::Sender<Told>,
}

/// One process of the agent.
struct Running {
    process: Process,
    /// What its file said last.
    text: String,
    conversation: Option<String>,
    cwd: Option<String>,
    branch: Option<String>,
    log: Option<Log>,
    /// What was written before is the past.
    seen_ms: u64,
}

impl Files {
    fn run(mut self, inbox: &Receiver<Vec<PathBuf>>) {
        self.poll();
        let mut polled = Instant::now();
        while !self.tell.is_closed() {
            match inbox.recv_timeout(POLL.saturating_sub(polled.elapsed())) {
                Ok(paths) => self.changed(&paths),
                Err(RecvTimeoutError::Timeout) => {
                    self.poll();
                    polled = Instant::now();
                }
                // Without a watcher nobody sends.
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(POLL);
                    self.poll();
                }
            }
        }
    }

    fn registry(&self) -> PathBuf {
        self.config.join(self.driver.paths().registry.unwrap_or_default())
    }

    fn logs(&self) -> PathBuf {
        self.config.join(self.driver.paths().logs)
    }

    fn poll(&mut self) {
        self.watch_folders();
        self.running.retain(|_, running| process::started(running.process.pid) == Some(running.process.started));
        let files = fs::read_dir(self.registry()).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in files.collect::<Vec<_>>() {
            self.read_registry(&path);
        }
        for path in self.running.keys().cloned().collect::<Vec<_>>() {
            self.read_log(&path);
        }
    }

    fn changed(&mut self, paths: &[PathBuf]) {
        let registry = self.registry();
        let more = self.watch_folders();
        for path in paths.iter().filter(|path| path.parent() == Some(&registry)) {
            self.read_registry(path);
        }
        if more {
            // A folder that has just been made may hold what is looked for.
            return self.poll();
        }
        let logs = self.logs();
        for path in paths.iter().filter(|path| path.starts_with(&logs)) {
            let id = path.file_stem().unwrap_or_default();
            let of = |running: &Running| running.conversation.as_ref().is_some_and(|own| id == own.as_str());
            let its: Vec<PathBuf> = self.running.iter().filter(|(_, r)| of(r)).map(|(path, _)| path.clone()).collect();
            for file in its {
                self.read_log(&file);
            }
        }
    }

    /// Watches what exists of the folders that matter. True if that is more than before.
    fn watch_folders(&mut self) -> bool {
        let home = self.config.parent().map(Path::to_owned).filter(|_| !self.config.is_dir());
        let logs = self.running.values().filter_map(|running| running.log.as_ref()?.path().parent());
        let mut wanted: Vec<PathBuf> = logs.map(Path::to_owned).collect();
        // Where the log of a session will be that has none yet.
        let cwds = self.running.values().filter_map(|running| running.cwd.as_deref());
        wanted.extend(cwds.filter_map(|cwd| self.driver.log_folder(cwd)).map(|folder| self.logs().join(folder)));
        wanted.extend([self.config.clone(), self.registry(), self.logs()].into_iter().chain(home));
        let before = self.watched.len();
        for folder in wanted {
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

    /// What is new in the file of a process. One that no longer runs, or is another by now, says nothing.
    fn read_registry(&mut self, path: &Path) {
        let Some(pid) = pid_of(path) else { return };
        let Ok(text) = regular::read_to_string(path, regular::SMALL) else { return };
        if self.running.get(path).is_some_and(|running| running.text == text) {
            return;
        }
        let Some(entry) = self.driver.registry(&text) else { return };
        let Some(started) = process::started(pid).filter(|started| is_its_own(&entry, *started)) else {
            self.running.remove(path);
            return;
        };
        let process = Process { host: None, pid, started };
        let known = self.running.remove(path).filter(|running| running.process == process);
        let first = known.is_none();
        let mut running = known.unwrap_or_else(|| Running::new(process));
        if entry.session_id != running.conversation {
            // Another conversation under the same process has another file.
            running.log = None;
            running.conversation.clone_from(&entry.session_id);
        }
        running.text = text;
        running.cwd.clone_from(&entry.cwd);
        running.branch = entry.cwd.as_deref().and_then(|cwd| git::branch(Path::new(cwd)));
        let mut sighting = running.sighting(self.driver.name());
        sighting.version.clone_from(&entry.version);
        sighting.title = entry.name.filter(|_| first);
        let look = entry.look.zip(entry.status_at_ms).map(|(look, at_ms)| Evidence {
            source: Source::Registry,
            at: instant_of(at_ms),
            turn: None,
            fact: Fact::Looks(look),
        });
        self.running.insert(path.to_owned(), running);
        self.tell(sighting, look.into_iter().collect());
        self.read_log(path);
    }

    fn read_log(&mut self, path: &Path) {
        let Some(mut running) = self.running.remove(path) else { return };
        if running.log.is_none() {
            running.log = self.find_log(&running).and_then(|path| self.open(path, running.seen_ms));
        }
        self.running.insert(path.to_owned(), running);
        // Before it is read, so that nothing is written unseen.
        self.watch_folders();
        let Some(running) = self.running.get_mut(path) else { return };
        let told = running.read(self.driver.name());
        if let Some((sighting, evidence)) = told {
            self.tell(sighting, evidence);
        }
    }

    fn open(&self, path: PathBuf, seen_ms: u64) -> Option<Log> {
        let driver = coop_drivers::driver(self.driver.name())?;
        Some(Log::new(path, driver, Arc::clone(&self.prices), seen_ms))
    }

    fn find_log(&self, running: &Running) -> Option<PathBuf> {
        let name = format!("{}.{}", running.conversation.as_ref()?, self.driver.paths().log_extension);
        if name.contains('/') {
            return None;
        }
        let folder = self.driver.log_folder(running.cwd.as_deref().unwrap_or_default()).unwrap_or_default();
        let own = self.logs().join(folder).join(&name);
        if own.is_file() {
            return Some(own);
        }
        let folders = fs::read_dir(self.logs()).into_iter().flatten().flatten();
        folders.map(|folder| folder.path().join(&name)).find(|path| path.is_file())
    }

    fn tell(&self, sighting: Sighting, evidence: Vec<Evidence>) {
        // The owner may be gone; the next turn of the loop sees that.
        drop(self.tell.blocking_send(Told::Seen { sighting: Box::new(sighting), evidence }));
    }
}

impl Running {
    fn new(process: Process) -> Self {
        Self { process, text: String::new(), conversation: None, cwd: None, branch: None, log: None, seen_ms: now_ms() }
    }

    fn sighting(&self, agent: &str) -> Sighting {
        Sighting {
            agent: agent.to_owned(),
            control: Some(Control::Observed),
            process: Some(self.process.clone()),
            conversation: self.conversation.clone(),
            cwd: self.cwd.clone(),
            branch: self.branch.clone(),
            log: self.log.as_ref().map(|log| log.path().to_string_lossy().into_owned()),
            ..Sighting::default()
        }
    }

    /// What the log says since the last time; nothing if that is nothing.
    fn read(&mut self, agent: &str) -> Option<(Sighting, Vec<Evidence>)> {
        let log = self.log.as_mut()?;
        let News { any, title, model, last_message, spent, evidence } = log.read();
        let branch = self.cwd.as_deref().and_then(|cwd| git::branch(Path::new(cwd)));
        let moved = branch != self.branch;
        self.branch = branch;
        let sighting = Sighting { title, model, last_message, spent, ..self.sighting(agent) };
        (any || moved).then_some((sighting, evidence))
    }
}

fn pid_of(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.strip_suffix(".json")?.parse().ok()
}

/// A file outlives a process that was killed, and its number may have been given to another.
fn is_its_own(entry: &RegistryEntry, started: u64) -> bool {
    let said = entry.proc_start.as_ref();
    started == 0 || said.is_none_or(|said| *said == started.to_string())
}
