//! Prompts that are up, and who answered those that were.
//!
//! Several sources tell of the same dialog, each with a part of what is known. They are one prompt here.

use std::collections::VecDeque;
use std::time::Instant;

use super::evidence::Source;
use super::prompt::{Choice, PermissionPrompt, PlanPrompt, Prompt, PromptContext, PromptId, QuestionPrompt};
use super::shown::{About, Shown};
use super::tools::{like, sign};
use serde_json::Value;

/// Prompts that are remembered as answered.
const ANSWERED: usize = 64;
/// Prompts that may be up at once; each subagent may have one.
const PENDING: usize = 64;

#[derive(Clone, Debug, Default)]
pub struct Prompts {
    pending: Vec<Pending>,
    answered: VecDeque<(PromptId, String)>,
    count: u64,
}

#[derive(Clone, Debug)]
pub struct Pending {
    pub prompt: Prompt,
    pub claimed: Option<String>,
    /// What was told of it, without what was concluded from the tools.
    told: PromptContext,
    /// Since when it is up, by anybody but the screen.
    structured: Option<Instant>,
    /// A source other than a hook has reported the dialog, so it is at the terminal.
    at_terminal: bool,
}

/// A prompt that was thought to be about another tool than it is.
#[derive(Clone, Debug)]
pub struct Mistaken {
    pub prompt: PromptId,
    pub since: Instant,
    /// What was told of it, with the options it has.
    pub told: PromptContext,
}

impl Pending {
    /// The screen names tools in its own way; a dialog of the same kind is this one.
    fn looks(&self, context: &PromptContext) -> bool {
        self.prompt.context.kind() == context.kind()
            && self.prompt.context.subtype() == context.subtype()
            && !contradicts(&self.prompt.context, context)
    }

    /// Only its hook, which waits, has reported it. The agent shows the dialog of a subagent when the hook has returned:
    /// until then, what the terminal and the registry show says nothing about this prompt.
    fn is_withheld(&self) -> bool {
        self.prompt.by_hook && !self.at_terminal && self.prompt.context.agent_id().is_some()
    }

    /// No hook waits and no log that is read has the call, so nothing but the terminal shows its end. One that another
    /// dialog displaces and that comes back is another prompt.
    fn is_only_shown(&self) -> bool {
        let of_subagent = self.at_terminal && self.prompt.context.agent_id().is_some();
        !self.prompt.by_hook && (of_subagent || self.told.shown().is_some())
    }

    fn is_shown_of_subagent(&self) -> bool {
        self.prompt.context.agent_id().is_some() && self.prompt.context.shown().is_some()
    }

    /// Whether a source that reports more makes this another prompt: an answer is on its way to a dialog of which no
    /// source has reported the call. Without such an answer the same prompt gets its call, however late it is reported: an
    /// attached GNU Screen is read seconds after the registry.
    fn is_replaced(&self, context: &PromptContext) -> bool {
        self.claimed.is_some() && self.prompt.context.is_blank() && !context.is_blank()
    }
}

impl Prompts {
    /// The one to be answered first.
    #[must_use]
    pub fn current(&self) -> Option<Prompt> {
        self.pending.first().map(|pending| pending.prompt.clone())
    }

    /// Whether the dialog of this prompt comes only when its hook has returned.
    #[must_use]
    pub fn is_withheld(&self, id: &PromptId) -> bool {
        self.pending.iter().any(|pending| pending.prompt.id == *id && pending.is_withheld())
    }

    /// Inputs of the calls that are asked about, as far as they are known.
    pub fn inputs(&self) -> impl Iterator<Item = &Value> {
        self.pending.iter().filter_map(|pending| pending.prompt.context.input())
    }

    #[must_use]
    pub fn is_only_seen(&self, id: &PromptId) -> bool {
        self.pending.iter().any(|pending| pending.prompt.id == *id && pending.structured.is_none())
    }

    /// Whether a dialog of this context is none of those that are up.
    #[must_use]
    pub fn contradicts(&self, context: &PromptContext) -> bool {
        !self.pending.is_empty() && self.pending.iter().all(|pending| contradicts(&pending.prompt.context, context))
    }

    /// This tool came back before the dialog was up that it was thought to be about.
    #[must_use]
    pub fn mistaken(&self, tool_id: &str, over: Instant) -> Option<Mistaken> {
        let is_it = |pending: &&Pending| {
            let concluded = pending.told.tool_id() != Some(tool_id);
            concluded && pending.prompt.context.tool_id() == Some(tool_id)
        };
        let pending = self.pending.iter().find(is_it)?;
        let since = pending.structured.filter(|since| over < *since)?;
        let mut told = pending.told.clone();
        put_options(&mut told, pending.prompt.context.options(), false);
        Some(Mistaken { prompt: pending.prompt.id.clone(), since, told })
    }

