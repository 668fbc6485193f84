//! Answers: checked, given to whoever waits for them, and followed until it is seen that they arrived.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coop_api::Code;
use coop_api::client::{Client, ClientError, Endpoint};
use coop_api::convert::agent as convert;
use coop_core::agent::prompt::PromptId;
use coop_core::agent::respond::Respond;
use coop_core::permission::broker::{AnswerError, RequestId, Why};

use super::{Confirming, Outcome, Owner, Way};
use crate::handle::{Answered, HubError, Reply};

/// An agent that has its answer shows that within a second; a loaded machine takes longer.
const CONFIRM: Duration = Duration::from_secs(10);

type AnswerReply = Reply<Result<Answered, HubError>>;

impl Owner {
    pub(super) fn answer(&mut self, id: RequestId, respond: Respond, from: String, reply: AnswerReply) {
        let (Some(card), Some(parked)) = (self.cards.get(&id).cloned(), self.parked.get_mut(&id)) else {
            // The broker knows who was first.
            let error = self.broker.answer(Instant::now(), id, respond).err().map_or(HubError::Unknown, first);
            return self.reply(reply, Err(error));
        };
        parked.from = Some(from);
        let respond = card.resolve(respond);
        if let Way::Sidecar { socket, answering } = &mut parked.way {
            if let Some(by) = answering.clone() {
                return self.reply(reply, Err(HubError::Answered { by }));
            }
            *answering = Some(respond.by.clone());
            let (socket, prompt) = (socket.clone(), parked.prompt.clone());
            return self.send_to_sidecar(id, &socket, &prompt, respond, Some(reply));
        }
        let (entry, prompt) = (parked.entry, parked.prompt.clone());
        let confirms = matches!(&parked.way, Way::Hook { confirms: true, .. });
        let body = match self.decide(entry, &card.context, &respond) {
            Ok(body) => body,
            Err(why) => return self.reply(reply, Err(HubError::Unfit(why))),
        };
        if let Some(parked) = self.parked.get_mut(&id) {
            parked.body = Some(body);
        }
        let effects = match self.broker.answer(Instant::now(), id, respond) {
            Ok(effects) => effects,
            Err(error) => return self.reply(reply, Err(first(error))),
        };
        let remembered = effects.iter().find_map(remembered);
        let answered = Answered {
            id,
            kind: card.context.kind().into(),
            delivered: true,
            reason: None,
            via: "hook".into(),
            remembered,
        };
        self.broker_effects(effects);
        if confirms {
            let until = Instant::now() + CONFIRM;
            self.confirming.insert((entry, prompt), Confirming { answered, reply, until });
        } else {
            self.reply(reply, Ok(answered));
        }
    }

    /// Agents that were told and do not show it.
    pub(super) fn unconfirmed(&mut self, now: Instant) {
        let late: Vec<_> = self.confirming.iter().filter(|(_, c)| c.until <= now).map(|(key, _)| key.clone()).collect();
        for key in late {
            let Some(Confirming { mut answered, reply, .. }) = self.confirming.remove(&key) else { continue };
            answered.delivered = false;
            answered.reason = Some("The hook has the answer, but nothing shows that the agent took it.".into());
            self.reply(reply, Ok(answered));
        }
    }

    /// Without waiting for it; `responded` hears what became of it.
    pub(super) fn send_to_sidecar(
        &self,
        id: RequestId,
        socket: &Path,
        prompt: &PromptId,
        respond: Respond,
        reply: Option<AnswerReply>,
    ) {
        let client = Client::new(Endpoint::Unix(socket.to_owned()), None);
        let request = convert::respond_to_wire(&respond, prompt);
        let done = self.done.clone();
        tokio::task::spawn_local(async move {
            let result = client.respond(&request).await;
            // The owner may be gone.
            drop(done.send(Outcome { id, respond: Box::new(respond), result, reply }));
        });
    }

    pub(super) fn responded(&mut self, outcome: Outcome) {
        let Outcome { id, respond, result, reply } = outcome;
        let Some(reply) = reply else {
            // A rule spoke, and the sidecar did not listen: it asks still, and people see that there.
            if let Err(error) = result {
                tracing::warn!(%error, "a sidecar did not take the answer of a rule");
            }
            return;
        };
        let gone = matches!(&result, Err(ClientError::Api(problem)) if problem.code == Code::NoPrompt);
        let answer = match result {
            Ok(wire) if wire.delivered => {
                let effects = self.broker.answer(Instant::now(), id, *respond).unwrap_or_default();
                let remembered = effects.iter().find_map(remembered);
                self.broker_effects(effects);
                Ok(Answered { id, kind: wire.prompt_type, delivered: true, reason: None, via: wire.via, remembered })
            }
            Ok(wire) => Ok(Answered {
                id,
                kind: wire.prompt_type,
                delivered: false,
                reason: wire.reason,
                via: wire.via,
                remembered: None,
            }),
            Err(ClientError::Api(problem)) => Err(HubError::Sidecar(problem)),
            Err(error) => Err(HubError::Unreachable(error.to_string())),
        };
        if let Some(parked) = self.parked.get_mut(&id) {
            let mut socket = PathBuf::new();
            if let Way::Sidecar { answering, socket: own } = &mut parked.way {
                *answering = None;
                socket.clone_from(own);
            }
            let asked = self.sidecars.get(&socket).and_then(|followed| followed.prompt.as_ref());
            if gone || asked.is_none_or(|(_, asked)| *asked != id) {
                let effects = self.broker.withdraw(id, Why::AtTerminal);
                self.broker_effects(effects);
            }
        }
        self.reply(reply, answer);
    }
}

fn first(error: AnswerError) -> HubError {
    match error {
        AnswerError::Unknown => HubError::Unknown,
        AnswerError::Answered { by } => HubError::Answered { by },
    }
}

fn remembered(effect: &coop_core::permission::broker::Effect) -> Option<String> {
    match effect {
        coop_core::permission::broker::Effect::Ended { remembered, .. } => remembered.clone(),
        coop_core::permission::broker::Effect::Asked(_) => None,
    }
}
