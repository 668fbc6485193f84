//! Answers: checked, given to whoever waits for them, and followed until it is seen that they arrived.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coop_api::Code;
use coop_api::client::ClientError;
use coop_api::convert::agent as convert;
use coop_api::v1::RespondResponse;
use coop_core::agent::prompt::PromptId;
use coop_core::agent::respond::{Respond, Scope};
use coop_core::agent::state::State;
use coop_core::fleet::EntryId;
use coop_core::permission::broker::{self, AnswerError, RequestId, Why};
use coop_core::permission::rules::{Effect, Hosts, project_folder};
use coop_machine::clock::now_ms;

use super::{Confirming, Followed, Outcome, Owner, Parked, Ruled, Way};
use crate::board::{Card, Settled};
use crate::feeds;
use crate::handle::{Answered, HubError, NewRule, Reply};

/// An agent that has its answer shows that within a second; a loaded machine takes longer.
const CONFIRM: Duration = Duration::from_secs(10);

/// How long after an answer an Escape at the terminal may have come before it. The agent takes 80 ms to show that.
const SETTLE: Duration = Duration::from_millis(250);
const STOPPED: &str = "The turn was stopped at the terminal at the same time, so that the tool may not have run.";

type AnswerReply = Reply<Result<Answered, HubError>>;

impl Owner {
    pub(super) fn answer(&mut self, id: RequestId, respond: Respond, from: String, reply: AnswerReply) {
        let (Some(card), Some(parked)) = (self.cards.get(&id).cloned(), self.parked.get_mut(&id)) else {
            // The broker knows who was first.
            let error = self.broker.answer(Instant::now(), id, respond).err().map_or(HubError::Unknown, first);
            return self.reply(reply, Err(error));
        };
        if respond.digest.as_ref().is_some_and(|digest| *digest != card.digest) {
            let why = "This prompt has changed since it was shown. Read it again, then answer it.".to_owned();
            return self.reply(reply, Err(HubError::Unfit(why)));
        }
        let respond = card.resolve(respond);
        let scope = respond.scope;
        if respond.scope != Scope::Once && card.suggestion.is_none() {
            let why = "This prompt can only be answered once: no rule covers exactly this input.".to_owned();
            return self.reply(reply, Err(HubError::Unfit(why)));
        }
        let project = match respond.scope {
            Scope::Path => project_of(&card, self.broker.get(id).and_then(|pending| pending.request.host.as_deref())),
            Scope::Once | Scope::Session => Ok(()),
        };
        if let Err(why) = project {
            return self.reply(reply, Err(HubError::Unfit(why)));
        }
        parked.from = Some(from);
        if let Way::Sidecar { socket, answering, digest } = &mut parked.way {
            if let Some(by) = answering.clone() {
                return self.reply(reply, Err(HubError::Answered { by }));
            }
            *answering = Some(respond.by.clone());
            let (socket, prompt, digest) = (socket.clone(), parked.prompt.clone(), digest.clone());
            // The sidecar knows more of its prompt, so that its digest is another.
            return self.send_to_sidecar(id, &socket, &prompt, Respond { digest, ..respond }, Some(reply));
        }
        let (entry, prompt) = (parked.entry, parked.prompt.clone());
        let confirms = matches!(&parked.way, Way::Hook { confirms: true, .. });
        let kept = card.suggestion.clone().filter(|pattern| confirms && self.keeps(entry, pattern));
        let told = match &kept {
            Some(_) => Respond { pattern: kept.clone(), ..respond.clone() },
            None => once(&respond),
        };
        let body = match self.decide(entry, &card.context, &told) {
            Ok(body) => body,
            Err(why) => return self.reply(reply, Err(HubError::Unfit(why))),
        };
        if let Err(error) = self.stand(&card, &respond, kept.is_some()) {
            return self.reply(reply, Err(error));
        }
        if let Some(parked) = self.parked.get_mut(&id) {
            parked.body = Some(body);
        }
        let allows = card.context.kind() == "permission" && respond.accept == Some(true);
        let effects = match self.broker.answer(Instant::now(), id, respond) {
            Ok(effects) => effects,
            Err(error) => return self.reply(reply, Err(first(error))),
        };
        let answered = Answered {
            id,
            kind: card.context.kind().into(),
            delivered: true,
            reason: None,
            via: "hook".into(),
            scope,
            remembered: kept_as(&card, scope, &effects),
        };
        self.broker_effects(effects);
        self.settle();
        if confirms {
            let until = Instant::now() + CONFIRM;
            self.confirming.insert((entry, prompt), Confirming { answered, allows, over: false, reply, until });
        } else {
            self.reply(reply, Ok(answered));
        }
    }

