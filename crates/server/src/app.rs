//! What every transport shares: the session, the settings, and who is connected.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use coop_api::{ApiError, Code};
use coop_core::access::Reach;
use coop_core::inside::Containment;
use coop_core::lease::LeaseId;
use coop_core::rate::{Limiter, Rate};
use coop_session::{SessionError, SessionHandle};
use coop_terminal::survive::Notes;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::Access;
use crate::dial::Dial;
use crate::guard::{self, Guard, Visitor};
use crate::hub::{Launcher, Notify};
use crate::places::Place;
use crate::recording::Recorder;

#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the session.
    pub name: String,
    /// Kind of the program inside.
    pub agent: String,
    /// Without one, everybody who can connect may do everything.
    pub token: Option<String>,
    /// Enough for the hooks of the agent inside, and for nothing else.
    pub hook_token: Option<String>,
    /// Tokens of a hub that open less than everything.
    pub limited_tokens: Vec<(String, Reach)>,
    /// Names besides those of loopback that a client may call us by.
    pub allowed_hosts: Vec<String>,
    /// Origins of pages that may connect, besides our own.
    pub allowed_origins: Vec<String>,
    /// How often one client may send input.
    pub input_rate: Rate,
    /// How many wrong tokens of one address are answered at once; the answers to more are delayed.
    pub wrong_tokens: Rate,
    /// Connections of known callers at the same time, over sockets and over the network each; more wait.
    pub max_connections: usize,
    /// What a hub says that it is.
    pub version: String,
    /// How a hub starts sessions; without one, it does not.
    pub launcher: Option<Launcher>,
    /// Token that a hub sends to the sidecars of this machine, and the folder of their sockets.
    pub sidecar_token: Option<(PathBuf, String)>,
    /// Where a hub has the sockets of sidecars of other machines; without one, it takes none.
    pub hosts: Option<PathBuf>,
    /// The hub of another machine that a sidecar calls.
    pub dial: Option<Dial>,
    /// Whom a hub tells of what is asked.
    pub notify: Notify,
    /// Where a session that records itself has its files; without one, it does not.
    pub recordings: Option<PathBuf>,
    /// Who is inside an agent's session, and may only report and look.
    pub guard: Option<Guard>,
    /// The program runs in namespaces of its own.
    pub sealed: bool,
    /// Where it says which one goes on if another process has to.
    pub recording: Option<Arc<Notes>>,
}

impl Options {
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            agent: "unknown".into(),
            token: None,
            hook_token: None,
            limited_tokens: Vec::new(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            // A person holds a key down at 30 a second; a program that types faster should send more at once.
            input_rate: Rate { per_second: 500, burst: 1000 },
            // A person mistypes a few times.
            wrong_tokens: Rate { per_second: 1, burst: 10 },
            max_connections: 512,
            version: env!("CARGO_PKG_VERSION").into(),
            launcher: None,
            sidecar_token: None,
            hosts: None,
            dial: None,
            notify: Notify::default(),
            recordings: None,
            guard: None,
            sealed: false,
            recording: None,
        }
    }
}

/// Cheap to clone; one per request.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) session: SessionHandle,
    pub(crate) options: Options,
    pub(crate) access: Access,
    pub(crate) started: Instant,
    /// Cancelled when no new work is taken and streams should end.
    pub(crate) stop: CancellationToken,
    /// Connections that outlive their HTTP request.
    pub(crate) streams: TaskTracker,
    pub(crate) ws_clients: AtomicUsize,
    pub(crate) requests: AtomicUsize,
    /// Held for a map look-up, never across an await.
    limiter: Mutex<Limiter<String>>,
    pub(crate) recorder: Recorder,
}

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    pub(crate) fn new(session: SessionHandle, options: Options, stop: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            access: Access::new(&options),
            started: Instant::now(),
            stop,
            streams: TaskTracker::new(),
            ws_clients: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            limiter: Mutex::new(Limiter::new(options.input_rate)),
            recorder: Recorder::default(),
            session,
            options,
        }))
    }

    /// Returns what keeps the program inside from doing what is for the operator.
    pub(crate) fn containment(&self) -> Containment {
        let guarded = cfg!(target_os = "linux") && self.options.guard.as_ref().is_some_and(|guard| guard.is_agent);
        match (self.options.sealed, guarded) {
            (true, _) => Containment::Sealed,
            (false, true) => Containment::Guarded,
            (false, false) => Containment::None,
        }
    }

    /// Refuses what changes something to a process inside an agent's session. Where a token is needed, the token counts.
    pub(crate) fn check_outside(&self, peer: &Peer) -> Result<(), ApiError> {
        let Some(guard) = self.options.guard.as_ref().filter(|_| !self.access.needs_token()) else { return Ok(()) };
        let own = |pid, _| (guard.is_agent && pid == self.session.status().pid).then(|| self.options.name.clone());
        guard.inside(peer.visitor.as_deref(), own).map_or(Ok(()), |inside| Err(guard::refused(inside)))
    }

    pub(crate) fn uptime_secs(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_secs()).unwrap_or(i64::MAX)
    }

    pub(crate) fn ws_clients(&self) -> i32 {
        i32::try_from(self.ws_clients.load(Ordering::Relaxed)).unwrap_or(i32::MAX)
    }

    /// Counts one input of `caller`, or refuses it.
    pub(crate) fn limit_input(&self, caller: &Caller) -> Result<(), ApiError> {
        let mut limiter = self.limiter.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        limiter.take(Instant::now(), caller.peer.key.clone()).map_err(|wait| ApiError {
            retry_after: Some(wait.as_secs() + 1),
            ..ApiError::new(Code::RateLimited, "This client sends input too fast.")
                .with_hint("Send more text in one request, or start coop with a higher --input-rate.")
        })
    }
}

