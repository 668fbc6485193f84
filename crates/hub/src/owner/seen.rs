//! What the feeds tell: agents seen by their files, by their sidecars, and their end.

use std::path::Path;
use std::time::Instant;

use coop_api::convert::agent as convert;
use coop_core::agent::prompt::{Prompt, PromptId};
use coop_core::agent::state::State;
use coop_core::fleet::{Control, EntryId, Process, Sighting};
use coop_core::permission::broker::{Request, Why};
use coop_machine::clock::now_ms;
use coop_machine::{git, process};

use super::{Followed, Owner, Parked, Way};
use crate::feeds::{self, Gone, Remote, Sidecar, Told};

impl Owner {
    pub(super) fn told(&mut self, told: Told) {
        match told {
            // Its last lines may be read when it is gone already.
            Told::Seen { sighting, .. } if sighting.process.as_ref().is_some_and(|process| !runs(process)) => {}
            // Nor does what is in the log of a conversation that has ended bring it back.
            Told::Seen { sighting, .. } if sighting.control.is_none() && !self.goes_on(&sighting) => {}
            Told::Seen { mut sighting, evidence } => {
                sighting.process = sighting.process.map(|process| self.terminal_of(process));
                let id = self.see(*sighting);
                for evidence in evidence {
                    let effects = self.fleet.hear(Instant::now(), now_ms(), id, evidence);
                    self.fleet_effects(effects);
                }
            }
            Told::Ended(process) => {
                self.watched.remove(&process);
                let effects = self.fleet.exited(Instant::now(), now_ms(), &process);
                self.fleet_effects(effects);
            }
            Told::Sidecar(sidecar) => self.sidecar(*sidecar),
            Told::PromptOver { socket, prompt, by } => self.sidecar_prompt_over(&socket, &PromptId(prompt), &by),
            Told::SidecarGone { socket, how } => self.sidecar_gone(&socket, how),
        }
    }

    pub(super) fn see(&mut self, sighting: Sighting) -> EntryId {
        let process = sighting.process.clone();
        let (id, effects) = self.fleet.see(Instant::now(), now_ms(), sighting);
        self.fleet_effects(effects);
        // Of processes elsewhere their sidecars tell.
        if let Some(process) = process.filter(|process| process.host.is_none()) {
            self.watch(process);
        }
        id
    }

    fn goes_on(&self, sighting: &Sighting) -> bool {
        let entry = self.fleet.find(None, sighting.conversation.as_deref()).and_then(|id| self.fleet.get(id));
        entry.is_some_and(|entry| entry.state != State::Exited)
    }

    /// Waits for the end of a process, once.
    fn watch(&mut self, process: Process) {
        if self.watched.insert(process.clone()) {
            let tell = self.tell.clone();
            tokio::task::spawn_local(async move {
                feeds::process::ended(&process).await;
                drop(tell.send(Told::Ended(process)).await);
            });
        }
    }

    /// An agent that a sidecar started through a shell is known there by the shell.
    fn terminal_of(&self, process: Process) -> Process {
        if self.fleet.find(Some(&process), None).is_some() {
            return process;
        }
        let leader = process::session_of(process.pid).and_then(|pid| {
            let leader = Process { host: None, pid, started: process::started(pid)? };
            let entry = self.fleet.get(self.fleet.find(Some(&leader), None)?)?;
            entry.control().is_held().then_some(leader)
        });
        leader.unwrap_or(process)
    }

    /// The process a sidecar tells of, or the agent that was started in its terminal.
    fn inside(&self, pid: u32) -> Option<Process> {
        let process = Process { host: None, pid, started: process::started(pid)? };
        if self.fleet.find(Some(&process), None).is_some() {
            return Some(process);
        }
        let here = |process: &Process| process.host.is_none();
        let known = self.fleet.iter().filter_map(|entry| entry.process.clone()).filter(here);
        let mut inside = known.filter(|known| process::session_of(known.pid) == Some(pid));
        Some(inside.next().unwrap_or(process))
    }

    /// A sidecar of another machine is followed like one of this machine.
    pub(super) fn connected(&self, remote: Remote) {
        let place = feeds::Place {
            // It trusts the hub that it called.
            client: feeds::sidecar_client(&remote.socket, None),
            socket: remote.socket.clone(),
            remote: Some(remote),
        };
        let tell = self.tell.clone();
        tokio::task::spawn_local(async move { feeds::follow_sidecar(&place, &tell).await });
    }

