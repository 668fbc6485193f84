//! The guard rail: a process inside an agent's session may report and look on coop's sockets, and on the ports of sessions
//! that need no token, and nothing else.
//!
//! Facts about the process come from the machine, the decision from `coop_core::inside`.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::sync::{Arc, LazyLock, OnceLock};

use coop_api::{ApiError, Code};
use coop_core::inside::{Clue, Inside, Server, inside};
use coop_machine::lineage::{self, Client};
use coop_machine::loopback;
use coop_terminal::peer;
use tokio::net::{TcpStream, UnixStream};

/// What clients of a socket are checked against.
#[derive(Clone, Debug)]
pub struct Guard {
    /// File names of the programs that are agents, read when the first client is checked.
    agents: Arc<LazyLock<HashSet<String>>>,
    server: Arc<Server>,
    /// The program of this session is an agent.
    pub(crate) is_agent: bool,
}

impl Guard {
    /// For the server of a session, whose program is an agent or something else, or for a hub. `held` says that the parent
    /// of this process is the holder of the session.
    #[must_use]
    pub fn new(agents: fn() -> HashSet<String>, is_agent: bool, held: bool) -> Self {
        Self { agents: Arc::new(LazyLock::new(agents)), server: Arc::new(lineage::server(held)), is_agent }
    }

    /// Decides about a client, once. Without a process it came from another machine.
    pub(crate) fn inside<'a>(
        &self,
        visitor: Option<&'a Visitor>,
        known: impl Fn(u32, u64) -> Option<String>,
    ) -> Option<&'a Inside> {
        // Elsewhere the system does not show where a process comes from.
        let visitor = visitor.filter(|_| cfg!(target_os = "linux"))?;
        let decide = || match &visitor.origin {
            Origin::Socket(client) => self.look(client.as_ref(), &known),
            Origin::Loopback { peer, local } => self.look_at_port(*peer, *local, &known),
            Origin::Elsewhere => None,
        };
        visitor.inside.get_or_init(decide).as_ref()
    }

    fn look(&self, client: Option<&Client>, known: &dyn Fn(u32, u64) -> Option<String>) -> Option<Inside> {
        let agent_of = |name: &str| self.agents.contains(name).then(|| name.to_owned());
        inside(&client.and_then(|client| client.line(&agent_of)), &self.server, known)
    }

    /// A connection over loopback names no process. The process that holds its other end counts; where no such process can
    /// be seen, it might be one inside a session that does not show its files.
    fn look_at_port(
        &self,
        peer: SocketAddr,
        local: SocketAddr,
        known: &dyn Fn(u32, u64) -> Option<String>,
    ) -> Option<Inside> {
        let holders = loopback::holders(peer, local)?;
        let mut inside = holders.found.iter().filter_map(|pid| self.look(Client::new(*pid, None).as_ref(), known));
        if !holders.found.is_empty() {
            return inside.next();
        }
        let mut closed = holders.closed.iter().filter_map(|pid| Client::new(*pid, None));
        closed
            .any(|client| self.look(Some(&client), known).is_some_and(|inside| inside.clue != Clue::Unseen))
            .then_some(Inside { session: None, clue: Clue::Unseen })
    }
}

#[derive(Debug)]
enum Origin {
    /// Nothing if it ended before it could be looked at, or cannot be seen from here.
    Socket(Option<Client>),
    Loopback {
        peer: SocketAddr,
        local: SocketAddr,
    },
    /// A process of a namespace that cannot be seen from here.
    Elsewhere,
}

/// The process at the other end of a connection of this machine.
#[derive(Debug)]
pub(crate) struct Visitor {
    origin: Origin,
    inside: OnceLock<Option<Inside>>,
}

impl Visitor {
    pub(crate) fn of(stream: &UnixStream) -> Self {
        let pid = stream.peer_cred().ok().and_then(|cred| u32::try_from(cred.pid()?).ok());
        if pid == Some(0) {
            // In a process namespace above this one or beside it, where no agent of this one can be.
            return Self { origin: Origin::Elsewhere, inside: OnceLock::new() };
        }
        let pidfd = peer::pidfd(stream.as_fd()).ok();
        let client = pid.zip(pidfd).and_then(|(pid, pidfd)| Client::new(pid, pidfd.as_ref()));
        Self { origin: Origin::Socket(client), inside: OnceLock::new() }
    }

    /// Nothing for a connection from another machine.
    pub(crate) fn of_port(stream: &TcpStream) -> Option<Self> {
        let (peer, local) = (stream.peer_addr().ok()?, stream.local_addr().ok()?);
        let is_local = peer.ip().to_canonical().is_loopback() || peer.ip() == local.ip();
        is_local.then(|| Self { origin: Origin::Loopback { peer, local }, inside: OnceLock::new() })
    }
}

/// Says why a client inside an agent's session is refused, and what to do.
pub(crate) fn refused(inside: &Inside) -> ApiError {
    if inside.clue == Clue::Unseen {
        tracing::debug!("a client could not be looked at, and may only report and look");
    }
    ApiError::new(Code::Forbidden, inside.detail()).with_hint(inside.hint())
}
