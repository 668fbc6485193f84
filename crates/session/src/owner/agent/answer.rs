//! Answers to prompts: by the hook that waits for one, or by keys that are checked against the screen.

use std::time::{Duration, Instant};

use coop_core::agent::Source;
use coop_core::agent::deliver::{Nudge, WaitFor, When};
use coop_core::agent::prompt::{Meaning, Prompt, PromptContext, PromptId};
use coop_core::agent::respond::{Respond, Responded, Via};
use coop_core::agent::state::State;
use coop_drivers::{AnswerError, Driver, Press, Progress};

use super::super::Owner;
use super::look::START_RETRY;
use crate::SessionError;
use crate::agent::{Answering, Confirming, Held, Queued, Settling, Waiting};
use crate::handle::Reply;
use crate::handle::agent::HookReply;

/// What a hook takes to be heard, on a loaded machine.
const HOOK_START: Duration = Duration::from_millis(700);
/// An answer by keys that has not arrived by then will not.
const KEYS_LIMIT: Duration = Duration::from_secs(20);
/// How long the agent may take to act on a decision.
const HOOK_LIMIT: Duration = Duration::from_secs(10);
/// How long after an answer by hook an Escape at the terminal may have come before it. The agent takes 80 ms to show that.
const SETTLE: Duration = Duration::from_millis(250);
const STOPPED: &str = "the turn was stopped at the terminal at the same time, so that the tool may not have run";
/// After a key, so that the screen shows what it did.
const KEY_PAUSE: Duration = Duration::from_millis(60);

const AMBIGUOUS: &str = "more than one pending call looks like the dialog at the terminal; read it there (`coop attach`) and answer it there";
const CHANGED: &str = "The prompt has changed since it was shown. Read it again, then answer it.";

type RespondReply = Reply<Result<Responded, SessionError>>;

impl Owner {
    pub(super) fn respond(&mut self, respond: Respond, reply: RespondReply) {
        if let Some(until) = self.hook_may_come(&respond) {
            if let Some(agent) = &mut self.agent {
                agent.held.push(Held { respond, reply, until });
            }
            return self.arm_agent();
        }
        self.respond_now(respond, reply);
    }

    /// The prompt was told of by another source just now, and its hook is on the way: a process has to start first. So is
    /// what a dialog asks of which a source has told no more than that it is open.
    fn hook_may_come(&self, respond: &Respond) -> Option<Instant> {
        let agent = self.agent.as_ref()?;
        let prompt = agent.machine.state().prompt().filter(|prompt| !prompt.by_hook)?;
        let hooks = (agent.hooked || agent.served) && agent.status.can.respond_by_hook;
        // The log that tells the call is later than the dialog.
        let unknown = prompt.context.is_unknown() && !agent.driver.asks_in_words();
        if !prompt.context.is_blank() && !unknown && (!hooks || prompt.context.subtype().is_some()) {
            return None;
        }
        let until = agent.asked? + HOOK_START;
        (respond.prompt.as_ref().is_none_or(|id| *id == prompt.id) && Instant::now() < until).then_some(until)
    }

    /// Those that waited for a hook, which is there now or does not come.
    pub(super) fn release_held(&mut self, is_over: impl Fn(Instant) -> bool) {
        let Some(agent) = &mut self.agent else { return };
        let (over, waiting): (Vec<_>, Vec<_>) = agent.held.drain(..).partition(|held| is_over(held.until));
        agent.held = waiting;
        for held in over {
            self.respond_now(held.respond, held.reply);
        }
    }

    fn respond_now(&mut self, respond: Respond, reply: RespondReply) {
        if let Err(error) = self.begin_answer(respond, reply) {
            let (error, reply) = *error;
            self.answers.push(reply, Err(error));
        }
    }

