//! The agents' own hooks: what they say, and what they wait for.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::prompt::PromptContext;
use coop_core::agent::state::State;
use coop_core::fleet::{Control, EntryId, Process, Sighting};
use coop_core::permission::broker::{Request, Why};
use coop_core::permission::rules::UNKNOWN_HOST;
use coop_machine::clock::now_ms;
use coop_machine::{plan, process};
use serde_json::Value;

use super::{Owner, Parked, Way};
use crate::feeds::Follow;
use crate::handle::{Decision, HookCall, Reply};

/// Agents whose hooks do not say whose they are are of this kind.
const DEFAULT_AGENT: &str = "claude";
/// A hook that is kept waiting.
struct Waiting {
    number: u64,
    reply: Reply<Decision>,
}

/// Between an agent and its hook are a shell or two.
const GENERATIONS: usize = 8;

impl Owner {
    pub(super) fn hook(&mut self, call: &HookCall, number: u64, reply: Reply<Decision>) {
        let now = Instant::now();
        let at = now.checked_sub(call.age).unwrap_or(now);
        let Some(id) = self.caller(call) else {
            return self.reply(reply, Decision::default());
        };
        let Some(entry) = self.fleet.get(id) else { return self.reply(reply, Decision::default()) };
        if entry.control().is_held() {
            // Its sidecar hears of it, and answers.
            return self.reply(reply, Decision::default());
        }
        let agent = entry.agent.clone();
        if !self.drivers.contains_key(&id) {
            let Some(driver) = coop_drivers::driver(&agent) else {
                return self.reply(reply, Decision::default());
            };
            self.drivers.insert(id, driver);
        }
        let Some(driver) = self.drivers.get_mut(&id) else { return };
        let decides = driver.decides_by_hook();
        let log_first = driver.log_has_last_words();
        // Nothing but its hooks tells that it has started, and waits for its first message.
        let starts_at_rest = call.agent.is_some() && driver.judge().starts_at_rest;
        let mut heard = driver.hook(&call.event, &call.payload);
        if let Some(files) = self.config.agents.iter().find(|files| files.agent == agent) {
            for fact in &mut heard.facts {
                if let Fact::PromptShown { context } = fact {
                    plan::refresh(context, driver.as_ref(), Some(&files.folder));
                }
            }
        }
        if heard.model.is_some() {
            let entry = self.fleet.get(id);
            let conversation = entry.and_then(|entry| entry.conversation.clone());
            let sighting = Sighting { agent, conversation, model: heard.model, ..Sighting::default() };
            let (_, effects) = self.fleet.see(now, now_ms(), sighting);
            self.fleet_effects(effects);
        }
        let asked = heard.facts.iter().find_map(|fact| match fact {
            Fact::PromptShown { context } => Some(context.clone()),
            _ => None,
        });
        let over = heard.facts.iter().any(|fact| matches!(fact, Fact::SessionEnded { .. }));
        if starts_at_rest && heard.facts.iter().any(|fact| matches!(fact, Fact::SessionStarted { .. })) {
            heard.facts.push(Fact::Looks(Look::Idle));
        }
        let ends = |fact: &Fact| matches!(fact, Fact::TurnEnded { .. });
        // Only there is what was said last, and that a turn has failed.
        let (later, at_once): (Vec<Fact>, Vec<Fact>) =
            heard.facts.into_iter().partition(|fact| log_first && ends(fact));
        let evidence = |fact| Evidence { source: Source::Hook, at, turn: heard.turn.clone(), fact };
        for fact in at_once {
            let effects = self.fleet.hear(now, now_ms(), id, evidence(fact));
            self.fleet_effects(effects);
        }
        self.read_log(id, call, later.into_iter().map(evidence).collect());
        if over {
            let effects = self.fleet.close(now_ms(), id);
            self.fleet_effects(effects);
        }
        match asked {
            Some(context) if decides => {
                let withheld = self.drivers.get(&id).and_then(|driver| driver.withholds_dialog_of(&context));
                self.park(id, context, call, withheld, Waiting { number, reply });
            }
            // Whoever cannot be answered through its hook must not be kept waiting.
            _ => self.reply(reply, Decision::default()),
        }
    }

