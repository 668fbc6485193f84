//! Standing rules, and what they decide together with what a session remembers.

use super::matching::{self, Match, Matched, Reading};
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

/// Host of a session whose machine is not known. No rule for a certain machine allows it anything, and all that deny or ask
/// count.
pub const UNKNOWN_HOST: &str = "?";

/// Machines whose sessions a rule is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// The machine of the hub.
    #[default]
    Here,
    /// A machine whose sidecars call the hub, by its name.
    Named(String),
    All,
}

impl Hosts {
    /// On the wire and in the ledger: no host is the machine of the hub.
    pub const ALL: &str = "*";

    #[must_use]
    pub fn from_name(name: Option<&str>) -> Self {
        match name {
            None | Some("") => Self::Here,
            Some(Self::ALL) => Self::All,
            // What is not known is not a machine.
            Some(UNKNOWN_HOST) => Self::Here,
            Some(name) => Self::Named(name.to_owned()),
        }
    }

    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Here => None,
            Self::Named(name) => Some(name),
            Self::All => Some(Self::ALL),
        }
    }

    #[must_use]
    pub fn contain(&self, host: Option<&str>) -> bool {
        match self {
            Self::Here => host.is_none(),
            Self::Named(name) => host == Some(name),
            Self::All => true,
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
    pub hosts: Hosts,
}

/// The folder of a rule is not one that a rule can be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectError {
    #[error("the folder of a rule is a path from the root, as in /srv/shop")]
    NotAbsolute,
    #[error("a rule for the root folder is a rule for everything: name a folder below it, or leave the folder out")]
    Root,
}

/// Returns the folder of a rule without detours.
pub fn project_folder(path: &str) -> Result<String, ProjectError> {
    if !path.starts_with('/') || path.contains('\0') {
        return Err(ProjectError::NotAbsolute);
    }
    let folder = folder(path);
    if folder.is_empty() { Err(ProjectError::Root) } else { Ok(folder) }
}

/// A folder without `.` and `..`, and without a slash at its end: empty for the root.
fn folder(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.iter().map(|part| format!("/{part}")).collect()
}

impl Rule {
    fn is_for(&self, wanted: &Use<'_>) -> bool {
        let unknown = wanted.host == Some(UNKNOWN_HOST) && self.effect != Effect::Allow;
        if !unknown && !self.hosts.contain(wanted.host) {
            return false;
        }
        let Some(project) = &self.project else { return true };
        match project_folder(project) {
            Ok(project) => wanted.cwd.starts_with('/') && is_below(&folder(wanted.cwd), &project),
            // A ledger of an earlier version may have such a folder. It allows nothing.
            Err(_) => self.effect != Effect::Allow,
        }
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What was decided, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub effect: Effect,
    /// Nothing where no rule fits, so that a person has to be asked.
    pub because: Option<Because>,
    /// How far the deciding patterns match. Without such patterns: how far those that allow do.
    pub matched: Option<Matched>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    Rules(Vec<u64>),
    /// Patterns that a person allowed or denied earlier in this session.
    Session(Vec<String>),
}

/// Deny wins, then ask, then allow. A use that no rule matches is asked.
///
/// A rule that denies or asks counts where it possibly matches, one that allows only where it certainly does.
#[must_use]
pub fn judge(rules: &[Rule], memory: Option<&Memory>, wanted: &Use<'_>) -> Verdict {
    let reading = Reading::new(wanted);
    let having = |effect: Effect| rules.iter().filter(move |rule| rule.effect == effect && rule.is_for(wanted));
    let remembered = |effect: Effect| memory.into_iter().flat_map(move |memory| memory.patterns(effect));
    let alone = |pattern: &Pattern| matching::matches(std::iter::once(pattern), &reading);
    let touched = |pattern: &Pattern| Some(alone(pattern)).filter(|matched| matched.certainty >= Match::Possible);
    for effect in [Effect::Deny, Effect::Ask] {
        let found: Vec<(u64, Matched)> =
            having(effect).filter_map(|rule| Some((rule.id, touched(&rule.pattern)?))).collect();
        if let Some((_, matched)) = found.iter().max_by_key(|(_, matched)| matched.certainty).cloned() {
            let ids = found.into_iter().map(|(id, _)| id).collect();
            return Verdict { effect, because: Some(Because::Rules(ids)), matched: Some(matched) };
        }
        let found: Vec<(String, Matched)> =
            remembered(effect).filter_map(|pattern| Some((pattern.to_string(), touched(pattern)?))).collect();
        if let Some((_, matched)) = found.first().cloned() {
            let patterns = found.into_iter().map(|(pattern, _)| pattern).collect();
            return Verdict { effect, because: Some(Because::Session(patterns)), matched: Some(matched) };
        }
    }
    let rules = matching::matches(having(Effect::Allow).map(|rule| &rule.pattern), &reading);
    if rules.certainty == Match::Certain {
        let ids = having(Effect::Allow).filter(|rule| touched(&rule.pattern).is_some()).map(|rule| rule.id);
        return Verdict { effect: Effect::Allow, because: Some(Because::Rules(ids.collect())), matched: Some(rules) };
    }
    let all = having(Effect::Allow).map(|rule| &rule.pattern).chain(remembered(Effect::Allow));
    let all = matching::matches(all, &reading);
    if all.certainty == Match::Certain {
        let said = remembered(Effect::Allow).filter(|pattern| touched(pattern).is_some()).map(Pattern::to_string);
        return Verdict { effect: Effect::Allow, because: Some(Because::Session(said.collect())), matched: Some(all) };
    }
    Verdict { effect: Effect::Ask, because: None, matched: Some(all).filter(|all| all.certainty == Match::Possible) }
}
