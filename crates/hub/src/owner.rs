//! The owner: one thread, one loop, all of the hub's state.
//!
//! Requests and what the feeds see come in, the board and events go out. Nothing here waits for a client or a sidecar.

mod answers;
mod devices;
mod effects;
mod hooks;
mod requests;
mod roster;
mod seen;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use coop_core::access::Pairing;
use coop_core::agent::prompt::PromptId;
use coop_core::agent::respond::Respond;
use coop_core::agent::state::State;
use coop_core::event::EventLog;
use coop_core::fleet::{self, EntryId, Fleet, Process};
use coop_core::permission::broker::{self, Broker, RequestId};
use coop_drivers::{Driver, Own, Recipe};
use coop_machine::clock::now_ms;
use tokio::sync::{mpsc, watch};
use tokio::task::LocalSet;

use crate::board::{Board, Card, HubEvent, Settled};
use crate::devices::Device;
use crate::feeds::{self, Feeds, Logs, Told};
use crate::handle::{Answered, Decision, HubError, HubHandle, Reply, Request};
use crate::ledger::{Earlier, Kept, Ledger, Loaded};
use crate::{Config, LedgerError, StartError};
use roster::Roster;

/// Requests that may wait; more senders wait with them.
const REQUEST_QUEUE: usize = 64;
/// Agents that run are seen again within this time of a start.
const COMING_BACK: Duration = Duration::from_secs(5);
/// So much is taken before the board is published once for all of it.
const BATCH: usize = 256;

pub(crate) fn start(config: Config) -> Result<HubHandle, StartError> {
    let ledger = Ledger::open(config.ledger.as_deref())?;
    let unreadable = |error: rusqlite::Error| LedgerError::Open {
        path: config.ledger.clone().unwrap_or_default(),
        error: error.to_string(),
    };
    let loaded = ledger.load().map_err(unreadable)?;
    let (requests, inbox) = mpsc::channel(REQUEST_QUEUE);
    let (gone, callers) = mpsc::unbounded_channel();
    let Feeds { tell, told, logs } = feeds::start(&config)?;
    let agents = Arc::new(config.agents.clone());
    let (done, outcomes) = mpsc::unbounded_channel();
    let mut owner = Owner::new(config, ledger, loaded, (tell, logs), done);
    let (publish, board) = watch::channel(Arc::new(Board::default()));
    owner.publish(&publish);
    let devices = owner.devices.subscribe();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("coop-hub".into()).spawn(move || {
        let inputs = Inputs { inbox, callers, told, outcomes };
        LocalSet::new().block_on(&runtime, run(owner, inputs, publish));
    })?;
    Ok(HubHandle {
        requests,
        gone,
        board,
        devices,
        agents,
        calls: Arc::new(AtomicU64::new(1)),
        leaving: Arc::default(),
    })
}

/// Everything that comes in.
struct Inputs {
    inbox: mpsc::Receiver<Request>,
    callers: mpsc::UnboundedReceiver<u64>,
    told: mpsc::Receiver<Told>,
    outcomes: mpsc::UnboundedReceiver<Outcome>,
}

enum Input {
    Request(Box<Request>),
    Told(Told),
    CallerGone(u64),
    Outcome(Outcome),
    Deadline,
}

impl Inputs {
    /// The next of them; nothing when the last handle is gone.
    async fn next(&mut self, deadline: Option<Instant>) -> Option<Input> {
        tokio::select! {
            request = self.inbox.recv() => request.map(|request| Input::Request(Box::new(request))),
            Some(told) = self.told.recv() => Some(Input::Told(told)),
            Some(number) = self.callers.recv() => Some(Input::CallerGone(number)),
            Some(outcome) = self.outcomes.recv() => Some(Input::Outcome(outcome)),
            () = sleep_until(deadline) => Some(Input::Deadline),
        }
    }