    #[must_use]
    pub fn answered_by(&self, id: &PromptId) -> Option<&str> {
        self.answered.iter().rev().find(|(answered, _)| answered == id).map(|(_, by)| by.as_str())
    }

    pub fn claim(&mut self, id: &PromptId, by: &str) -> Result<(), Option<String>> {
        match self.pending.iter_mut().find(|pending| pending.prompt.id == *id) {
            Some(Pending { claimed: Some(other), .. }) => Err(Some(other.clone())),
            Some(pending) => {
                pending.claimed = Some(by.to_owned());
                Ok(())
            }
            None => Err(self.answered_by(id).map(str::to_owned)),
        }
    }

    pub fn unclaim(&mut self, id: &PromptId) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.prompt.id == *id) {
            pending.claimed = None;
        }
    }

    /// True if that was news.
    pub fn set_by_hook(&mut self, id: &PromptId, by_hook: bool) -> bool {
        match self.pending.iter_mut().find(|pending| pending.prompt.id == *id) {
            Some(pending) if pending.prompt.by_hook != by_hook => {
                pending.prompt.by_hook = by_hook;
                true
            }
            _ => false,
        }
    }

    pub fn replace(&mut self, id: &PromptId, context: PromptContext) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.prompt.id == *id) {
            pending.prompt.context = context;
        }
    }

    /// True if the prompt had no options and has now. Only a hook takes an answer to options that were not read: a dialog
    /// that is not recognised may have others, in another order.
    pub fn fall_back(&mut self, id: &PromptId, options: &[Choice]) -> bool {
        let waits = |pending: &&mut Pending| {
            let question = matches!(pending.prompt.context, PromptContext::Question(_));
            pending.prompt.id == *id && !pending.prompt.ready && (pending.prompt.by_hook || question)
        };
        let Some(pending) = self.pending.iter_mut().find(waits) else { return false };
        match &mut pending.prompt.context {
            PromptContext::Permission(PermissionPrompt { options: known, options_fallback, .. })
            | PromptContext::Plan(PlanPrompt { options: known, options_fallback, .. }) => {
                *known = options.to_vec();
                *options_fallback = true;
            }
            // The one on the screen can be answered.
            PromptContext::Question(asked) if !asked.questions.is_empty() => {}
            PromptContext::Question(_) | PromptContext::Setup(_) => return false,
        }
        pending.prompt.ready = true;
        true
    }

    #[must_use]
    pub fn find(&self, context: &PromptContext) -> Option<&Pending> {
        self.pending.iter().find(|pending| same(&pending.prompt.context, context))
    }

    /// A dialog is up: what was `told` of it, and what that makes it be about. Returns those that must be over because of
    /// it. `in_turn` when the screen alone tells that another dialog has taken the place of one.
    pub fn show(
        &mut self,
        (source, at): (Source, Instant),
        told: &PromptContext,
        context: &PromptContext,
        in_turn: bool,
    ) -> Vec<Pending> {
        let structured = source.is_structured();
        let another = |pending: &Pending| in_turn && is_another(&pending.prompt.context, context);
        let next = !structured && self.pending.first().is_some_and(another);
        let is_it = |pending: &Pending| {
            !next && (same(&pending.prompt.context, context) || (!structured && pending.looks(context)))
        };
        // Of several that it may be, the one whose call is shown.
        let shown = |pending: &Pending| about(&pending.prompt.context, context) == About::Same;
        let place = self.pending.iter().position(|pending| is_it(pending) && shown(pending));
        let place = place.or_else(|| self.pending.iter().position(is_it));
        let replaced = place.filter(|place| self.pending[*place].is_replaced(context));
        if let Some(place) = place.filter(|_| replaced.is_none()) {
            // The terminal shows one dialog at a time. It is the one to be answered first, and any other that only the
            // terminal has shown is gone.
            let up = context.shown().is_some() && shown(&self.pending[place]);
            if up {
                self.pending[..=place].rotate_right(1);
            }
            let pending = &mut self.pending[if up { 0 } else { place }];
            let id = pending.prompt.id.clone();
            let earlier = pending.structured.is_none_or(|since| at < since);
            pending.structured = if structured && earlier { Some(at) } else { pending.structured };
            pending.at_terminal |= source != Source::Hook;
            if pending.told.is_generic() {
                pending.told = told.clone();
            }
            merge(&mut pending.prompt, context, source);
            return self.take(|pending| up && pending.prompt.id != id && pending.is_only_shown());
        }
        let known = self.pending.first().is_some_and(|pending| pending.structured.is_some());
        if self.pending.len() >= PENDING || (known && !structured && !next && replaced.is_none()) {
            return Vec::new();
        }
        // The main agent asks one thing at a time: a new dialog means that the one before it is gone. Not so if only the
        // terminal shows it: it may be a subagent's, and whose hook waits is asked behind it.
        let main = context.agent_id().is_none();
        let waits =
            |pending: &Pending| context.shown().is_some() && context.tool_id().is_none() && pending.prompt.by_hook;
        let replaced = replaced.map(|place| self.pending[place].prompt.id.clone());
        let over = self.take(|pending| {
            let is_main = main && pending.prompt.context.agent_id().is_none();
            let gone = context.shown().is_some() && pending.is_only_shown();
            is_main && !waits(pending) || gone || replaced.as_ref() == Some(&pending.prompt.id)
        });
        self.count += 1;
        let prompt = Prompt {
            id: PromptId(format!("p{}", self.count)),
            ready: is_ready(context),
            context: context.clone(),
            by_hook: false,
        };
        // The terminal shows the dialog of a subagent, which is answered before that of its master.
        let behind = context.shown().is_none() && self.pending.first().is_some_and(Pending::is_shown_of_subagent);
        let place = match (main || context.shown().is_some(), behind) {
            (true, behind) => usize::from(behind),
            (false, _) => self.pending.len(),
        };
        let (structured, at_terminal) = (structured.then_some(at), source != Source::Hook);
        self.pending.insert(place, Pending { prompt, claimed: None, told: told.clone(), structured, at_terminal });
        over
    }

    pub fn resolve_tool(&mut self, tool_id: &str) -> Vec<Pending> {
        self.take(|pending| pending.prompt.context.tool_id() == Some(tool_id))
    }

    pub fn resolve(&mut self, id: &PromptId) -> Vec<Pending> {
        self.take(|pending| pending.prompt.id == *id)
    }

    /// The turn of the main agent has ended, and its prompts with it. Those of background subagents stay.
    pub fn resolve_main(&mut self) -> Vec<Pending> {
        let stays = |pending: &Pending| pending.prompt.context.agent_id().is_some() && pending.at_terminal;
        self.take(|pending| !stays(pending) && !pending.is_withheld())
    }

    /// No dialog is at the terminal.
    pub fn resolve_dialogs(&mut self) -> Vec<Pending> {
        self.take(|pending| !pending.is_withheld())
    }

    pub fn resolve_all(&mut self) -> Vec<Pending> {
        self.take(|_| true)
    }

    fn take(&mut self, is_over: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        let (over, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().partition(|p| is_over(p));
        self.pending = left;
        for pending in &over {
            let by = pending.claimed.clone().unwrap_or_else(|| "terminal".into());
            self.answered.push_back((pending.prompt.id.clone(), by));
        }
        while self.answered.len() > ANSWERED {
            self.answered.pop_front();
        }
        over
    }
}