    fn begin_answer(&mut self, respond: Respond, reply: RespondReply) -> Result<(), Box<(SessionError, RespondReply)>> {
        let fail = |error, reply| Err(Box::new((error, reply)));
        let Some(agent) = &mut self.agent else { return fail(SessionError::NoDriver, reply) };
        let pending = match agent.machine.state() {
            State::Prompt(prompt) => Some(prompt.clone()),
            _ => None,
        };
        let meant = respond.prompt.clone();
        let prompt = match pending {
            Some(prompt) if meant.as_ref().is_none_or(|id| *id == prompt.id) => prompt,
            _ => {
                let answered_by = meant.as_ref().and_then(|id| agent.machine.answered_by(id)).map(str::to_owned);
                return fail(SessionError::NoPrompt { prompt: meant.map(|id| id.0), answered_by }, reply);
            }
        };
        if respond.digest.as_ref().is_some_and(|digest| *digest != prompt.context.digest()) {
            return fail(SessionError::BadAnswer(CHANGED.into()), reply);
        }
        if let Some(why) = unseen(agent.driver.as_ref(), &prompt.context, &respond) {
            return fail(SessionError::BadAnswer(why.into()), reply);
        }
        let waits = agent.parked.iter().find(|parked| parked.prompt == prompt.id && !parked.reply.is_closed());
        let decision = waits.map(|parked| match parked.by {
            Source::Server => agent.driver.answer_server(&prompt, &respond),
            _ => agent.driver.decide(&prompt, &respond),
        });
        // What does not fit changes nothing, not even who may answer.
        if let Some(Err(AnswerError::Unfit(why))) = &decision {
            return fail(SessionError::BadAnswer(why.clone()), reply);
        }
        if decision.as_ref().is_none_or(Result::is_err) {
            let mut trial = Progress::default();
            let reading = agent.reading.as_ref().map(|(_, reading)| reading.clone()).unwrap_or_default();
            match agent.driver.press(&prompt, &respond, &reading, &mut trial) {
                Err(AnswerError::Unfit(why) | AnswerError::OnlyByHook(why) | AnswerError::OnlyByKeys(why)) => {
                    return fail(SessionError::BadAnswer(why), reply);
                }
                // The screen may be older than the prompt; it is compared before each key.
                Err(AnswerError::Changed) | Ok(_) => {}
            }
        }
        let follow_up = agent.driver.follow_up(&prompt, &respond);
        if follow_up.as_ref().is_some_and(|text| agent.driver.is_command(text)) {
            let why = "the agent would run these words as a command: begin with another word";
            return fail(SessionError::BadAnswer(why.into()), reply);
        }
        if let Err(other) = agent.machine.claim(&prompt.id, &respond.by) {
            let error = SessionError::NoPrompt { prompt: Some(prompt.id.0), answered_by: other };
            return fail(error, reply);
        }
        match decision {
            Some(Ok(body)) => {
                let allows = prompt.context.kind() == "permission" && allows(&prompt.context, &respond);
                self.answer_by_hook(&prompt, allows, body, reply);
            }
            _ => {
                let now = Instant::now();
                let timings = agent.driver.timings();
                let painted = agent.dialog.as_ref().filter(|_| prompt.context.subtype().is_some());
                let started = painted.map(|(_, since)| *since + timings.start_settle());
                let answering = Answering {
                    prompt,
                    respond,
                    progress: Progress::default(),
                    follow_up,
                    reply,
                    // A dialog that has just been painted takes no keys.
                    not_before: (now + timings.dialog_settle()).max(started.unwrap_or(now)),
                    retry_at: Some(now),
                    until: now + KEYS_LIMIT,
                };
                agent.answering = Some(answering);
                self.answer_due(now);
            }
        }
        Ok(())
    }

    fn answer_by_hook(&mut self, asked: &Prompt, allows: bool, body: serde_json::Value, reply: RespondReply) {
        let (prompt, kind) = (&asked.id, asked.context.kind());
        let withheld = self.agent.as_ref().is_some_and(|agent| agent.machine.is_withheld(prompt));
        if let Some(hook) = self.take_parked(prompt) {
            self.answers.push(hook, Ok(HookReply { body: Some(body), shell: Vec::new() }));
        }
        let responded = Responded { delivered: true, prompt: prompt.clone(), kind, via: Via::Hook, reason: None };
        let until = Instant::now() + HOOK_LIMIT;
        if let Some(agent) = &mut self.agent {
            let follow_up = None;
            let allows = allows && !withheld;
            agent.confirming.push(Confirming { prompt: prompt.clone(), allows, responded, follow_up, reply, until });
            // No dialog was shown whose end could be observed: the hook's answer is all that the agent has.
            if withheld {
                let effects = agent.machine.taken(Instant::now(), prompt);
                self.effects(effects);
            }
        }
    }