    /// The agent that calls.
    fn caller(&mut self, call: &HookCall) -> Option<EntryId> {
        let text = |key: &str| call.payload.get(key).and_then(Value::as_str).map(str::to_owned);
        let conversation = text("session_id").filter(|id| !id.is_empty())?;
        let runner = |pid| process_of(process::runner_of(pid)?);
        let process =
            call.pid.and_then(|pid| self.ancestor(pid).or_else(|| call.agent.as_ref().and_then(|_| runner(pid))));
        let known = self.fleet.find(process.as_ref(), Some(&conversation));
        if call.network && known.is_some_and(|id| !self.fleet.is_open_to_network(id)) {
            return None;
        }
        let known = known.and_then(|id| self.fleet.get(id));
        if call.event == "SessionEnd" && known.is_none_or(|entry| entry.state == State::Exited) {
            // That it has ended is known, or nobody ever saw it.
            return None;
        }
        let told = call.agent.as_deref().unwrap_or(DEFAULT_AGENT);
        let agent = known.map_or_else(|| told.to_owned(), |entry| entry.agent.clone());
        let sighting = Sighting {
            agent,
            control: Some(Control::Hooked),
            process,
            conversation: Some(conversation),
            cwd: text("cwd"),
            branch: text("git_branch"),
            log: text("transcript_path"),
            network: call.network,
            ..Sighting::default()
        };
        Some(self.see(sighting))
    }

    /// The log of an agent that keeps no list of what runs is read from when its hooks have told of it. `later` is to be
    /// heard after what is in it now.
    fn read_log(&mut self, id: EntryId, call: &HookCall, later: Vec<Evidence>) {
        let Some(entry) = self.fleet.get(id) else { return };
        let path = entry.log.clone().filter(|path| !path.is_empty());
        if let (Some(_), Some(conversation), Some(path)) = (&call.agent, entry.conversation.clone(), path) {
            let follow = Follow { agent: entry.agent.clone(), conversation, path: path.into(), later };
            return self.logs.follow(follow);
        }
        for evidence in later {
            let effects = self.fleet.hear(Instant::now(), now_ms(), id, evidence);
            self.fleet_effects(effects);
        }
    }

    /// The process of an agent we know that this one was started by.
    fn ancestor(&self, pid: u32) -> Option<Process> {
        let line = std::iter::successors(Some(pid), |pid| process::parent_of(*pid).filter(|pid| *pid > 1));
        // Asking the system takes longer than all the rest of a hook.
        let mut line = line.take(if self.fleet.has_processes() { GENERATIONS } else { 0 });
        line.find_map(|pid| {
            let process = process_of(pid)?;
            self.fleet.find(Some(&process), None).map(|_| process)
        })
    }

    /// Keeps the hook waiting for somebody's decision. The dialog stays usable at the terminal all the while.
    fn park(
        &mut self,
        id: EntryId,
        context: PromptContext,
        call: &HookCall,
        withheld: Option<Duration>,
        Waiting { number, reply }: Waiting,
    ) {
        let Some(prompt) = self.fleet.hold(id, &context) else {
            tracing::debug!(session = id, "what a hook asks was answered before it was heard");
            return self.reply(reply, Decision::default());
        };
        self.view(id);
        let Some(entry) = self.fleet.get(id) else { return };
        let text = |key: &str| call.payload.get(key).and_then(Value::as_str).map(str::to_owned);
        let request = Request {
            session: entry.conversation.clone().unwrap_or_default(),
            host: entry.host().map(str::to_owned).or_else(|| call.network.then(|| UNKNOWN_HOST.to_owned())),
            cwd: text("cwd").or_else(|| entry.cwd.clone()).unwrap_or_default(),
            tool: text("tool_name").unwrap_or_default(),
            input: context.input().or_else(|| call.payload.get("tool_input")).cloned().unwrap_or_default(),
            tool_use_id: text("tool_use_id").or_else(|| context.tool_id().map(str::to_owned)),
            context,
            wait: self.config.wait.min(withheld.unwrap_or(Duration::MAX)).saturating_sub(call.age),
        };
        let (request, effects) = self.broker.ask(Instant::now(), request);
        // An agent that shows no dialog has nothing but the answer of its hook, and takes it.
        let confirms = call.confirms && withheld.is_none();
        let way = Way::Hook { call: number, reply, confirms, withheld: withheld.is_some() };
        let parked = Parked { entry: id, prompt, asked_ms: now_ms(), way, from: None, body: None };
        self.parked.insert(request, parked);
        self.calls.insert(number, request);
        self.broker_effects(effects);
    }

    /// A hook was killed, or has its answer.
    pub(super) fn caller_gone(&mut self, number: u64) {
        if let Some(id) = self.calls.remove(&number) {
            let effects = self.broker.withdraw(id, Why::Gone);
            self.broker_effects(effects);
        }
    }
}

fn process_of(pid: u32) -> Option<Process> {
    Some(Process { host: None, pid, started: process::started(pid)? })
}
