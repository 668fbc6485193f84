//! Requests that ask about what is known, or change the rules.

use std::time::Instant;

use coop_core::permission::pattern::Use;
use coop_core::permission::rules::{Rule, project_folder};

use super::Owner;
use crate::board::HubEvent;
use crate::handle::{EventPage, HubError, Known, NewRule, Remembered, Request, Tested};

impl Owner {
    pub(super) fn request(&mut self, request: Request) {
        match request {
            Request::Hook { call, number, reply } => self.hook(&call, number, reply),
            Request::Answer { id, respond, from, reply } => self.answer(id, *respond, from, reply),
            Request::Known { reply } => {
                let known = self.known();
                self.reply(reply, known);
            }
            Request::AddRule { rule, reply } => {
                let added = self.add_rule(rule);
                self.settle();
                self.reply(reply, added);
            }
            Request::RemoveRule { id, reply } => {
                let removed = self.remove_rule(id);
                self.reply(reply, removed);
            }
            Request::Test { tested: Tested { conversation, host, cwd, tool, input }, reply } => {
                let wanted = Use { tool: &tool, input: &input, cwd: &cwd, host: host.as_deref() };
                let verdict = self.broker.judge(Instant::now(), conversation.as_deref().unwrap_or_default(), &wanted);
                self.reply(reply, verdict);
            }
            Request::Forget { session, reply } => {
                let conversation = self.fleet.get(session).and_then(|entry| entry.conversation.clone());
                let count = conversation.map_or(0, |conversation| self.broker.memories.clear(&conversation));
                self.reply(reply, count);
            }
            Request::History { before, limit, reply } => {
                let history = self.ledger.history(before, limit).map_err(|error| HubError::Ledger(error.to_string()));
                self.reply(reply, history);
            }
            Request::Events { since, limit, reply } => {
                let (events, gap) = self.events.since(since, limit);
                let page = EventPage { generation: self.generation, events, gap };
                self.reply(reply, page);
            }
            Request::Offer { offer, reply } => {
                let offered = self.offer_code(offer);
                self.reply(reply, offered);
            }
            Request::Pair { code, name, from, reply } => {
                let paired = self.pair(&code, name.as_deref(), &from);
                self.reply(reply, paired);
            }
            Request::Revoke { device, reply } => {
                let revoked = self.revoke(device);
                self.reply(reply, revoked);
            }
            Request::LookedAt { session, reply } => {
                let effects = self.fleet.looked_at(session);
                self.fleet_effects(effects);
                self.reply(reply, ());
            }
            Request::Connected { remote, reply } => {
                self.connected(*remote);
                self.reply(reply, ());
            }
        }
    }

    fn known(&self) -> Known {
        let memory = self.broker.memories.iter().flat_map(|(conversation, memory)| {
            memory.all().map(move |(pattern, effect)| Remembered {
                conversation: conversation.to_owned(),
                pattern: pattern.to_string(),
                effect,
            })
        });
        Known { rules: self.broker.rules.clone(), memory: memory.collect() }
    }

    pub(super) fn add_rule(&mut self, rule: NewRule) -> Result<Rule, HubError> {
        let NewRule { pattern, effect, project, hosts } = rule;
        let project = project.as_deref().map(project_folder).transpose();
        let project = project.map_err(HubError::Project)?;
        let added = self.ledger.add_rule(&pattern.to_string(), effect, project.as_deref(), &hosts);
        let id = added.map_err(|error| HubError::Ledger(error.to_string()))?;
        let rule = Rule { id, pattern, effect, project, hosts };
        if !self.broker.rules.contains(&rule) {
            self.broker.rules.push(rule.clone());
            self.emit(HubEvent::Rules);
        }
        Ok(rule)
    }

    fn remove_rule(&mut self, id: u64) -> Result<(), HubError> {
        let removed = self.ledger.remove_rule(id).map_err(|error| HubError::Ledger(error.to_string()))?;
        if !removed {
            return Err(HubError::NoRule(id));
        }
        self.broker.rules.retain(|rule| rule.id != id);
        self.emit(HubEvent::Rules);
        Ok(())
    }
}