/// Whether two dialogs of one kind are plainly about different things.
fn is_another(known: &PromptContext, shown: &PromptContext) -> bool {
    if contradicts(known, shown) {
        return true;
    }
    if known.kind() != shown.kind() || known.subtype() != shown.subtype() || known.agent_id().is_some() {
        return false;
    }
    if let (Some(a), Some(b)) = (known.tool_id(), shown.tool_id()) {
        return a != b;
    }
    let sign = |context: &PromptContext| context.input().and_then(sign);
    match (sign(known), sign(shown)) {
        // Either may be cut.
        (Some(a), Some(b)) => !a.starts_with(&b) && !b.starts_with(&a),
        _ => false,
    }
}

/// Whether what one source shows is the call that the other tells of.
fn about(known: &PromptContext, told: &PromptContext) -> About {
    match (known.input(), told.shown(), known.shown(), told.input()) {
        (Some(input), Some(shown), ..) | (None, _, Some(shown), Some(input)) => shown.about(input),
        (None, Some(a), Some(b), None) if a.contradicts(b) => About::Another,
        _ => About::Unclear,
    }
}

/// Whether the dialog that one source shows is not the one that the other tells of.
fn contradicts(known: &PromptContext, told: &PromptContext) -> bool {
    known.kind() == told.kind() && known.subtype() == told.subtype() && about(known, told) == About::Another
}

