//! The agent's process is gone, or going.

use std::time::Instant;

use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::agent::state::State;

use super::super::Owner;
use crate::SessionError;

impl Owner {
    /// The process is gone, or going: nothing that waits for it will come. Told first, so that an answer nobody acted on
    /// is not taken for one that arrived because its prompt is over. What has not been said yet waits for a process that
    /// takes the place of this one.
    pub(in super::super) fn agent_gone(&mut self, why: &SessionError, fact: Fact) {
        let Some(agent) = &mut self.agent else { return self.plain_gone(&fact) };
        let replaced = fact == Fact::ProcessReplacing;
        let queued: Vec<_> = if replaced { Vec::new() } else { agent.queue.drain(..).collect() };
        let nudges = queued.into_iter().map(|queued| queued.reply);
        let nudges: Vec<_> = nudges.chain(agent.delivering.take().map(|delivering| delivering.reply)).collect();
        for reply in nudges {
            self.nudged(reply, Err(why.clone()));
        }
        let Some(agent) = &mut self.agent else { return };
        for keys in agent.waiting_keys.drain(..) {
            self.answers.push(keys.reply, Err(why.clone()));
        }
        let held = agent.held.drain(..).map(|held| held.reply);
        let given = agent.confirming.drain(..).map(|confirming| confirming.reply);
        for reply in held.chain(given).chain(agent.answering.take().map(|answering| answering.reply)) {
            self.answers.push(reply, Err(why.clone()));
        }
        agent.status.queued = agent.queue.len();
        self.hear(Evidence { source: Source::Process, at: Instant::now(), turn: None, fact });
        self.arm_agent();
    }

    fn plain_gone(&mut self, fact: &Fact) {
        match fact {
            Fact::ProcessReplacing => self.plain_state(State::Restarting, "a restart was asked for"),
            Fact::ProcessFailed { why } => self.plain_state(State::Exited, why),
            _ => self.plain_state(State::Exited, "the process is gone"),
        }
    }
}
