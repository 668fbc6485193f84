//! The one place where an agent's state changes. Evidence and time go in, effects come out.

mod prompts;

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use self::prompts::asks_at_work;
use super::evidence::{Evidence, Fact, Look, Source};
use super::explain::{Explanation, Judged};
use super::pending::Prompts;
use super::prompt::{Prompt, PromptContext, PromptId};
use super::resolve::{Rule, Settings, Situation, Verdict, resolve};
use super::state::{Failure, State};
use super::tools::Tools;

/// Turns that are remembered as over.
const ENDED_TURNS: usize = 32;
/// Judgements that are remembered to be explained.
const RECENT: usize = 64;

/// What changed, in the order it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    State {
        prev: &'static str,
        next: State,
        source: Source,
        reason: String,
    },
    /// More is known about the prompt.
    Prompt {
        prompt: Prompt,
    },
    PromptResolved {
        id: PromptId,
        by: String,
    },
}

#[derive(Clone, Debug)]
pub struct Machine {
    settings: Settings,
    state: State,
    since: Instant,
    basis: Option<(Source, Instant)>,
    /// When the work began that is under way, or was the last.
    worked: Option<Instant>,
    /// When it was last seen at work.
    seen_at_work: Option<Instant>,
    /// What was asked before this has been answered.
    free: Option<Instant>,
    /// When that work ended, if nobody has said which turn it was: who tells of it later does not tell of another.
    rested: Option<Instant>,
    decided: (Rule, String),
    turn: Option<String>,
    /// The turn that was told of only after something younger was known.
    late: Option<String>,
    ended: VecDeque<(String, Instant)>,
    /// The turn before the one that is under way, by whose name that was called when it began.
    misnamed: Option<String>,
    /// A tool was stopped, and with it the turn.
    stopped: Option<Instant>,
    /// The dialog is gone from the screen and work is seen, which counts from then on.
    went_on_at: Option<Instant>,
    prompts: Prompts,
    tools: Tools,
    /// The last of each source, to be judged again or explained.
    heard: BTreeMap<Source, Note>,
    deferred: BTreeMap<Source, (Instant, Evidence)>,
    recent: VecDeque<Note>,
    structured: Option<Instant>,
    last_message: Option<String>,
}

#[derive(Clone, Debug)]
struct Note {
    source: Source,
    at: Instant,
    fact: &'static str,
    turn: Option<String>,
    accepted: bool,
    rule: Rule,
    reason: String,
}

impl Machine {
    #[must_use]
    pub fn new(now: Instant, settings: Settings) -> Self {
        Self {
            settings,
            state: State::Starting,
            since: now,
            basis: None,
            worked: None,
            seen_at_work: None,
            free: None,
            rested: None,
            decided: (Rule::Noted, "nothing has been heard yet".into()),
            turn: None,
            late: None,
            ended: VecDeque::new(),
            misnamed: None,
            stopped: None,
            went_on_at: None,
            prompts: Prompts::default(),
            tools: Tools::default(),
            heard: BTreeMap::new(),
            deferred: BTreeMap::new(),
            recent: VecDeque::new(),
            structured: None,
            last_message: None,
        }
    }

    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    #[must_use]
    pub fn basis(&self) -> Option<Source> {
        self.basis.map(|(source, _)| source)
    }

    #[must_use]
    pub fn reason(&self) -> &str {
        &self.decided.1
    }

    /// Whether the state is that of a turn which ended by itself: not by an interrupt, and not only seen to be over.
    #[must_use]
    pub fn has_ended_turn(&self) -> bool {
        let basis = self.basis.and_then(|(source, _)| self.heard.get(&source));
        basis.is_some_and(|note| note.fact == Fact::TurnEnded { last_message: None }.name())
    }

    /// What the agent said when its last turn ended.
    #[must_use]
    pub fn last_message(&self) -> Option<&str> {
        self.last_message.as_deref()
    }

    /// When the work began that is under way, or was the last.
    #[must_use]
    pub fn worked(&self) -> Option<Instant> {
        self.worked
    }

