//! The agent inside: what is heard of it, and what is made of that.

mod answer;
mod foreground;
mod gone;
mod hooks;
pub(super) mod lifted;
mod look;
mod memory;
mod nudge;

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::machine::Effect;
use coop_core::agent::prompt::PromptContext;
use coop_core::agent::state::State;
use coop_core::event::Event;
use coop_core::timer::Timer;
use coop_drivers::Heard;
use coop_machine::plan;
use coop_terminal::keys::Key;
use tokio::sync::oneshot;

use super::Owner;
use crate::SessionError;
use crate::agent::Agent;
use crate::handle::agent::AgentRequest;
use crate::sources::{Command, Found, instant_of, now_ms};

/// How long the options of a prompt may take to be on the screen.
const OPTIONS_LIMIT: Duration = Duration::from_secs(1);
/// How long the call of a tool that asks may take to be in the log: the screen has only one question of several.
const CALL_LIMIT: Duration = Duration::from_secs(4);
/// How long an interrupted agent may take to be idle.
const INTERRUPT_LIMIT: Duration = Duration::from_secs(5);

/// Where the agent keeps its files.
fn config_dir(config: &crate::Config) -> Option<&std::path::Path> {
    config.agent.as_ref()?.config_dir.as_deref()
}

impl Owner {
    pub(super) fn agent_request(&mut self, request: AgentRequest) {
        let Some(agent) = &mut self.agent else { return self.no_driver(request) };
        match request {
            AgentRequest::Heard { reply } => {
                let heard = agent.record.recent();
                self.answers.push(reply, Ok(heard));
            }
            AgentRequest::Explain { reply } => {
                let explanation = agent.machine.explain(Instant::now());
                self.answers.push(reply, Ok(explanation));
            }
            AgentRequest::Nudge { nudge, reply } => {
                self.person_acts();
                self.nudge(nudge, reply);
            }
            AgentRequest::Respond { respond, reply } => {
                self.person_acts();
                self.respond(respond, reply);
            }
            AgentRequest::Interrupt { reply } => {
                self.person_acts();
                self.interrupt(reply);
            }
            AgentRequest::Hook { call, reply } => self.hook(&call, reply),
            AgentRequest::Server { call, reply } => self.server_says(&call, reply),
            AgentRequest::ResolveStop { body, reply } => {
                agent.gate.resolve(body);
                self.answers.push(reply, Ok(()));
            }
            AgentRequest::StopConfig { set, reply } => {
                if let Some(set) = set {
                    agent.gate.config = set;
                }
                self.answers.push(reply, Ok(agent.gate.config.clone()));
            }
            AgentRequest::StartConfig { set, reply } => {
                if let Some(set) = set {
                    agent.start = set;
                }
                self.answers.push(reply, Ok(agent.start.clone()));
            }
            AgentRequest::Lifted { set, reply } => self.lifted_config(set, reply),
            AgentRequest::Groom { set, reply } => {
                if let Some(set) = set {
                    agent.groom = set;
                }
                self.answers.push(reply, Ok(agent.groom));
            }
            AgentRequest::Conversation { after_line, limit, reply } => {
                agent.files(Command::Conversation { after_line, limit, reply });
            }
            AgentRequest::Transcripts { reply } => agent.files(Command::Transcripts { reply }),
            AgentRequest::Catchup { since_transcript, since_line, reply } => {
                agent.files(Command::Catchup { since_transcript, since_line, reply });
            }
        }
        self.arm_agent();
    }

