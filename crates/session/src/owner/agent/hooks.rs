//! The agent's hooks: what they say, and what they are told.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Fact, Source};
use coop_core::agent::gate::StopVerdict;
use coop_core::agent::machine::Effect;
use coop_core::agent::prompt::{PromptContext, PromptId};
use coop_core::agent::respond::Via;
use coop_core::event::Event;
use coop_drivers::Heard;
use coop_machine::plan;
use tokio::sync::oneshot;

use super::super::Owner;
use crate::SessionError;
use crate::agent::Parked;
use crate::handle::Reply;
use crate::handle::agent::{HookCall, HookReply};
use crate::sources::Command;

/// How long the hook of a subagent waits: standing rules of the hub answer within this time. The agent shows the dialog
/// only after the hook.
const WITHHELD: Duration = Duration::from_secs(2);

type HookReplySender = Reply<Result<HookReply, SessionError>>;

impl Owner {
    pub(super) fn hook(&mut self, call: &HookCall, reply: HookReplySender) {
        let now = Instant::now();
        let at = now.checked_sub(call.age).unwrap_or(now);
        let Some(agent) = &mut self.agent else { return };
        if call.event == "Send" {
            return self.send_from_inside(call, reply);
        }
        let tool = call.payload.get("tool_name").and_then(|name| name.as_str()).map(str::to_owned);
        self.events.push(Event::Hook { event: call.event.clone(), tool });
        if !agent.listens_to(Source::Hook) {
            self.answers.push(reply, Ok(HookReply::default()));
            return;
        }
        agent.hears_hook(call.answerable);
        let mut heard = agent.driver.hook(&call.event, &call.payload);
        for fact in &mut heard.facts {
            if let Fact::PromptShown { context } = fact {
                plan::refresh(context, agent.driver.as_ref(), super::config_dir(&self.config));
            }
        }
        let asked = asked(&heard);
        let cause = heard.facts.iter().find_map(|fact| match fact {
            Fact::SessionStarted { cause, .. } => Some(cause.clone().unwrap_or_default()),
            _ => None,
        });
        // A server may answer where hooks cannot.
        let can_answer = agent.status.can.respond_by_hook && agent.driver.capabilities().respond_by_hook;
        let ends = heard.facts.iter().any(|fact| matches!(fact, Fact::TurnEnded { .. }));
        let compacts = heard.facts.contains(&Fact::Compacting);
        if ends {
            let verdict = agent.gate.on_stop(agent.driver.stops_again(&call.payload));
            let body = agent.driver.stop_reply(&verdict);
            let (blocked, reason) = match verdict {
                StopVerdict::Allow => (false, None),
                StopVerdict::Block { reason } => (true, Some(reason)),
            };
            if blocked {
                // It goes on: the turn has not ended.
                heard.facts = vec![Fact::Noted { what: "stop blocked".into() }];
            }
            self.events.push(Event::Stop { blocked, reason });
            self.answers.push(reply, Ok(HookReply { body: blocked.then_some(body), shell: Vec::new() }));
            self.heard(Source::Hook, at, heard);
            return;
        }
        self.heard(Source::Hook, at, heard);
        match (asked, cause) {
            (Some(context), _) if call.answerable && can_answer => self.park(Source::Hook, &context, reply),
            (None, Some(cause)) => self.tell_at_start(&cause, reply),
            (None, None) if compacts => self.keep_transcript(reply),
            _ => self.answers.push(reply, Ok(HookReply::default())),
        }
    }

    /// What the agent's own server tells, or asks every client of it.
    pub(super) fn server_says(&mut self, call: &HookCall, reply: HookReplySender) {
        let now = Instant::now();
        let Some(agent) = self.agent.as_mut().filter(|agent| agent.listens_to(Source::Server)) else {
            self.answers.push(reply, Ok(HookReply::default()));
            return;
        };
        agent.served = true;
        let heard = agent.driver.server_event(&call.event, &call.payload);
        let asked = asked(&heard);
        self.heard(Source::Server, now.checked_sub(call.age).unwrap_or(now), heard);
        match asked {
            Some(context) if call.answerable => self.park(Source::Server, &context, reply),
            _ => self.answers.push(reply, Ok(HookReply::default())),
        }
    }

