//! Every agent that is known: which reports are of the same one, what can be done with it, and how it is.
//!
//! An agent that runs is a process. Its conversation may change (`/clear`), and a conversation may go on in another
//! process (resume); two processes are never one, also where they work in the same folder.

pub mod entry;
pub use crate::text;

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

pub use entry::{Control, Entry, EntryId, Process, Rank, Sighting};

use crate::agent::evidence::{Evidence, Fact, Source};
use crate::agent::machine::{self, Machine};
use crate::agent::prompt::{Prompt, PromptContext, PromptId};
use crate::agent::resolve::Settings;
use crate::agent::spent::Spent;
use crate::agent::state::State;

/// Maximum number of sessions that have ended; the oldest are forgotten first.
const MAX_COLD: usize = 1000;
/// Maximum number of sessions that hooks of this machine report and whose process is not known.
const MAX_REPORTED: usize = 20_000;
/// Maximum number of sessions that only hooks over the network have reported. Any holder of a `hooks` token can report one, so
/// they never take the place of another session.
const MAX_FOREIGN: usize = 250;

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Something about it is new or has changed.
    Changed(EntryId),
    State {
        id: EntryId,
        prev: &'static str,
        source: Option<Source>,
        reason: String,
    },
    PromptResolved {
        id: EntryId,
        prompt: PromptId,
        by: String,
    },
    Forgotten(EntryId),
    /// Two were the same: what was said of the first holds for the second.
    Merged {
        gone: EntryId,
        into: EntryId,
    },
}

#[derive(Debug, Default)]
pub struct Fleet {
    entries: BTreeMap<EntryId, Kept>,
    by_process: HashMap<Process, EntryId>,
    by_conversation: HashMap<String, EntryId>,
    last: EntryId,
    /// Of those that wait for something: when they are to be looked at again. Few do, and it is asked after every report.
    due: HashMap<EntryId, Instant>,
    /// How far what each kind of agent says can be relied on.
    judges: HashMap<String, Settings>,
}

#[derive(Debug)]
struct Kept {
    entry: Entry,
    /// Judges what is heard of an agent that no sidecar speaks for.
    machine: Machine,
    /// Whether hooks over the network alone have reported it.
    foreign: bool,
}

impl Fleet {
    /// `last` is the highest id that was ever given.
    #[must_use]
    pub fn new(last: EntryId, judges: HashMap<String, Settings>) -> Self {
        Self { last, judges, ..Self::default() }
    }

    fn judge(&self, agent: &str) -> Settings {
        self.judges.get(agent).cloned().unwrap_or_default()
    }

    #[must_use]
    pub fn get(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(&id).map(|kept| &kept.entry)
    }

    /// The entry of a process, or of a conversation.
    #[must_use]
    pub fn find(&self, process: Option<&Process>, conversation: Option<&str>) -> Option<EntryId> {
        let by_process = process.and_then(|process| self.by_process.get(process));
        by_process.or_else(|| self.by_conversation.get(conversation?)).copied()
    }

    /// Whether a hook over the network may report about a session: one that such a hook reported, or that has ended. The
    /// sessions of this machine are not for a holder of a `hooks` token.
    #[must_use]
    pub fn is_open_to_network(&self, id: EntryId) -> bool {
        let kept = self.entries.get(&id);
        kept.is_none_or(|kept| kept.entry.process.is_none() && (kept.foreign || kept.entry.state == State::Exited))
    }

    /// Whether any of them is known by its process.
    #[must_use]
    pub fn has_processes(&self) -> bool {
        !self.by_process.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values().map(|kept| &kept.entry)
    }

    /// Records what a feed sees of an agent.
    pub fn see(&mut self, now: Instant, now_ms: u64, sighting: Sighting) -> (EntryId, Vec<Effect>) {
        let sighting = sighting.bounded();
        let known = self.of(&sighting);
        let id = known.unwrap_or_else(|| self.add(now, now_ms, &sighting.agent));
        let judge = self.judge(self.get(id).map_or("", |entry| entry.agent.as_str()));
        let Some(kept) = self.entries.get_mut(&id) else { return (id, Vec::new()) };
        kept.foreign &= sighting.network && sighting.process.is_none();
        let entry = &mut kept.entry;
        let before = entry.clone();
        let mut effects = Vec::new();
        let mut other = None;
        if entry.state == State::Exited {
            // Gone on, maybe in another process.
            kept.machine = Machine::new(now, judge);
            self.due.remove(&id);
            effects.push(entry.turn_to(now_ms, State::Starting, None, "seen again"));
        }
        if let Some(process) = &sighting.process
            && entry.process.as_ref() != Some(process)
        {
            if let Some(old) = entry.process.replace(process.clone()) {
                self.by_process.remove(&old);
            }
            self.by_process.insert(process.clone(), id);
        }
        if let Some(conversation) = &sighting.conversation
            && entry.conversation.as_ref() != Some(conversation)
        {
            if let Some(old) = entry.conversation.take() {
                self.by_conversation.remove(&old);
                entry.earlier.push(old);
                entry.spent = Spent::default();
            }
            entry.conversation = Some(conversation.clone());
            other = self.by_conversation.insert(conversation.clone(), id);
        }
        entry.learn(sighting);
        if *entry != before && effects.is_empty() {
            effects.push(Effect::Changed(id));
        }
        effects.extend(other.and_then(|other| self.absorb(other, id)));
        if known.is_none() {
            effects.extend(self.forget(Some(id)));
        }
        (id, effects)
    }

