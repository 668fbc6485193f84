//! Messages to the agent: one at a time, each confirmed or refused.

use std::time::{Duration, Instant};

use coop_core::agent::deliver::{
    DISTURBED, Delivery, Nudge, Nudged, Proof, Receipt, Seen, Step, Timing, WaitFor, When, folded,
};
use coop_core::agent::evidence::Source;
use coop_core::agent::state::State;
use coop_core::text::is_invisible;
use coop_drivers::Reading;
use coop_terminal::keys::{self, Key};

use super::super::Owner;
use crate::SessionError;
use crate::agent::{Agent, Delivering, Queued, TurnWaiter, Waiting};
use crate::handle::Reply;

/// Messages that may wait for the agent to be idle.
const QUEUE_LIMIT: usize = 256;
/// How long the sender of a message waits for the end of its turn, if it does not say.
const TURN_LIMIT: Duration = Duration::from_secs(3600);

/// A paste that is not shown by then was lost. Given again too soon, it would be there twice.
const LOST: Duration = Duration::from_secs(4);
/// The box is looked at again after this.
const NOT_SHOWN: Duration = Duration::from_millis(50);

/// How long an agent may take to paint what it has told already.
const REPAINT: Duration = Duration::from_secs(3);
/// So long after it was pressed, a key in the input box is ours.
const KEY_MEMORY: Duration = Duration::from_secs(20);
/// What a message that was taken may take to leave the input box. 2.1.197 takes one that comes while the stop hooks of the
/// turn before run, and lets it stand there.
const LEFTOVER: Duration = Duration::from_secs(1);
/// A busy agent paints it late.
const LEFTOVER_LOOKS: u32 = 5;

/// What a log may take to have the last words of a turn that is over.
const LAST_WORDS: Duration = Duration::from_secs(2);

type NudgeReply = Reply<Result<Nudged, SessionError>>;

impl Owner {
    pub(super) fn nudge(&mut self, nudge: Nudge, reply: NudgeReply) {
        self.take_nudge(nudge, Waiting::Sender(reply));
    }

    fn take_nudge(&mut self, nudge: Nudge, reply: Waiting) {
        if let Err(error) = self.check_message(&nudge) {
            self.nudged(reply, Err(error));
            return;
        }
        let Some(agent) = &mut self.agent else { return };
        let state = agent.machine.state();
        let ready = match state {
            State::Working => nudge.when == When::Now && agent.status.can.nudge_while_working,
            state => state.takes_message(),
        };
        let until = nudge.timeout.map(|timeout| Instant::now() + timeout);
        let under_way = agent.delivering.is_some();
        if ready && !under_way && agent.queue.is_empty() {
            return self.deliver(Queued { nudge, reply, until });
        }
        if matches!(state, State::Exited) {
            let exit = self.exit;
            self.nudged(reply, Err(SessionError::Exited { exit }));
        } else if nudge.when == When::IdleOnly || agent.queue.len() >= QUEUE_LIMIT {
            let why = match () {
                () if under_way => Some("another message is being delivered".to_owned()),
                () if !agent.queue.is_empty() => Some(format!("{} messages wait to be delivered", agent.queue.len())),
                () => None,
            };
            let error = SessionError::AgentBusy { state: state.name().into(), why };
            self.nudged(reply, Err(error));
        } else {
            agent.queue.push_back(Queued { nudge, reply, until });
            self.queue_changed();
        }
    }