    /// Whether the agent itself can be told to allow just this from now on.
    fn keeps(&self, entry: EntryId, pattern: &str) -> bool {
        let agent = self.fleet.get(entry).map(|entry| entry.agent.as_str()).unwrap_or_default();
        coop_drivers::driver(agent).is_some_and(|driver| driver.keeps(pattern))
    }

    /// An answer for a project is a standing rule there, for the machine of the session, unless the agent keeps it in the
    /// project's own settings.
    fn stand(&mut self, card: &Card, respond: &Respond, kept: bool) -> Result<(), HubError> {
        let (Scope::Path, Some(accept), Some(pattern)) = (respond.scope, respond.accept, &card.suggestion) else {
            return Ok(());
        };
        if accept && kept {
            return Ok(());
        }
        let pattern = pattern.parse().map_err(|_| HubError::Unfit(format!("`{pattern}` is no rule.")))?;
        let effect = if accept { Effect::Allow } else { Effect::Deny };
        let host = self.broker.get(card.id).and_then(|pending| pending.request.host.clone());
        let hosts = host.map_or(Hosts::Here, Hosts::Named);
        self.add_rule(NewRule { pattern, effect, project: Some(card.cwd.clone()), hosts }).map(drop)
    }

    /// A sidecar has delivered an answer: what is remembered of it.
    fn learn(&mut self, id: RequestId, respond: Respond) -> Result<Option<String>, HubError> {
        let Some(card) = self.cards.get(&id).cloned() else { return Ok(None) };
        let scope = respond.scope;
        let stands = self.stand(&card, &respond, false);
        let effects = self.broker.answer(Instant::now(), id, respond).unwrap_or_default();
        let remembered = kept_as(&card, scope, &effects);
        self.broker_effects(effects);
        self.settle();
        stands.map(|()| remembered)
    }

    /// What waits and need not any more, since a rule or a memory is new.
    pub(super) fn settle(&mut self) {
        let effects = self.broker.settle(Instant::now());
        self.broker_effects(effects);
    }

    /// Agents that were told and do not show it.
    pub(super) fn unconfirmed(&mut self, now: Instant) {
        let late: Vec<_> = self.confirming.iter().filter(|(_, c)| c.until <= now).map(|(key, _)| key.clone()).collect();
        for key in late {
            let Some(Confirming { mut answered, over, reply, .. }) = self.confirming.remove(&key) else { continue };
            if !over {
                answered.delivered = false;
                answered.reason = Some("The hook has the answer, but nothing shows that the agent took it.".into());
            }
            self.reply(reply, Ok(answered));
        }
    }

    /// The prompt of an answer is over, or its agent has another state since.
    pub(super) fn confirm(&mut self, key: (EntryId, PromptId)) {
        let Some(Confirming { mut answered, allows, reply, .. }) = self.confirming.remove(&key) else { return };
        let works = self.fleet.get(key.0).is_some_and(|entry| entry.state == State::Working);
        if allows && works {
            let until = Instant::now() + SETTLE;
            self.confirming.insert(key, Confirming { answered, allows, over: true, reply, until });
            return;
        }
        if allows && self.fleet.is_stopped(key.0) {
            answered.delivered = false;
            answered.reason = Some(STOPPED.to_owned());
        }
        self.reply(reply, Ok(answered));
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
        let local = socket.parent().is_some_and(|folder| self.config.sockets.as_deref() == Some(folder));
        let token = self.config.sidecar_token.as_ref().filter(|_| local);
        let client = feeds::sidecar_client(socket, token);
        // What is remembered is remembered here, and is what was shown here.
        let request = convert::respond_to_wire(&once(&respond), prompt);
        let done = self.done.clone();
        tokio::task::spawn_local(async move {
            let result = client.respond(&request).await;
            // The owner may be gone.
            drop(done.send(Outcome { id, respond: Box::new(respond), result, reply }));
        });
    }

