//! Patterns of what a tool may be used for: `Bash(git status:*)`, `Write(*.py)`, `WebFetch(domain:example.org)`, `Read`.

use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use super::matching::{self, Match, Matched, Reading};
use super::shell::{self, Script};
use super::suggest;

/// What an agent wants to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Use<'a> {
    pub tool: &'a str,
    pub input: &'a Value,
    /// Folder in which it is done.
    pub cwd: &'a str,
    /// Machine on which it is done; nothing for that of the hub.
    pub host: Option<&'a str>,
}

#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    tool: String,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Everything,
    /// A command that begins with these words, and may have more.
    Command {
        words: Vec<String>,
        more: bool,
    },
    /// A command of a shell whose language is not read: this text, or a text that begins with it.
    Text {
        text: String,
        more: bool,
    },
    /// A file with this name in any folder.
    Name(Glob),
    /// A file with this path.
    Path(Glob),
    /// A host, and those below it.
    Domain(String),
    /// Exactly this input.
    Input(Value),
}

/// A pattern for files.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    pub(super) text: String,
    pub(super) exact: GlobMatcher,
    /// The same for file systems that ignore case.
    pub(super) loose: GlobMatcher,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("`{0}` is no pattern: write a tool, or a tool and what it may do, as in `Bash(git status:*)`")]
    Shape(String),
    #[error("`{0}` names more than one command: write one pattern for each")]
    Command(String),
    #[error("`{0}` is no pattern for files: {1}")]
    Glob(String, String),
    #[error("`{0}` cannot be narrowed down: write the tool's name alone, or its whole input as JSON")]
    Tool(String),
}

/// Tools that run a command, and the key of their input that has it.
pub(super) const COMMANDS: [(&str, &str); 5] = [
    ("Bash", "command"),
    ("run_shell_command", "command"),
    ("exec_command", "cmd"),
    ("shell", "command"),
    (POWERSHELL, "command"),
];
/// Tool whose commands are not those of a Bourne shell.
pub(super) const POWERSHELL: &str = "PowerShell";
/// Tools that work on one file, and the key of their input that has its path.
pub(super) const FILES: [(&str, &str); 9] = [
    ("Read", "file_path"),
    ("Write", "file_path"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("NotebookEdit", "notebook_path"),
    ("NotebookRead", "notebook_path"),
    ("read_file", "file_path"),
    ("write_file", "file_path"),
    ("replace", "file_path"),
];
/// Tools that fetch an address.
pub(super) const ADDRESSES: [(&str, &str); 2] = [("WebFetch", "url"), ("web_fetch", "url")];

impl Pattern {
    /// Returns how far this pattern alone matches a use.
    #[must_use]
    pub fn matches(&self, wanted: &Use<'_>) -> Matched {
        matching::matches(std::iter::once(self), &Reading::new(wanted))
    }

    /// Whether this pattern is all that `wanted` does. For rules that allow.
    #[must_use]
    pub fn covers(&self, wanted: &Use<'_>) -> bool {
        self.matches(wanted).certainty == Match::Certain
    }

    /// Whether `wanted` does this, or may. For rules that deny or ask.
    #[must_use]
    pub fn touches(&self, wanted: &Use<'_>) -> bool {
        self.matches(wanted).certainty >= Match::Possible
    }

    pub(super) fn is_for(&self, tool: &str) -> bool {
        match self.tool.strip_suffix('*') {
            Some(start) => tool.starts_with(start),
            None => tool == self.tool,
        }
    }

    /// Returns what to remember when a person allows or denies `wanted` for longer than once. Nothing where every pattern
    /// would cover more than the person was shown.
    #[must_use]
    pub fn suggest(wanted: &Use<'_>) -> Option<Self> {
        suggest::suggest(wanted)
    }
}

impl<'a> Use<'a> {
    pub(super) fn find(&self, tools: &[(&str, &str)]) -> Option<&'a str> {
        let (_, key) = tools.iter().find(|(tool, _)| *tool == self.tool)?;
        self.input.get(key)?.as_str()
    }

    pub(super) fn is_one_of(&self, tools: &[(&str, &str)]) -> bool {
        tools.iter().any(|(tool, _)| *tool == self.tool)
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let shape = || PatternError::Shape(text.to_owned());
        let trimmed = text.trim();
        let (tool, inside) = match trimmed.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or_else(shape)?)),
            None => (trimmed, None),
        };
        let fine = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        if tool.is_empty() || !tool.strip_suffix('*').unwrap_or(tool).chars().all(fine) {
            return Err(shape());
        }
        let what = match inside {
            None | Some("*") => What::Everything,
            Some("") => return Err(shape()),
            Some(inside) => What::parse(tool, inside)?,
        };
        Ok(Self { text: trimmed.to_owned(), tool: tool.to_owned(), what })
    }
}

impl What {
    fn parse(tool: &str, inside: &str) -> Result<Self, PatternError> {
        let is = |tools: &[(&str, &str)]| tools.iter().any(|(name, _)| *name == tool);
        if tool == POWERSHELL {
            let (text, more) = prefix(inside);
            return match text.trim().is_empty() {
                true => Err(PatternError::Shape(inside.to_owned())),
                false => Ok(Self::Text { text: text.to_owned(), more }),
            };
        }
        if is(&COMMANDS) {
            return Self::command(inside);
        }
        if is(&FILES) {
            let glob = Glob::new(inside)?;
            return Ok(if inside.contains('/') { Self::Path(glob) } else { Self::Name(glob) });
        }
        if is(&ADDRESSES) {
            let domain = inside.strip_prefix("domain:").map(|domain| domain.trim_end_matches('.').to_ascii_lowercase());
            return match domain {
                Some(domain) if !domain.is_empty() => Ok(Self::Domain(domain)),
                _ => Err(PatternError::Tool(tool.to_owned())),
            };
        }
        match serde_json::from_str(inside) {
            Ok(input @ Value::Object(_)) if !tool.ends_with('*') => Ok(Self::Input(input)),
            _ => Err(PatternError::Tool(tool.to_owned())),
        }
    }

    fn command(inside: &str) -> Result<Self, PatternError> {
        let (line, more) = prefix(inside);
        let several = || PatternError::Command(inside.to_owned());
        let Script { commands, plain: true, .. } = shell::read(line) else { return Err(several()) };
        let [words] = &commands[..] else { return Err(several()) };
        let words = words.iter().cloned().collect::<Option<Vec<String>>>().ok_or_else(several)?;
        Ok(Self::Command { words, more })
    }
}

/// The text before `:*` or ` *`, and whether there is such an end.
fn prefix(inside: &str) -> (&str, bool) {
    match inside.strip_suffix(":*").or_else(|| inside.strip_suffix(" *")) {
        Some(line) => (line, true),
        None => (inside, false),
    }
}

impl Glob {
    fn new(text: &str) -> Result<Self, PatternError> {
        let compile = |ignore_case: bool| {
            let mut builder = GlobBuilder::new(text);
            builder.literal_separator(true).backslash_escape(true).case_insensitive(ignore_case);
            let glob =
                builder.build().map_err(|error| PatternError::Glob(text.to_owned(), error.kind().to_string()))?;
            Ok(glob.compile_matcher())
        };
        Ok(Self { text: text.to_owned(), exact: compile(false)?, loose: compile(true)? })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}
