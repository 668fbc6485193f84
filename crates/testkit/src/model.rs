//! The scripted model: an HTTP server on loopback that is the API of every vendor at once and plays a scenario.
//!
//! It knows the truth about an agent, because it decides what the agent does: all it does is published, with the time.
//! A vendor's module only puts the steps of a scenario into that vendor's words.

mod anthropic;
mod gemini;
mod http;
mod line;
mod openai;
mod play;
mod script;
#[cfg(test)]
mod tests;
mod truth;
mod wire;

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use crate::Scenario;
use crate::bell::Bell;
use script::Script;
use truth::Truth;
pub use truth::{Event, What};
pub use wire::{Called, Stop, Vendor};

/// A running server; it ends when dropped.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    stage: Arc<Stage>,
    /// Dropped to end the thread.
    running: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What all requests share.
#[derive(Debug)]
struct Stage {
    script: Mutex<Script>,
    truth: Truth,
    /// All that was sent to the model, as it came.
    requests: Mutex<Vec<Value>>,
    signals: Mutex<HashMap<String, Arc<Semaphore>>>,
    /// How many turns of the conversation were answered. Ids are made of it: calls beside the conversation come when
    /// they come.
    turns: AtomicU64,
    /// Where the paths of file tools start.
    project: PathBuf,
}

impl Model {
    /// Starts to listen on a free port of the loopback interface, for an agent that works in `project`.
    pub fn start(scenario: Scenario, project: &Path) -> io::Result<Self> {
        Self::start_with(scenario, project, Bell::default())
    }

    pub(crate) fn start_with(scenario: Scenario, project: &Path, bell: Bell) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stage = Arc::new(Stage {
            script: Mutex::new(Script::new(scenario)),
            truth: Truth::new(bell),
            requests: Mutex::default(),
            signals: Mutex::default(),
            turns: AtomicU64::new(0),
            project: project.to_owned(),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (running, stopped) = oneshot::channel::<()>();
        let shared = Arc::clone(&stage);
        let thread = std::thread::Builder::new().name("model".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = http::serve(listener, shared) => {}
                    _ = stopped => {}
                }
            });
            // What still hangs in a reply is not waited for.
            runtime.shutdown_background();
        })?;
        Ok(Self { address, stage, running: Some(running), thread: Some(thread) })
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets one `wait: name` go on, now or when it comes.
    pub fn signal(&self, name: &str) {
        self.stage.signal(name).add_permits(1);
    }

    /// All that happened so far, oldest first.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.stage.truth.events()
    }

    /// The bodies of all requests so far, in the vendor's own words.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.stage.requests().clone()
    }

    /// The rules that have not been used, as `line: what they answer`; those with `again` may stay unused.
    #[must_use]
    pub fn unplayed(&self) -> Vec<String> {
        self.stage.script().unplayed()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(thread) = self.thread.take() {
            // A panic in there was printed by the thread itself.
            let _ = thread.join();
        }
    }
}

impl Stage {
    fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signal(&self, name: &str) -> Arc<Semaphore> {
        let mut signals = self.signals.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(signals.entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(0))))
    }
}