    fn sidecar(&mut self, sidecar: Sidecar) {
        let Sidecar { socket, name, agent, pid, control, remote, state } = sidecar;
        let process = pid.and_then(|pid| match &remote {
            None => self.inside(pid),
            Some(remote) => Some(Process { host: Some(remote.host.clone()), pid, started: remote.instance }),
        });
        let Some(process) = process else { return };
        let host = remote.as_ref().map(|remote| remote.host.clone());
        let (cwd, branch) = match remote {
            None => {
                let cwd = process::cwd_of(process.pid);
                let branch = cwd.as_deref().and_then(|cwd| git::branch(Path::new(cwd)));
                (cwd, branch)
            }
            Some(remote) => (remote.cwd, remote.branch),
        };
        let said = state.as_ref();
        let sighting = Sighting {
            agent: if agent == "unknown" { name } else { agent },
            control: Some(control),
            conversation: said.and_then(|state| state.session_id.clone()),
            cwd,
            branch,
            model: said.and_then(|state| state.model.clone()),
            last_message: said.and_then(|state| state.last_message.clone()),
            spent: said.map(convert::spent_from_wire),
            socket: Some(socket.to_string_lossy().into_owned()),
            process: Some(process),
            ..Sighting::default()
        };
        let id = self.see(sighting);
        // What a hook asked before the sidecar was seen is for the sidecar now.
        for request in self.waiting(id, None) {
            let effects = self.broker.withdraw(request, Why::Gone);
            self.broker_effects(effects);
        }
        let next = said.map_or(State::Unknown, convert::state_from_wire);
        let source = said.and_then(convert::source_from_wire);
        let reason = said.map_or("no agent that coop knows", |state| state.reason.as_str());
        let effects = self.fleet.told(now_ms(), id, next.clone(), source, reason);
        self.fleet_effects(effects);
        self.sidecars.entry(socket.clone()).or_insert(Followed { entry: id, prompt: None }).entry = id;
        let digest = said.and_then(|state| state.prompt.as_ref()).map(|prompt| prompt.digest.clone());
        self.sidecar_asks(&socket, host, next.prompt(), digest.filter(|digest| !digest.is_empty()));
    }

    /// What a sidecar asks now, if anything. Its host is where it called from, whatever conversation it claims to have.
    fn sidecar_asks(&mut self, socket: &Path, host: Option<String>, prompt: Option<&Prompt>, digest: Option<String>) {
        let Some(Followed { entry, prompt: known }) = self.sidecars.get(socket) else { return };
        let (entry, known) = (*entry, known.clone());
        let same = known.as_ref().filter(|(known, _)| prompt.is_some_and(|prompt| prompt.id == *known));
        if let (None, Some((old, _))) = (same, &known) {
            self.sidecar_prompt_over(socket, old, Why::AtTerminal.name());
        }
        let Some(prompt) = prompt else { return };
        let Some(seen) = self.fleet.get(entry) else { return };
        let context = prompt.context.clone();
        let request = Request {
            session: seen.conversation.clone().unwrap_or_default(),
            host,
            cwd: seen.cwd.clone().unwrap_or_default(),
            tool: context.tool().or_else(|| context.subtype()).unwrap_or_default().to_owned(),
            input: context.input().cloned().unwrap_or_default(),
            tool_use_id: None,
            context,
            // It waits for as long as its dialog is there.
            wait: FOREVER,
        };
        if let Some((_, id)) = same {
            if let Some(Parked { way: Way::Sidecar { digest: known, .. }, .. }) = self.parked.get_mut(id) {
                *known = digest;
            }
            // What it is about may be told after that it is there.
            let effects = self.broker.refresh(Instant::now(), *id, request);
            return self.broker_effects(effects);
        }
        let (request, effects) = self.broker.ask(Instant::now(), request);
        let way = Way::Sidecar { socket: socket.to_owned(), answering: None, digest };
        let parked = Parked { entry, prompt: prompt.id.clone(), asked_ms: now_ms(), way, from: None, body: None };
        self.parked.insert(request, parked);
        if let Some(followed) = self.sidecars.get_mut(socket) {
            followed.prompt = Some((prompt.id.clone(), request));
        }
        self.broker_effects(effects);
    }

    fn sidecar_prompt_over(&mut self, socket: &Path, prompt: &PromptId, by: &str) {
        let Some(followed) = self.sidecars.get_mut(socket) else { return };
        let Some((_, request)) = followed.prompt.take_if(|(known, _)| known == prompt) else { return };
        // Whoever answers it through us is about to hear so.
        let ours = |parked: &Parked| matches!(&parked.way, Way::Sidecar { answering: Some(_), .. });
        if !self.parked.get(&request).is_some_and(ours) {
            let effects = self.broker.withdraw_for(request, Why::AtTerminal, by);
            self.broker_effects(effects);
        }
    }

    fn sidecar_gone(&mut self, socket: &Path, how: Gone) {
        let Some(Followed { entry, prompt }) = self.sidecars.remove(socket) else { return };
        if let Some((_, request)) = prompt {
            let effects = self.broker.withdraw(request, Why::Gone);
            self.broker_effects(effects);
        }
        // It called again before it was known that its first call had ended.
        if self.sidecars.values().any(|other| other.entry == entry) {
            return;
        }
        for control in [Control::Attached, Control::Owned] {
            let effects = self.fleet.lose(entry, control);
            self.fleet_effects(effects);
        }
        // Of a session elsewhere no other source tells, and of one here only where its agent has files or hooks.
        let Some(known) = self.fleet.get(entry) else { return };
        let remote = known.process.clone().filter(|process| process.host.is_some());
        let is_cold = known.control() == Control::Cold;
        let effects = match (remote, how) {
            (Some(process), Gone::Ended) => self.fleet.exited(Instant::now(), now_ms(), &process),
            (Some(_), _) => self.fleet.told(now_ms(), entry, State::Unknown, None, "its sidecar is not connected"),
            (None, Gone::Silent) if is_cold => {
                self.fleet.told(now_ms(), entry, State::Unknown, None, "its sidecar does not reply")
            }
            (None, _) => Vec::new(),
        };
        self.fleet_effects(effects);
    }
}

fn runs(process: &Process) -> bool {
    process::started(process.pid) == Some(process.started)
}

/// Longer than anybody runs an agent.
const FOREVER: std::time::Duration = std::time::Duration::from_secs(365 * 24 * 3600);
