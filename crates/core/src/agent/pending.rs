//! Prompts that are up, and who answered those that were.
//!
//! Several sources tell of the same dialog, each with a part of what is known. They are one prompt here.

use std::collections::VecDeque;
use std::time::Instant;

use super::evidence::Source;
use super::prompt::{Choice, PermissionPrompt, PlanPrompt, Prompt, PromptContext, PromptId, QuestionPrompt};
use super::tools::sign;

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
        self.prompt.context.kind() == context.kind() && self.prompt.context.subtype() == context.subtype()
    }

    /// Nobody has told what it is about.
    fn is_guess(&self) -> bool {
        self.told.is_generic() && !self.prompt.context.is_generic()
    }
}

impl Prompts {
    /// The one to be answered first.
    #[must_use]
    pub fn current(&self) -> Option<Prompt> {
        self.pending.first().map(|pending| pending.prompt.clone())
    }

    #[must_use]
    pub fn is_only_seen(&self, id: &PromptId) -> bool {
        self.pending.iter().any(|pending| pending.prompt.id == *id && pending.structured.is_none())
    }

    /// Whether what the first is about is only guessed.
    #[must_use]
    pub fn is_guess(&self) -> bool {
        self.pending.first().is_some_and(Pending::is_guess)
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

    /// True if the prompt had no options and has now.
    pub fn fall_back(&mut self, id: &PromptId, options: &[Choice]) -> bool {
        let waits = |pending: &&mut Pending| pending.prompt.id == *id && !pending.prompt.ready;
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
        let another =
            |pending: &Pending| (in_turn || pending.is_guess()) && is_another(&pending.prompt.context, context);
        let next = !structured && self.pending.first().is_some_and(another);
        let is_it = |pending: &Pending| {
            !next && (same(&pending.prompt.context, context) || (!structured && pending.looks(context)))
        };
        if let Some(pending) = self.pending.iter_mut().find(|pending| is_it(pending)) {
            let earlier = pending.structured.is_none_or(|since| at < since);
            pending.structured = if structured && earlier { Some(at) } else { pending.structured };
            if pending.told.is_generic() {
                pending.told = told.clone();
            }
            merge(&mut pending.prompt, context, source);
            return Vec::new();
        }
        let known = self.pending.first().is_some_and(|pending| pending.structured.is_some());
        if self.pending.len() >= PENDING || (known && !structured && !next) {
            return Vec::new();
        }
        // The main agent asks one thing at a time: a new dialog means that the one before it is gone.
        let main = agent(context).is_none();
        let over = self.take(|pending| main && agent(&pending.prompt.context).is_none());
        self.count += 1;
        let prompt = Prompt {
            id: PromptId(format!("p{}", self.count)),
            ready: is_ready(context),
            context: context.clone(),
            by_hook: false,
        };
        let place = if main { 0 } else { self.pending.len() };
        let structured = structured.then_some(at);
        self.pending.insert(place, Pending { prompt, claimed: None, told: told.clone(), structured });
        over
    }

    pub fn resolve_tool(&mut self, tool_id: &str) -> Vec<Pending> {
        self.take(|pending| pending.prompt.context.tool_id() == Some(tool_id))
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

fn agent(context: &PromptContext) -> Option<&str> {
    match context {
        PromptContext::Permission(permission) => permission.agent_id.as_deref(),
        _ => None,
    }
}

/// Whether two dialogs of one kind are plainly about different things.
fn is_another(known: &PromptContext, shown: &PromptContext) -> bool {
    if known.kind() != shown.kind() || known.subtype() != shown.subtype() || agent(known).is_some() {
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

/// Whether both speak of one dialog.
fn same(known: &PromptContext, told: &PromptContext) -> bool {
    if let (Some(a), Some(b)) = (known.tool_id(), told.tool_id()) {
        return a == b;
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
        (Some(a), Some(b)) => a == b,
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
    if prompt.context.is_generic() && !told.is_generic() {
        let options = prompt.context.options().to_vec();
        prompt.context = told.clone();
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
            set(&mut known.input, &told.input);
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
