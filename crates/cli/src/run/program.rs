//! The program to run: found on the command line, with the environment it gets.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use coop_drivers::Recipe;
use coop_machine::lineage::MARK;
use coop_terminal::Size;
use coop_terminal::pty;

use super::flags::Flags;
use crate::CommandError;
use crate::pages;
use crate::sessions::Name;

const SHELL: &str = "/bin/sh";

/// What no program's name has, and every use of a shell.
const SHELL_SYNTAX: &[char] =
    &[' ', '\t', '\n', '|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '*', '?', '~'];

/// How variables begin that tell about the terminal coop was started in: programs would believe that they are in it, ask
/// for what only that one can do, or talk to its server.
const OUTER_TERMINAL: &[&str] = &[
    "TERM",
    "COLORTERM",
    "COLUMNS",
    "LINES",
    "TMUX",
    "STY",
    "WINDOWID",
    "VTE_VERSION",
    "KITTY_",
    "WEZTERM_",
    "ITERM_",
    "LC_TERMINAL",
    "ALACRITTY_",
    "GHOSTTY_",
    "KONSOLE_",
    "WT_",
    "ZELLIJ",
    "VSCODE_",
];

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    program: OsString,
    args: Vec<OsString>,
    /// The word that names it: of a line for the shell, the first.
    word: OsString,
}

/// Where the program finds the session it is in, and what its hooks may say there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Addresses {
    pub(crate) socket: Option<OsString>,
    pub(crate) url: Option<String>,
    pub(crate) hook_token: Option<String>,
    /// Name of the session, for an agent: what it starts is known by it.
    pub(crate) mark: Option<String>,
}

impl Program {
    pub(super) fn new(command: &[OsString]) -> Result<Self, CommandError> {
        match command {
            [] => Err(CommandError::usage("There is no program to run")
                .with_hint("Put it after two dashes, for example: coop -- claude. `coop --help` shows more.")),
            [line] if is_for_shell(line) => {
                let text = line.to_string_lossy();
                let word = text.split_whitespace().next().unwrap_or_default().to_owned();
                Ok(Self { program: SHELL.into(), args: vec!["-c".into(), line.clone()], word: word.into() })
            }
            [program, args @ ..] => Ok(Self { program: program.clone(), args: args.to_vec(), word: program.clone() }),
        }
    }

    /// The name a session around it has if nobody gives it another.
    pub(super) fn name(&self) -> Name {
        Name::of_program(&self.word)
    }

    /// The agent that it is, if it is one that is known.
    pub(super) fn agent(&self) -> Option<Recipe> {
        let direct = self.word == self.program;
        pages::of_program(&self.word, direct.then_some(self.args.as_slice()))
    }

    pub(super) fn command(self, flags: &Flags, addresses: Addresses) -> Result<pty::Command, CommandError> {
        let terminal = &flags.terminal;
        let size = Size::new(terminal.cols, terminal.rows).map_err(|error| CommandError::usage(error.to_string()))?;
        Ok(pty::Command {
            program: self.program,
            args: self.args,
            cwd: flags.session.cwd.clone(),
            env: environment(std::env::vars_os(), &terminal.term, addresses),
            size,
            runner: Vec::new(),
        })
    }
}

/// A file is executed even if its path has a space in it.
fn is_for_shell(line: &OsStr) -> bool {
    line.to_string_lossy().contains(SHELL_SYNTAX) && !Path::new(line).is_file()
}

/// Ours, without what is meant for coop (its token above all), and with what the program may know of its session.
fn environment(
    ours: impl Iterator<Item = (OsString, OsString)>,
    term: &OsStr,
    addresses: Addresses,
) -> Vec<(OsString, OsString)> {
    let starts = |name: &OsStr, prefixes: &[&str]| {
        prefixes.iter().any(|prefix| name.as_encoded_bytes().starts_with(prefix.as_bytes()))
    };
    let for_coop = |name: &OsStr| name == "COOP" || starts(name, &["COOP_"]);
    let mut env: Vec<_> = ours.filter(|(name, _)| !for_coop(name) && !starts(name, OUTER_TERMINAL)).collect();
    env.push(("COOP".into(), "1".into()));
    env.push(("TERM".into(), term.into()));
    env.push(("COLORTERM".into(), "truecolor".into()));
    env.extend(addresses.socket.map(|path| ("COOP_SOCKET".into(), path)));
    env.extend(addresses.url.map(|url| ("COOP_URL".into(), url.into())));
    env.extend(addresses.mark.map(|name| (MARK.into(), name.into())));
    env.extend(addresses.hook_token.map(|token| ("COOP_HOOK_TOKEN".into(), token.into())));
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let check = |given: &[&str], argv: &[&str], name: &str| {
            let given: Vec<OsString> = given.iter().map(OsString::from).collect();
            let program = Program::new(&given).unwrap();
            let mut all = vec![program.program.clone()];
            all.extend(program.args.clone());
            assert_eq!(all, argv, "{given:?}");
            assert_eq!(program.name().to_string(), name);
        };
        check(&["claude"], &["claude"], "claude");
        check(&["/usr/bin/claude", "--x y"], &["/usr/bin/claude", "--x y"], "claude");
        check(&["echo", "$HOME"], &["echo", "$HOME"], "echo");
        check(&["claude --resume"], &["/bin/sh", "-c", "claude --resume"], "claude");
        check(&["a|b"], &["/bin/sh", "-c", "a|b"], "ab");
        check(&[""], &[""], "session");
        assert!(Program::new(&[]).is_err());
        let agent = |given: &[&str]| {
            let given: Vec<OsString> = given.iter().map(OsString::from).collect();
            Program::new(&given).unwrap().agent().map(|agent| agent.name().to_owned())
        };
        assert_eq!(agent(&["codex --json"]).as_deref(), Some("codex"));
        assert_eq!(agent(&["/opt/bin/opencode"]).as_deref(), Some("opencode"));
        assert_eq!(agent(&["make"]), None);
        assert_eq!(agent(&["/bin/bash", "--norc", "-i"]).as_deref(), Some("shell"));
        assert_eq!(agent(&["sh", "-c", "claude"]), None, "it has no prompt");
        assert_eq!(agent(&["bash; true"]), None);
    }

    #[test]
    fn a_file_with_a_space_is_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my agent");
        std::fs::write(&path, "").unwrap();
        assert_eq!(Program::new(&[path.clone().into()]).unwrap().program, path);
    }

    #[test]
    fn nothing_of_ours_reaches_the_program() {
        let ours = [
            ("PATH", "/bin"),
            ("COOP_AUTH_TOKEN", "secret"),
            ("COOP", "1"),
            ("TERM", "dumb"),
            ("TERM_PROGRAM", "other"),
            ("TMUX", "/tmp/tmux"),
            ("COLUMNS", "80"),
            ("COOPER", "x"),
        ];
        let ours = ours.map(|(name, value)| (name.into(), value.into()));
        let addresses = Addresses {
            socket: Some("/a.sock".into()),
            hook_token: Some("h".into()),
            url: None,
            mark: Some("work".into()),
        };
        let env = environment(ours.into_iter(), OsStr::new("xterm"), addresses);
        let expected = [
            ("PATH", "/bin"),
            ("COOPER", "x"),
            ("COOP", "1"),
            ("TERM", "xterm"),
            ("COLORTERM", "truecolor"),
            ("COOP_SOCKET", "/a.sock"),
            ("COOP_INSIDE_AGENT", "work"),
            ("COOP_HOOK_TOKEN", "h"),
        ];
        assert_eq!(env, expected.map(|(name, value)| (name.into(), value.into())));
    }
}