    /// Presses what the dialog on the screen needs next.
    pub(super) fn answer_due(&mut self, now: Instant) {
        let Some(reading) = self.read_screen() else { return };
        let Some(agent) = &mut self.agent else { return };
        let Some(answering) = &mut agent.answering else { return };
        if now < answering.not_before {
            return;
        }
        let starts = answering.prompt.context.subtype().is_some();
        let retry = if starts { START_RETRY } else { agent.driver.timings().key_retry() };
        if answering.retry_at.is_none_or(|at| at <= now) {
            answering.retry_at = Some(now + retry);
            if answering.progress.started() {
                answering.progress.retry();
            }
        }
        let shown = reading.dialog.as_ref().and_then(|dialog| dialog.context.shown());
        if !answering.progress.finished() && shown.is_some_and(|shown| agent.machine.is_ambiguous(shown)) {
            return self.answer_failed(AMBIGUOUS.to_owned());
        }
        let pressed = agent.driver.press(&answering.prompt, &answering.respond, &reading, &mut answering.progress);
        match pressed {
            Ok(Press::Keys(keys)) => {
                answering.not_before = now + KEY_PAUSE;
                answering.retry_at = Some(now + retry);
                tracing::debug!(?keys, prompt = %answering.prompt.id, "keys answer a prompt");
                self.press(&keys);
            }
            Ok(Press::Type(text)) => {
                answering.not_before = now + KEY_PAUSE;
                answering.retry_at = Some(now + retry);
                let bytes = coop_terminal::keys::paste(&text, self.screen.modes().bracketed_paste);
                self.write_own(bytes);
            }
            Ok(Press::Wait) => {}
            Ok(Press::Done) => self.keys_done(),
            Err(error) => self.answer_failed(error.to_string()),
        }
    }

    /// The last key was pressed; the dialog has to go.
    fn keys_done(&mut self) {
        let Some(agent) = &mut self.agent else { return };
        let Some(done) = agent.answering.take() else { return };
        let (prompt, kind) = (done.prompt.id.clone(), done.prompt.context.kind());
        let responded = Responded { delivered: true, prompt: prompt.clone(), kind, via: Via::Keys, reason: None };
        let (follow_up, reply, until) = (done.follow_up, done.reply, done.until);
        // Without hooks nothing tells a turn that was stopped from one that ended.
        agent.confirming.push(Confirming { prompt, allows: false, responded, follow_up, reply, until });
    }

    fn answer_failed(&mut self, why: String) {
        let Some(agent) = &mut self.agent else { return };
        let Some(done) = agent.answering.take() else { return };
        agent.machine.unclaim(&done.prompt.id);
        let responded = Responded {
            delivered: false,
            prompt: done.prompt.id.clone(),
            kind: done.prompt.context.kind(),
            via: Via::Keys,
            reason: Some(why),
        };
        self.answers.push(done.reply, Ok(responded));
    }

