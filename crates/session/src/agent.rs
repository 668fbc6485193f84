//! What is kept about the agent inside a session, and what it is started with.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use coop_core::agent::cost::Prices;
use coop_core::agent::deliver::{Delivery, Nudge, Nudged, Receipt};
use coop_core::agent::evidence::{Look, Source};
use coop_core::agent::gate::{Groom, StartConfig, StopConfig, StopGate};
use coop_core::agent::lifted::{Lifted, LiftedConfig};
use coop_core::agent::machine::Machine;
use coop_core::agent::prompt::{PromptContext, PromptId};
use coop_core::agent::resolve::Settings;
use coop_core::agent::respond::{Respond, Responded};
use coop_core::agent::state::{AgentStatus, State};
use coop_drivers::lines::Lines;
use coop_drivers::{Driver, Progress, Reading, Recipe};

use crate::SessionError;
use crate::handle::Reply;
use crate::handle::agent::HookReply;
use crate::record::Record;
use crate::sources::Sources;

/// What is known about the agent before it is started.
#[derive(Clone, Debug)]
pub struct AgentConfig {
    /// Which agent it is.
    pub recipe: Recipe,
    /// Where the agent keeps its files.
    pub config_dir: Option<PathBuf>,
    /// Where coop keeps what it saves of the agent's conversations.
    pub state_dir: Option<PathBuf>,
    /// The conversation's id, if the agent was given one.
    pub session_id: Option<String>,
    pub groom: Groom,
    /// Whether the user named the folder the agent works in, which answers whether to trust it.
    pub trusted_cwd: bool,
    pub idle_grace: Duration,
    pub stop: StopConfig,
    pub start: StartConfig,
    pub lifted: LiftedConfig,
    /// Sources that are not listened to.
    pub without: Vec<Source>,
    /// Where hooks that could not reach the session leave what they had to say.
    pub spool: Option<PathBuf>,
    /// Where everything that is heard is written down, to be decided again.
    pub record: Option<PathBuf>,
    /// Its standard output is one JSON value in each line.
    pub stdout_json: bool,
    /// What tokens cost where the agent does not say so.
    pub prices: Arc<Prices>,
    /// Whether it was told to call coop's hooks.
    pub hooks: bool,
    /// Whether coop is a client of a server that the agent has.
    pub server: bool,
}

impl AgentConfig {
    #[must_use]
    pub fn new(recipe: Recipe, state_dir: impl Into<Option<PathBuf>>) -> Self {
        Self {
            recipe,
            config_dir: None,
            state_dir: state_dir.into(),
            session_id: None,
            groom: Groom::default(),
            trusted_cwd: false,
            idle_grace: Settings::default().idle_grace,
            stop: StopConfig::default(),
            start: StartConfig::default(),
            lifted: LiftedConfig::default(),
            without: Vec::new(),
            spool: None,
            record: None,
            stdout_json: false,
            prices: Arc::new(coop_drivers::prices::known()),
            hooks: true,
            server: false,
        }
    }
}

