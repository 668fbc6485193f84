//! The machine's other half: the prompts that are up, who answers them, and what a dialog on the screen has to do with them.

use std::time::{Duration, Instant};

use super::super::evidence::{Evidence, Fact, Look, Source};
use super::super::pending::{Mistaken, Pending};
use super::super::prompt::{Choice, PromptContext, PromptId};
use super::super::resolve::Rule;
use super::super::shown::{About, Shown};
use super::super::state::State;
use super::super::tools::like;
use super::{Effect, Machine};

const GONE: &str = "the dialog is gone from the screen";

impl Machine {
    /// Takes the prompt for `by`: whoever comes after is told.
    pub fn claim(&mut self, id: &PromptId, by: &str) -> Result<(), Option<String>> {
        self.prompts.claim(id, by)
    }

    /// Gives a prompt back that could not be answered.
    pub fn unclaim(&mut self, id: &PromptId) {
        self.prompts.unclaim(id);
    }

    /// Who answered a prompt that is over.
    #[must_use]
    pub fn answered_by(&self, id: &PromptId) -> Option<&str> {
        self.prompts.answered_by(id)
    }

    /// A hook waits for the answer to the prompt that was shown last, or stopped waiting.
    pub fn set_by_hook(&mut self, id: &PromptId, by_hook: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.prompts.set_by_hook(id, by_hook) {
            self.show_prompt(&mut effects);
        }
        effects
    }

    /// Whether a dialog may be about more than one of the calls that are known: a person must look at it.
    #[must_use]
    pub fn is_ambiguous(&self, shown: &Shown) -> bool {
        let known = self.prompts.inputs().chain(self.tools.inputs());
        let mut fitting = known.filter(|input| shown.about(input) == About::Same);
        let Some(first) = fitting.next() else { return false };
        fitting.any(|other| !like(Some(first), Some(other)))
    }

    /// Whether the agent shows the dialog of this prompt only when its hook has returned.
    #[must_use]
    pub fn is_withheld(&self, id: &PromptId) -> bool {
        self.prompts.is_withheld(id)
    }

    /// The hook of this prompt has returned with its answer, and no dialog will show the effect.
    pub fn taken(&mut self, now: Instant, id: &PromptId) -> Vec<Effect> {
        let mut effects = Vec::new();
        let over = self.prompts.resolve(id);
        self.over(over, &mut effects);
        if self.state.prompt().is_some_and(|prompt| prompt.id == *id) {
            let (prev, next, reason) = (self.state.name(), self.asking(), "its hook has the answer".to_owned());
            (self.state, self.since, self.basis) = (next.clone(), now, Some((Source::Hook, now)));
            self.decided = (Rule::NewerEdge, reason.clone());
            effects.push(Effect::State { prev, next, source: Source::Hook, reason });
        }
        effects
    }

    /// The id of the pending prompt a hook's `context` became.
    #[must_use]
    pub fn prompt_for(&self, context: &PromptContext) -> Option<PromptId> {
        self.prompts.find(context).map(|pending| pending.prompt.id.clone())
    }

