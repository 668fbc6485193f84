//! The owner: one thread, one loop, all of a session's state.
//!
//! Requests and bytes come in, the status goes out. Nothing here waits for a client.

mod agent;
mod elsewhere;
mod end;
mod output;
mod requests;
mod restart;
mod survive;
mod times;
mod typing;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use coop_core::agent::evidence::Source;
use coop_core::agent::state::{AgentStatus, State};
use coop_core::event::{Event, EventLog};
use coop_core::lease::Lease;
use coop_core::shutdown::Shutdown;
use coop_core::status::{Exit, Lifecycle, Status};
use coop_core::timer::{Timer, Timers};
use coop_terminal::Screen;
use coop_terminal::log::{Cursor, OutputLog};
use tokio::sync::{mpsc, oneshot, watch};

use crate::agent::Agent;
use crate::answers::Answers;
use crate::backend::{Output, Piece, Program, Terminal, Wires};
use crate::handle::agent::{HookReply, TranscriptInfo};
use crate::handle::{Reply, Request, SessionHandle};
use crate::input::InputQueue;
use crate::launch::Change;
use crate::sources::{self, Found, Sources};
use crate::survive::{Left, Noted};
use crate::{Config, SessionError};
use agent::lifted;
use restart::Restart;
use times::Times;

/// Requests that may wait; more senders wait with them.
const REQUEST_QUEUE: usize = 64;

/// `wires` is called within the owner's runtime.
pub(crate) fn start<P: Program + 'static>(
    config: Config,
    program: P,
    wires: impl FnOnce(&P) -> io::Result<Wires>,
    left: Option<Left>,
) -> io::Result<SessionHandle> {
    let (requests, inbox) = mpsc::channel(REQUEST_QUEUE);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let wires = {
        let _inside = runtime.enter();
        wires(&program)?
    };
    let mut owner = Owner::new(config, Box::new(program));
    if let Some(left) = left {
        owner.go_on(left);
    }
    owner.watch_files()?;
    owner.write_down();
    let (status_tx, status) = watch::channel(owner.status());
    let (told_tx, told) = watch::channel(None);
    let (agent_tx, agent) = watch::channel(Arc::new(owner.agent_status()));
    let published = Published { status: status_tx, exit: told_tx, agent: agent_tx };
    std::thread::Builder::new().name("coop-session".into()).spawn(move || {
        runtime.block_on(run(owner, wires, inbox, published));
    })?;
    Ok(SessionHandle { requests, status, exit: told, agent })
}

/// The program may be gone, or be another one by now.
fn follow(wires: &mut Wires, owner: &mut Owner) {
    if let Some(fresh) = owner.fresh.take() {
        *wires = fresh;
    } else if owner.finished() {
        wires.cut();
    }
}

/// What the owner tells everybody.
struct Published {
    status: watch::Sender<Status>,
    /// Apart from the status, which changes with every byte: waiting for the end should cost nothing before it.
    exit: watch::Sender<Option<Exit>>,
    agent: watch::Sender<Arc<AgentStatus>>,
}

async fn run(mut owner: Owner, mut wires: Wires, mut inbox: mpsc::Receiver<Request>, published: Published) {
    loop {
        // Between two pieces of output whoever asks comes first: a follower that waited would be left behind.
        if let Ok(request) = inbox.try_recv() {
            owner.requests(request, &mut inbox, wires.terminal());
            follow(&mut wires, &mut owner);
            published.tell(&mut owner);
        }
        let deadline = owner.timers.next();
        tokio::select! {
            piece = next(wires.output.as_mut()) => match piece {
                Some(Piece::Bytes(bytes)) => {
                    owner.output(&bytes);
                    if let Some(output) = &wires.output {
                        output.give_back(bytes);
                    }
                }
                Some(piece) => owner.elsewhere(piece),
                None => {
                    wires.cut();
                    owner.output_ended();
                }
            },
            () = writable(wires.terminal.as_deref()), if !owner.input.is_empty() => {
                if let Some(terminal) = wires.terminal() {
                    owner.write(terminal);
                }
            }
            request = inbox.recv() => {
                let Some(request) = request else { break };
                owner.requests(request, &mut inbox, wires.terminal());
            }
            status = &mut wires.exit, if !owner.child_gone => {
                owner.child_exited(status.ok());
            }
            news = news(owner.agent.as_mut()) => match news {
                News::Found(found) => owner.found(found),
                News::HookGone(place) => owner.hook_gone(place),
            },
            (message, told) = lifted::told(&mut owner.carrying_on) => owner.carried_on(message, told),
            (info, reply) = kept(&mut owner.snapshots) => owner.transcript_kept(info, reply),
            () = sleep_until(deadline) => {
                let more = wires.output.as_ref().is_some_and(Output::is_waiting);
                owner.on_deadline(Instant::now(), more);
            }
        }
        follow(&mut wires, &mut owner);
        published.tell(&mut owner);
    }
    // The last handle is gone: nobody can reach the program any more, so it may not stay.
    owner.abandon();
}