    /// Tells whoever waits what became of a message.
    pub(super) fn nudged(&mut self, waiting: Waiting, result: Result<Nudged, SessionError>) {
        let (mut responded, reply) = match waiting {
            Waiting::Sender(reply) => return self.answers.push(reply, result),
            Waiting::Answerer { responded, reply } => (responded, reply),
        };
        let why = match result {
            Ok(nudged) if nudged.delivered => None,
            Ok(nudged) => Some(nudged.reason.unwrap_or_default()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = why {
            responded.delivered = false;
            responded.reason = Some(format!("the dialog is answered, but the words did not arrive: {why}"));
        }
        self.answers.push(reply, Ok(responded));
    }

    /// Its length is published.
    fn queue_changed(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        if agent.status.queued != agent.queue.len() {
            agent.status.queued = agent.queue.len();
            agent.status.seq += 1;
        }
    }

    fn check_message(&self, nudge: &Nudge) -> Result<(), SessionError> {
        let Some(agent) = &self.agent else { return Err(SessionError::NoDriver) };
        if folded(&nudge.message).is_empty() {
            return Err(SessionError::BadAnswer("the message is empty".into()));
        }
        if agent.driver.is_command(&nudge.message) && !nudge.command {
            let what =
                "the agent would run this as a command: say so with \"command\": true, or begin with another word";
            return Err(SessionError::BadAnswer(what.into()));
        }
        Ok(())
    }

    /// The next of the queue, if the agent takes one now.
    pub(super) fn deliver_next(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        if agent.delivering.is_some() || !agent.machine.state().takes_message() {
            return;
        }
        if let Some(next) = agent.queue.pop_front() {
            self.deliver(next);
            self.queue_changed();
        }
    }

    fn deliver(&mut self, queued: Queued) {
        let typed = self.agent.as_ref().is_some_and(Agent::is_being_typed_into);
        // A dialog that is still on the screen would take the words for an answer.
        let asks = self.read_screen().is_some_and(|reading| reading.dialog.is_some());
        if typed || asks || !self.is_at_rest() || self.takes_a_key() || self.is_settling() {
            return self.wait_for_repaint(queued);
        }
        match self.clear_way(&queued.nudge) {
            Err(SessionError::DraftPresent { draft }) if self.is_ours(&draft) => {
                self.clear_box(&draft);
                return self.wait_for_repaint(queued);
            }
            Err(SessionError::DraftPresent { .. }) if self.is_repainting() => {
                return self.wait_for_repaint(queued);
            }
            Err(error) => return self.nudged(queued.reply, Err(error)),
            Ok(()) => {}
        }
        let Queued { nudge, reply, .. } = queued;
        let now = Instant::now();
        let enter = self.submit_bytes();
        let text = printable(&nudge.message);
        let bracketed = self.pastes();
        let Some(agent) = &mut self.agent else { return };
        let state_before = agent.machine.state().name().to_owned();
        // A command is typed: pasted text is not looked up. Nothing quotes a command.
        let quoted = agent.quotes && !nudge.command;
        let mut bytes = keys::paste(&text, bracketed);
        let pause = agent.driver.timings().paste_delay();
        let enter_at = match bracketed {
            true if pause.is_zero() => {
                bytes.extend(&enter);
                None
            }
            true => Some(now + pause),
            false => Some(now + typed_delay(text.len()).max(agent.driver.timings().enter_delay())),
        };
        let timing = nudge.timeout.filter(|_| nudge.wait == WaitFor::Delivered).map_or_else(Timing::default, |limit| {
            Timing { limit: limit.min(Timing::default().limit), ..Timing::default() }
        });
        let delivery = Delivery::new(now, &text, timing, quoted);
        agent.delivering = Some(Delivering { delivery, nudge, reply, state_before, enter_at, given: (now, now) });
        self.write_own(bytes);
        self.arm_agent();
    }

    /// What is in the input box may be a message that has just been taken: agents tell before they paint.
    fn is_repainting(&self) -> bool {
        self.agent.as_ref().and_then(|agent| agent.repaint_until).is_some_and(|until| Instant::now() < until)
    }

    /// It was stopped and has painted nothing of that yet. One that had said nothing puts the message back into its box,
    /// and what is typed before would stand behind it.
    fn is_settling(&mut self) -> bool {
        let settled = |reading: Reading| reading.interrupted || reading.draft.is_some_and(|draft| !draft.is_empty());
        let settled = self.read_screen().is_some_and(settled);
        let Some(agent) = &mut self.agent else { return false };
        agent.settles_until.take_if(|until| settled || *until <= Instant::now());
        agent.settles_until.is_some()
    }

    /// Delivered as soon as the box is empty, or refused then.
    fn wait_for_repaint(&mut self, queued: Queued) {
        let Some(agent) = &mut self.agent else { return };
        agent.queue.push_front(queued);
        self.queue_changed();
        self.arm_agent();
    }

    /// The keyboard is free and nobody has typed anything.
    fn clear_way(&mut self, nudge: &Nudge) -> Result<(), SessionError> {
        if self.child_gone {
            return Err(self.gone());
        }
        self.lease.check(Instant::now(), None)?;
        let echoes = self.agent.as_ref().is_some_and(|agent| agent.driver.echoes());
        if echoes && !self.pastes() && nudge.message.trim().contains('\n') {
            // It would be given the first of them before it is known what becomes of the rest.
            let what = "it takes no pastes, and so no message of several lines: send one line after the other";
            return Err(SessionError::BadAnswer(what.into()));
        }
        let draft = self.read_screen().and_then(|reading| reading.draft).unwrap_or_default();
        if draft.trim().is_empty() {
            return Ok(());
        }
        if !nudge.replace_draft {
            return Err(SessionError::DraftPresent { draft });
        }
        self.clear_box(&draft);
        Ok(())
    }

    /// Each takes what is left of the cursor in one line, and then the end of the line before it.
    fn clear_box(&mut self, draft: &str) {
        let keys: Vec<String> = draft.lines().flat_map(|_| ["Ctrl-U".to_owned(), "Backspace".to_owned()]).collect();
        self.press(&keys);
    }

    /// An agent that is interrupted puts the message back into its input box. Nobody wrote it, so nobody misses it. The
    /// same is true of a key that was pressed again for a dialog that had gone.
    fn is_ours(&self, draft: &str) -> bool {
        let Some(agent) = &self.agent else { return false };
        let is_key = |(key, at): (char, Instant)| at.elapsed() < KEY_MEMORY && draft.trim().chars().all(|c| c == key);
        agent.sent.as_ref().is_some_and(|sent| folded(sent) == folded(draft)) || agent.pressed.is_some_and(is_key)
    }

    /// A key was pressed for a dialog just now, and there is no input box yet: what is typed would meet the key.
    fn takes_a_key(&mut self) -> bool {
        let no_box = self.read_screen().is_some_and(|reading| reading.draft.is_none());
        let Some(agent) = self.agent.as_mut().filter(|_| no_box) else { return false };
        let until = agent.pressed.map(|(_, at)| at + REPAINT).filter(|until| Instant::now() < *until);
        agent.repaint_until = until.or(agent.repaint_until);
        until.is_some()
    }

    /// A message that was taken and is still in the input box would be one with whatever is typed next.
    pub(super) fn clear_leftover(&mut self, now: Instant) {
        let due = |agent: &mut Agent| agent.leftover.take_if(|(at, _)| *at <= now);
        let Some((_, looks)) = self.agent.as_mut().and_then(due) else { return };
        if let Some(agent) = self.agent.as_mut().filter(|_| looks > 1) {
            agent.leftover = Some((now + LEFTOVER, looks - 1));
        }
        let Some(reading) = self.read_screen().filter(|reading| !reading.interrupted) else { return };
        if let Some(draft) = reading.draft.filter(|draft| self.is_ours(draft)) {
            self.clear_box(&draft);
        }
    }

    fn is_at_rest(&self) -> bool {
        let from = self.agent.as_ref().and_then(|agent| agent.rest.from());
        from.is_none_or(|from| from <= Instant::now())
    }

    /// A source says that the agent took a message.
    pub(super) fn message_taken(&mut self, source: Source, at: Instant, text: &str) {
        let how = if source == Source::Hook { Proof::Hook } else { Proof::Log };
        let taken = self.agent.as_ref().and_then(|agent| agent.delivering.as_ref());
        if let Some(receipt) = taken.and_then(|d| d.delivery.on_turn(Instant::now(), at, how, text)) {
            self.delivered(receipt);
        }
    }

    pub(super) fn deliver_due(&mut self, now: Instant) {
        let Some(Delivering { enter_at, .. }) = self.agent.as_ref().and_then(|agent| agent.delivering.as_ref()) else {
            return;
        };
        if let Some(at) = enter_at {
            if *at <= now {
                self.enter_when_shown(now);
            }
            return;
        }
        if self.agent.as_ref().is_some_and(Agent::is_being_typed_into) {
            return;
        }
        let draft = self.read_screen().and_then(|reading| reading.draft);
        let line = self.screen.before_cursor();
        let Some(agent) = &mut self.agent else { return };
        let Some(delivering) = &mut agent.delivering else { return };
        // Work that is over by now has begun too.
        let begun = agent.machine.worked().is_some_and(|at| at >= delivering.given.1);
        let working = begun || matches!(agent.machine.state(), State::Working | State::Prompt(_));
        let echoes = agent.driver.echoes();
        let draft = if echoes { Some("") } else { draft.as_deref() };
        // Where work is told of when it begins, a new prompt without it means that the line was no command.
        let told = agent.driver.shows_start() && line.is_empty();
        let line = (echoes && !told).then_some(line.as_str());
        match delivering.delivery.on_look(now, Seen { draft, working, line }) {
            Some(Step::Enter) => self.press_enter(),
            Some(Step::Confirmed(receipt)) => self.delivered(receipt),
            Some(Step::GiveUp(why)) => self.not_delivered(why),
            None => {}
        }
    }

    /// Enter, once the input box shows the message: a paste that comes while an agent starts may be lost whole. It is given
    /// again then, which sends nothing twice, because nothing was sent.
    fn enter_when_shown(&mut self, now: Instant) {
        let draft = self.read_screen().and_then(|reading| reading.draft);
        let line = self.screen.before_cursor();
        let bracketed = self.pastes();
        let Some(agent) = &mut self.agent else { return };
        let echoes = agent.driver.echoes();
        let pauses = bracketed && !agent.driver.timings().paste_delay().is_zero() && agent.driver.shows_draft();
        let Some(delivering) = &mut agent.delivering else { return };
        let in_box = || draft.is_some_and(|draft| !draft.trim().is_empty());
        let shown = if echoes { delivering.delivery.ends(&line) } else { in_box() };
        if delivering.delivery.is_disturbed() {
            return self.not_delivered(DISTURBED.into());
        }
        if shown || !pauses && !echoes {
            delivering.enter_at = None;
            return self.press_enter();
        }
        let (last, first) = delivering.given;
        if now >= first + Timing::default().limit {
            return self.not_delivered("the agent's input box did not show the message".into());
        }
        delivering.enter_at = Some(now + NOT_SHOWN);
        // A line that is shown elsewhere would be there twice, and run.
        if now >= last + LOST && !echoes {
            delivering.given.0 = now;
            let again = keys::paste(&printable(&delivering.nudge.message), true);
            self.write_own(again);
        }
    }

    fn press_enter(&mut self) {
        let enter = self.submit_bytes();
        self.write_own(enter);
    }

    /// The key that gives the agent what was typed.
    fn submit_bytes(&self) -> Vec<u8> {
        let key = self.agent.as_ref().and_then(|agent| agent.driver.submit_key().parse().ok());
        key.unwrap_or(Key::ENTER).encode(self.screen.key_modes())
    }

    /// Whether a text is pasted, as opposed to typed.
    fn pastes(&self) -> bool {
        self.screen.modes().bracketed_paste && self.agent.as_ref().is_none_or(|agent| agent.driver.pastes())
    }

    fn delivered(&mut self, receipt: Receipt) {
        let Some(agent) = &mut self.agent else { return };
        let Some(done) = agent.delivering.take() else { return };
        self.let_keys_in();
        self.line_taken();
        let Some(agent) = &mut self.agent else { return };
        agent.repaint_until = Some(Instant::now() + REPAINT);
        agent.sent = Some(done.nudge.message.clone());
        agent.leftover = Some((Instant::now() + LEFTOVER, LEFTOVER_LOOKS));
        if done.nudge.wait == WaitFor::TurnEnd {
            let until = Instant::now() + done.nudge.timeout.unwrap_or(TURN_LIMIT);
            let words_until = Instant::now() + LAST_WORDS;
            let waiter = TurnWaiter { receipt, state_before: done.state_before, reply: done.reply, until, words_until };
            agent.turn_waiters.push(waiter);
            self.turn_over();
        } else {
            let nudged = Nudged { receipt: Some(receipt), delivered: true, ..nothing(done.state_before) };
            self.nudged(done.reply, Ok(nudged));
        }
        self.deliver_next();
    }

    fn not_delivered(&mut self, why: String) {
        let Some(agent) = &mut self.agent else { return };
        let Some(done) = agent.delivering.take() else { return };
        // What it left behind is in the way of the next one.
        agent.line.typed = true;
        self.let_keys_in();
        self.nudged(done.reply, Ok(Nudged { reason: Some(why), ..nothing(done.state_before) }));
        self.deliver_next();
    }

    /// Those who wait for the end of a turn: it has ended, or nothing more comes without an answer.
    pub(super) fn turn_over(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        let state = agent.machine.state();
        if matches!(state, State::Working) || agent.words_awaited().is_some() {
            return;
        }
        let (state, last) = (state.name().to_owned(), agent.machine.last_message().map(str::to_owned));
        for waiter in std::mem::take(&mut agent.turn_waiters) {
            self.nudged(waiter.reply, Ok(ended(waiter.receipt, waiter.state_before, &state, last.clone())));
        }
    }

    pub(super) fn expire_queue(&mut self, now: Instant) {
        let Some(agent) = &mut self.agent else { return };
        let state = agent.machine.state().name().to_owned();
        let (late, waiting) =
            agent.queue.drain(..).partition::<Vec<_>, _>(|queued| queued.until.is_some_and(|until| until <= now));
        agent.queue = waiting.into();
        for queued in late {
            let why = Some("it was not idle in time, and the message was taken back".into());
            self.nudged(queued.reply, Err(SessionError::AgentBusy { state: state.clone(), why }));
        }
        let Some(agent) = &mut self.agent else { return };
        let (late, waiting) = agent.turn_waiters.drain(..).partition::<Vec<_>, _>(|waiter| waiter.until <= now);
        agent.turn_waiters = waiting;
        self.queue_changed();
        for waiter in late {
            let nudged = Nudged {
                reason: Some("the message arrived, but its turn has not ended in time".into()),
                ..ended(waiter.receipt, waiter.state_before, &state, None)
            };
            self.nudged(waiter.reply, Ok(nudged));
        }
    }
}

fn nothing(state_before: String) -> Nudged {
    Nudged {
        delivered: false,
        receipt: None,
        state_before,
        queued: None,
        reason: None,
        state_after: None,
        last_message: None,
    }
}

fn ended(receipt: Receipt, before: String, after: &str, last_message: Option<String>) -> Nudged {
    Nudged {
        delivered: true,
        receipt: Some(receipt),
        state_after: Some(after.to_owned()),
        last_message,
        ..nothing(before)
    }
}

/// What an agent's input box takes as text: no escape sequences, no invisible characters, tabs as blanks. A backslash
/// before Enter would make a new line of it, so a blank follows it.
fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\t', "    ");
    let end = if text.ends_with('\\') { " " } else { "" };
    let is_taken = |c: &char| *c == '\n' || !c.is_control() && !is_invisible(*c);
    text.chars().filter(is_taken).chain(end.chars()).collect()
}

/// Without paste marks a fast Enter is taken as part of the text.
fn typed_delay(len: usize) -> Duration {
    let base = Duration::from_millis(200);
    let extra = Duration::from_millis(len.saturating_sub(256) as u64);
    (base + extra).min(Duration::from_secs(5))
}
