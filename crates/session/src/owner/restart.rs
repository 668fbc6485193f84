//! Another child in the place of one that is ended: the same session, a new generation.
//!
//! Nobody is told of an exit in between. What waited for the old child is refused; messages that wait for the agent to
//! be idle stay, for the conversation goes on.

use std::time::Instant;

use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::agent::state::State;
use coop_core::event::Event;
use coop_core::shutdown::Shutdown;
use coop_core::status::Exit;
use coop_core::timer::{Timer, Timers};
use coop_terminal::pty::{self, Child};

use super::Owner;
use crate::SessionError;
use crate::agent::AgentConfig;
use crate::backend::{Program, Wires, native};
use crate::handle::Reply;
use crate::launch::{self, Again, Change, Launch, Restarted};

/// What a shell says of a program that cannot be started.
const NOT_STARTED: Exit = Exit::Code(127);

/// A restart that is under way.
pub(super) struct Restart {
    /// All changes, with those of this restart.
    change: Change,
    new_args: bool,
    reply: Reply<Result<Restarted, SessionError>>,
}

/// Another child, and what it was started with.
struct Replacement {
    child: Child,
    wires: Wires,
    launch: Launch,
}

impl Owner {
    pub(super) fn restart(&mut self, change: Change, reply: Reply<Result<Restarted, SessionError>>) {
        let new_args = change.args.is_some();
        let change = self.change.and(change);
        if let Err(error) = self.may_restart(&change, new_args) {
            return self.answers.push(reply, Err(error));
        }
        let now = Instant::now();
        self.last_activity = now;
        self.restart = Some(Restart { change, new_args, reply });
        self.input.fail(&mut self.answers, |_, _| SessionError::Restarting);
        self.agent_gone(&SessionError::Restarting, Fact::ProcessReplacing);
        if self.over {
            self.start_again();
        } else if !self.child_gone {
            self.hang_up(now);
        }
    }

    /// Asks the old child to end, as soon as it has written down what it said last.
    pub(super) fn hang_up(&mut self, now: Instant) {
        if self.restart.is_none() || self.child_gone || self.shutdown.is_under_way() {
            return;
        }
        let agent = self.agent.as_ref().filter(|agent| agent.listens_to(Source::Log));
        match agent.and_then(|agent| agent.rest.writes_until()) {
            Some(until) if now < until => self.timers.set(Timer::Shutdown, until),
            _ => {
                let step = self.shutdown.begin(now);
                self.shutdown_step(step);
            }
        }
    }

    fn may_restart(&self, change: &Change, new_args: bool) -> Result<(), SessionError> {
        if self.restart.is_some() || self.away {
            return Err(SessionError::Restarting);
        }
        if !self.child.is_own() {
            return Err(SessionError::Unsupported {
                what: "start the program again",
                instead: "Start it again where it was started.",
            });
        }
        if self.shutdown.is_under_way() && !self.over {
            return Err(SessionError::Stopping);
        }
        let conversation = self.conversation();
        let again = Again { change, new_args, conversation: conversation.as_deref() };
        match &self.config.launcher {
            Some(launcher) => launcher.check(&again).map_err(SessionError::BadRestart),
            None => Ok(()),
        }
    }

    /// Somebody wants the session to end: there will be no other child. False if none was to come.
    pub(super) fn call_off_restart(&mut self) -> bool {
        let Some(restart) = self.restart.take() else { return false };
        self.answers.push(restart.reply, Err(SessionError::Stopping));
        true
    }

    /// The old child is gone, and what it printed has been read.
    pub(super) fn start_again(&mut self) {
        let Some(restart) = self.restart.take() else { return };
        self.child.free();
        match self.replacement(&restart) {
            Ok(replacement) => {
                let resumed = replacement.launch.resumed;
                self.change = restart.change;
                self.replace(replacement);
                let resumed = self.conversation().filter(|_| resumed);
                let done = Restarted { generation: self.log.generation(), pid: self.pid(), resumed };
                tracing::info!(pid = done.pid, generation = done.generation, "the program was started again");
                self.answers.push(restart.reply, Ok(done));
            }
            Err(why) => {
                tracing::error!(why, "the program could not be started again");
                self.failed_to_start(&why);
                self.answers.push(restart.reply, Err(SessionError::NotStarted(why)));
            }
        }
    }

