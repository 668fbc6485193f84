//! Whether a command line starts the agent of a page. One that is given a command or a script is no agent: it is what runs it.

use serde::Deserialize;

use super::Page;

/// Arguments it is not started with.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Start {
    /// Nothing but options: anything else is something to run.
    alone: bool,
    /// Options that make it something else. Those of one letter may stand in one word with others.
    without: Vec<String>,
    /// Options whose value is the next argument.
    values: Vec<String>,
}

impl Page {
    /// Whether a program of this file name, started with `args`, is it. Nothing for `args` where a shell makes them of a line.
    #[must_use]
    pub fn is_started_by(&self, program: &str, args: Option<&[&str]>) -> bool {
        let Start { alone, without, .. } = &self.spec.start;
        let named = self.spec.commands.iter().any(|command| command == program);
        named && args.map_or(!*alone && without.is_empty(), |args| self.spec.start.fits(args))
    }
}

impl Start {
    fn fits(&self, args: &[&str]) -> bool {
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if !arg.starts_with(['-', '+']) {
                return !self.alone;
            }
            if self.without.iter().any(|option| names(arg, option)) {
                return false;
            }
            if self.values.iter().any(|option| option == arg) {
                args.next();
            }
        }
        true
    }
}

fn names(arg: &str, option: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|letter| letter.chars().count() == 1 && *letter != "-");
    let cluster = arg.strip_prefix('-').filter(|cluster| !cluster.starts_with('-'));
    match (letter, cluster) {
        (Some(letter), Some(cluster)) => cluster.contains(letter),
        _ => arg == option || arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_is_given_something_to_run_is_not_at_a_prompt() {
        let start = Start {
            alone: true,
            without: ["-c", "--version"].map(str::to_owned).to_vec(),
            values: ["--rcfile", "-o", "+o"].map(str::to_owned).to_vec(),
        };
        for (args, fits) in [
            (&[][..], true),
            (&["-i"], true),
            (&["--norc", "-i"], true),
            (&["--rcfile", "file"], true),
            (&["-o", "vi", "+o", "posix"], true),
            (&["-c", "ls"], false),
            (&["-lc", "ls"], false),
            (&["--norc", "-ic", "ls"], false),
            (&["--version"], false),
            (&["script.sh"], false),
            (&["--rcfile", "file", "script.sh"], false),
            (&["-"], true),
        ] {
            assert_eq!(start.fits(args), fits, "{args:?}");
        }
        assert!(Start::default().fits(&["run", "-c", "x"]));
    }
}