    /// When an idle state that is only guessed will be believed.
    #[must_use]
    pub fn idle_from(&self) -> Option<Instant> {
        let waits = |(due, evidence): &(Instant, Evidence)| {
            (evidence.fact.looks_idle() && !matches!(self.state, State::Idle)).then_some(*due)
        };
        // Where a structured source speaks, it is only what would be believed if that one died.
        let guesses = self.deferred.iter().filter(|(source, _)| !source.is_structured() && self.structured.is_none());
        guesses.filter_map(|(_, guess)| waits(guess)).min()
    }

    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deferred.values().map(|(due, _)| *due).chain(self.went_on_at).min()
    }

    pub fn handle(&mut self, now: Instant, evidence: Evidence) -> Vec<Effect> {
        let goes_on = matches!(
            evidence.fact,
            Fact::Looks(Look::Working | Look::Unclear | Look::NoDialog { working: true, interrupted: false, .. })
        );
        if evidence.source == Source::Screen && !goes_on {
            self.went_on_at = None;
        }
        match evidence.fact {
            Fact::Looks(Look::NoDialog { working, interrupted, dismissed }) => {
                self.dialog_gone(now, &evidence, working, interrupted, dismissed)
            }
            _ => self.judge(now, evidence, false),
        }
    }

    pub fn on_deadline(&mut self, now: Instant) -> Vec<Effect> {
        let due: Vec<Source> = self.deferred.iter().filter(|(_, (at, _))| *at <= now).map(|(s, _)| *s).collect();
        let evidence: Vec<_> = due.iter().filter_map(|source| self.deferred.remove(source)).collect();
        let mut effects: Vec<Effect> =
            evidence.into_iter().flat_map(|(_, evidence)| self.judge(now, evidence, true)).collect();
        if self.went_on_at.take_if(|at| *at <= now).is_some() && matches!(self.state, State::Prompt(_)) {
            self.close_dialog(now, State::Working, &mut effects);
        }
        effects
    }

    fn judge(&mut self, now: Instant, mut evidence: Evidence, settled: bool) -> Vec<Effect> {
        if self.is_misnamed(&evidence) {
            self.misnamed = evidence.turn.take();
        }
        if evidence.source == Source::Screen && evidence.fact == Fact::Looks(Look::Working) {
            self.seen_at_work = Some(evidence.at);
        }
        // A source that says something new takes back what it said before. What it only repeats has waited already.
        let waiting = match self.deferred.remove(&evidence.source) {
            Some((due, waiting)) if waiting.fact.repeats(&evidence.fact) => Some(due),
            // The work was over before its word counted; there was some all the same.
            Some((_, waiting)) if waiting.fact == Fact::Looks(Look::Working) && ends(&evidence.fact) => {
                self.worked = self.worked.max(Some(waiting.at));
                self.rested = Some(evidence.at).filter(|_| self.turn.is_none());
                None
            }
            Some(kept) if matches!(evidence.fact, Fact::Noted { .. } | Fact::Said { .. } | Fact::ToolStopped) => {
                self.deferred.insert(evidence.source, kept);
                None
            }
            _ => None,
        };
        let verdict = match (resolve(now, &self.situation(&evidence), &evidence, settled), waiting) {
            (Verdict::Defer(rule, reason, due), Some(waiting)) => Verdict::Defer(rule, reason, due.min(waiting)),
            (verdict, _) => verdict,
        };
        let structured = evidence.source.is_structured();
        let (accepted, rule, reason) = match &verdict {
            Verdict::Accept(rule, reason) => (true, *rule, reason.clone()),
            Verdict::Reject(rule, reason) | Verdict::Defer(rule, reason, _) => (false, *rule, reason.clone()),
        };
        if structured && !settled {
            self.structured = Some(now);
        }
        self.note(&evidence, accepted, rule, reason.clone());
        self.said(&evidence, rule);
        if matches!(evidence.fact, Fact::ToolStopped) {
            self.stopped = Some(evidence.at);
        }
        let mut effects = Vec::new();
        if rule != Rule::TurnOver {
            self.tools.finished(&evidence.fact, evidence.at);
            if let (Source::Hook, Fact::PromptShown { context }) = (evidence.source, &evidence.fact) {
                self.tools.asks(context);
            }
            if self.tools.started(&evidence.fact) {
                self.complete_prompt(&mut effects);
            }
        }
        if let Verdict::Defer(_, _, due) = verdict {
            self.deferred.insert(evidence.source, (due, evidence));
            return effects;
        }
        if !accepted {
            return effects;
        }
        self.apply(now, &evidence, rule, &reason, &mut effects);
        if structured {
            self.postpone_guesses(now);
        }
        self.look_again(now, &mut effects);
        effects
    }

    /// Words of the work that is under way, or of the last, may be its last ones. So are those of an end that is not believed,
    /// as something newer was heard before it, or as it was told already: nobody else may know them.
    fn said(&mut self, evidence: &Evidence, rule: Rule) {
        let untimely = matches!(rule, Rule::Older | Rule::TurnOver) && self.is_last_turn(evidence.turn.as_ref());
        let text = match &evidence.fact {
            Fact::Said { text } => text,
            Fact::TurnEnded { last_message: Some(text) } if untimely => text,
            _ => return,
        };
        if self.worked.is_none_or(|from| evidence.at >= from) {
            self.last_message = Some(text.clone());
        }
    }

    /// Whether nothing has begun after it, as far as is known.
    fn is_last_turn(&self, turn: Option<&String>) -> bool {
        let Some(turn) = turn else { return false };
        let over = !matches!(self.state, State::Working | State::Prompt(_));
        let last = self.turn.as_ref().or(self.ended.back().map(|(ended, _)| ended).filter(|_| over));
        last == Some(turn) && self.misnamed.as_ref() != Some(turn)
    }

    /// A message begins a turn of its own. When much happens at once an agent's hook still calls it by the name of the
    /// turn before, and what is told later of that one is not about this.
    fn is_misnamed(&self, evidence: &Evidence) -> bool {
        let begins = evidence.source == Source::Hook && matches!(evidence.fact, Fact::TurnStarted { .. });
        let is_over = |(ended, at): &(String, Instant)| {
            evidence.turn.as_ref() == Some(ended) && evidence.at > *at + super::resolve::WENT_ON
        };
        begins && self.ended.iter().any(is_over)
    }

    /// A prompt was told: the dialog that was seen before that, and not believed, is it, unless it shows another call.
    fn look_again(&mut self, now: Instant, effects: &mut Vec<Effect>) {
        let is_dialog = |(_, evidence): &(Instant, Evidence)| {
            matches!(evidence.fact, Fact::Looks(Look::Dialog { .. })) && !self.is_another(&evidence.fact)
        };
        if matches!(self.state, State::Prompt(_)) && self.deferred.get(&Source::Screen).is_some_and(is_dialog) {
            let seen = self.deferred.remove(&Source::Screen);
            effects.extend(seen.into_iter().flat_map(|(_, evidence)| self.judge(now, evidence, true)));
        }
    }

    /// How it looked counts anew from the last that was known for certain.
    fn postpone_guesses(&mut self, now: Instant) {
        let seen = self.is_seen_at_work();
        for (_, (due, evidence)) in self.deferred.iter_mut().filter(|(source, _)| !source.is_structured()) {
            let wait = match evidence.fact {
                Fact::Looks(Look::Interrupted) if seen => self.settings.dialog_delay,
                _ if evidence.fact.looks_idle() => self.settings.idle_grace,
                _ => self.settings.recovery,
            };
            *due = (*due).max(now + wait);
        }
    }

    /// The terminal has said nothing since the turn before ended, which somebody else has told.
    fn is_first_report(&self, source: Source) -> bool {
        let before = |note: &Note| self.ended.back().is_some_and(|(_, end)| note.at <= *end);
        source == Source::Report && self.heard.get(&source).is_some_and(before)
    }

    /// The work that is under way has been on the screen.
    fn is_seen_at_work(&self) -> bool {
        matches!(self.state, State::Working)
            && self.seen_at_work.is_some_and(|seen| self.worked.is_some_and(|from| seen >= from))
    }

    fn situation<'a>(&'a self, evidence: &Evidence) -> Situation<'a> {
        let turn = evidence.turn.as_ref();
        let ended = turn.and_then(|turn| self.ended.iter().find(|(ended, _)| ended == turn)).map(|(_, at)| *at);
        let prompts_known = Source::ABOUT_PROMPTS.iter().any(|source| self.heard.contains_key(source));
        Situation {
            state: &self.state,
            basis: self.basis,
            worked: self.worked,
            rested: self.rested,
            turn_ended: ended,
            current: turn.is_some() && turn == self.turn.as_ref(),
            is_misnamed: turn.is_some() && turn == self.misnamed.as_ref(),
            overlaps: matches!(self.state, State::Working)
                && (self.misnamed.is_some() || self.is_first_report(evidence.source)),
            late: turn.is_some() && turn == self.late.as_ref(),
            stopped: self.stopped,
            structured: self.structured,
            prompts_known,
            another: self.is_another(&evidence.fact),
            answered: match &evidence.fact {
                Fact::PromptShown { context } => self.is_answered(context, evidence.at),
                _ => false,
            },
            seen_at_work: self.is_seen_at_work(),
            settings: &self.settings,
        }
    }

    fn apply(&mut self, now: Instant, evidence: &Evidence, rule: Rule, reason: &str, effects: &mut Vec<Effect>) {
        let Evidence { source, at, turn, fact } = evidence;
        if turn.is_some() && *turn != self.turn {
            self.turn.clone_from(turn);
            self.misnamed = None;
        }
        self.stopped = None;
        if let Some(turn) = turn {
            self.ended.retain(|(ended, _)| ended != turn);
        }
        if matches!(fact, Fact::TurnStarted { .. }) && *turn != self.late {
            self.late = turn.clone().filter(|_| self.basis.is_some_and(|(_, basis)| *at < basis));
        }
        let nameless = self.turn.is_none();
        let next = self.next(*source, *at, fact, effects);
        // What leaves the state as it is says nothing about it.
        let Some(next) = next else { return };
        self.note_free(*source, *at, fact, &next);
        let same_prompt = match (&self.state, &next) {
            (State::Prompt(a), State::Prompt(b)) => a.id == b.id,
            _ => false,
        };
        // A dialog that is still seen may have been answered already: what is painted is older than the look at it.
        let still_seen = same_prompt && !source.is_structured();
        if !still_seen && self.basis.is_none_or(|(_, basis)| *at >= basis) {
            self.basis = Some((*source, *at));
        }
        let prev = self.state.name();
        // Two sources name the kind of a limit differently; what is published of it is the same.
        let same_limit = match (&self.state, &next) {
            (State::Parked(a), State::Parked(b)) => a.detail == b.detail && a.resume_at_ms == b.resume_at_ms,
            _ => false,
        };
        let changed = self.state != next && !same_limit;
        if matches!(next, State::Working) && !matches!(self.state, State::Working | State::Prompt(_)) {
            self.worked = Some(*at);
            self.rested = None;
        } else if matches!(self.state, State::Working | State::Prompt(_))
            && !matches!(next, State::Working | State::Prompt(_))
        {
            self.rested = Some(*at).filter(|_| nameless);
        }
        let was = std::mem::replace(&mut self.state, next);
        if changed && !same_prompt {
            self.went_on_at = None;
            self.since = now;
            self.decided = (rule, reason.to_owned());
            let mut tell = |prev, next, reason: &str| {
                effects.push(Effect::State { prev, next, source: *source, reason: reason.to_owned() });
            };
            let between = if self.went_on(&was, fact) {
                Some("it went on, or its turn would not be over")
            } else if asks_at_work(&was, fact) {
                (self.worked, self.rested) = (Some(*at), None);
                Some("it asks amid its work")
            } else {
                None
            };
            if let Some(why) = between {
                tell(prev, State::Working, why);
            }
            let prev = if between.is_some() { State::Working.name() } else { prev };
            tell(prev, self.state.clone(), reason);
        } else if changed && let State::Prompt(prompt) = &self.state {
            effects.push(Effect::Prompt { prompt: prompt.clone() });
        }
    }

    /// A turn that ended by itself has worked since its dialog was answered, though nobody has told of that yet.
    fn went_on(&self, was: &State, fact: &Fact) -> bool {
        self.settings.asks_amid_work && matches!((was, fact), (State::Prompt(_), Fact::TurnEnded { .. }))
    }

    /// The state after an accepted fact; nothing when it leaves the state as it is.
    fn next(&mut self, source: Source, at: Instant, fact: &Fact, effects: &mut Vec<Effect>) -> Option<State> {
        match fact {
            Fact::ProcessExited | Fact::ProcessFailed { .. } => {
                self.resolve_all(effects);
                Some(State::Exited)
            }
            Fact::ProcessReplacing => {
                self.resolve_all(effects);
                Some(State::Restarting)
            }
            Fact::ProcessStarted => {
                self.resolve_all(effects);
                self.forget();
                Some(State::Starting)
            }
            Fact::TurnStarted { .. } => {
                self.last_message = None;
                Some(self.resolve_dialogs(State::Working, effects))
            }
            Fact::ToolStarted { .. } | Fact::Compacting => match self.state {
                // A tool that starts beside a dialog does not close it.
                State::Prompt(_) => None,
                _ => Some(State::Working),
            },
            Fact::ToolFinished { id, .. } => Some(self.came_back(source, at, id.as_deref(), effects)),
            Fact::PromptShown { context } => Some(self.shown((source, at), context, effects)),
            Fact::PromptGone => Some(self.resolve_dialogs(State::Working, effects)),
            // A failed turn ends too, and whoever tells of the end may not know how it came.
            Fact::TurnEnded { last_message: None } if matches!(self.state, State::Error(_) | State::Parked(_)) => None,
            Fact::TurnEnded { last_message } => {
                self.end_turn(at);
                if last_message.is_some() {
                    self.last_message.clone_from(last_message);
                }
                Some(self.resolve_main(effects))
            }
            Fact::Interrupted => {
                self.end_turn(at);
                Some(self.resolve_dialogs(State::Idle, effects))
            }
            Fact::TurnFailed { failure } => {
                self.end_turn(at);
                self.resolve_all(effects);
                Some(self.failed(failure))
            }
            Fact::SessionStarted { cause, .. } => match cause.as_deref() {
                Some("clear" | "resume") if self.settings.starts_at_rest => {
                    self.end_turn(at);
                    self.resolve_all(effects);
                    Some(State::Idle)
                }
                _ => None,
            },
            Fact::Looks(look) => self.looked(source, at, look, effects),
            Fact::SessionEnded { .. }
            | Fact::SubagentEnded
            | Fact::Compacted
            | Fact::ToolStopped
            | Fact::Said { .. }
            | Fact::Noted { .. } => None,
        }
    }

    /// What was known of a process that is gone. Numbers of prompts go on: an answer to an old one finds none.
    fn forget(&mut self) {
        (self.worked, self.rested, self.seen_at_work, self.free) = (None, None, None, None);
        self.turn = None;
        self.ended.clear();
        self.misnamed = None;
        self.stopped = None;
        self.tools.clear();
        self.heard.clear();
        self.deferred.clear();
        self.structured = None;
        self.last_message = None;
    }

    fn looked(&mut self, source: Source, at: Instant, look: &Look, effects: &mut Vec<Effect>) -> Option<State> {
        match look {
            Look::Working => Some(self.resolve_dialogs(State::Working, effects)),
            // A failed turn is idle too, and says more.
            Look::Idle | Look::Interrupted if matches!(self.state, State::Error(_) | State::Parked(_)) => {
                Some(self.state.clone())
            }
            Look::Idle | Look::Interrupted => {
                self.end_turn(at);
                Some(self.resolve_dialogs(State::Idle, effects))
            }
            Look::Failed { detail } => {
                self.end_turn(at);
                self.resolve_all(effects);
                let (kind, detail) = ("unknown".to_owned(), detail.clone());
                Some(self.failed(&Failure { kind, detail, resume_at_ms: None }))
            }
            Look::Unclear | Look::NoDialog { .. } => None,
            Look::Dialog { context } => {
                let generic = PromptContext::Permission(super::prompt::PermissionPrompt::default());
                let context = context.as_deref().unwrap_or(&generic);
                Some(self.shown((source, at), context, effects))
            }
        }
    }

    /// A later word that says less does not replace one that says more.
    fn failed(&self, failure: &Failure) -> State {
        match &self.state {
            State::Error(known) | State::Parked(known) if failure.kind == "unknown" && known.kind != "unknown" => {
                self.state.clone()
            }
            _ if failure.resume_at_ms.is_some() => State::Parked(failure.clone()),
            _ => State::Error(failure.clone()),
        }
    }

    fn end_turn(&mut self, at: Instant) {
        self.tools.end_turn();
        if let Some(turn) = self.turn.take() {
            self.ended.push_back((turn, at));
            if self.ended.len() > ENDED_TURNS {
                self.ended.pop_front();
            }
        }
    }

    fn note(&mut self, evidence: &Evidence, accepted: bool, rule: Rule, reason: String) {
        let note = Note {
            source: evidence.source,
            at: evidence.at,
            fact: evidence.fact.name(),
            turn: evidence.turn.clone(),
            accepted,
            rule,
            reason,
        };
        self.heard.insert(evidence.source, note.clone());
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(note);
    }

    #[must_use]
    pub fn explain(&self, now: Instant) -> Explanation {
        let judged = |note: &Note| Judged {
            source: note.source,
            ago_ms: millis(now, note.at),
            fact: note.fact.into(),
            turn: note.turn.clone(),
            accepted: note.accepted,
            rule: note.rule.name().into(),
            reason: note.reason.clone(),
        };
        Explanation {
            state: self.state.name().into(),
            rule: self.decided.0.name().into(),
            reason: self.decided.1.clone(),
            for_ms: millis(now, self.since),
            sources: self.heard.values().map(judged).collect(),
            recent: self.recent.iter().map(judged).collect(),
        }
    }
}

/// Whether it says that a turn is over.
fn ends(fact: &Fact) -> bool {
    matches!(fact, Fact::TurnEnded { .. } | Fact::TurnFailed { .. } | Fact::Interrupted | Fact::Looks(Look::Idle))
}

fn millis(now: Instant, at: Instant) -> u64 {
    u64::try_from(now.saturating_duration_since(at).as_millis()).unwrap_or(u64::MAX)
}
