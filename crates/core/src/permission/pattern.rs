//! Patterns of what a tool may be used for: `Bash(git status:*)`, `Write(*.py)`, `WebFetch(domain:example.org)`, `Read`.

use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use super::shell::{self, Script};

/// What an agent wants to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Use<'a> {
    pub tool: &'a str,
    pub input: &'a Value,
    /// Where it is done.
    pub cwd: &'a str,
}

#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    tool: String,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Everything,
    /// A command that begins with these words, and may have more.
    Command {
        words: Vec<String>,
        more: bool,
    },
    /// A file with this name, wherever it is.
    Name(GlobMatcher),
    /// A file with this path.
    Path(GlobMatcher),
    /// A host, and those below it.
    Domain(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("`{0}` is no pattern: write a tool, or a tool and what it may do, as in `Bash(git status:*)`")]
    Shape(String),
    #[error("`{0}` names more than one command: write one pattern for each")]
    Command(String),
    #[error("`{0}` is no pattern for files: {1}")]
    Glob(String, String),
    #[error("`{0}` cannot be narrowed down: write the tool's name alone")]
    Tool(String),
}

/// Tools that run a command, and where in their input it is.
const COMMANDS: [(&str, &str); 5] = [
    ("Bash", "command"),
    ("run_shell_command", "command"),
    ("exec_command", "cmd"),
    ("shell", "command"),
    ("PowerShell", "command"),
];
/// Tools that work on one file, and where in their input its path is.
const FILES: [(&str, &str); 9] = [
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
const ADDRESSES: [(&str, &str); 2] = [("WebFetch", "url"), ("web_fetch", "url")];

/// Programs whose first argument says what they do.
const WITH_VERBS: [&str; 24] = [
    "apt",
    "apt-get",
    "brew",
    "bun",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "kubectl",
    "make",
    "mvn",
    "npm",
    "pip",
    "pnpm",
    "poetry",
    "systemctl",
    "uv",
    "yarn",
];
/// Programs that run what they are told: their name alone says nothing.
const RUNNERS: [&str; 34] = [
    "ash", "awk", "bash", "busybox", "command", "dash", "doas", "env", "eval", "exec", "find", "fish", "ionice", "ksh",
    "nice", "node", "nohup", "npx", "parallel", "perl", "php", "pwsh", "python", "python3", "ruby", "sh", "source",
    "ssh", "sudo", "time", "timeout", "watch", "xargs", "zsh",
];

impl Pattern {
    /// Whether this is all that `wanted` does. For rules that allow: what is not plain is not allowed.
    #[must_use]
    pub fn covers(&self, wanted: &Use<'_>) -> bool {
        Self::cover(std::iter::once(self), wanted)
    }

    /// Whether these together are all that `wanted` does: a list of commands may be allowed by several.
    pub fn cover<'a>(patterns: impl Iterator<Item = &'a Self> + Clone, wanted: &Use<'_>) -> bool {
        let mut fit = patterns.filter(|pattern| pattern.is_for(wanted.tool));
        if let Some(command) = wanted.find(&COMMANDS) {
            if fit.clone().any(|pattern| matches!(pattern.what, What::Everything)) {
                return true;
            }
            let Script { commands, plain } = shell::read(command);
            return plain
                && commands
                    .iter()
                    .all(|words| fit.clone().any(|pattern| pattern.begins(words.iter().map(Option::as_deref))));
        }
        fit.any(|pattern| pattern.fits(wanted))
    }

    /// Whether `wanted` does this, among other things. For rules that deny: what may be meant is meant.
    #[must_use]
    pub fn touches(&self, wanted: &Use<'_>) -> bool {
        if !self.is_for(wanted.tool) {
            return false;
        }
        let (Some(command), What::Command { words, .. }) = (wanted.find(&COMMANDS), &self.what) else {
            return matches!(self.what, What::Everything) || self.fits(wanted);
        };
        let script = shell::read(command);
        let named = script.commands.iter().any(|words| self.is_in(words));
        named || (!script.plain && words.first().is_some_and(|program| may_run(command, program)))
    }

    /// Whether one of the commands is this, also behind `sudo` and the like, and by its path.
    fn is_in(&self, words: &[Option<String>]) -> bool {
        let runs_others =
            words.first().is_none_or(|word| word.as_deref().is_none_or(|word| RUNNERS.contains(&name(word))));
        let last = if runs_others { words.len() } else { 1 };
        (0..last).any(|from| {
            let words = words[from..].iter().map(Option::as_deref);
            self.begins(words.enumerate().map(|(place, word)| if place == 0 { word.map(name) } else { word }))
        })
    }

    fn begins<'a>(&self, mut words: impl Iterator<Item = Option<&'a str>>) -> bool {
        let What::Command { words: wanted, more } = &self.what else { return matches!(self.what, What::Everything) };
        wanted.iter().all(|wanted| words.next().flatten() == Some(wanted)) && (*more || words.next().is_none())
    }

    fn fits(&self, wanted: &Use<'_>) -> bool {
        match &self.what {
            What::Everything => true,
            What::Command { .. } => false,
            What::Name(glob) => wanted.path().is_some_and(|path| glob.is_match(name(&path))),
            What::Path(glob) => wanted.path().is_some_and(|path| glob.is_match(&path)),
            What::Domain(domain) => wanted.find(&ADDRESSES).and_then(host).is_some_and(|host| {
                host.eq_ignore_ascii_case(domain)
                    || host.to_ascii_lowercase().strip_suffix(domain.as_str()).is_some_and(|rest| rest.ends_with('.'))
            }),
        }
    }

    fn is_for(&self, tool: &str) -> bool {
        match self.tool.strip_suffix('*') {
            Some(start) => tool.starts_with(start),
            None => tool == self.tool,
        }
    }

    /// What to remember when a person allows or denies `wanted` for longer than once. Nothing where that would say more
    /// than the person has seen.
    #[must_use]
    pub fn suggest(wanted: &Use<'_>) -> Option<Self> {
        let tool = wanted.tool;
        let text = if let Some(command) = wanted.find(&COMMANDS) {
            let Script { commands, plain: true } = shell::read(command) else { return None };
            let [words] = &commands[..] else { return None };
            let program = words.first()?.as_deref()?;
            let verb = words.get(1).and_then(Option::as_deref).filter(|verb| !verb.starts_with('-'));
            match verb {
                _ if RUNNERS.contains(&name(program)) => exact(tool, words)?,
                Some(verb) if WITH_VERBS.contains(&program) => format!("{tool}({}:*)", quote(&[program, verb])?),
                _ if WITH_VERBS.contains(&program) => exact(tool, words)?,
                _ => format!("{tool}({}:*)", quote(&[program])?),
            }
        } else if let Some(path) = wanted.path() {
            let (folder, name) = path.rsplit_once('/')?;
            match name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
                Some((_, end)) => format!("{tool}(*.{})", escape(end)),
                None => format!("{tool}({}/*)", escape(folder)),
            }
        } else if let Some(host) = wanted.find(&ADDRESSES).and_then(host) {
            format!("{tool}(domain:{host})")
        } else {
            tool.to_owned()
        };
        text.parse().ok()
    }
}