    /// One that is there already.
    fn more(&mut self) -> Option<Input> {
        let request = self.inbox.try_recv().ok().map(|request| Input::Request(Box::new(request)));
        let told = |told: &mut mpsc::Receiver<Told>| told.try_recv().ok().map(Input::Told);
        request.or_else(|| told(&mut self.told))
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

async fn run(mut owner: Owner, mut inputs: Inputs, publish: watch::Sender<Arc<Board>>) {
    if let Some(folder) = owner.config.sockets.clone() {
        let token = owner.config.sidecar_token.clone();
        tokio::task::spawn_local(feeds::watch_sidecars(folder, token, owner.tell.clone()));
    }
    while let Some(input) = inputs.next(owner.deadline()).await {
        owner.take(input);
        for _ in 1..BATCH {
            let Some(input) = inputs.more() else { break };
            owner.take(input);
        }
        owner.publish(&publish);
    }
}

/// What was told before, where it is kept, to be gone on with.
fn told_before(config: &Config, told: Earlier) -> (EventLog<HubEvent>, u64) {
    if config.render.is_none() {
        return (EventLog::new(config.event_limit), now_ms());
    }
    let Earlier { events, newest, generation } = told;
    let earlier = |(name, data): (String, String)| HubEvent::Earlier {
        name,
        data: serde_json::from_str(&data).unwrap_or_default(),
    };
    (EventLog::restored(config.event_limit, generation, newest, events.into_iter().map(earlier)), generation)
}

/// What a sidecar made of an answer.
struct Outcome {
    id: RequestId,
    respond: Box<Respond>,
    result: Result<coop_api::v1::RespondResponse, coop_api::client::ClientError>,
    reply: Option<Reply<Result<Answered, HubError>>>,
}

struct Owner {
    config: Config,
    ledger: Ledger,
    fleet: Fleet,
    broker: Broker,
    events: EventLog<HubEvent>,
    /// What is published of each agent.
    roster: Roster,
    cards: BTreeMap<RequestId, Arc<Card>>,
    /// Remember what is needed to understand the next hook.
    drivers: HashMap<EntryId, Box<dyn Driver>>,
    parked: HashMap<RequestId, Parked>,
    /// What rules have answered, until it is known that the sidecar took it.
    ruled: HashMap<RequestId, Ruled>,
    /// Which request a call of a hook became.
    calls: HashMap<u64, RequestId>,
    /// Answers that an agent was given, until it is seen that it took them.
    confirming: HashMap<(EntryId, PromptId), Confirming>,
    sidecars: HashMap<PathBuf, Followed>,
    /// Processes whose end somebody waits for.
    watched: HashSet<Process>,
    /// To be sent when the board that belongs to them is published.
    replies: Vec<Box<dyn FnOnce() + Send>>,
    pairing: Pairing,
    /// Who has a token of their own; whoever looks at it sees at once that one is gone.
    devices: watch::Sender<Arc<Vec<Arc<Device>>>>,
    /// Told with the board that belongs to them, and kept before.
    unkept: Vec<Kept>,
    /// Those that an earlier hub left alive, and when nobody waits for them any longer.
    missing: Option<(Instant, Vec<EntryId>)>,
    tell: mpsc::Sender<Told>,
    logs: Logs,
    done: mpsc::UnboundedSender<Outcome>,
    generation: u64,
    dirty: bool,
}

/// Who waits for the answer to a request.
struct Parked {
    entry: EntryId,
    prompt: PromptId,
    asked_ms: u64,
    way: Way,
    /// Where the answer came from.
    from: Option<String>,
    /// What the agent is told, once that is decided.
    body: Option<serde_json::Value>,
}

enum Way {
    Hook {
        call: u64,
        reply: Reply<Decision>,
        confirms: bool,
        /// The agent shows its dialog only when nobody has answered.
        withheld: bool,
    },
    Sidecar {
        socket: PathBuf,
        /// The client whose answer is on its way.
        answering: Option<String>,
        /// The sidecar's digest of the prompt, returned with the answer. Missing for one that has none.
        digest: Option<String>,
    },
}

/// A request of a sidecar that a rule has decided, until the sidecar says whether the answer took effect.
struct Ruled {
    socket: PathBuf,
    prompt: PromptId,
    digest: Option<String>,
    request: broker::Request,
    /// Recorded when it did.
    settled: Settled,
}

struct Confirming {
    answered: Answered,
    /// The answer lets a tool run.
    allows: bool,
    /// The prompt is over. The reply waits for a moment in which a person may have stopped the tool at the terminal.
    over: bool,
    reply: Reply<Result<Answered, HubError>>,
    until: Instant,
}

/// A sidecar that is followed.
struct Followed {
    entry: EntryId,
    /// What it asks, by its own id and by ours.
    prompt: Option<(PromptId, RequestId)>,
}

impl Owner {
    fn new(
        config: Config,
        ledger: Ledger,
        loaded: Loaded,
        (tell, logs): (mpsc::Sender<Told>, Logs),
        done: mpsc::UnboundedSender<Outcome>,
    ) -> Self {
        let now = Instant::now();
        let judges = Own::ALL.map(|own| (own.name().to_owned(), Recipe::Own(own).driver().judge()));
        let mut fleet = Fleet::new(loaded.last_session, judges.into_iter().collect());
        let mut roster = Roster::default();
        for entry in loaded.sessions {
            roster.put(Arc::new(entry.clone()));
            fleet.restore(now, entry);
        }
        let mut broker = Broker::new(config.memory, loaded.last_request);
        broker.rules = loaded.rules;
        let (events, generation) = told_before(&config, loaded.told);
        let mut owner = Self {
            events,
            fleet,
            broker,
            ledger,
            config,
            roster,
            cards: BTreeMap::new(),
            drivers: HashMap::new(),
            parked: HashMap::new(),
            ruled: HashMap::new(),
            calls: HashMap::new(),
            confirming: HashMap::new(),
            sidecars: HashMap::new(),
            watched: HashSet::new(),
            replies: Vec::new(),
            pairing: Pairing::default(),
            devices: watch::Sender::new(Arc::new(loaded.devices.into_iter().map(Arc::new).collect())),
            unkept: Vec::new(),
            missing: Some((now + COMING_BACK, loaded.live)).filter(|(_, live)| !live.is_empty()),
            tell,
            logs,
            done,
            generation,
            dirty: true,
        };
        // Whoever followed the hub before hears how it ended.
        for over in loaded.open {
            owner.emit(HubEvent::Settled(Arc::new(over)));
        }
        owner
    }

    fn take(&mut self, input: Input) {
        match input {
            Input::Request(request) => self.request(*request),
            Input::Told(told) => self.told(told),
            Input::CallerGone(number) => self.caller_gone(number),
            Input::Outcome(outcome) => self.responded(outcome),
            Input::Deadline => self.on_deadline(),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let confirm = self.confirming.values().map(|confirming| confirming.until).min();
        let missing = self.missing.as_ref().map(|(until, _)| *until);
        [self.fleet.deadline(), self.broker.deadline(), confirm, missing].into_iter().flatten().min()
    }

    fn on_deadline(&mut self) {
        let now = Instant::now();
        let effects = self.fleet.on_deadline(now, now_ms());
        self.fleet_effects(effects);
        let effects = self.broker.on_deadline(now);
        self.broker_effects(effects);
        self.unconfirmed(now);
        if let Some((_, missing)) = self.missing.take_if(|(until, _)| *until <= now) {
            self.not_back(missing);
        }
    }

    /// Nobody has seen them since the hub was started: those who followed the one before still take them for alive.
    fn not_back(&mut self, missing: Vec<EntryId>) {
        for id in missing {
            match self.fleet.get(id).map(|entry| entry.state == State::Exited) {
                // One without a conversation is not known again.
                None => self.forget_entry(id),
                Some(true) => self.fleet_effects(vec![fleet::Effect::Changed(id)]),
                Some(false) => {}
            }
        }
    }

    /// Answers go out last: whoever gets one finds the board that belongs to it.
    fn publish(&mut self, board: &watch::Sender<Arc<Board>>) {
        if !self.unkept.is_empty() {
            self.record(self.ledger.tell(&self.unkept, self.config.event_limit));
            self.unkept.clear();
        }
        if std::mem::take(&mut self.dirty) {
            board.send_replace(Arc::new(Board {
                sessions: self.roster.published(),
                prompts: self.cards.values().cloned().collect(),
                seq: self.events.newest(),
                generation: self.generation,
            }));
        }
        for reply in self.replies.drain(..) {
            reply();
        }
    }

    fn emit(&mut self, event: HubEvent) {
        let told = self.config.render.map(|render| render(&event));
        let seq = self.events.push(event);
        if let Some((name, data)) = told {
            self.unkept.push(Kept { seq, name, data: data.to_string() });
        }
        self.dirty = true;
    }

    /// Whoever asked may be gone; then nobody wants it.
    fn reply<T: Send + 'static>(&mut self, to: Reply<T>, answer: T) {
        self.replies.push(Box::new(move || drop(to.send(answer))));
    }
}