    /// Keeps the hook waiting for a decision. The dialog stays usable at the terminal all the while; where the agent shows
    /// it only after the hook, the hook waits for a moment, and keys answer the dialog after that.
    fn park(&mut self, by: Source, context: &PromptContext, reply: HookReplySender) {
        let Some(agent) = &mut self.agent else { return };
        let Some(prompt) = agent.machine.prompt_for(context) else {
            // It was answered before its hook was heard.
            self.answers.push(reply, Ok(HookReply::default()));
            return;
        };
        let until = (by == Source::Hook && context.agent_id().is_some()).then(|| Instant::now() + WITHHELD);
        agent.parked.push(Parked { prompt: prompt.clone(), by, until, reply });
        let effects: Vec<Effect> = agent.machine.set_by_hook(&prompt, true);
        self.effects(effects);
        self.release_held(|_| true);
        self.arm_agent();
    }

    /// Lets the hooks return that wait for longer than the agent may withhold their dialogs.
    pub(super) fn release_withheld(&mut self, now: Instant) {
        let late = |parked: &Parked| parked.until.is_some_and(|until| until <= now) && !parked.reply.is_closed();
        while let Some(agent) = &mut self.agent
            && let Some(place) = agent.parked.iter().position(late)
        {
            let Parked { prompt, reply, .. } = agent.parked.swap_remove(place);
            self.answers.push(reply, Ok(HookReply::default()));
            self.hook_left(&prompt);
        }
    }

    /// Nobody can answer through this hook any more; keys still can.
    pub(in super::super) fn hook_gone(&mut self, place: usize) {
        let Some(agent) = &mut self.agent else { return };
        let gone = agent.parked.swap_remove(place);
        self.hook_left(&gone.prompt);
        self.arm_agent();
    }

    fn hook_left(&mut self, prompt: &PromptId) {
        let Some(agent) = &mut self.agent else { return };
        if agent.parked.iter().all(|parked| parked.prompt != *prompt) {
            let effects = agent.machine.set_by_hook(prompt, false);
            self.effects(effects);
        }
    }

    /// The hook that waits for this prompt, if one still does.
    pub(super) fn take_parked(&mut self, prompt: &PromptId) -> Option<HookReplySender> {
        let agent = self.agent.as_mut()?;
        let place = agent.parked.iter().position(|parked| parked.prompt == *prompt && !parked.reply.is_closed())?;
        Some(agent.parked.swap_remove(place).reply)
    }

    /// A prompt is over: a hook that still waits for it is let go, and whoever answered it is told.
    pub(super) fn prompt_over(&mut self, id: &PromptId, by: &str) -> Option<Via> {
        while let Some(reply) = self.take_parked(id) {
            self.answers.push(reply, Ok(HookReply::default()));
        }
        // Also those whose process is gone.
        if let Some(agent) = &mut self.agent {
            agent.parked.retain(|parked| parked.prompt != *id);
        }
        self.confirm_answer(id, by)
    }

    fn tell_at_start(&mut self, cause: &str, reply: HookReplySender) {
        let Some(agent) = &mut self.agent else { return };
        let part = agent.start.part(cause).unwrap_or_default();
        let body = part.text.map(|text| agent.driver.start_reply(&text));
        self.answers.push(reply, Ok(HookReply { body, shell: part.shell }));
    }

    /// The hook waits until the conversation has been kept: the agent shortens it right after.
    fn keep_transcript(&mut self, reply: HookReplySender) {
        let Some(agent) = &mut self.agent else { return };
        let (done, kept) = oneshot::channel();
        agent.files(Command::Snapshot { done });
        self.snapshots.push_back((kept, reply));
    }

    /// A snapshot is done, or cannot be.
    pub(in super::super) fn transcript_kept(&mut self, info: Option<crate::TranscriptInfo>, reply: HookReplySender) {
        if let Some(info) = info {
            self.events.push(Event::Transcript { number: info.number, lines: info.lines, at_ms: info.at_ms });
        }
        self.answers.push(reply, Ok(HookReply::default()));
    }

    /// The agent says that it is done, which it may where it was told how to.
    fn send_from_inside(&mut self, call: &HookCall, reply: HookReplySender) {
        let Some(agent) = &mut self.agent else { return };
        let answer = if agent.gate.config.mode == coop_core::agent::gate::StopMode::Auto {
            agent.gate.resolve(call.payload.clone());
            Ok(HookReply::default())
        } else {
            Err(SessionError::BadAnswer(
                "the agent may not say by itself that it is done: the stop mode is not auto".into(),
            ))
        };
        self.answers.push(reply, answer);
    }
}

fn asked(heard: &Heard) -> Option<PromptContext> {
    heard.facts.iter().find_map(|fact| match fact {
        Fact::PromptShown { context } => Some(context.clone()),
        _ => None,
    })
}
