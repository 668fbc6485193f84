//! The handle: how everybody but the owner talks to the hub.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use coop_api::Problem;
use coop_core::access::{Offer, PairError};
use coop_core::agent::respond::{Respond, Scope};
use coop_core::event::{Gap, Numbered};
use coop_core::fleet::EntryId;
use coop_core::permission::broker::RequestId;
use coop_core::permission::rules::{Effect, Hosts, ProjectError, Rule, Verdict};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use crate::board::{Board, HubEvent, Settled};
use crate::devices::{Device, Offered, Paired};
use crate::{AgentFiles, Remote};

/// Cheap to clone; the hub lives as long as one of them.
#[derive(Clone, Debug)]
pub struct HubHandle {
    pub(crate) requests: mpsc::Sender<Request>,
    /// Calls whose caller is gone.
    pub(crate) gone: mpsc::UnboundedSender<u64>,
    pub(crate) board: watch::Receiver<Arc<Board>>,
    pub(crate) devices: watch::Receiver<Arc<Vec<Arc<Device>>>>,
    /// Where agents keep what was said.
    pub(crate) agents: Arc<Vec<AgentFiles>>,
    pub(crate) calls: Arc<AtomicU64>,
    /// The hub is about to end.
    pub(crate) leaving: Arc<AtomicBool>,
}

/// A hook of an agent calls.
#[derive(Clone, Debug)]
pub struct HookCall {
    /// As the agent names it.
    pub event: String,
    pub payload: Value,
    /// How long ago the hook was started.
    pub age: Duration,
    /// The kind of agent, where the hook says so.
    pub agent: Option<String>,
    /// The process that calls, if it is on this machine.
    pub pid: Option<u32>,
    /// Whether it calls over the network: then its machine is not known.
    pub network: bool,
    /// Whether it is the agent's own hook, whose outcome can be seen in what the agent does next.
    pub confirms: bool,
}

/// What the agent is told, if anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// What the hook prints.
    pub body: Option<Value>,
    /// Nothing when it is left to the terminal.
    pub allow: Option<bool>,
    pub scope: Scope,
    /// What is remembered of it, or what decided.
    pub pattern: Option<String>,
    pub text: Option<String>,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    pub id: RequestId,
    pub kind: String,
    /// Whether it is certain that the agent has it.
    pub delivered: bool,
    pub reason: Option<String>,
    /// `hook` or `keys`.
    pub via: String,
    /// For how long it counts.
    pub scope: Scope,
    /// What is remembered of it.
    pub remembered: Option<String>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum HubError {
    #[error("there is no such request")]
    Unknown,
    #[error("it has been answered already, by {by}")]
    Answered { by: String },
    #[error("{0}")]
    Unfit(String),
    #[error("{}", .0.detail)]
    Sidecar(Box<Problem>),
    #[error("the sidecar cannot be reached: {0}")]
    Unreachable(String),
    #[error("there is no session `{0}`")]
    NoSession(String),
    #[error("there is no rule {0}")]
    NoRule(u64),
    #[error("{0}")]
    Project(ProjectError),
    #[error("there is no device {0}")]
    NoDevice(u64),
    #[error(transparent)]
    Pair(PairError),
    #[error("there are no random numbers: {0}")]
    NoRandom(String),
    #[error("the ledger cannot be written: {0}")]
    Ledger(String),
    #[error("the hub is going away")]
    Closed,
}

#[derive(Clone, Debug)]
pub struct EventPage {
    pub generation: u64,
    pub events: Vec<Numbered<HubEvent>>,
    pub gap: Option<Gap>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewRule {
    pub pattern: coop_core::permission::pattern::Pattern,
    pub effect: Effect,
    /// Only in this folder and below.
    pub project: Option<String>,
    pub hosts: Hosts,
}

/// A use that is judged without being asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// With what this conversation remembers.
    pub conversation: Option<String>,
    /// Machine on which it would be done; nothing for that of the hub.
    pub host: Option<String>,
    pub cwd: String,
    pub tool: String,
    pub input: Value,
}

/// What a session remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    pub conversation: String,
    pub pattern: String,
    pub effect: Effect,
}

/// Standing rules, and what sessions remember.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    pub rules: Vec<Rule>,
    pub memory: Vec<Remembered>,
}

pub(crate) type Reply<T> = oneshot::Sender<T>;