/// The agent as the owner keeps it.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) driver: Box<dyn Driver>,
    pub(crate) machine: Machine,
    pub(crate) status: AgentStatus,
    pub(crate) sources: Option<Sources>,
    pub(crate) without: Vec<Source>,
    pub(crate) gate: StopGate,
    pub(crate) start: StartConfig,
    pub(crate) groom: Groom,
    pub(crate) lifted: Lifted,
    pub(crate) trusted_cwd: bool,
    /// When a dialog of the start was last answered: it needs time to go.
    pub(crate) groomed: Option<Instant>,
    /// The dialog of the start that is up, and since when.
    pub(crate) grooming: Option<(String, Instant)>,
    /// The character that we last pressed as an answer, and when. One that a dialog did not wait for is typed.
    pub(crate) pressed: Option<(char, Instant)>,
    pub(crate) parked: Vec<Parked>,
    pub(crate) delivering: Option<Delivering>,
    pub(crate) queue: VecDeque<Queued>,
    /// Messages that arrived, whose senders wait for the end of the turn.
    pub(crate) turn_waiters: Vec<TurnWaiter>,
    pub(crate) answering: Option<Answering>,
    /// Answers that wait a moment for the hook of their prompt, which is the better way.
    pub(crate) held: Vec<Held>,
    /// When the prompt that is up was first told of.
    pub(crate) asked: Option<Instant>,
    /// A hook has been heard, so hooks work.
    pub(crate) hooked: bool,
    /// Its server was heard.
    pub(crate) served: bool,
    pub(crate) confirming: Vec<Confirming>,
    pub(crate) settling: Vec<Settling>,
    pub(crate) interrupting: Vec<(Instant, Reply<Result<(), SessionError>>)>,
    /// What is asked on the screen, and since when.
    pub(crate) dialog: Option<(String, Instant)>,
    /// The terminal was resized while a dialog was up: what the screen shows of the call may be damaged until none is.
    pub(crate) damaged: bool,
    /// The prompt whose dialog has been on the screen.
    pub(crate) seen: Option<PromptId>,
    /// Since when the dialog of a prompt is not on the screen of whose end nobody else would tell.
    pub(crate) away: Option<Instant>,
    /// The screen is looked at again then, even if it has not changed.
    pub(crate) look_at: Option<Instant>,
    /// What the screen showed last, and its number.
    pub(crate) reading: Option<(u64, Reading)>,
    /// The dialog of a tool that was called and has not come back.
    pub(crate) own_dialog: Option<PromptContext>,
    /// What the agent was last told by a message.
    pub(crate) sent: Option<String>,
    /// What somebody else typed while a message was on its way, and would have become part of it.
    pub(crate) waiting_keys: Vec<WaitingKeys>,
    /// When somebody else last typed: it may not be painted yet.
    pub(crate) typed: Option<Instant>,
    /// When it must have left the input box, and how often that is looked at.
    pub(crate) leftover: Option<(Instant, u32)>,
    pub(crate) rest: Rest,
    /// A prompt whose options are not known by then gets those that such a dialog usually has.
    pub(crate) fall_back: Option<(Instant, PromptId)>,
    /// Until then the input box may still show a message that has been taken.
    pub(crate) repaint_until: Option<Instant>,
    /// It was told to stop.
    pub(crate) stopping: bool,
    /// Until then one that has stopped may put the message back into its input box, or say that it was interrupted.
    pub(crate) settles_until: Option<Instant>,
    pub(crate) stdout: Option<Lines>,
    pub(crate) record: Record,
    /// Whether a source repeats the messages that arrive.
    pub(crate) quotes: bool,
    pub(crate) foreground: Watch,
    pub(crate) line: LineAtPrompt,
}

/// How the foreground of the terminal is watched, of which nobody tells when it changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    /// What was said of it last.
    pub(crate) said: Option<Look>,
    /// It is looked at again after this.
    pub(crate) wait: Duration,
}

/// The line of an agent that shows what is typed before the cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineAtPrompt {
    /// What stood before the cursor when nothing was typed.
    pub(crate) prompt: String,
    /// Somebody has typed since, and has not given it to the agent.
    pub(crate) typed: bool,
}

impl LineAtPrompt {
    /// Somebody else typed this.
    pub(crate) fn on_typed(&mut self, bytes: &[u8]) {
        self.typed = !bytes.ends_with(b"\r") && !bytes.ends_with(b"\n");
    }

    /// What was typed of a line, if anything.
    pub(crate) fn draft(&self, line: &str) -> String {
        let draft = line.strip_prefix(&self.prompt).unwrap_or(line);
        if self.typed { draft.trim().to_owned() } else { String::new() }
    }
}

