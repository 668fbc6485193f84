//! A limit that has lifted: the agent is told to go on, where that is wanted and nobody was quicker.

use std::time::Instant;

use coop_core::agent::deliver::{Nudge, Nudged, WaitFor, When};
use coop_core::agent::lifted::LiftedConfig;
use coop_core::event::Event;
use tokio::sync::oneshot;

use super::super::Owner;
use crate::SessionError;
use crate::agent::Agent;
use crate::handle::Reply;
use crate::sources::now_ms;

/// What coop said by itself, and what becomes of it.
pub(in super::super) type CarryingOn = (String, oneshot::Receiver<Result<Nudged, SessionError>>);

impl Owner {
    pub(super) fn lifted_config(
        &mut self,
        set: Option<LiftedConfig>,
        reply: Reply<Result<LiftedConfig, SessionError>>,
    ) {
        let Some(agent) = &mut self.agent else { return };
        if let Some(set) = set {
            if let Err(error) = agent.check_own_message(&set) {
                return self.answers.push(reply, Err(error));
            }
            agent.lifted.set(Instant::now(), now_ms(), set);
            agent.plan_changed();
        }
        self.answers.push(reply, Ok(agent.lifted.config().clone()));
    }

    /// Somebody says or presses something: what comes next is for them to say.
    pub(in super::super) fn person_acts(&mut self) {
        if let Some(agent) = &mut self.agent
            && agent.lifted.on_person()
        {
            agent.plan_changed();
            self.arm_agent();
        }
    }

    /// Goes the way of all messages: nothing is said into a draft, and what is said is confirmed.
    pub(super) fn carry_on(&mut self, now: Instant) {
        let Some(agent) = &mut self.agent else { return };
        let Some(message) = agent.lifted.on_deadline(now) else { return };
        agent.plan_changed();
        tracing::info!(message, "the limit has lifted: telling the agent to go on");
        let (reply, told) = oneshot::channel();
        self.carrying_on = Some((message.clone(), told));
        let (when, wait) = (When::IdleOnly, WaitFor::Delivered);
        self.nudge(Nudge { message, when, wait, timeout: None, command: false, replace_draft: false }, reply);
    }

    /// What became of it.
    pub(in super::super) fn carried_on(&mut self, message: String, told: Result<Nudged, SessionError>) {
        let (receipt, reason) = match told {
            Ok(Nudged { receipt, reason, .. }) => (receipt, reason),
            Err(error) => (None, Some(error.to_string())),
        };
        self.events.push(Event::Lifted { message, receipt, reason });
    }
}

impl Agent {
    /// When it will be told something is published.
    fn plan_changed(&mut self) {
        self.status.continues_at_ms = self.lifted.planned_ms();
        self.status.seq += 1;
    }

    fn check_own_message(&self, config: &LiftedConfig) -> Result<(), SessionError> {
        if config.message.trim().is_empty() {
            return Err(SessionError::BadAnswer("the message is empty".into()));
        }
        if self.driver.is_command(&config.message) {
            return Err(SessionError::BadAnswer("the agent would run this as a command".into()));
        }
        Ok(())
    }
}

/// Waits for what becomes of what coop said by itself.
pub(in super::super) async fn told(carrying_on: &mut Option<CarryingOn>) -> (String, Result<Nudged, SessionError>) {
    let Some((_, told)) = carrying_on else { return std::future::pending().await };
    let told = told.await.unwrap_or(Err(SessionError::Closed));
    let message = carrying_on.take().map(|(message, _)| message).unwrap_or_default();
    (message, told)
}