/// The other end of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// What limits are counted by: the address without the port, so that reconnecting does not reset them.
    pub(crate) key: String,
    /// Whether the connection came over the network and not through a socket file.
    pub(crate) tcp: bool,
    /// Whether the connection is encrypted by us.
    pub(crate) tls: bool,
    /// Its process, where the system tells.
    pub(crate) pid: Option<u32>,
    /// Whether the connection itself is authorised: a stream of the hub that this sidecar called.
    pub(crate) authorized: bool,
    /// That process, for those who decide what it may do. Missing for a connection from another machine.
    pub(crate) visitor: Option<Arc<Visitor>>,
    /// Its place among the connections there may be.
    pub(crate) place: Option<Arc<Place>>,
}

impl Peer {
    /// Returns when the connection has to end because it has brought no right token.
    pub(crate) async fn over(&self) {
        match &self.place {
            Some(place) => place.over().await,
            None => std::future::pending().await,
        }
    }

    /// Moves the connection to the places of known callers: one of its requests brought a right token.
    pub(crate) async fn admit(&self) {
        if let Some(place) = &self.place {
            place.admit().await;
        }
    }
}

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) peer: Peer,
    /// The lease of a connection, which its requests need not name.
    pub(crate) lease: Option<LeaseId>,
    /// Scope that the request is limited to.
    pub(crate) reach: Reach,
}

#[allow(clippy::needless_pass_by_value, reason = "made for map_err")]
pub(crate) fn session_error(error: SessionError) -> ApiError {
    let detail = sentence(&error.to_string());
    match error {
        SessionError::Exited { exit } => ApiError::exited(exit),
        SessionError::WriterBusy { .. } => ApiError::new(Code::WriterBusy, detail)
            .with_hint("Wait, or take over: acquire the lease with \"take_over\": true."),
        SessionError::InputStalled { .. } => ApiError::new(Code::InputStalled, detail).with_hint(
            "What it did not read was dropped and will not arrive later. Look at the screen before you try again.",
        ),
        SessionError::InputFull { .. } => ApiError::new(Code::InputStalled, detail).with_hint("Try again later."),
        SessionError::LineTooLong { .. } => {
            ApiError::bad_request(detail).with_hint("Send shorter lines, or wait until the program reads keys.")
        }
        SessionError::Output(_) => {
            ApiError::new(Code::OutOfRange, detail).with_hint("GET /api/v1/resume says where to go on.")
        }
        SessionError::Terminal(_) => ApiError::new(Code::Internal, detail),
        SessionError::NoDriver => ApiError::new(Code::NoDriver, detail)
            .with_hint("Start coop with --agent if the program is an agent that coop knows."),
        SessionError::AgentBusy { .. } => ApiError::new(Code::AgentBusy, detail).with_hint(
            "Wait until it is idle, or send it with \"when\": \"idle\" to have it delivered then, or with \"now\".",
        ),
        SessionError::NoPrompt { .. } => ApiError::new(Code::NoPrompt, detail)
            .with_hint("GET /api/v1/agent/state says what the agent asks, if anything."),
        SessionError::DraftPresent { .. } => ApiError::new(Code::DraftPresent, detail)
            .with_hint("Wait until it has been sent, or replace it with \"replace_draft\": true."),
        SessionError::BadAnswer(_) => {
            ApiError::bad_request(detail).with_hint("GET /api/v1/agent/state shows what can be chosen.")
        }
        SessionError::NoTranscript(_) => {
            ApiError::new(Code::NotFound, detail).with_hint("GET /api/v1/transcripts lists those there are.")
        }
        SessionError::Restarting => {
            ApiError::new(Code::Restarting, detail).with_hint("GET /api/v1/agent/state says when it is there again.")
        }
        SessionError::Stopping => ApiError::new(Code::NotReady, detail),
        SessionError::BadRestart(_) => ApiError::bad_request(detail).with_hint("Nothing was restarted."),
        SessionError::Unsupported { instead, .. } => ApiError::new(Code::Unsupported, detail).with_hint(instead),
        SessionError::NotStarted(_) => ApiError::new(Code::StartFailed, detail),
        SessionError::Closed => ApiError::new(Code::NotReady, detail),
    }
}

/// `the program …` becomes `The program ….`
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