/// Whether both speak of one dialog.
fn same(known: &PromptContext, told: &PromptContext) -> bool {
    if let (Some(a), Some(b)) = (known.tool_id(), told.tool_id()) {
        return a == b;
    }
    if contradicts(known, told) {
        return false;
    }
    if matches!((known, told), (PromptContext::Setup(_), PromptContext::Setup(_)))
        && (known.is_blank() || told.is_blank())
    {
        return true;
    }
    if known.is_generic() || told.is_generic() {
        // A word without content is about whatever is up.
        return !matches!((known, told), (PromptContext::Setup(_), _) | (_, PromptContext::Setup(_)));
    }
    if known.kind() != told.kind() || known.subtype() != told.subtype() {
        return false;
    }
    if matches!((known.tool(), told.tool()), (Some(a), Some(b)) if a != b) {
        return false;
    }
    match (known.input(), told.input()) {
        (Some(a), Some(b)) => like(Some(a), Some(b)) && known.agent_id() == told.agent_id(),
        _ => true,
    }
}

fn is_ready(context: &PromptContext) -> bool {
    match context {
        // Only the call itself has all questions: who just looks, or is told of a dialog, knows of one.
        PromptContext::Question(asked) => asked.input.is_some() && !asked.questions.is_empty(),
        PromptContext::Permission(_) | PromptContext::Plan(_) | PromptContext::Setup(_) => {
            !context.options().is_empty()
        }
    }
}

/// Adds what is told to what is known. Options on the screen are the truth about the dialog; everything else is better
/// known from a structured source.
fn merge(prompt: &mut Prompt, told: &PromptContext, source: Source) {
    let seen = !source.is_structured();
    let blank = prompt.context.is_blank() && !told.is_blank();
    if blank || prompt.context.is_generic() && !told.is_generic() {
        let (options, shown) = (prompt.context.options().to_vec(), prompt.context.shown().cloned());
        prompt.context = told.clone();
        if let PromptContext::Permission(permission) = &mut prompt.context {
            permission.shown = permission.shown.take().or(shown.map(Box::new));
        }
        put_options(&mut prompt.context, &options, false);
    } else {
        fill(&mut prompt.context, told);
        put_options(&mut prompt.context, told.options(), seen);
    }
    prompt.ready = prompt.ready || is_ready(&prompt.context);
}

fn fill(known: &mut PromptContext, told: &PromptContext) {
    fn set<T: Clone>(known: &mut Option<T>, told: &Option<T>) {
        if known.is_none() {
            known.clone_from(told);
        }
    }
    match (known, told) {
        (PromptContext::Permission(known), PromptContext::Permission(told)) => {
            set(&mut known.tool, &told.tool);
            if known.input.is_none() {
                set(&mut known.agent_id, &told.agent_id);
            }
            let is_better = told.input.is_some() && (known.input.is_none() || known.input_seen && !told.input_seen);
            if is_better {
                known.input.clone_from(&told.input);
                known.input_seen = told.input_seen;
            }
            let grown = |(known, told): (&Shown, &Shown)| known.grows_to(told);
            if known.shown.as_deref().zip(told.shown.as_deref()).is_none_or(grown) {
                known.shown = told.shown.clone().or(known.shown.take());
            }
            set(&mut known.tool_id, &told.tool_id);
            set(&mut known.message, &told.message);
            if known.suggestions.is_empty() {
                known.suggestions.clone_from(&told.suggestions);
            }
        }
        (PromptContext::Plan(known), PromptContext::Plan(told)) => {
            set(&mut known.tool, &told.tool);
            set(&mut known.plan, &told.plan);
            set(&mut known.input, &told.input);
            set(&mut known.tool_id, &told.tool_id);
        }
        (PromptContext::Question(known), PromptContext::Question(told)) => {
            // The call has all questions, the screen the one that is up.
            if known.input.is_none() && (told.input.is_some() || known.questions.len() < told.questions.len()) {
                known.questions.clone_from(&told.questions);
            }
            if told.input.is_none() {
                known.current = told.current.min(known.questions.len());
            }
            set(&mut known.tool, &told.tool);
            set(&mut known.input, &told.input);
            set(&mut known.tool_id, &told.tool_id);
        }
        _ => {}
    }
}

fn put_options(context: &mut PromptContext, options: &[Choice], seen: bool) {
    if options.is_empty() {
        return;
    }
    match context {
        PromptContext::Permission(PermissionPrompt { options: known, options_fallback: fallback, .. })
        | PromptContext::Plan(PlanPrompt { options: known, options_fallback: fallback, .. }) => {
            if known.is_empty() || *fallback || seen {
                *known = options.to_vec();
                *fallback = false;
            }
        }
        PromptContext::Setup(setup) => setup.options = options.to_vec(),
        // What the tool asked is better than what fits on the screen.
        PromptContext::Question(QuestionPrompt { .. }) => {}
    }
}