impl Published {
    /// Answers go out last: whoever gets one finds the status that belongs to it.
    fn tell(&self, owner: &mut Owner) {
        owner.write_down();
        owner.remember_times();
        self.agent.send_if_modified(|agent| owner.publish_agent(agent));
        self.status.send_if_modified(|status| owner.publish(status));
        self.exit.send_if_modified(|exit| {
            let told = owner.told_exit();
            let changed = *exit != told;
            *exit = told;
            changed
        });
        owner.answers.send();
    }
}

async fn next(output: Option<&mut Output>) -> Option<Piece> {
    match output {
        Some(output) => output.next().await,
        None => std::future::pending().await,
    }
}

/// A conversation that is being kept, and the hook that waits for it.
type Snapshot = (oneshot::Receiver<Option<TranscriptInfo>>, Reply<Result<HookReply, SessionError>>);

/// What happened to the agent outside its terminal.
enum News {
    Found(Found),
    /// The hook that waited at this place was killed, or gave up.
    HookGone(usize),
}

async fn news(agent: Option<&mut Agent>) -> News {
    let Some(Agent { parked, sources, .. }) = agent else { return std::future::pending().await };
    std::future::poll_fn(|cx| {
        if let Some(place) = parked.iter_mut().position(|parked| parked.reply.poll_closed(cx).is_ready()) {
            return Poll::Ready(News::HookGone(place));
        }
        match sources.as_mut().map(|Sources { found, .. }| found.poll_recv(cx)) {
            Some(Poll::Ready(Some(found))) => Poll::Ready(News::Found(found)),
            // The thread that reads the files may be gone, or never was.
            _ => Poll::Pending,
        }
    })
    .await
}

async fn kept(snapshots: &mut VecDeque<Snapshot>) -> (Option<TranscriptInfo>, Reply<Result<HookReply, SessionError>>) {
    let Some((kept, _)) = snapshots.front_mut() else { return std::future::pending().await };
    let info = kept.await.unwrap_or_default();
    match snapshots.pop_front() {
        Some((_, reply)) => (info, reply),
        None => std::future::pending().await,
    }
}