    fn no_driver(&mut self, request: AgentRequest) {
        let none = SessionError::NoDriver;
        match request {
            AgentRequest::Explain { reply } => self.answers.push(reply, Err(none)),
            AgentRequest::Heard { reply } => self.answers.push(reply, Err(none)),
            AgentRequest::Nudge { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Respond { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Interrupt { reply } | AgentRequest::ResolveStop { reply, .. } => {
                self.answers.push(reply, Err(none));
            }
            AgentRequest::Hook { reply, .. } | AgentRequest::Server { reply, .. } => {
                self.answers.push(reply, Err(none));
            }
            AgentRequest::StopConfig { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::StartConfig { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Lifted { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Groom { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Conversation { reply, .. } => self.answers.push(reply, Err(none)),
            AgentRequest::Transcripts { reply } => self.answers.push(reply, Err(none)),
            AgentRequest::Catchup { reply, .. } => self.answers.push(reply, Err(none)),
        }
    }

    /// Something was found in the agent's files.
    pub(super) fn found(&mut self, found: Found) {
        match found {
            Found::Evidence(evidence) => {
                self.hear(*evidence);
                self.hang_up(Instant::now());
            }
            Found::Hook(call) => {
                let (reply, _) = oneshot::channel();
                self.hook(&call, reply);
            }
            Found::Spent(spent) => {
                if let Some(agent) = &mut self.agent {
                    agent.status.spent = spent;
                    agent.status.seq += 1;
                    self.events.push(Event::Usage(spent));
                }
            }
            Found::Model(model) => {
                if let Some(agent) = self.agent.as_mut().filter(|agent| agent.status.model.as_ref() != Some(&model)) {
                    agent.status.model = Some(model);
                    agent.status.seq += 1;
                }
            }
            Found::Session { id } => {
                if let Some(agent) = &mut self.agent {
                    agent.status.session_id = Some(id);
                    agent.status.seq += 1;
                }
            }
        }
        self.arm_agent();
    }

    /// The agent's own word on its terminal.
    pub(super) fn reported(&mut self, state: &str, kind: Option<&str>, message: Option<&str>) {
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.listens_to(Source::Report)) else { return };
        let heard = agent.driver.report(state, kind, message);
        self.heard(Source::Report, Instant::now(), heard);
    }

    /// The title the agent gave its terminal, where that is made to tell how it is.
    pub(super) fn titled(&mut self, title: &str) {
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.listens_to(Source::Report)) else { return };
        let heard = agent.driver.title(title);
        self.heard(Source::Report, Instant::now(), heard);
    }

    /// Output of an agent that prints JSON.
    pub(super) fn printed(&mut self, bytes: &[u8]) {
        let Some(Agent { stdout: Some(lines), driver, without, .. }) = &mut self.agent else { return };
        if without.contains(&Source::Stdout) {
            return;
        }
        let mut heard = Vec::new();
        let mut cost = None;
        lines.push(bytes, |line| {
            cost = line.and_then(|line| driver.stdout_cost(line)).or(cost);
            heard.extend(line.map(|line| driver.stdout_line(line.trim_end())));
        });
        if let (Some(cost), Some(agent)) = (cost, &self.agent) {
            agent.files(Command::Cost(cost));
        }
        for heard in heard {
            self.heard(Source::Stdout, Instant::now(), heard);
        }
    }

    /// Everything one hook call, report or line says.
    pub(super) fn heard(&mut self, source: Source, now: Instant, heard: Heard) {
        let at = heard.at_ms.map_or(now, instant_of);
        if let Some(agent) = &mut self.agent {
            if let Some(id) = &heard.session_id
                && agent.status.session_id.as_ref() != Some(id)
            {
                agent.status.session_id = Some(id.clone());
                agent.status.seq += 1;
                agent.files(Command::Session(id.clone()));
            }
            if let Some(path) = &heard.transcript {
                agent.files(Command::Log(path.into()));
            }
        }
        for fact in heard.facts {
            self.hear_after_log(Evidence { source, at, turn: heard.turn.clone(), fact });
        }
    }

    /// The last words of a turn, and why it failed, may be in the log alone: it is read before the end is believed.
    fn hear_after_log(&mut self, evidence: Evidence) {
        let ends = matches!(evidence.fact, Fact::TurnEnded { last_message: None } | Fact::Looks(Look::Idle));
        let has_log = |agent: &&Agent| agent.driver.log_has_last_words() && agent.listens_to(Source::Log);
        match self.agent.as_ref().filter(has_log).and_then(|agent| agent.sources.as_ref()) {
            Some(sources) if ends => sources.send(Command::ReadLogFirst(Box::new(evidence))),
            _ => self.hear(evidence),
        }
    }

    pub(super) fn hear(&mut self, evidence: Evidence) {
        let now = Instant::now();
        let Some(agent) = &mut self.agent else { return };
        if let Fact::SessionStarted { model: Some(model), .. } = &evidence.fact {
            agent.status.model = Some(model.clone());
        }
        let taken = match &evidence.fact {
            Fact::TurnStarted { text: Some(text) } => Some((evidence.source, evidence.at, text.clone())),
            _ => None,
        };
        agent.record.add(now, &evidence);
        agent.remember(now, &evidence);
        let effects = agent.machine.handle(now, evidence);
        self.effects(effects);
        self.hear_last_words();
        self.complete_dialog(now);
        if let Some((source, at, text)) = taken {
            self.message_taken(source, at, &text);
        }
        if self.agent.as_ref().is_some_and(|agent| !agent.turn_waiters.is_empty()) {
            self.turn_over();
        }
    }

    /// A dialog that is only seen is the one of the tool that was called.
    fn complete_dialog(&mut self, now: Instant) {
        let Some(agent) = &mut self.agent else { return };
        let (Some(prompt), Some(context)) = (agent.machine.state().prompt(), &agent.own_dialog) else { return };
        if prompt.context.kind() == context.kind() && prompt.context.input().is_none() {
            let mut context = context.clone();
            plan::refresh(&mut context, agent.driver.as_ref(), config_dir(&self.config));
            let fact = Fact::PromptShown { context };
            let evidence = Evidence { source: Source::Log, at: now, turn: None, fact };
            agent.record.add(now, &evidence);
            let effects = agent.machine.handle(now, evidence);
            self.effects(effects);
        }
    }

    /// A deadline of the agent has come.
    pub(super) fn agent_due(&mut self, now: Instant) {
        if let Some(agent) = &mut self.agent {
            agent.waited(now);
            let effects = agent.machine.on_deadline(now);
            self.effects(effects);
            self.complete_dialog(now);
        }
        if self.agent.as_mut().is_some_and(|agent| agent.look_at.take_if(|at| *at <= now).is_some()) {
            self.look();
        }
        self.fall_back_due(now);
        self.release_held(|until| until <= now);
        self.carry_on(now);
        self.let_keys_in();
        self.deliver_due(now);
        self.clear_leftover(now);
        self.deliver_next();
        self.answer_due(now);
        self.turn_over();
        self.expire(now);
        self.arm_agent();
    }

    /// The options of the prompt could not be read.
    fn fall_back_due(&mut self, now: Instant) {
        let Some(agent) = &mut self.agent else { return };
        let Some((_, id)) = agent.fall_back.take_if(|(at, _)| *at <= now) else { return };
        // A screen that was restored tells nothing until it changes.
        self.look();
        let Some(agent) = &mut self.agent else { return };
        let Some(prompt) = agent.machine.state().prompt().filter(|prompt| prompt.id == id) else { return };
        let options = agent.driver.fallback_options(&prompt.context);
        let effects = agent.machine.fall_back(&id, &options);
        self.effects(effects);
    }

    /// The last words of a turn may be told after its end.
    fn hear_last_words(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        let words = agent.machine.last_message();
        if matches!(agent.status.state, State::Idle) && words.is_some() && agent.status.last_message.as_deref() != words
        {
            agent.status.last_message = words.map(str::to_owned);
            agent.status.seq += 1;
        }
    }

    pub(super) fn arm_agent(&mut self) {
        match self.agent.as_ref().and_then(Agent::deadline) {
            Some(at) => self.timers.set(Timer::Agent, at),
            None => self.timers.stop(Timer::Agent),
        }
    }

    /// The one place where what the machine decided becomes known.
    pub(super) fn effects(&mut self, effects: Vec<Effect>) {
        if effects.is_empty() {
            return;
        }
        for effect in effects {
            self.effect(effect);
        }
        self.state_changed();
    }

    fn effect(&mut self, effect: Effect) {
        let Some(agent) = &mut self.agent else { return };
        match effect {
            Effect::State { prev, next, source, reason } => {
                agent.status.seq += 1;
                agent.status.state = next;
                agent.status.source = Some(source);
                agent.status.reason.clone_from(&reason);
                agent.status.last_message = agent.machine.last_message().map(str::to_owned);
                tracing::debug!(prev, next = agent.status.state.name(), source = source.name(), reason, "state");
                agent.asked = agent.status.state.prompt().map(|_| Instant::now());
                let asks = agent.status.state.prompt().filter(|prompt| !prompt.ready);
                agent.fall_back =
                    asks.map(|prompt| (Instant::now() + options_limit(&prompt.context), prompt.id.clone()));
                agent.lifted.on_state(Instant::now(), now_ms(), &agent.status.state);
                agent.status.continues_at_ms = agent.lifted.planned_ms();
                let next = Box::new(agent.status.state.clone());
                let seq = agent.status.seq;
                agent.status.since_seq =
                    self.events.push(Event::State { prev, next, seq, source: Some(source), reason });
            }
            Effect::Prompt { prompt } => {
                agent.status.seq += 1;
                agent.status.state = agent.machine.state().clone();
                self.events.push(Event::Prompt { prompt: Box::new(prompt) });
            }
            Effect::PromptResolved { id, by } => {
                let via = self.prompt_over(&id, &by);
                self.events.push(Event::PromptResolved { id, by, via });
            }
        }
    }

    /// What waits for a state may go on.
    fn state_changed(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        let state = agent.machine.state();
        if !matches!(state, State::Working | State::Prompt(_)) {
            for (_, reply) in agent.interrupting.drain(..) {
                self.answers.push(reply, Ok(()));
            }
            agent.at_rest(Instant::now());
        }
        self.settle_answers(Instant::now());
        self.turn_over();
        self.deliver_next();
    }

    fn interrupt(&mut self, reply: oneshot::Sender<Result<(), SessionError>>) {
        let Some(agent) = &mut self.agent else { return };
        match agent.machine.state() {
            State::Working | State::Prompt(_) => {
                let keys = agent.driver.interrupt_keys().to_vec();
                agent.interrupting.push((Instant::now() + INTERRUPT_LIMIT, reply));
                agent.stopping = true;
                self.press(&keys);
            }
            state => {
                let why = Some("there is nothing to interrupt".into());
                let error = SessionError::AgentBusy { state: state.name().into(), why };
                self.answers.push(reply, Err(error));
            }
        }
    }

    /// Gives up on what took too long.
    fn expire(&mut self, now: Instant) {
        let Some(agent) = &mut self.agent else { return };
        let state = agent.machine.state().name();
        let late = |until: &Instant| *until <= now;
        for (until, reply) in std::mem::take(&mut agent.interrupting) {
            if late(&until) {
                let why = Some("it was told to stop, and has not".into());
                self.answers.push(reply, Err(SessionError::AgentBusy { state: state.into(), why }));
            } else {
                agent.interrupting.push((until, reply));
            }
        }
        self.expire_queue(now);
        self.expire_answers(now);
        self.release_withheld(now);
    }

    /// Presses keys by their names. Nobody waits for them: what they do shows on the screen.
    pub(super) fn press(&mut self, keys: &[String]) {
        let mut last = keys.last().into_iter().flat_map(|name| name.chars());
        if let (Some(agent), Some(character), None) = (&mut self.agent, last.next(), last.next()) {
            agent.pressed = Some((character, Instant::now()));
        }
        let keys: Vec<Key> = keys.iter().filter_map(|name| name.parse().ok()).collect();
        let bytes = coop_terminal::keys::encode(&keys, self.screen.key_modes());
        self.write_own(bytes);
    }

    /// Writes on the agent's behalf.
    pub(super) fn write_own(&mut self, bytes: Vec<u8>) {
        let was_empty = self.input.is_empty();
        let (done, _) = oneshot::channel();
        self.input.push(bytes, done, &mut self.answers);
        if was_empty && !self.input.is_empty() {
            self.arm_input();
        }
    }
}

fn options_limit(context: &PromptContext) -> Duration {
    if matches!(context, PromptContext::Question(_)) { CALL_LIMIT } else { OPTIONS_LIMIT }
}