fn exact(tool: &str, words: &[Option<String>]) -> Option<String> {
    let words: Option<Vec<&str>> = words.iter().map(Option::as_deref).collect();
    Some(format!("{tool}({})", quote(&words?)?))
}

/// Words as the shell reads them again. Nothing for what a pattern has no room for.
fn quote(words: &[&str]) -> Option<String> {
    let mut line = String::new();
    for word in words {
        if word.contains(['\n', '\r']) || word.is_empty() {
            return None;
        }
        let bare = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:@%+,".contains(&byte));
        let sep = if line.is_empty() { "" } else { " " };
        line += &if bare { format!("{sep}{word}") } else { format!("{sep}'{}'", word.replace('\'', r"'\''")) };
    }
    (!line.ends_with('*')).then_some(line)
}

fn escape(text: &str) -> String {
    globset::escape(text)
}

/// The last part of a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a script that is not understood has this program in it, however it is quoted.
fn may_run(script: &str, program: &str) -> bool {
    let unquoted = script.replace("\\\n", "").replace(['\'', '"', '\\'], "");
    mentions(script, program) || mentions(&unquoted, program)
}

/// Whether a text has this as a word of its own.
fn mentions(text: &str, word: &str) -> bool {
    let part_of_a_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part_of_a_word)
            && !text[at + word.len()..].chars().next().is_some_and(part_of_a_word)
    })
}

/// The host of an address. Nothing for one that tries to look like another.
fn host(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-';
    (!host.is_empty() && host.bytes().all(fine)).then_some(host)
}

impl<'a> Use<'a> {
    fn find(&self, tools: &[(&str, &str)]) -> Option<&'a str> {
        let (_, key) = tools.iter().find(|(tool, _)| *tool == self.tool)?;
        self.input.get(key)?.as_str()
    }

    /// The file it works on, from the root and without detours.
    fn path(&self) -> Option<String> {
        let path = self.find(&FILES)?;
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.cwd) };
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        (whole.starts_with('/') && !whole.contains('\0')).then(|| format!("/{}", parts.join("/")))
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
        if is(&COMMANDS) {
            return Self::command(inside);
        }
        if is(&FILES) {
            let glob = GlobBuilder::new(inside).literal_separator(true).backslash_escape(true).build();
            let glob = glob.map_err(|error| PatternError::Glob(inside.to_owned(), error.kind().to_string()))?;
            let glob = glob.compile_matcher();
            return Ok(if inside.contains('/') { Self::Path(glob) } else { Self::Name(glob) });
        }
        match inside.strip_prefix("domain:") {
            Some(domain) if is(&ADDRESSES) && !domain.is_empty() => Ok(Self::Domain(domain.to_ascii_lowercase())),
            _ => Err(PatternError::Tool(tool.to_owned())),
        }
    }

    fn command(inside: &str) -> Result<Self, PatternError> {
        let (line, more) = match inside.strip_suffix(":*").or_else(|| inside.strip_suffix(" *")) {
            Some(line) => (line, true),
            None => (inside, false),
        };
        let several = || PatternError::Command(inside.to_owned());
        let Script { commands, plain: true } = shell::read(line) else { return Err(several()) };
        let [words] = &commands[..] else { return Err(several()) };
        let words = words.iter().cloned().collect::<Option<Vec<String>>>().ok_or_else(several)?;
        Ok(Self::Command { words, more })
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