    pub(super) fn responded(&mut self, outcome: Outcome) {
        let Outcome { id, respond, result, reply } = outcome;
        let Some(reply) = reply else { return self.rule_answered(id, &result) };
        let scope = respond.scope;
        let gone = matches!(&result, Err(ClientError::Api(problem)) if problem.code == Code::NoPrompt);
        let answer = match result {
            Ok(wire) if wire.delivered => {
                let remembered = self.learn(id, *respond);
                let (kind, via) = (wire.prompt_type, wire.via);
                remembered.map(|remembered| Answered {
                    id,
                    kind,
                    delivered: true,
                    reason: None,
                    via,
                    scope,
                    remembered,
                })
            }
            Ok(wire) => Ok(Answered {
                id,
                kind: wire.prompt_type,
                delivered: false,
                reason: wire.reason,
                via: wire.via,
                scope,
                remembered: None,
            }),
            Err(ClientError::Api(problem)) => Err(HubError::Sidecar(problem)),
            Err(error) => Err(HubError::Unreachable(error.to_string())),
        };
        if let Some(parked) = self.parked.get_mut(&id) {
            let mut socket = PathBuf::new();
            if let Way::Sidecar { answering, socket: own, .. } = &mut parked.way {
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

    /// A sidecar says whether the answer of a rule took effect. If not, and the agent still asks, a person is asked.
    fn rule_answered(&mut self, id: RequestId, result: &Result<RespondResponse, ClientError>) {
        let Some(Ruled { socket, prompt, digest, request, settled }) = self.ruled.remove(&id) else { return };
        let settled = Settled { ended_ms: now_ms(), ..settled };
        match result {
            Ok(wire) if wire.delivered => return self.settled(settled),
            Ok(wire) => tracing::warn!(reason = wire.reason, "it is not certain that a rule's answer arrived"),
            Err(ClientError::Api(problem)) if problem.code == Code::NoPrompt => {}
            Err(error) => tracing::warn!(%error, "a sidecar did not take the answer of a rule"),
        }
        let gone = matches!(result, Err(ClientError::Api(problem)) if problem.code == Code::NoPrompt);
        let asks = |followed: &Followed| followed.prompt.as_ref().is_some_and(|known| *known == (prompt.clone(), id));
        let Some(followed) = self.sidecars.get(&socket).filter(|followed| !gone && asks(followed)) else {
            // It was answered otherwise.
            let (outcome, by) = (Why::AtTerminal.name().into(), Why::AtTerminal.name().into());
            return self.settled(Settled { outcome, by, text: None, ..settled });
        };
        let (entry, way) = (followed.entry, Way::Sidecar { socket, answering: None, digest });
        let parked = Parked { entry, prompt, asked_ms: settled.asked_ms, way, from: None, body: None };
        self.parked.insert(id, parked);
        let effects = self.broker.ask_person(Instant::now(), id, request);
        self.broker_effects(effects);
    }
}

/// Checks that a rule can be made for the folder of a prompt, and for its machine.
fn project_of(card: &Card, host: Option<&str>) -> Result<(), String> {
    if host.is_some_and(|host| Hosts::from_name(Some(host)) != Hosts::Named(host.to_owned())) {
        return Err("No rule can be made for a machine of this name. Answer once, or for the session.".to_owned());
    }
    project_folder(&card.cwd).map(drop).map_err(|_| {
        let cwd = &card.cwd;
        format!("No rule can be made for the folder `{cwd}` of this prompt. Answer once, or for the session.")
    })
}

/// The same answer, and nothing beyond it.
fn once(respond: &Respond) -> Respond {
    Respond { scope: Scope::Once, ..respond.clone() }
}

fn first(error: AnswerError) -> HubError {
    match error {
        AnswerError::Unknown => HubError::Unknown,
        AnswerError::Answered { by } => HubError::Answered { by },
    }
}

/// What the session or the project remembers of an answer.
fn kept_as(card: &Card, scope: Scope, effects: &[broker::Effect]) -> Option<String> {
    let in_memory = |effect: &broker::Effect| match effect {
        broker::Effect::Ended { remembered, .. } => remembered.clone(),
        broker::Effect::Asked(_) => None,
    };
    match scope {
        Scope::Once => None,
        Scope::Session => effects.iter().find_map(in_memory),
        Scope::Path => card.suggestion.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::{Feeds, Gone, Sidecar, Told};
    use crate::ledger::{Ledger, Loaded};
    use coop_core::agent::prompt::{PermissionPrompt, Prompt, PromptContext};
    use coop_core::fleet::Control;
    use serde_json::json;
    use tokio::sync::mpsc;

    fn asks(socket: &Path, command: &str) -> Told {
        let context = PromptContext::Permission(PermissionPrompt {
            tool: Some("Bash".into()),
            input: Some(json!({ "command": command })),
            ..PermissionPrompt::default()
        });
        let prompt = Prompt { id: PromptId("p1".into()), context, ready: true, by_hook: true };
        let state = coop_api::v1::GetAgentStateResponse {
            state: "prompt".into(),
            prompt: Some(convert::prompt(&prompt)),
            ..Default::default()
        };
        let (name, agent, pid) = ("s".to_owned(), "claude".to_owned(), Some(std::process::id()));
        let (socket, control, state) = (socket.to_owned(), Control::Owned, Some(state));
        Told::Sidecar(Box::new(Sidecar { socket, name, agent, pid, control, remote: None, state }))
    }

    /// A broken connection may be noticed after the sidecar has called again.
    #[test]
    fn a_sidecar_that_called_again_stays_when_its_first_call_ends() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let work = async {
            let config = crate::Config::default();
            let Feeds { tell, logs, told: _told } = crate::feeds::start(&config).unwrap();
            let (done, _outcomes) = mpsc::unbounded_channel();
            let mut owner = Owner::new(config, Ledger::open(None).unwrap(), Loaded::default(), (tell, logs), done);
            let [first, second] = ["1.sock", "2.sock"].map(|name| Path::new("/hosts").join(name));
            let calls = |socket: &Path| {
                let Told::Sidecar(mut sidecar) = asks(socket, "ls") else { panic!() };
                let (socket, host) = (socket.to_owned(), "far".to_owned());
                sidecar.remote = Some(crate::Remote { socket, host, instance: 1, cwd: None, branch: None });
                Told::Sidecar(sidecar)
            };
            owner.told(calls(&first));
            owner.told(calls(&second));
            owner.told(Told::SidecarGone { socket: first, how: Gone::Closed });
            let known: Vec<_> = owner.fleet.iter().map(|entry| (entry.control(), entry.state.name())).collect();
            assert_eq!(known, [(Control::Owned, "prompt")]);
            assert_eq!(owner.cards.len(), 1, "what it asks is asked once");
            owner.told(Told::SidecarGone { socket: second, how: Gone::Closed });
            let known: Vec<_> = owner.fleet.iter().map(|entry| (entry.control(), entry.state.name())).collect();
            assert_eq!((known, owner.cards.len()), (vec![(Control::Cold, "unknown")], 0));
        };
        tokio::task::LocalSet::new().block_on(&runtime, work);
    }

    /// A rule from the prompt of a remote session is for that machine, and rules of this machine are not for it.
    #[test]
    fn rules_are_for_the_host_they_were_made_on() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let work = async {
            let config = crate::Config::default();
            let Feeds { tell, logs, told: _told } = crate::feeds::start(&config).unwrap();
            let (done, _outcomes) = mpsc::unbounded_channel();
            let mut owner = Owner::new(config, Ledger::open(None).unwrap(), Loaded::default(), (tell, logs), done);
            let calls = |number: u64, host: &str| {
                let socket = Path::new("/hosts").join(format!("{number}.sock"));
                let Told::Sidecar(mut sidecar) = asks(&socket, "touch x") else { panic!() };
                let (host, cwd) = (host.to_owned(), Some("/srv/shop".to_owned()));
                sidecar.remote = Some(crate::Remote { socket, host, instance: number, cwd, branch: None });
                Told::Sidecar(sidecar)
            };
            let pattern = "Bash(touch:*)".parse().unwrap();
            let here = NewRule { pattern, effect: Effect::Allow, project: None, hosts: Hosts::Here };
            owner.add_rule(here).unwrap();
            owner.told(calls(1, "far"));
            let card = owner.cards.values().next().cloned().unwrap();
            let respond = Respond { accept: Some(true), scope: Scope::Path, ..Respond::default() };
            owner.learn(card.id, respond).unwrap();
            let made = owner.broker.rules.last().cloned().unwrap();
            assert_eq!((made.hosts, made.project.as_deref()), (Hosts::Named("far".into()), Some("/srv/shop")));
            for (number, host, asked) in [(2, "far", false), (3, "other", true), (4, "*", true), (5, "?", true)] {
                owner.told(calls(number, host));
                assert_eq!(!owner.cards.is_empty(), asked, "{host}");
                owner.told(Told::SidecarGone {
                    socket: Path::new("/hosts").join(format!("{number}.sock")),
                    how: Gone::Ended,
                });
            }
        };
        tokio::task::LocalSet::new().block_on(&runtime, work);
    }

    /// A sidecar replaces what it asks under the same number: an answer is for what the client has shown.
    #[test]
    fn answer_to_a_card_that_has_changed_is_rejected() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let work = async {
            let config = crate::Config::default();
            let Feeds { tell, logs, told: _told } = crate::feeds::start(&config).unwrap();
            let (done, mut outcomes) = mpsc::unbounded_channel();
            let mut owner = Owner::new(config, Ledger::open(None).unwrap(), Loaded::default(), (tell, logs), done);
            let folder = tempfile::tempdir().unwrap();
            let socket = folder.path().join("gone.sock");
            owner.told(asks(&socket, "ls"));
            let shown = owner.cards.values().next().cloned().unwrap();
            owner.told(asks(&socket, "rm -rf /"));
            let card = owner.cards.values().next().cloned().unwrap();
            assert_eq!((card.id, card.digest == shown.digest), (shown.id, false));
            let (reply, answer) = tokio::sync::oneshot::channel();
            let respond =
                |digest: &str| Respond { accept: Some(true), digest: Some(digest.to_owned()), ..Respond::default() };
            owner.answer(card.id, respond(&shown.digest), "socket".into(), reply);
            owner.replies.drain(..).for_each(|send| send());
            assert!(matches!(answer.await.unwrap(), Err(HubError::Unfit(_))));
            // The answer to what is shown now goes to the sidecar, with the sidecar's own digest.
            let (reply, _answer) = tokio::sync::oneshot::channel();
            owner.answer(card.id, respond(&card.digest), "socket".into(), reply);
            let sent = outcomes.recv().await.unwrap().respond;
            assert_eq!((sent.accept, sent.digest.as_deref()), (Some(true), Some(card.digest.as_str())));
        };
        tokio::task::LocalSet::new().block_on(&runtime, work);
    }

    #[test]
    fn what_a_sidecar_does_not_take_from_a_rule_is_for_a_person() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let work = async {
            let config = crate::Config::default();
            let Feeds { tell, logs, told: _told } = crate::feeds::start(&config).unwrap();
            let (done, mut outcomes) = mpsc::unbounded_channel();
            let mut owner = Owner::new(config, Ledger::open(None).unwrap(), Loaded::default(), (tell, logs), done);
            let (pattern, project) = ("Bash(ls:*)".parse().unwrap(), None);
            owner.add_rule(NewRule { pattern, effect: Effect::Allow, project, hosts: Hosts::Here }).unwrap();
            let folder = tempfile::tempdir().unwrap();
            // Nobody listens there.
            let socket = folder.path().join("gone.sock");
            owner.told(asks(&socket, "ls"));
            assert!(owner.cards.is_empty(), "a rule has spoken");
            let outcome = outcomes.recv().await.unwrap();
            let recorded = |owner: &Owner| {
                let rows = owner.ledger.history(None, 9).unwrap().into_iter();
                rows.map(|row| (row.outcome, row.by)).collect::<Vec<_>>()
            };
            assert_eq!(recorded(&owner), [], "it has not taken effect");
            owner.responded(outcome);
            assert_eq!(recorded(&owner), [], "it never did");
            let card = owner.cards.values().next().cloned().unwrap();
            assert_eq!((card.input["command"].as_str(), card.via), (Some("ls"), "sidecar"));
            // It is the same prompt, and told of once more it is not asked twice.
            owner.told(asks(&socket, "ls"));
            assert_eq!(owner.cards.len(), 1);
            // When the sidecar says that it is over, it is.
            let over = Told::PromptOver { socket: socket.clone(), prompt: "p1".into(), by: "terminal".into() };
            owner.told(over);
            assert!(owner.cards.is_empty() && owner.parked.is_empty() && owner.ruled.is_empty());
            assert_eq!(recorded(&owner), [("terminal".to_owned(), "terminal".to_owned())]);
            // The next one the sidecar takes.
            let other = folder.path().join("other.sock");
            owner.told(asks(&other, "ls -l"));
            let outcome = outcomes.recv().await.unwrap();
            let delivered = RespondResponse { delivered: true, ..RespondResponse::default() };
            owner.responded(Outcome { result: Ok(delivered), ..outcome });
            assert_eq!(recorded(&owner)[0], ("allow".to_owned(), "rule".to_owned()));
        };
        tokio::task::LocalSet::new().block_on(&runtime, work);
    }
}
