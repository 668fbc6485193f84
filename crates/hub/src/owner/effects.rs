//! What follows from a decision: events, rows of the ledger, replies.

use std::sync::Arc;
use std::time::Instant;

use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::agent::prompt::{Prompt, PromptContext, PromptId};
use coop_core::agent::respond::{Respond, Scope};
use coop_core::agent::state::State;
use coop_core::fleet::{self, EntryId};
use coop_core::permission::broker::{self, Outcome, Pending, RequestId, Why};
use coop_core::permission::rules::{Because, Effect as Say};
use coop_machine::clock::{ms_of, now_ms};

use super::{Owner, Parked, Ruled, Way};
use crate::board::{Card, HubEvent, Settled, outcome_name};
use crate::handle::Decision;

impl Owner {
    pub(super) fn fleet_effects(&mut self, effects: Vec<fleet::Effect>) {
        for effect in effects {
            match effect {
                fleet::Effect::Changed(id) => {
                    if let Some(view) = self.view(id) {
                        self.record(self.ledger.session(&view));
                        self.emit(HubEvent::Session(view));
                    }
                }
                fleet::Effect::State { id, prev, .. } => self.state_changed(id, prev),
                fleet::Effect::PromptResolved { id, prompt, .. } => self.prompt_over(id, &prompt),
                fleet::Effect::Forgotten(id) => self.forget_entry(id),
                fleet::Effect::Merged { gone, into } => {
                    for parked in self.parked.values_mut().filter(|parked| parked.entry == gone) {
                        parked.entry = into;
                    }
                    if let Some(driver) = self.drivers.remove(&gone) {
                        self.drivers.insert(into, driver);
                    }
                    self.forget_entry(gone);
                    self.view(into);
                }
            }
        }
    }

    /// What is now known of an agent, to be published.
    pub(super) fn view(&mut self, id: EntryId) -> Option<Arc<fleet::Entry>> {
        let view = Arc::new(self.fleet.get(id)?.clone());
        self.roster.put(Arc::clone(&view));
        self.dirty = true;
        Some(view)
    }

    fn state_changed(&mut self, id: EntryId, prev: &'static str) {
        let Some(view) = self.view(id) else { return };
        let settling = self.confirming.iter().find(|((entry, _), confirming)| *entry == id && confirming.over);
        if let Some(key) = settling.map(|(key, _)| key.clone()).filter(|_| view.state != State::Working) {
            self.confirm(key);
        }
        let exited = view.state == State::Exited;
        if exited || prev == "starting" {
            self.record(self.ledger.session(&view));
        }
        let conversation = view.conversation.clone().filter(|_| exited);
        self.emit(HubEvent::State { session: view, prev });
        if let Some(conversation) = conversation {
            let effects = self.broker.session_ended(&conversation);
            self.broker_effects(effects);
        }
    }

    pub(super) fn forget_entry(&mut self, id: EntryId) {
        for request in self.waiting(id, None) {
            let effects = self.broker.withdraw(request, Why::Gone);
            self.broker_effects(effects);
        }
        self.roster.remove(id);
        self.drivers.remove(&id);
        self.record(self.ledger.forget_session(id));
        self.emit(HubEvent::Forgotten(id));
    }

    /// The agent goes on, so that its prompt was answered: by the answer it was given, or at the terminal.
    fn prompt_over(&mut self, entry: EntryId, prompt: &PromptId) {
        self.confirm((entry, prompt.clone()));
        for id in self.waiting(entry, Some(prompt)) {
            let effects = self.broker.withdraw(id, Why::AtTerminal);
            self.broker_effects(effects);
        }
    }

    /// Requests of an agent's own hooks.
    pub(super) fn waiting(&self, entry: EntryId, prompt: Option<&PromptId>) -> Vec<RequestId> {
        let fits = |parked: &Parked| {
            parked.entry == entry
                && matches!(parked.way, Way::Hook { .. })
                && prompt.is_none_or(|prompt| parked.prompt == *prompt)
        };
        self.parked.iter().filter(|(_, parked)| fits(parked)).map(|(id, _)| *id).collect()
    }

    pub(super) fn broker_effects(&mut self, effects: Vec<broker::Effect>) {
        for effect in effects {
            match effect {
                broker::Effect::Asked(pending) => self.asked(&pending),
                broker::Effect::Ended { id, request, outcome, by, remembered } => {
                    self.ended(id, &request, &outcome, by, remembered);
                }
            }
        }
    }

    /// Shows what is asked, for the first time or with what is new.
    pub(super) fn asked(&mut self, pending: &Pending) {
        let Some(parked) = self.parked.get(&pending.id) else { return };
        let request = &pending.request;
        let changed = Respond { accept: Some(true), updated_input: Some(request.input.clone()), ..Respond::default() };
        let editable = request.input.is_object() && self.decide(parked.entry, &request.context, &changed).is_ok();
        let card = Arc::new(Card {
            id: pending.id,
            session: parked.entry,
            conversation: request.session.clone(),
            cwd: request.cwd.clone(),
            tool: request.tool.clone(),
            input: request.input.clone(),
            tool_use_id: request.tool_use_id.clone(),
            digest: request.context.digest(),
            context: request.context.clone(),
            asked_ms: parked.asked_ms,
            expires_ms: ms_of(pending.expires),
            suggestion: pending.suggestion.as_ref().map(ToString::to_string),
            via: if matches!(parked.way, Way::Hook { .. }) { "hook" } else { "sidecar" },
            editable,
            choices: Card::choices(&request.context, pending.suggestion.is_some()),
        });
        if self.cards.insert(pending.id, Arc::clone(&card)).is_none() {
            self.record(self.ledger.asked(&card));
        }
        self.emit(HubEvent::Asked(card));
    }

