//! The hub: every agent of a person on one board, and the broker of what they ask.
//!
//! One owner, on a thread of its own, has all of the state: the fleet, what is asked, the rules, the ledger. Feeds tell it
//! what they see; requests come through a [`HubHandle`]; what everybody may know is published as one [`Board`], replaced
//! whole. Transports are elsewhere.

mod board;
mod conversation;
mod devices;
mod feeds;
mod handle;
mod ledger;
mod owner;
mod search;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use coop_core::agent::cost::Prices;
use coop_core::permission::memory::Limits;

pub use board::{Board, Card, Choice, HubEvent, Render, Settled};
pub use conversation::Page as ConversationPage;
pub use devices::{Device, Offered, Paired, digest};
pub use feeds::Remote;
pub use handle::{Answered, Decision, EventPage, HookCall, HubError, HubHandle, Known, NewRule, Remembered, Tested};
pub use ledger::LedgerError;
pub use search::{Hit, Hits};

/// Just under the ten minutes that agents give a hook.
const WAIT: Duration = Duration::from_secs(585);

#[derive(Clone, Debug)]
pub struct Config {
    /// Where agents keep the files of their running sessions.
    pub agents: Vec<AgentFiles>,
    /// Where sidecars have their sockets.
    pub sockets: Option<PathBuf>,
    /// Token of the sidecars whose sockets are in that folder. No other sidecar gets it.
    pub sidecar_token: Option<Token>,
    /// The file of the ledger; without one, nothing outlives the hub.
    pub ledger: Option<PathBuf>,
    /// What a session remembers of a person's answers.
    pub memory: Limits,
    /// How long a request waits for an answer before it is left to the terminal.
    pub wait: Duration,
    /// Events that are kept for those who come back.
    pub event_limit: usize,
    /// How events are told. With it, they are kept in the ledger, and those who come back to the next hub miss none.
    pub render: Option<Render>,
    /// What tokens cost where an agent that is only watched does not say so.
    pub prices: Arc<Prices>,
}

/// Never printed.
#[derive(Clone)]
pub struct Token(pub String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The configuration folder of one kind of agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFiles {
    pub agent: String,
    pub folder: PathBuf,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            agents: Vec::new(),
            sockets: None,
            sidecar_token: None,
            ledger: None,
            memory: Limits::default(),
            wait: WAIT,
            event_limit: 10_000,
            render: None,
            prices: Arc::new(coop_drivers::prices::known()),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Whether hooks of this kind of agent are understood.
#[must_use]
pub fn knows(agent: &str) -> bool {
    coop_drivers::driver(agent).is_some()
}

/// Whether what this kind of agent asks can be answered through its hooks.
#[must_use]
pub fn answers_by_hook(agent: &str) -> bool {
    let own = coop_drivers::Own::ALL.into_iter().find(|own| own.name() == agent);
    own.is_some_and(|own| coop_drivers::Recipe::Own(own).driver().decides_by_hook())
}

/// Opens the ledger and starts to listen. The hub ends with the last handle.
pub fn start(config: Config) -> Result<HubHandle, StartError> {
    owner::start(config)
}
