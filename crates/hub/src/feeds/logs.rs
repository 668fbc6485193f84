//! Logs of conversations that hooks have told of, for agents that keep no list of what runs: that a turn failed, that a
//! dialog was put away, and what was said last is told nowhere else.
//!
//! On a thread of its own. A hook is a reason to look, and so is a change of the file.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use coop_core::agent::cost::Prices;
use coop_core::agent::evidence::Evidence;
use coop_core::fleet::Sighting;
use coop_drivers::Driver;
use coop_machine::clock::now_ms;
use notify::{RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use super::news::Log;
use super::{POLL, Told};
use crate::AgentFiles;

/// More conversations than this do not go on at once; the one that was looked at the longest ago is let go.
const MOST: usize = 512;

/// A conversation whose log is to be read.
#[derive(Debug)]
pub(crate) struct Follow {
    pub(crate) agent: String,
    pub(crate) conversation: String,
    pub(crate) path: PathBuf,
    /// To be heard after what is in the log now.
    pub(crate) later: Vec<Evidence>,
}

#[derive(Debug)]
pub(crate) struct Logs(Sender<Wake>);

impl Logs {
    pub(crate) fn follow(&self, follow: Follow) {
        // Without the thread there is nobody to tell either.
        drop(self.0.send(Wake::Follow(follow)));
    }
}

enum Wake {
    Follow(Follow),
    Changed(Vec<PathBuf>),
}

pub(super) fn start(folders: Vec<AgentFiles>, prices: Arc<Prices>, tell: mpsc::Sender<Told>) -> io::Result<Logs> {
    let (wake, inbox) = channel();
    let changes = wake.clone();
    // Without a watcher hooks are still a reason to look, and so is the time.
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            drop(changes.send(Wake::Changed(event.paths)));
        }
    })
    .inspect_err(|error| tracing::warn!(%error, "logs are not watched, only polled"))
    .ok();
    let reader = Reader { folders, prices, watcher, logs: HashMap::new(), count: 0, tell };
    std::thread::Builder::new().name("coop-logs".into()).spawn(move || reader.run(&inbox))?;
    Ok(Logs(wake))
}

struct Reader {
    folders: Vec<AgentFiles>,
    prices: Arc<Prices>,
    watcher: Option<notify::RecommendedWatcher>,
    logs: HashMap<PathBuf, Followed>,
    /// Counts looks.
    count: u64,
    tell: mpsc::Sender<Told>,
}

struct Followed {
    agent: String,
    conversation: String,
    log: Log,
    looked: u64,
}

impl Reader {
    fn run(mut self, inbox: &Receiver<Wake>) {
        while !self.tell.is_closed() {
            match inbox.recv_timeout(POLL) {
                Ok(Wake::Follow(follow)) => self.follow(follow),
                Ok(Wake::Changed(paths)) => paths.iter().for_each(|path| self.read(path, Vec::new())),
                Err(RecvTimeoutError::Timeout) => {
                    for path in self.logs.keys().cloned().collect::<Vec<_>>() {
                        self.read(&path, Vec::new());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn follow(&mut self, follow: Follow) {
        let Follow { agent, conversation, path, later } = follow;
        let own = self.folders.iter().find(|files| files.agent == agent);
        let known = self.logs.get(&path).is_some_and(|log| log.conversation == conversation);
        if !known
            && let Some(driver) = coop_drivers::driver(&agent)
            && own.is_some_and(|own| is_log_of(own, driver.as_ref(), &path))
        {
            self.forget_one();
            if let Some(watcher) = &mut self.watcher
                && let Err(error) = watcher.watch(&path, RecursiveMode::NonRecursive)
            {
                tracing::debug!(%error, "a log is not watched, only polled");
            }
            let log = Log::new(path.clone(), driver, Arc::clone(&self.prices), now_ms());
            self.logs.insert(path.clone(), Followed { agent, conversation, log, looked: 0 });
            return self.read(&path, later);
        }
        if known {
            return self.read(&path, later);
        }
        let sighting = Sighting { agent, conversation: Some(conversation), ..Sighting::default() };
        self.tell(sighting, later);
    }

    fn forget_one(&mut self) {
        if self.logs.len() < MOST {
            return;
        }
        let oldest = self.logs.iter().min_by_key(|(_, log)| log.looked).map(|(path, _)| path.clone());
        if let Some(path) = oldest {
            self.logs.remove(&path);
            if let Some(watcher) = &mut self.watcher {
                // It may be gone, and its watch with it.
                drop(watcher.unwatch(&path));
            }
        }
    }

    fn read(&mut self, path: &Path, later: Vec<Evidence>) {
        self.count += 1;
        let Some(followed) = self.logs.get_mut(path) else { return };
        followed.looked = self.count;
        let mut news = followed.log.read();
        if !news.any && later.is_empty() {
            return;
        }
        news.evidence.extend(later);
        let sighting = Sighting {
            agent: followed.agent.clone(),
            conversation: Some(followed.conversation.clone()),
            title: news.title,
            model: news.model,
            last_message: news.last_message,
            spent: news.spent,
            ..Sighting::default()
        };
        self.tell(sighting, news.evidence);
    }

    fn tell(&self, sighting: Sighting, evidence: Vec<Evidence>) {
        // The owner may be gone; the next turn of the loop sees that.
        drop(self.tell.blocking_send(Told::Seen { sighting: Box::new(sighting), evidence }));
    }
}

/// Only files in the agent's own folder are read: whoever may call a hook may name any.
pub(crate) fn is_log_of(own: &AgentFiles, driver: &dyn Driver, path: &Path) -> bool {
    let logs = own.folder.join(driver.paths().logs).canonicalize();
    let named = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| driver.log_id(name).is_some());
    named
        && path.canonicalize().ok().zip(logs.ok()).is_some_and(|(path, logs)| path.starts_with(logs) && path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_logs_of_the_agent_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        std::fs::create_dir_all(own.join("sessions/2026")).unwrap();
        let log = "rollout-2026-01-01T00-00-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl";
        for place in ["own/sessions/2026", "own", "."] {
            std::fs::write(folder.path().join(place).join(log), "").unwrap();
        }
        std::fs::write(own.join("sessions/other.txt"), "").unwrap();
        let files = AgentFiles { agent: "codex".into(), folder: own };
        let driver = coop_drivers::driver("codex").unwrap();
        for (path, expected) in [
            (format!("own/sessions/2026/{log}"), true),
            (format!("own/sessions/../{log}"), false),
            (format!("own/{log}"), false),
            (log.to_owned(), false),
            ("own/sessions/other.txt".to_owned(), false),
            ("own/sessions/2026/missing.jsonl".to_owned(), false),
        ] {
            assert_eq!(is_log_of(&files, driver.as_ref(), &folder.path().join(&path)), expected, "{path}");
        }
    }
}