    fn ended(
        &mut self,
        id: RequestId,
        request: &broker::Request,
        outcome: &Outcome,
        by: String,
        remembered: Option<String>,
    ) {
        let card = self.cards.remove(&id);
        let Some(parked) = self.parked.remove(&id) else { return };
        let text = match outcome {
            Outcome::Answered(respond) => respond.text.clone(),
            Outcome::Judged { because, .. } => because.as_ref().map(said),
            Outcome::Abstained(_) => None,
        };
        let updated_input = match outcome {
            Outcome::Answered(respond) => respond.updated_input.clone(),
            Outcome::Judged { .. } | Outcome::Abstained(_) => None,
        };
        let in_project = matches!(outcome, Outcome::Answered(respond) if respond.scope == Scope::Path);
        let remembered = remembered.or_else(|| card.and_then(|card| card.suggestion.clone()).filter(|_| in_project));
        let settled = Settled {
            id,
            session: parked.entry,
            conversation: request.session.clone(),
            cwd: request.cwd.clone(),
            kind: request.context.kind().into(),
            tool: request.tool.clone(),
            input: request.input.clone(),
            updated_input,
            tool_use_id: request.tool_use_id.clone(),
            asked_ms: parked.asked_ms,
            ended_ms: now_ms(),
            outcome: outcome_name(outcome).into(),
            by,
            from: parked.from.clone(),
            text: text.clone(),
            remembered: remembered.clone(),
        };
        if let (Way::Sidecar { socket, digest, .. }, Outcome::Judged { say, because }) = (&parked.way, outcome) {
            let (prompt, digest, request) = (parked.prompt, digest.clone(), request.clone());
            let respond = Respond { digest: digest.clone(), ..judged(*say, because.as_ref()) };
            self.send_to_sidecar(id, socket, &prompt, respond, None);
            self.ruled.insert(id, Ruled { socket: socket.clone(), prompt, digest, request, settled });
            return;
        }
        self.settled(settled);
        match parked.way {
            Way::Hook { call, reply, confirms, withheld } => {
                self.calls.remove(&call);
                let body = parked.body.or_else(|| self.judged_body(parked.entry, &request.context, outcome));
                let decision = decision(outcome, body, remembered, text);
                self.reply(reply, decision);
                let at_terminal = withheld && matches!(outcome, Outcome::Abstained(_));
                let of_subagent = request.context.agent_id().is_some();
                if at_terminal {
                    self.fleet.release(parked.entry, &parked.prompt);
                    self.view(parked.entry);
                } else if of_subagent && !confirms {
                    let effects = self.fleet.taken(Instant::now(), now_ms(), parked.entry, &parked.prompt);
                    self.fleet_effects(effects);
                } else if !confirms {
                    self.hear_gone(parked.entry);
                }
            }
            Way::Sidecar { .. } => {}
        }
    }

    /// Records how a request ended, before any client is told.
    pub(super) fn settled(&mut self, settled: Settled) {
        self.record(self.ledger.settled(&settled));
        self.emit(HubEvent::Settled(Arc::new(settled)));
    }

    /// What the hook prints when a rule has spoken.
    fn judged_body(&self, entry: EntryId, context: &PromptContext, outcome: &Outcome) -> Option<serde_json::Value> {
        let Outcome::Judged { say, because } = outcome else { return None };
        self.decide(entry, context, &judged(*say, because.as_ref())).ok()
    }

    /// What the agent is to be told, in its own words.
    pub(super) fn decide(
        &self,
        entry: EntryId,
        context: &PromptContext,
        respond: &Respond,
    ) -> Result<serde_json::Value, String> {
        let agent = self.fleet.get(entry).map(|entry| entry.agent.as_str()).unwrap_or_default();
        let driver = coop_drivers::driver(agent).ok_or_else(|| format!("coop cannot answer {agent}."))?;
        let prompt = Prompt { id: PromptId(String::new()), context: context.clone(), ready: true, by_hook: true };
        driver.decide(&prompt, respond).map_err(|error| error.to_string())
    }

    /// Somebody asked on behalf of an agent that tells nothing else: with the answer it goes on.
    fn hear_gone(&mut self, entry: EntryId) {
        let now = Instant::now();
        let evidence = Evidence { source: Source::Hook, at: now, turn: None, fact: Fact::PromptGone };
        let effects = self.fleet.hear(now, now_ms(), entry, evidence);
        self.fleet_effects(effects);
    }

    /// A ledger that cannot be written must not hold up an agent.
    pub(super) fn record(&self, written: Result<(), rusqlite::Error>) {
        if let Err(error) = written {
            tracing::warn!(%error, "the ledger cannot be written");
        }
    }
}

/// A verdict as an answer.
fn judged(say: Say, because: Option<&Because>) -> Respond {
    let allow = say == Say::Allow;
    let by = because.map_or_else(|| "rule".to_owned(), said);
    let text = (!allow).then(|| format!("The user does not want this: {by}."));
    Respond { accept: Some(allow), text, by, ..Respond::default() }
}

fn said(because: &Because) -> String {
    match because {
        Because::Rules(ids) => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            format!("rule {}", ids.join(", "))
        }
        Because::Session(patterns) => format!("{} earlier in this session", patterns.join(", ")),
    }
}

fn decision(
    outcome: &Outcome,
    body: Option<serde_json::Value>,
    remembered: Option<String>,
    text: Option<String>,
) -> Decision {
    match outcome {
        Outcome::Answered(respond) => {
            Decision { body, allow: respond.accept, scope: respond.scope, pattern: remembered, text }
        }
        Outcome::Judged { say, .. } => {
            Decision { body, allow: Some(*say == Say::Allow), pattern: text.clone(), text, ..Decision::default() }
        }
        Outcome::Abstained(_) => Decision::default(),
    }
}