    /// A prompt is over. Says how it was answered, if it was through us.
    pub(super) fn confirm_answer(&mut self, id: &PromptId, by: &str) -> Option<Via> {
        let agent = self.agent.as_mut()?;
        if agent.answering.as_ref().is_some_and(|answering| answering.prompt.id == *id) {
            let done = agent.answering.take()?;
            // A key that only moved the pointer has answered nothing.
            if done.progress.finished() {
                let kind = done.prompt.context.kind();
                let responded = Responded { delivered: true, prompt: id.clone(), kind, via: Via::Keys, reason: None };
                self.answered(responded, done.follow_up, done.reply);
                return Some(Via::Keys);
            }
            let error = SessionError::NoPrompt { prompt: Some(id.0.clone()), answered_by: Some("terminal".into()) };
            self.answers.push(done.reply, Err(error));
            return None;
        }
        let place = agent.confirming.iter().position(|confirming| confirming.prompt == *id)?;
        let Confirming { allows, responded, follow_up, reply, .. } = agent.confirming.swap_remove(place);
        let via = responded.via;
        tracing::debug!(prompt = %id, by, via = via.name(), "a prompt was answered");
        if allows {
            let until = Instant::now() + SETTLE;
            agent.settling.push(Settling { responded, follow_up, reply, until });
            self.settle_answers(Instant::now());
            self.arm_agent();
        } else {
            self.answered(responded, follow_up, reply);
        }
        Some(via)
    }

    /// Replies to answers that let a tool run, once it is known that the tool runs or that a person stopped it.
    pub(super) fn settle_answers(&mut self, now: Instant) {
        let Some(agent) = &mut self.agent else { return };
        let stopped = matches!(agent.machine.state(), State::Idle) && !agent.machine.has_ended_turn();
        let works = matches!(agent.machine.state(), State::Working);
        let (waiting, over) = agent.settling.drain(..).partition::<Vec<_>, _>(|settling| works && now < settling.until);
        agent.settling = waiting;
        for Settling { responded, follow_up, reply, .. } in over {
            if stopped {
                let reason = Some(STOPPED.to_owned());
                self.answers.push(reply, Ok(Responded { delivered: false, reason, ..responded }));
            } else {
                self.answered(responded, follow_up, reply);
            }
        }
    }

    /// The answer was taken. What is left to say of it goes when the agent rests.
    fn answered(&mut self, responded: Responded, follow_up: Option<String>, reply: RespondReply) {
        let (Some(agent), Some(message)) = (&mut self.agent, follow_up) else {
            return self.answers.push(reply, Ok(responded));
        };
        let nudge = Nudge {
            message,
            when: When::Idle,
            wait: WaitFor::Delivered,
            timeout: Some(KEYS_LIMIT),
            command: false,
            replace_draft: false,
        };
        let until = Some(Instant::now() + KEYS_LIMIT);
        agent.queue.push_front(Queued { nudge, reply: Waiting::Answerer { responded, reply }, until });
    }

    pub(super) fn expire_answers(&mut self, now: Instant) {
        let Some(agent) = &mut self.agent else { return };
        if agent.answering.as_ref().is_some_and(|answering| answering.until <= now) {
            self.answer_failed("the dialog did not take the keys".into());
        }
        self.settle_answers(now);
        let Some(agent) = &mut self.agent else { return };
        let (late, waiting) = agent.confirming.drain(..).partition::<Vec<_>, _>(|confirming| confirming.until <= now);
        agent.confirming = waiting;
        for confirming in late {
            agent.machine.unclaim(&confirming.prompt);
            let reason = Some("the answer was given, but the agent still asks".into());
            self.answers.push(confirming.reply, Ok(Responded { delivered: false, reason, ..confirming.responded }));
        }
    }
}

fn allows(context: &PromptContext, respond: &Respond) -> bool {
    let chosen = respond.option.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
    let meaning = chosen.and_then(|index| context.options().get(index)).map(|choice| choice.meaning);
    let denies = matches!(meaning, Some(Meaning::Deny | Meaning::DenyWithText));
    respond.accept == Some(true) || respond.option.is_some() && !denies
}

/// Why an answer that allows a call is rejected: neither a source nor the dialog tells what would run.
fn unseen(driver: &dyn Driver, context: &PromptContext, respond: &Respond) -> Option<&'static str> {
    let unknown = context.is_unknown() && !driver.asks_in_words();
    (unknown && allows(context, respond) && !respond.unseen).then_some(
        "coop does not know what this would run. Read it at the terminal (`coop attach`), or set `unseen` (`--unseen`) to \
         allow it all the same.",
    )
}
