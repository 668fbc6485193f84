//! How the program of a session is started again: what is different, and who knows how.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use coop_terminal::pty;

use crate::agent::AgentConfig;

/// What is different from the first start. Later changes come on top of earlier ones.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Variables to set; without a value, to unset.
    pub env: BTreeMap<OsString, Option<OsString>>,
    /// Instead of the arguments that the program had.
    pub args: Option<Vec<OsString>>,
}

impl Change {
    /// Both, where `later` wins.
    #[must_use]
    pub(crate) fn and(&self, later: Change) -> Change {
        let mut env = self.env.clone();
        env.extend(later.env);
        Change { env, args: later.args.or_else(|| self.args.clone()) }
    }

    /// The environment with what is different.
    pub fn apply(&self, env: &mut Vec<(OsString, OsString)>) {
        env.retain(|(name, _)| !self.env.contains_key(name));
        env.extend(self.env.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?))));
    }
}

impl fmt::Debug for Change {
    /// The environment by its names only: its values are where keys and tokens are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.keys().collect();
        f.debug_struct("Change").field("env", &names).field("args", &self.args).finish()
    }
}

/// What is known when a program is started again.
#[derive(Clone, Copy, Debug)]
pub struct Again<'a> {
    /// All changes so far.
    pub change: &'a Change,
    /// The arguments are given for this start, and not those of an earlier one.
    pub new_args: bool,
    /// The agent's id of the conversation to go on with.
    pub conversation: Option<&'a str>,
}

/// The program as it is started again.
#[derive(Clone, Debug)]
pub struct Launch {
    pub command: pty::Command,
    pub agent: Option<AgentConfig>,
    /// Whether the conversation goes on.
    pub resumed: bool,
}

/// Fits the command for the agent inside. Errors are sentences for the person who asked.
pub trait Launcher: fmt::Debug + Send + Sync {
    /// What would be wrong with it, before anything is ended for it. Touches nothing.
    fn check(&self, again: &Again<'_>) -> Result<(), String>;

    fn launch(&self, again: &Again<'_>) -> Result<Launch, String>;
}

/// The command again, where no agent has to be fitted.
pub(crate) fn plain(command: &pty::Command, again: &Again<'_>) -> Launch {
    let mut command = command.clone();
    again.change.apply(&mut command.env);
    if let Some(args) = &again.change.args {
        command.args.clone_from(args);
    }
    Launch { command, agent: None, resumed: false }
}

/// What became of a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restarted {
    pub generation: u64,
    pub pid: u32,
    /// The conversation that goes on, by the agent's own id.
    pub resumed: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_on_top_of_each_other() {
        let change = |env: &[(&str, Option<&str>)], args: Option<&[&str]>| Change {
            env: env.iter().map(|(name, value)| (name.into(), value.map(Into::into))).collect(),
            args: args.map(|args| args.iter().map(Into::into).collect()),
        };
        let first = change(&[("A", Some("1")), ("B", Some("1")), ("C", None)], Some(&["-x"]));
        let both = first.and(change(&[("A", Some("2")), ("B", None)], None));
        assert_eq!(both, change(&[("A", Some("2")), ("B", None), ("C", None)], Some(&["-x"])));
        assert_eq!(both.and(change(&[], Some(&[]))).args, Some(vec![]), "no arguments are arguments too");
        let mut env = [("B", "0"), ("D", "0"), ("C", "0")].map(|(name, value)| (name.into(), value.into())).to_vec();
        both.apply(&mut env);
        assert_eq!(env, [("D", "0"), ("A", "2")].map(|(name, value)| (name.into(), value.into())));
        assert!(!format!("{both:?}").contains('2'), "values are secrets");
    }
}
