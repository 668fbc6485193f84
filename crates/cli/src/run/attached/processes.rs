//! Which of the processes on a terminal is an agent.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use coop_drivers::Recipe;
use coop_machine::process;

use crate::pages::{self, SHELL};

/// What runs a script, which is what counts.
const INTERPRETERS: [&str; 6] = ["node", "nodejs", "bun", "deno", "python", "python3"];

/// Who a terminal is used by.
#[derive(Clone, Debug)]
pub(crate) struct Inhabitant {
    pub(crate) pid: u32,
    pub(crate) recipe: Option<Recipe>,
}

/// The agent on the terminal whose session `leader` leads: the first that was started, and the shell if there is no other.
/// With a name, only that one.
pub(crate) fn inhabitant(leader: u32, named: Option<&str>) -> Option<Inhabitant> {
    let known = process::members_of(leader).into_iter().filter_map(|pid| {
        let recipe = agent_of(&process::command_of(pid))?;
        Some(Inhabitant { pid, recipe: Some(recipe) })
    });
    let name = |found: &Inhabitant| found.recipe.as_ref().map(|recipe| recipe.name().to_owned());
    let known: Vec<Inhabitant> = known.filter(|found| named.is_none() || name(found).as_deref() == named).collect();
    let agent = known.iter().find(|found| name(found).as_deref() != Some(SHELL));
    let shell = known.iter().find(|found| found.pid == leader);
    agent.or(shell).cloned()
}

/// The agent that a command line is of.
fn agent_of(words: &[OsString]) -> Option<Recipe> {
    let (program, args) = words.split_first()?;
    // How a login shell calls itself.
    let program = program.to_str()?.trim_start_matches('-');
    let file = Path::new(program).file_name()?.to_str()?;
    if !INTERPRETERS.contains(&file) {
        // One that calls itself something has a line of its own making.
        let first = program.split(' ').next()?;
        return pages::of_program(OsStr::new(first), Some(args));
    }
    let script = args.iter().position(|arg| !arg.to_string_lossy().starts_with('-'))?;
    let path = Path::new(&args[script]);
    let rest = Some(&args[script + 1..]);
    pages::of_program(path.as_os_str(), rest).or_else(|| pages::of_program(path.file_stem()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_their_command_lines() {
        for (line, expected) in [
            (&["claude"][..], Some("claude")),
            (&["/opt/bin/claude", "--resume"], Some("claude")),
            (&["claude --resume"], Some("claude")),
            (&["node", "/usr/local/bin/gemini"], Some("gemini")),
            (&["/usr/bin/node", "--no-warnings", "/x/bin/codex.js", "-p"], Some("codex")),
            (&["-bash"], Some("shell")),
            (&["bash", "-c", "claude"], None),
            (&["node", "server.js"], None),
            (&["vim", "claude"], None),
            (&[""], None),
            (&[], None),
        ] {
            let words: Vec<OsString> = line.iter().map(OsString::from).collect();
            assert_eq!(agent_of(&words).map(|recipe| recipe.name().to_owned()).as_deref(), expected, "{line:?}");
        }
    }
}