/// Whether an agent that is idle by its hook has really come to rest: other hooks may still run, and what is typed
/// meanwhile is queued by the agent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest {
    /// When its hook or its log said that the turn has ended.
    pub(crate) stopped: Option<Instant>,
    /// A source that knows how it is now says that it is idle.
    pub(crate) confirmed: bool,
    /// There is such a source.
    pub(crate) told: bool,
    /// When its hook last said that a turn has ended, and whether that is in its log.
    pub(crate) ended: Option<Instant>,
    pub(crate) logged: bool,
    /// By its own word on the terminal it works: what it writes into its files is ahead of that.
    pub(crate) busy: bool,
}

/// Agents write their log after they have told of the end of a turn; one that is ended before forgets what it said.
const LOG_TIME: Duration = Duration::from_secs(1);

/// What somebody typed, and who wants to know that it has arrived.
#[derive(Debug)]
pub(crate) struct WaitingKeys {
    pub(crate) bytes: Vec<u8>,
    pub(crate) reply: Reply<Result<usize, SessionError>>,
}

/// What is typed while a message is on its way waits until it is taken, but not longer than this: an agent may take what
/// comes right after the Enter for a part of the message.
const KEYS_WAIT: Duration = Duration::from_secs(2);

/// What a busy agent may take to paint what was typed, and a person between two keys.
const TYPED: Duration = Duration::from_millis(500);
/// What an agent that has stopped may take to paint what it makes of that.
const SETTLES: Duration = Duration::from_secs(1);
/// What other hooks may take where nobody tells when they are done.
const HOOKS_TIME: Duration = Duration::from_millis(400);
/// What they may take where somebody should have told.
const HOOKS_LIMIT: Duration = Duration::from_secs(3);

impl Rest {
    /// Until when it may still be writing down what it said last.
    pub(crate) fn writes_until(&self) -> Option<Instant> {
        self.ended.filter(|_| !self.logged).map(|ended| ended + LOG_TIME)
    }

    /// When it can be told something.
    pub(crate) fn from(&self) -> Option<Instant> {
        let stopped = self.stopped.filter(|_| !self.confirmed)?;
        Some(stopped + if self.told { HOOKS_LIMIT } else { HOOKS_TIME })
    }
}

/// A hook that waits for somebody's decision.
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) prompt: PromptId,
    /// Whose answer it is: a hook's, or a server's.
    pub(crate) by: Source,
    /// The hook returns without an answer then, so that the agent shows its dialog.
    pub(crate) until: Option<Instant>,
    pub(crate) reply: Reply<Result<HookReply, SessionError>>,
}

#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) nudge: Nudge,
    pub(crate) reply: Waiting,
    pub(crate) until: Option<Instant>,
}

#[derive(Debug)]
pub(crate) struct Delivering {
    pub(crate) delivery: Delivery,
    pub(crate) nudge: Nudge,
    pub(crate) reply: Waiting,
    pub(crate) state_before: String,
    /// Enter is still to be pressed then: the terminal does not know pastes, or the agent needs a pause after one.
    pub(crate) enter_at: Option<Instant>,
    /// When it was given, and when for the first time.
    pub(crate) given: (Instant, Instant),
}

#[derive(Debug)]
pub(crate) struct TurnWaiter {
    pub(crate) receipt: Receipt,
    pub(crate) state_before: String,
    pub(crate) reply: Waiting,
    pub(crate) until: Instant,
    /// So long it is told only with the last words of the turn, where they are on their way.
    pub(crate) words_until: Instant,
}

/// Who waits to hear what became of a message.
#[derive(Debug)]
pub(crate) enum Waiting {
    Sender(Reply<Result<Nudged, SessionError>>),
    /// Whoever gave an answer that it is a part of.
    Answerer {
        responded: Responded,
        reply: Reply<Result<Responded, SessionError>>,
    },
}

/// An answer on its way by keys.
#[derive(Debug)]
pub(crate) struct Answering {
    pub(crate) prompt: coop_core::agent::Prompt,
    pub(crate) respond: Respond,
    pub(crate) progress: Progress,
    /// To be said when the dialog is gone.
    pub(crate) follow_up: Option<String>,
    pub(crate) reply: Reply<Result<Responded, SessionError>>,
    /// Nothing is pressed before, so that the screen can show what the last key did.
    pub(crate) not_before: Instant,
    /// A key that changed nothing by then was lost.
    pub(crate) retry_at: Option<Instant>,
    pub(crate) until: Instant,
}