    fn conversation(&self) -> Option<String> {
        self.agent.as_ref().and_then(|agent| agent.status.session_id.clone())
    }

    fn replacement(&self, restart: &Restart) -> Result<Replacement, String> {
        let conversation = self.conversation();
        let Restart { change, new_args, .. } = restart;
        let again = Again { change, new_args: *new_args, conversation: conversation.as_deref() };
        let mut launch = match &self.config.launcher {
            Some(launcher) => launcher.launch(&again)?,
            None => launch::plain(&self.config.command, &again),
        };
        launch.command.size = self.screen.size();
        let (pty, child) = pty::spawn(&launch.command).map_err(|error| error.to_string())?;
        let tape = match &self.config.survival {
            Some(survival) => {
                let generation = self.log.generation() + 1;
                Some(survival.begin(generation, &pty, &child).map_err(|error| error.to_string())?)
            }
            None => None,
        };
        let wires = native::wires(pty, &child, tape).map_err(|error| error.to_string())?;
        Ok(Replacement { child, wires, launch })
    }

    fn replace(&mut self, replacement: Replacement) {
        let Replacement { child, wires, launch } = replacement;
        self.fresh = Some(wires);
        self.succeed(Box::new(child), launch.agent);
    }

    /// Another program is there: a new generation.
    pub(super) fn succeed(&mut self, program: Box<dyn Program>, agent: Option<AgentConfig>) {
        let now = Instant::now();
        self.child = program;
        self.away = false;
        self.ended = Some(self.log.cursor());
        self.log.restart();
        self.events.set_generation(self.log.generation());
        self.screen.restart();
        self.screen_base = 0;
        self.shutdown = Shutdown::new(self.config.shutdown_grace);
        self.timers = Timers::default();
        self.last_activity = now;
        self.child_gone = false;
        self.exit = None;
        self.drain_until = None;
        self.output_over = false;
        self.over = false;
        self.arm_idle();
        self.events.push(Event::Start { pid: self.pid() });
        self.renew_agent(now, agent);
    }

    fn renew_agent(&mut self, now: Instant, config: Option<AgentConfig>) {
        let (Some(agent), Some(config)) = (&mut self.agent, config) else {
            return self.plain_state(State::Unknown, "the program was started again");
        };
        agent.renew(now, &config);
        self.config.agent = Some(config);
        if let Err(error) = self.watch_files() {
            tracing::warn!(%error, "the agent's files are not read");
        }
        self.hear(Evidence { source: Source::Process, at: now, turn: None, fact: Fact::ProcessStarted });
        self.arm_agent();
    }

    fn failed_to_start(&mut self, why: &str) {
        self.timers = Timers::default();
        self.child_gone = true;
        self.output_over = true;
        self.over = true;
        self.exit = Some(NOT_STARTED);
        let fact = Fact::ProcessFailed { why: why.to_owned() };
        self.agent_gone(&SessionError::NotStarted(why.to_owned()), fact);
        self.events.push(Event::Exit(NOT_STARTED));
    }

    /// The state of a program about which nothing else is known. Only a restart is an event: of the exit, the exit tells.
    pub(super) fn plain_state(&mut self, next: State, reason: &str) {
        if self.agent.is_some() || self.plain.state == next {
            return;
        }
        let is_event = [&self.plain.state, &next].contains(&&State::Restarting);
        let prev = self.plain.state.name();
        self.plain.seq += 1;
        self.plain.state = next.clone();
        self.plain.source = Some(Source::Process);
        self.plain.reason = reason.to_owned();
        let source = self.plain.source;
        let (seq, reason) = (self.plain.seq, reason.to_owned());
        if is_event {
            let next = Box::new(next);
            self.plain.since_seq = self.events.push(Event::State { prev, next, seq, source, reason });
        }
    }
}
