//! Standing rules, and what they say together with what a session remembers.

use super::memory::Memory;
use super::pattern::{Pattern, Use};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Allow,
    Deny,
    /// A person is asked, whatever allows it.
    Ask,
}

impl Effect {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub id: u64,
    pub pattern: Pattern,
    pub effect: Effect,
    /// Only in this folder and below.
    pub project: Option<String>,
}

impl Rule {
    fn is_for(&self, cwd: &str) -> bool {
        self.project.as_ref().is_none_or(|project| {
            let project = project.trim_end_matches('/');
            cwd.strip_prefix(project).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// What decided, to be told to whoever wonders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub effect: Effect,
    /// Nothing where no rule fits, so that somebody has to be asked.
    pub because: Option<Because>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    Rules(Vec<u64>),
    /// A person said so, earlier in this session.
    Session(Vec<String>),
}

/// Deny wins, then ask, then allow. What no rule speaks of is asked.
#[must_use]
pub fn judge(rules: &[Rule], memory: Option<&Memory>, wanted: &Use<'_>) -> Verdict {
    let here = || rules.iter().filter(|rule| rule.is_for(wanted.cwd));
    let having = |effect: Effect| here().filter(move |rule| rule.effect == effect);
    let remembered = |effect: Effect| memory.into_iter().flat_map(move |memory| memory.patterns(effect));
    for effect in [Effect::Deny, Effect::Ask] {
        let touched: Vec<u64> =
            having(effect).filter(|rule| rule.pattern.touches(wanted)).map(|rule| rule.id).collect();
        if !touched.is_empty() {
            return Verdict { effect, because: Some(Because::Rules(touched)) };
        }
        let touched: Vec<String> =
            remembered(effect).filter(|pattern| pattern.touches(wanted)).map(Pattern::to_string).collect();
        if !touched.is_empty() {
            return Verdict { effect, because: Some(Because::Session(touched)) };
        }
    }
    if Pattern::cover(having(Effect::Allow).map(|rule| &rule.pattern), wanted) {
        let ids = having(Effect::Allow).filter(|rule| rule.pattern.touches(wanted)).map(|rule| rule.id);
        return Verdict { effect: Effect::Allow, because: Some(Because::Rules(ids.collect())) };
    }
    let all = having(Effect::Allow).map(|rule| &rule.pattern).chain(remembered(Effect::Allow));
    if Pattern::cover(all, wanted) {
        let said = remembered(Effect::Allow).filter(|pattern| pattern.touches(wanted)).map(Pattern::to_string);
        return Verdict { effect: Effect::Allow, because: Some(Because::Session(said.collect())) };
    }
    Verdict { effect: Effect::Ask, because: None }
}