/// An answer that waits for a hook to be told.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) respond: Respond,
    pub(crate) reply: Reply<Result<Responded, SessionError>>,
    pub(crate) until: Instant,
}

/// An answer that was given, whose dialog is not gone yet.
#[derive(Debug)]
pub(crate) struct Confirming {
    pub(crate) prompt: PromptId,
    /// The answer lets a tool run.
    pub(crate) allows: bool,
    pub(crate) responded: Responded,
    pub(crate) follow_up: Option<String>,
    pub(crate) reply: Reply<Result<Responded, SessionError>>,
    pub(crate) until: Instant,
}

/// An answer that let a tool run. The prompt is over; the reply waits for a moment in which a person may have stopped the
/// tool at the terminal.
#[derive(Debug)]
pub(crate) struct Settling {
    pub(crate) responded: Responded,
    pub(crate) follow_up: Option<String>,
    pub(crate) reply: Reply<Result<Responded, SessionError>>,
    pub(crate) until: Instant,
}

impl Agent {
    pub(crate) fn new(now: Instant, config: &AgentConfig) -> Self {
        let driver = config.recipe.driver();
        let settings = Settings { idle_grace: config.idle_grace, ..driver.judge() };
        let machine = Machine::new(now, settings);
        let mut status = AgentStatus::new(machine.state().clone());
        status.can = driver.capabilities();
        status.session_id.clone_from(&config.session_id);
        let hooks = config.hooks && config.groom != Groom::Pristine && !config.without.contains(&Source::Hook);
        status.can.respond_by_hook &= hooks;
        status.can.respond_by_hook |= config.server && !config.without.contains(&Source::Server);
        // Whether hooks that are looked at first may run is known when one is heard.
        status.can.stop_gate &= hooks && !driver.hooks_are_reviewed();
        Self {
            driver,
            machine,
            status,
            sources: None,
            without: config.without.clone(),
            gate: StopGate::new(config.stop.clone()),
            start: config.start.clone(),
            groom: config.groom,
            lifted: Lifted::new(config.lifted.clone()),
            trusted_cwd: config.trusted_cwd,
            groomed: None,
            grooming: None,
            pressed: None,
            parked: Vec::new(),
            delivering: None,
            queue: VecDeque::new(),
            turn_waiters: Vec::new(),
            answering: None,
            held: Vec::new(),
            asked: None,
            hooked: false,
            served: false,
            confirming: Vec::new(),
            settling: Vec::new(),
            interrupting: Vec::new(),
            dialog: None,
            damaged: false,
            seen: None,
            away: None,
            look_at: None,
            reading: None,
            own_dialog: None,
            sent: None,
            waiting_keys: Vec::new(),
            typed: None,
            leftover: None,
            rest: Rest::default(),
            stopping: false,
            settles_until: None,
            fall_back: None,
            repaint_until: None,
            stdout: config.stdout_json.then(Lines::default),
            record: Record::new(now, config.record.as_deref()),
            quotes: hooks || !config.without.contains(&Source::Log),
            foreground: Watch::default(),
            line: LineAtPrompt::default(),
        }
    }

    /// Another process takes the place of the one there was. What was set stays, and so does what waits to be said.
    pub(crate) fn renew(&mut self, now: Instant, config: &AgentConfig) {
        let fresh = Self::new(now, &AgentConfig { record: None, ..config.clone() });
        let old = std::mem::replace(self, fresh);
        self.machine = old.machine;
        self.gate.config = old.gate.config;
        self.start = old.start;
        self.groom = old.groom;
        self.lifted = old.lifted;
        self.queue = old.queue;
        self.record = old.record;
        let (can, session_id) = (self.status.can, self.status.session_id.take());
        // What the conversation has used is told by its log.
        let fresh =
            AgentStatus { seq: old.status.seq, since_seq: old.status.since_seq, ..AgentStatus::new(old.status.state) };
        self.status = AgentStatus { can, session_id, queued: self.queue.len(), ..fresh };
    }