    /// What such a dialog usually offers, for one whose options could not be read.
    pub fn fall_back(&mut self, id: &PromptId, options: &[Choice]) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.prompts.fall_back(id, options) {
            self.show_prompt(&mut effects);
        }
        effects
    }

    pub(super) fn shown(
        &mut self,
        (source, at): (Source, Instant),
        told: &PromptContext,
        effects: &mut Vec<Effect>,
    ) -> State {
        let context = self.tools.complete(told, &self.settings.own_dialogs, self.settings.asks_in_turn);
        // A server tells of every dialog by its name: the terminal may show another first, and both are asked.
        let in_turn = self.settings.asks_in_turn && !self.heard.contains_key(&Source::Server);
        // A dialog that is none of those that are up was on the screen for long enough to be believed.
        let in_turn = in_turn || self.prompts.contradicts(told);
        let over = self.prompts.show((source, at), told, &context, in_turn);
        self.over(over, effects);
        self.asking()
    }

    /// It asks what is still up, or goes on.
    fn asking(&self) -> State {
        self.prompts.current().map_or(State::Working, State::Prompt)
    }

    /// Whether a dialog is told or seen that shows another call than those that are asked about.
    pub(super) fn is_another(&self, fact: &Fact) -> bool {
        match fact {
            Fact::PromptShown { context } => self.prompts.contradicts(context),
            Fact::Looks(Look::Dialog { context: Some(context) }) => self.prompts.contradicts(context),
            _ => false,
        }
    }

    /// A tool has come back. A dialog that is younger than that is not about it. If no source named the tool of the dialog,
    /// it is another prompt now, so that an answer to what was concluded of the first does not reach it.
    pub(super) fn came_back(
        &mut self,
        source: Source,
        at: Instant,
        id: Option<&str>,
        effects: &mut Vec<Effect>,
    ) -> State {
        let Some(id) = id else { return self.asking() };
        let mistaken = self.prompts.mistaken(id, at);
        if let Some(Mistaken { prompt, told, .. }) = mistaken.as_ref().filter(|mistaken| !mistaken.told.is_generic()) {
            let context = self.tools.complete(told, &self.settings.own_dialogs, self.settings.asks_in_turn);
            self.prompts.replace(prompt, context);
        }
        let over = self.prompts.resolve_tool(id);
        self.over(over, effects);
        match mistaken.filter(|mistaken| mistaken.told.is_generic()) {
            Some(Mistaken { since, told, .. }) => self.shown((source, since), &told, effects),
            None => self.asking(),
        }
    }

    /// Whether what is told to be asked is known to be answered: the tool has come back, or the agent was asking nothing.
    pub(super) fn is_answered(&self, context: &PromptContext, at: Instant) -> bool {
        self.free.is_some_and(|free| at < free) || self.tools.is_over(context, at)
    }

    /// Whoever says that it works or rests says that it asks nothing; a tool that comes and goes says nothing of a dialog
    /// beside it.
    pub(super) fn note_free(&mut self, source: Source, at: Instant, fact: &Fact, next: &State) {
        let of_a_tool = matches!(fact, Fact::ToolStarted { .. } | Fact::ToolFinished { .. } | Fact::Compacting);
        if matches!(next, State::Prompt(_)) || of_a_tool || !source.is_structured() {
            return;
        }
        // A level may speak of a moment before.
        let doubt = if matches!(fact, Fact::Looks(_)) { self.settings.level_delay } else { Duration::ZERO };
        self.free = self.free.max(at.checked_sub(doubt));
    }

    /// The screen no longer shows the dialog. Counts only where nobody else tells of the prompt.
    pub(super) fn dialog_gone(
        &mut self,
        now: Instant,
        evidence: &Evidence,
        working: bool,
        interrupted: bool,
        dismissed: bool,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        let State::Prompt(prompt) = &self.state else { return effects };
        if !dismissed && !self.prompts.is_only_seen(&prompt.id) {
            return effects;
        }
        let start = prompt.context.subtype().is_some() && self.structured.is_none();
        let next = match (start, interrupted || dismissed, working) {
            (true, _, _) => State::Starting,
            (_, true, _) => State::Idle,
            (_, _, true) => State::Working,
            // Between two pictures: the next one tells.
            _ => return effects,
        };
        self.note(evidence, true, Rule::Heuristic, GONE.into());
        // One that shows work in passing may be about to say that it was interrupted.
        let passes = self.settings.report_delay;
        if matches!(next, State::Working) && !passes.is_zero() {
            self.went_on_at.get_or_insert(evidence.at + passes);
        } else {
            self.close_dialog(now, next, &mut effects);
        }
        effects
    }

    /// What became of the dialog that was seen.
    pub(super) fn close_dialog(&mut self, now: Instant, next: State, effects: &mut Vec<Effect>) {
        self.resolve_all(effects);
        self.went_on_at = None;
        let prev = self.state.name();
        self.state = next.clone();
        self.since = now;
        self.basis = Some((Source::Screen, now));
        self.decided = (Rule::Heuristic, GONE.into());
        effects.push(Effect::State { prev, next, source: Source::Screen, reason: GONE.into() });
    }

    pub(super) fn resolve_all(&mut self, effects: &mut Vec<Effect>) {
        let over = self.prompts.resolve_all();
        self.over(over, effects);
    }

    /// The main agent's turn has ended. Returns the state: the prompt of a background subagent, or idle.
    pub(super) fn resolve_main(&mut self, effects: &mut Vec<Effect>) -> State {
        let over = self.prompts.resolve_main();
        self.over(over, effects);
        self.prompts.current().map_or(State::Idle, State::Prompt)
    }

    /// Evidence shows that no dialog is at the terminal. Returns the state: a prompt that is withheld, or `otherwise`.
    pub(super) fn resolve_dialogs(&mut self, otherwise: State, effects: &mut Vec<Effect>) -> State {
        let over = self.prompts.resolve_dialogs();
        self.over(over, effects);
        self.prompts.current().map_or(otherwise, State::Prompt)
    }

    fn over(&mut self, over: Vec<Pending>, effects: &mut Vec<Effect>) {
        for Pending { prompt, claimed, .. } in over {
            if let Some(tool) = prompt.context.tool_id() {
                self.tools.asked(tool);
            }
            let by = claimed.unwrap_or_else(|| "terminal".into());
            effects.push(Effect::PromptResolved { id: prompt.id, by });
        }
    }

    /// What is known of the tools may say what the prompt that is up is about.
    pub(super) fn complete_prompt(&mut self, effects: &mut Vec<Effect>) {
        if let Some(prompt) = self.state.prompt() {
            let context = self.tools.complete(&prompt.context, &self.settings.own_dialogs, self.settings.asks_in_turn);
            if context != prompt.context {
                self.prompts.replace(&prompt.id.clone(), context);
                self.show_prompt(effects);
            }
        }
    }

    fn show_prompt(&mut self, effects: &mut Vec<Effect>) {
        if let (State::Prompt(shown), Some(prompt)) = (&self.state, self.prompts.current())
            && *shown != prompt
        {
            self.state = State::Prompt(prompt.clone());
            effects.push(Effect::Prompt { prompt });
        }
    }
}

/// It asks about a tool, or by one, and was not known to work: who tells of that is slower.
pub(super) fn asks_at_work(was: &State, fact: &Fact) -> bool {
    let Fact::PromptShown { context } = fact else { return false };
    let by_tool = match context {
        PromptContext::Permission(asked) => asked.subtype.is_none() && asked.agent_id.is_none(),
        PromptContext::Question(_) => true,
        PromptContext::Plan(_) | PromptContext::Setup(_) => false,
    };
    by_tool && context.input().is_some() && matches!(was, State::Idle | State::Error(_) | State::Parked(_))
}