#[derive(Debug)]
pub(crate) enum Request {
    Hook { call: HookCall, number: u64, reply: Reply<Decision> },
    Answer { id: RequestId, respond: Box<Respond>, from: String, reply: Reply<Result<Answered, HubError>> },
    Known { reply: Reply<Known> },
    AddRule { rule: NewRule, reply: Reply<Result<Rule, HubError>> },
    RemoveRule { id: u64, reply: Reply<Result<(), HubError>> },
    Test { tested: Tested, reply: Reply<Verdict> },
    Forget { session: EntryId, reply: Reply<usize> },
    History { before: Option<u64>, limit: usize, reply: Reply<Result<Vec<Settled>, HubError>> },
    Events { since: u64, limit: usize, reply: Reply<EventPage> },
    Offer { offer: Offer, reply: Reply<Result<Offered, HubError>> },
    Pair { code: String, name: Option<String>, from: String, reply: Reply<Result<Paired, HubError>> },
    Revoke { device: u64, reply: Reply<Result<Device, HubError>> },
    LookedAt { session: EntryId, reply: Reply<()> },
    Connected { remote: Box<Remote>, reply: Reply<()> },
}

impl HubHandle {
    /// As it is now.
    #[must_use]
    pub fn board(&self) -> Arc<Board> {
        self.board.borrow().clone()
    }

    /// Wakes whenever something has happened.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Arc<Board>> {
        self.board.clone()
    }

    /// Returns when there is an answer. A caller that goes away takes its question with it.
    pub async fn hook(&self, call: HookCall) -> Result<Decision, HubError> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let _caller = Caller { number, gone: self.gone.clone(), leaving: self.leaving.clone() };
        self.ask(|reply| Request::Hook { call, number, reply }).await
    }

    /// From now on it is us who go, and not those who wait: what they ask is asked again of the next hub.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }

    /// `from` is where the answer comes from; who gives it is in `respond`.
    pub async fn answer(&self, id: RequestId, respond: Respond, from: &str) -> Result<Answered, HubError> {
        let from = from.to_owned();
        self.ask(|reply| Request::Answer { id, respond: Box::new(respond), from, reply }).await?
    }

    pub async fn known(&self) -> Result<Known, HubError> {
        self.ask(|reply| Request::Known { reply }).await
    }

    /// One that is there already stays as it is.
    pub async fn add_rule(&self, rule: NewRule) -> Result<Rule, HubError> {
        self.ask(|reply| Request::AddRule { rule, reply }).await?
    }

    pub async fn remove_rule(&self, id: u64) -> Result<(), HubError> {
        self.ask(|reply| Request::RemoveRule { id, reply }).await?
    }

    /// What would be said of a use of a tool.
    pub async fn test(&self, tested: Tested) -> Result<Verdict, HubError> {
        self.ask(|reply| Request::Test { tested, reply }).await
    }

    /// Forgets what a session remembers, and says how many patterns that were.
    pub async fn forget(&self, session: EntryId) -> Result<usize, HubError> {
        self.ask(|reply| Request::Forget { session, reply }).await
    }

    /// How requests ended, the newest first.
    pub async fn history(&self, before: Option<u64>, limit: usize) -> Result<Vec<Settled>, HubError> {
        self.ask(|reply| Request::History { before, limit, reply }).await?
    }

    pub async fn events(&self, since: u64, limit: usize) -> Result<EventPage, HubError> {
        self.ask(|reply| Request::Events { since, limit, reply }).await
    }

    /// A person has looked at a session.
    pub async fn looked_at(&self, session: EntryId) -> Result<(), HubError> {
        self.ask(|reply| Request::LookedAt { session, reply }).await
    }

    /// A sidecar of another machine has called, and is there for as long as its socket is.
    pub async fn connected(&self, remote: Remote) -> Result<(), HubError> {
        self.ask(|reply| Request::Connected { remote: Box::new(remote), reply }).await
    }

    /// A code by which a device gets a token, once.
    pub async fn offer_code(&self, offer: Offer) -> Result<Offered, HubError> {
        self.ask(|reply| Request::Offer { offer, reply }).await?
    }

    /// Whoever has the code is a device from now on. `from` is where it was sent from: wrong ones are counted there.
    pub async fn pair(&self, code: String, name: Option<String>, from: String) -> Result<Paired, HubError> {
        self.ask(|reply| Request::Pair { code, name, from, reply }).await?
    }

    pub async fn revoke(&self, device: u64) -> Result<Device, HubError> {
        self.ask(|reply| Request::Revoke { device, reply }).await?
    }

    #[must_use]
    pub fn devices(&self) -> Arc<Vec<Arc<Device>>> {
        self.devices.borrow().clone()
    }

    /// Returns when this is no device any more.
    pub async fn revoked(self, device: u64) {
        let mut devices = self.devices;
        // Without a hub nobody is a device.
        drop(devices.wait_for(|all| all.iter().all(|one| one.id != device)).await);
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, HubError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).await.map_err(|_| HubError::Closed)?;
        answer.await.map_err(|_| HubError::Closed)
    }
}

/// Says that it is gone when it is dropped, answered or not.
struct Caller {
    number: u64,
    gone: mpsc::UnboundedSender<u64>,
    leaving: Arc<AtomicBool>,
}

impl Drop for Caller {
    fn drop(&mut self) {
        if !self.leaving.load(Ordering::Relaxed) {
            // Without a hub nobody needs to know.
            let _ = self.gone.send(self.number);
        }
    }
}