    /// A conversation without a process goes on in one that was known by another conversation: a hook told of the new
    /// one before the agent's files did, or the person went back to an old one.
    fn absorb(&mut self, gone: EntryId, into: EntryId) -> Option<Effect> {
        if gone == into || self.get(gone)?.process.is_some() {
            return None;
        }
        let gone_entry = self.entries.remove(&gone)?.entry;
        self.due.remove(&gone);
        let kept = self.entries.get_mut(&into)?;
        kept.entry.controls.extend(gone_entry.controls);
        Some(Effect::Merged { gone, into })
    }

    /// An agent of an earlier run: it has ended, or is about to be seen again.
    pub fn restore(&mut self, now: Instant, entry: Entry) {
        self.last = self.last.max(entry.id);
        if let Some(conversation) = &entry.conversation {
            self.by_conversation.insert(conversation.clone(), entry.id);
        }
        let machine = Machine::new(now, self.judge(&entry.agent));
        self.entries.insert(entry.id, Kept { entry, machine, foreign: false });
    }

    /// The entry that a sighting is of.
    fn of(&self, sighting: &Sighting) -> Option<EntryId> {
        if let Some(id) = sighting.process.as_ref().and_then(|process| self.by_process.get(process)) {
            return Some(*id);
        }
        let id = *self.by_conversation.get(sighting.conversation.as_ref()?)?;
        let other = self.get(id)?.process.as_ref();
        // The same conversation in two processes at once is two agents.
        (other.is_none() || sighting.process.is_none()).then_some(id)
    }

    fn add(&mut self, now: Instant, now_ms: u64, agent: &str) -> EntryId {
        self.last += 1;
        let entry = Entry::new(self.last, agent, now_ms);
        self.entries.insert(self.last, Kept { entry, machine: Machine::new(now, self.judge(agent)), foreign: true });
        self.last
    }

    /// What a hook, a file or the process of an agent says. A sidecar knows better, where there is one.
    pub fn hear(&mut self, now: Instant, now_ms: u64, id: EntryId, evidence: Evidence) -> Vec<Effect> {
        let Some(kept) = self.entries.get_mut(&id) else { return Vec::new() };
        if kept.entry.control().is_held() && evidence.fact != Fact::ProcessExited {
            return Vec::new();
        }
        let effects = kept.machine.handle(now, evidence);
        let effects = kept.apply(now_ms, effects);
        match kept.machine.deadline() {
            Some(at) => drop(self.due.insert(id, at)),
            None => drop(self.due.remove(&id)),
        }
        effects
    }

    /// What a sidecar says of its agent.
    pub fn told(
        &mut self,
        now_ms: u64,
        id: EntryId,
        state: State,
        source: Option<Source>,
        reason: &str,
    ) -> Vec<Effect> {
        let Some(kept) = self.entries.get_mut(&id) else { return Vec::new() };
        if kept.entry.state == state {
            return Vec::new();
        }
        vec![kept.entry.turn_to(now_ms, state, source, reason)]
    }

    /// A feed does not see it any more.
    pub fn lose(&mut self, id: EntryId, control: Control) -> Vec<Effect> {
        let Some(kept) = self.entries.get_mut(&id) else { return Vec::new() };
        if !kept.entry.controls.remove(&control) {
            return Vec::new();
        }
        vec![Effect::Changed(id)]
    }

    /// Its process has ended: what is left is its conversation.
    pub fn exited(&mut self, now: Instant, now_ms: u64, process: &Process) -> Vec<Effect> {
        let Some(id) = self.by_process.remove(process) else { return Vec::new() };
        let evidence = Evidence { source: Source::Process, at: now, turn: None, fact: Fact::ProcessExited };
        let mut effects = self.hear(now, now_ms, id, evidence);
        if let Some(kept) = self.entries.get_mut(&id) {
            kept.entry.controls.clear();
            kept.entry.process = None;
            if kept.entry.state != State::Exited {
                effects.push(kept.entry.turn_to(now_ms, State::Exited, Some(Source::Process), "its process has ended"));
            }
        }
        effects.extend(self.forget(None));
        effects
    }

    /// Its conversation has ended. Where its process is known, that tells of its own end.
    pub fn close(&mut self, now_ms: u64, id: EntryId) -> Vec<Effect> {
        let Some(kept) = self.entries.get_mut(&id).filter(|kept| kept.entry.process.is_none()) else {
            return Vec::new();
        };
        if kept.entry.state == State::Exited {
            return Vec::new();
        }
        kept.entry.controls.clear();
        vec![kept.entry.turn_to(now_ms, State::Exited, Some(Source::Hook), "its conversation has ended")]
    }