    pub(crate) fn listens_to(&self, source: Source) -> bool {
        !self.without.contains(&source)
    }

    /// What was waited for before a message may go has had its time.
    pub(crate) fn waited(&mut self, now: Instant) {
        self.repaint_until.take_if(|until| *until <= now);
        self.settles_until.take_if(|until| *until <= now);
        self.typed.take_if(|at| *at + TYPED <= now);
        if self.rest.from().is_some_and(|from| from <= now) {
            self.rest.stopped = None;
        }
    }

    /// What a message waits for, each by itself.
    fn may_deliver_from(&self) -> impl Iterator<Item = Instant> {
        let typed = self.typed.map(|at| at + TYPED);
        self.repaint_until.into_iter().chain(self.settles_until).chain(self.rest.from()).chain(typed)
    }

    /// It works no longer.
    pub(crate) fn at_rest(&mut self, now: Instant) {
        if std::mem::take(&mut self.stopping) && !self.driver.echoes() {
            self.settles_until = Some(now + SETTLES);
        }
    }

    /// Whether what somebody typed may not be on the screen yet.
    pub(crate) fn is_being_typed_into(&self) -> bool {
        self.typed.is_some_and(|at| at.elapsed() < TYPED)
    }

    /// Until when the last words of a turn that is over are waited for: whoever told of its end may have been quicker than
    /// the log that has them.
    pub(crate) fn words_awaited(&self) -> Option<Instant> {
        let has_log = self.driver.log_has_last_words() && self.listens_to(Source::Log);
        let silent = matches!(self.machine.state(), State::Idle) && self.machine.last_message().is_none();
        let until = self.turn_waiters.iter().map(|waiter| waiter.words_until).max();
        until.filter(|until| has_log && silent && Instant::now() < *until)
    }

    /// Until when what somebody types has to wait for the message that is on its way.
    pub(crate) fn keys_wait_until(&self) -> Option<Instant> {
        let given = self.delivering.as_ref().map(|delivering| delivering.given.1 + KEYS_WAIT);
        given.filter(|until| Instant::now() < *until)
    }

    /// When something is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        // While somebody types nothing is looked at: what is on the screen is not what is in the box.
        let typed = self.typed.map(|at| at + TYPED);
        let delivering = self.delivering.iter().map(|d| d.enter_at.unwrap_or_else(|| d.delivery.deadline()));
        let delivering = delivering.map(|at| typed.map_or(at, |typed| at.max(typed)));
        let answering =
            self.answering.iter().map(|a| a.retry_at.map_or(a.until, |at| at.max(a.not_before).min(a.until)));
        let machine = self.machine.deadline();
        machine
            .into_iter()
            .chain(delivering)
            .chain(answering)
            .chain(self.queue.iter().filter_map(|queued| queued.until))
            .chain(self.turn_waiters.iter().map(|waiter| waiter.until))
            .chain(self.words_awaited())
            .chain(self.confirming.iter().map(|confirming| confirming.until))
            .chain(self.settling.iter().map(|settling| settling.until))
            .chain(self.interrupting.iter().map(|(until, _)| *until))
            .chain(self.fall_back.iter().map(|(at, _)| *at))
            .chain(self.lifted.deadline())
            .chain(self.held.iter().map(|held| held.until))
            .chain(self.parked.iter().filter_map(|parked| parked.until))
            .chain(self.keys_wait_until().filter(|_| !self.waiting_keys.is_empty()))
            .chain(self.look_at)
            .chain(self.leftover.map(|(at, _)| at))
            .chain(self.may_deliver_from().filter(|_| !self.queue.is_empty()))
            .min()
    }
}
