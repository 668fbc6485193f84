//! What is kept of the evidence beside the state.

use std::time::Instant;

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::gate::Groom;

use crate::agent::Agent;
use crate::sources::Command;

impl Agent {
    /// Hooks run, so that what they can do can be done.
    pub(super) fn hears_hook(&mut self, answerable: bool) {
        if !answerable || self.hooked {
            return;
        }
        self.hooked = true;
        let (able, can) = (self.driver.capabilities(), &mut self.status.can);
        let before = (can.stop_gate, can.respond_by_hook);
        can.stop_gate |= able.stop_gate;
        // Those of an agent that coop did not start were installed by a person, of which nothing was known before.
        can.respond_by_hook |= able.respond_by_hook && self.groom != Groom::Pristine;
        if before != (can.stop_gate, can.respond_by_hook) {
            self.status.seq += 1;
        }
    }

    /// What evidence says beside the state.
    pub(super) fn remember(&mut self, now: Instant, evidence: &Evidence) {
        match &evidence.fact {
            Fact::ToolStarted { id, name: Some(name), input: Some(input), agent: None } => {
                self.own_dialog = self.driver.own_dialog(name, input, id.as_deref()).or(self.own_dialog.take());
            }
            Fact::ToolFinished { id, .. } => {
                self.own_dialog.take_if(|dialog| dialog.tool_id() == id.as_deref());
            }
            Fact::TurnStarted { .. } | Fact::TurnEnded { .. } | Fact::TurnFailed { .. } | Fact::Interrupted => {
                self.own_dialog = None;
            }
            _ => {}
        }
        self.rest.logged |= evidence.source == Source::Log && matches!(evidence.fact, Fact::TurnEnded { .. });
        let level = matches!(evidence.source, Source::Registry | Source::Report);
        self.rest.told |= level;
        if evidence.source == Source::Report && !matches!(evidence.fact, Fact::Noted { .. }) {
            self.rest.busy =
                matches!(evidence.fact, Fact::Looks(Look::Working | Look::Dialog { .. }) | Fact::PromptShown { .. });
        }
        match &evidence.fact {
            Fact::TurnEnded { .. } if evidence.source == Source::Hook => {
                self.rest.stopped = Some(now);
                self.rest.confirmed = false;
                (self.rest.ended, self.rest.logged) = (Some(now), false);
            }
            Fact::TurnEnded { .. } | Fact::TurnFailed { .. } | Fact::Interrupted
                if evidence.source == Source::Log && self.rest.busy =>
            {
                self.rest.stopped = Some(now);
                self.rest.confirmed = false;
            }
            Fact::TurnEnded { .. } | Fact::TurnFailed { .. } | Fact::Looks(Look::Idle) if level => {
                self.rest.confirmed = true;
            }
            _ => {}
        }
    }

    /// A reply that cannot be sent is dropped, and whoever waits for it is told that the session has ended.
    pub(crate) fn files(&self, command: Command) {
        if let Some(sources) = &self.sources {
            sources.send(command);
        }
    }
}