    /// A person has looked at it.
    pub fn looked_at(&mut self, id: EntryId) -> Vec<Effect> {
        let was_unseen = self.entries.get_mut(&id).is_some_and(|kept| std::mem::take(&mut kept.entry.unseen));
        if was_unseen { vec![Effect::Changed(id)] } else { Vec::new() }
    }

    /// A hook waits with what it asked: the prompt that became of it. Nothing when it has been answered already.
    pub fn hold(&mut self, id: EntryId, context: &PromptContext) -> Option<PromptId> {
        let kept = self.entries.get_mut(&id)?;
        let prompt = kept.machine.prompt_for(context)?;
        kept.machine.set_by_hook(&prompt, true);
        kept.entry.state = kept.machine.state().clone();
        Some(prompt)
    }

    /// The hook of a prompt has returned without an answer: the prompt is at the terminal, or will be.
    pub fn release(&mut self, id: EntryId, prompt: &PromptId) {
        let Some(kept) = self.entries.get_mut(&id) else { return };
        kept.machine.set_by_hook(prompt, false);
        kept.entry.state = kept.machine.state().clone();
    }

    /// The hook of a prompt has returned with its answer, and no dialog will show the effect.
    pub fn taken(&mut self, now: Instant, now_ms: u64, id: EntryId, prompt: &PromptId) -> Vec<Effect> {
        let Some(kept) = self.entries.get_mut(&id) else { return Vec::new() };
        let effects = kept.machine.taken(now, prompt);
        kept.apply(now_ms, effects)
    }

    /// Whether the turn of an agent was stopped: the agent is idle, and its turn has not ended by itself.
    #[must_use]
    pub fn is_stopped(&self, id: EntryId) -> bool {
        self.entries
            .get(&id)
            .is_some_and(|kept| matches!(kept.machine.state(), State::Idle) && !kept.machine.has_ended_turn())
    }

    /// The prompt an agent without a sidecar waits with.
    #[must_use]
    pub fn prompt(&self, id: EntryId) -> Option<&Prompt> {
        self.entries.get(&id)?.machine.state().prompt()
    }

    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.due.values().min().copied()
    }

    pub fn on_deadline(&mut self, now: Instant, now_ms: u64) -> Vec<Effect> {
        let mut due: Vec<EntryId> = self.due.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        due.sort_unstable();
        let mut all = Vec::new();
        for id in due {
            self.due.remove(&id);
            let Some(kept) = self.entries.get_mut(&id) else { continue };
            let effects = kept.machine.on_deadline(now);
            all.extend(kept.apply(now_ms, effects));
            self.due.extend(kept.machine.deadline().map(|at| (id, at)));
        }
        all
    }

    /// Forgets the sessions without a process that are too many of their kind, but never `newest`. The oldest go first, and
    /// those that ask last.
    fn forget(&mut self, newest: Option<EntryId>) -> Vec<Effect> {
        let mut kinds = [(MAX_FOREIGN, Vec::new()), (MAX_COLD, Vec::new()), (MAX_REPORTED, Vec::new())];
        for kept in self.entries.values().filter(|kept| kept.entry.process.is_none()) {
            let entry = &kept.entry;
            let asks = matches!(entry.state, State::Prompt(_)) || Some(entry.id) == newest;
            let kind = if kept.foreign { 0 } else { 1 + usize::from(entry.state != State::Exited) };
            kinds[kind].1.push((asks, entry.since_ms, entry.id));
        }
        let mut gone: Vec<EntryId> = Vec::new();
        for (most, mut of_kind) in kinds {
            let surplus = of_kind.len().saturating_sub(most);
            if surplus > 0 {
                of_kind.sort_unstable();
                gone.extend(of_kind[..surplus].iter().map(|(.., id)| *id).filter(|id| Some(*id) != newest));
            }
        }
        for id in &gone {
            let kept = self.entries.remove(id);
            self.due.remove(id);
            if let Some(conversation) = kept.and_then(|kept| kept.entry.conversation)
                && self.by_conversation.get(&conversation) == Some(id)
            {
                self.by_conversation.remove(&conversation);
            }
        }
        gone.into_iter().map(Effect::Forgotten).collect()
    }
}

impl Kept {
    fn apply(&mut self, now_ms: u64, effects: Vec<machine::Effect>) -> Vec<Effect> {
        let id = self.entry.id;
        let mut told = Vec::new();
        for effect in effects {
            told.push(match effect {
                machine::Effect::State { next, source, reason, .. } => {
                    if let Some(message) = self.machine.last_message() {
                        self.entry.last_message = Some(message.to_owned());
                    }
                    self.entry.turn_to(now_ms, next, Some(source), &reason)
                }
                machine::Effect::Prompt { .. } => {
                    self.entry.state = self.machine.state().clone();
                    Effect::Changed(id)
                }
                machine::Effect::PromptResolved { id: prompt, by } => Effect::PromptResolved { id, prompt, by },
            });
        }
        told
    }
}
