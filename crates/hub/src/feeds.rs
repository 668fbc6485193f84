//! Where the hub hears of agents: their own files, their processes, and the sidecars around them. Hooks call by themselves.

mod files;
mod logs;
mod news;
pub(crate) mod process;
mod sidecars;
mod tail;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use coop_api::v1;
use coop_core::agent::evidence::Evidence;
use coop_core::fleet::{Control, Process, Sighting};
use tokio::sync::mpsc;

use crate::{AgentFiles, Config};

/// The bound within which a lost notification is made good.
const POLL: Duration = Duration::from_secs(10);
/// What may wait for the owner; a feed that is ahead of it waits too.
const QUEUE: usize = 1024;

#[derive(Debug)]
pub(crate) enum Told {
    /// The files of a running agent say this of it.
    Seen {
        sighting: Box<Sighting>,
        evidence: Vec<Evidence>,
    },
    Ended(Process),
    Sidecar(Box<Sidecar>),
    /// A prompt of a sidecar is over.
    PromptOver {
        socket: PathBuf,
        prompt: String,
        by: String,
    },
    SidecarGone {
        socket: PathBuf,
        how: Gone,
    },
}

/// How a sidecar went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gone {
    /// Its program has ended, and it reported that.
    Ended,
    /// Its connection is closed.
    Closed,
    /// It does not reply, though its process may run.
    Silent,
}

/// A sidecar of another machine, which has called.
#[derive(Clone, Debug)]
pub struct Remote {
    /// What leads to it, for as long as its connection lasts.
    pub socket: PathBuf,
    /// Its machine, as people know it.
    pub host: String,
    /// Tells it apart from others with the same host.
    pub instance: u64,
    pub cwd: Option<String>,
    pub branch: Option<String>,
}

/// What a sidecar says of the program inside.
#[derive(Debug)]
pub(crate) struct Sidecar {
    pub(crate) socket: PathBuf,
    pub(crate) name: String,
    pub(crate) agent: String,
    pub(crate) pid: Option<u32>,
    /// Whether it started the program, or is attached to where it runs.
    pub(crate) control: Control,
    /// Where it is, if not here.
    pub(crate) remote: Option<Remote>,
    /// Nothing for a program that is no agent it knows.
    pub(crate) state: Option<v1::GetAgentStateResponse>,
}

/// What the owner needs of them: to tell itself something, to be told, and to have logs read.
pub(crate) struct Feeds {
    pub(crate) tell: mpsc::Sender<Told>,
    pub(crate) told: mpsc::Receiver<Told>,
    pub(crate) logs: Logs,
}

/// Starts them all. They end when nobody receives any more.
pub(crate) fn start(config: &Config) -> io::Result<Feeds> {
    let (tell, told) = mpsc::channel(QUEUE);
    for AgentFiles { agent, folder } in &config.agents {
        files::start(agent, folder.clone(), Arc::clone(&config.prices), tell.clone())?;
    }
    let logs = logs::start(config.agents.clone(), Arc::clone(&config.prices), tell.clone())?;
    Ok(Feeds { tell, told, logs })
}

pub(crate) use logs::{Follow, Logs, is_log_of};
pub(crate) use sidecars::{Place, client as sidecar_client, follow as follow_sidecar, watch as watch_sidecars};