/// A terminal that cannot tell is found out by writing to it.
async fn writable(terminal: Option<&dyn Terminal>) {
    match terminal {
        Some(terminal) => drop(std::future::poll_fn(|cx| terminal.poll_writable(cx)).await),
        None => std::future::pending().await,
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

struct Owner {
    config: Config,
    child: Box<dyn Program>,
    screen: Screen,
    /// Offset in the log of the first byte this screen was fed with.
    screen_base: u64,
    log: OutputLog,
    events: EventLog,
    input: InputQueue,
    /// Who records what is typed.
    listeners: typing::Listeners,
    answers: Answers,
    agent: Option<Agent>,
    /// What coop said to the agent by itself.
    carrying_on: Option<lifted::CarryingOn>,
    /// Hooks that wait until the conversation has been kept.
    snapshots: VecDeque<Snapshot>,
    /// The state of a program without a driver.
    plain: AgentStatus,
    lease: Lease,
    shutdown: Shutdown,
    /// The child that is being ended gets a successor.
    restart: Option<Restart>,
    /// What leads to a child that was just started, for the loop.
    fresh: Option<Wires>,
    /// What restarts have changed so far.
    change: Change,
    /// Where the output of the child before this one ended.
    ended: Option<Cursor>,
    /// The program is gone, and another one may come in its place without our doing.
    away: bool,
    timers: Timers,
    bytes_written: u64,
    last_activity: Instant,
    child_gone: bool,
    exit: Option<Exit>,
    /// Draining ends at the latest then.
    drain_until: Option<Instant>,
    output_over: bool,
    /// The exit has been told.
    over: bool,
    /// What another process would find, if this one ended now.
    noted: Option<Noted>,
    times: Times,
}

impl Owner {
    fn new(config: Config, child: Box<dyn Program>) -> Self {
        let now = Instant::now();
        let mut owner = Self {
            screen: Screen::new(config.command.size, config.screen),
            screen_base: 0,
            log: OutputLog::new(config.log_size, 1),
            events: EventLog::new(config.event_limit),
            input: InputQueue::new(config.input_limit),
            listeners: typing::Listeners::default(),
            answers: Answers::default(),
            agent: config.agent.as_ref().map(|agent| Agent::new(now, agent)),
            carrying_on: None,
            snapshots: VecDeque::new(),
            plain: AgentStatus::new(State::Unknown),
            restart: None,
            fresh: None,
            change: Change::default(),
            ended: None,
            away: false,
            lease: Lease::new(config.lease_ttl),
            shutdown: Shutdown::new(config.shutdown_grace),
            timers: Timers::default(),
            bytes_written: 0,
            last_activity: now,
            child_gone: false,
            exit: None,
            drain_until: None,
            output_over: false,
            over: false,
            noted: None,
            times: Times::new(config.command.size, 1),
            child,
            config,
        };
        owner.events.push(Event::Start { pid: owner.pid() });
        owner.arm_idle();
        owner
    }

    fn pid(&self) -> u32 {
        self.child.pid()
    }

    fn status(&self) -> Status {
        let size = self.screen.size();
        Status {
            lifecycle: match self.told_exit() {
                Some(exit) => Lifecycle::Exited(exit),
                None if self.restart.is_some() || self.away => Lifecycle::Restarting,
                None if self.shutdown.is_under_way() => Lifecycle::Stopping,
                None => Lifecycle::Running,
            },
            pid: self.pid(),
            cols: size.cols(),
            rows: size.rows(),
            alt_screen: self.screen.alt_screen(),
            generation: self.log.generation(),
            output_start: self.log.start(),
            output_end: self.log.end(),
            screen_seq: self.screen.seq(),
            event_seq: self.events.newest(),
            bytes_written: self.bytes_written,
            own: self.child.is_own(),
        }
    }

    /// The exit, once it has been told.
    fn told_exit(&self) -> Option<Exit> {
        self.exit.filter(|_| self.over)
    }

    fn agent_status(&self) -> AgentStatus {
        self.agent.as_ref().map_or_else(|| self.plain.clone(), |agent| agent.status.clone())
    }

    fn publish_agent(&mut self, published: &mut Arc<AgentStatus>) -> bool {
        let Some(agent) = &mut self.agent else {
            let known = published.seq == self.plain.seq;
            if !known {
                *published = Arc::new(self.plain.clone());
            }
            return !known;
        };
        let now = Instant::now();
        agent.status.idle_grace = agent.machine.idle_from().map(|at| at.saturating_duration_since(now));
        let known =
            published.seq == agent.status.seq && published.idle_grace.is_some() == agent.status.idle_grace.is_some();
        if !known {
            *published = Arc::new(agent.status.clone());
        }
        !known
    }

    /// Starts to read the agent's own files.
    fn watch_files(&mut self) -> io::Result<()> {
        let (Some(agent), Some(config)) = (&mut self.agent, &self.config.agent) else { return Ok(()) };
        let settings = sources::Settings {
            recipe: config.recipe.clone(),
            child: self.child.pid(),
            cwd: self.config.command.cwd.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default(),
            config_dir: config.config_dir.clone(),
            state_dir: config.state_dir.clone(),
            spool: config.spool.clone(),
            registry: agent.listens_to(Source::Registry),
            log: agent.listens_to(Source::Log),
            prices: config.prices.clone(),
        };
        agent.sources = Some(sources::start(settings)?);
        if let Some(id) = &config.session_id {
            agent.files(sources::Command::Session(id.clone()));
        }
        Ok(())
    }

    fn publish(&self, published: &mut Status) -> bool {
        let status = self.status();
        let changed = *published != status;
        *published = status;
        changed
    }

    /// `more` output has been read and waits here.
    fn on_deadline(&mut self, now: Instant, more: bool) {
        while let Some(timer) = self.timers.take_due(now) {
            match timer {
                Timer::Sync => {
                    if self.screen.end_sync().is_err() {
                        self.rebuild_screen();
                    }
                    self.after_screen_change();
                }
                Timer::Input => {
                    self.input.fail(&mut self.answers, |written, total| SessionError::InputStalled { written, total });
                }
                Timer::Shutdown => {
                    self.hang_up(now);
                    let step = self.shutdown.on_deadline(now);
                    self.shutdown_step(step);
                }
                Timer::Drain if more && self.drain_until.is_some_and(|limit| now < limit) => self.arm_drain(),
                Timer::Drain => self.output_ended(),
                Timer::Idle => self.check_idle(now),
                Timer::Look => self.look(),
                Timer::Agent => self.agent_due(now),
            }
        }
    }

    fn arm_idle(&mut self) {
        if let Some(timeout) = self.config.idle_timeout {
            self.timers.set(Timer::Idle, self.last_activity + timeout);
        }
    }

    /// The timer is not moved with every byte; it looks when it goes off whether it was too early.
    fn check_idle(&mut self, now: Instant) {
        match self.config.idle_timeout {
            Some(timeout) if now.duration_since(self.last_activity) >= timeout => {
                self.begin_shutdown("idle for too long", now);
            }
            _ => self.arm_idle(),
        }
    }
}
