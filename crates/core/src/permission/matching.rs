//! How far patterns match what an agent wants to do: for certain, possibly, or not at all.
//!
//! [`matches`] is the one place that decides. A rule that allows needs [`Match::Certain`]; rules that deny or ask need at
//! least [`Match::Possible`]. So both fail closed: input that cannot be read is never allowed, and always denied.

use std::cell::OnceCell;

use serde_json::Value;

use super::pattern::{ADDRESSES, COMMANDS, FILES, POWERSHELL, Pattern, Use, What};
use super::places::{self, Path};
use super::powershell;
use super::runs::{self, Runs, shortened};
use super::shell::{self, Script};

/// How far patterns match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The use certainly does nothing that the patterns name.
    No,
    /// A part of the use is, or may be, what the patterns name.
    Possible,
    /// The use was read completely, and the patterns name all of it.
    Certain,
}

impl Match {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Possible => "possible",
            Self::Certain => "certain",
        }
    }
}

/// How far patterns match, and the part of the use that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    pub certainty: Match,
    pub part: Option<String>,
}

impl Matched {
    fn no() -> Self {
        Self { certainty: Match::No, part: None }
    }

    fn certain(part: &str) -> Self {
        Self { certainty: Match::Certain, part: Some(shortened(part)) }
    }

    fn possible(part: String) -> Self {
        Self { certainty: Match::Possible, part: Some(part) }
    }
}

/// Keys that other agents and other versions have commands under.
const COMMAND_KEYS: [&str; 9] = ["command", "cmd", "script", "argv", "args", "commands", "code", "input", "cmdline"];
/// Keys beside a command that say how long it may take, how its output is read and why it is asked for.
const INERT_KEYS: [&str; 13] = [
    "description",
    "justification",
    "reason",
    "timeout",
    "timeout_ms",
    "yield_time_ms",
    "max_output_tokens",
    "run_in_background",
    "is_background",
    // The sandbox of Codex: a permission is asked for because the command is to run outside of it.
    "sandbox_permissions",
    "prefix_rule",
    "shell_id",
    "tty",
];
/// Keys of the folder that a command runs in.
const FOLDER_KEYS: [&str; 4] = ["workdir", "cwd", "dir_path", "directory"];
/// Keys of tools for commands whose values are never run.
const PROSE_KEYS: [&str; 9] = [
    "description",
    "justification",
    "reason",
    "workdir",
    "cwd",
    "dir_path",
    "timeout",
    "sandbox_permissions",
    "shell_id",
];

/// A use, read once for all patterns.
#[derive(Debug)]
pub struct Reading<'a> {
    wanted: &'a Use<'a>,
    script: OnceCell<Script>,
    runs: OnceCell<Runs>,
}

impl<'a> Reading<'a> {
    #[must_use]
    pub fn new(wanted: &'a Use<'a>) -> Self {
        Self { wanted, script: OnceCell::new(), runs: OnceCell::new() }
    }

    /// The command as far as it is certain. Nothing where another field of the input decides what runs as well.
    fn script(&self) -> Option<(&str, &Script)> {
        let command = self.wanted.find(&COMMANDS)?;
        let fields = self.wanted.input.as_object()?;
        let commands = fields.keys().filter(|key| COMMAND_KEYS.contains(&key.as_str())).count();
        let others = fields.iter().filter(|(key, _)| !COMMAND_KEYS.contains(&key.as_str()));
        let certain = commands == 1 && others.into_iter().all(|(key, value)| self.is_inert(key, value));
        certain.then(|| (command, self.script.get_or_init(|| shell::read(command))))
    }

    /// Whether a field beside the command changes nothing about what runs.
    fn is_inert(&self, key: &str, value: &Value) -> bool {
        let is_here = |folder: &str| {
            let rest = folder.strip_prefix(self.wanted.cwd.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || (rest.starts_with('/') && !rest.contains("..")))
        };
        match value {
            Value::Null | Value::Bool(false) => true,
            Value::String(folder) if FOLDER_KEYS.contains(&key) => is_here(folder),
            _ => INERT_KEYS.contains(&key),
        }
    }

    /// Everything that the command may run.
    fn runs(&self) -> &Runs {
        self.runs.get_or_init(|| {
            let mut runs = Runs::default();
            let input = self.wanted.input;
            let known = self.wanted.find(&COMMANDS).is_some();
            match input {
                Value::Object(fields) => {
                    let is_command = |key: &str| match known {
                        true => COMMAND_KEYS.contains(&key),
                        false => !PROSE_KEYS.contains(&key),
                    };
                    for (key, value) in fields.iter().filter(|(key, _)| is_command(key)) {
                        if COMMAND_KEYS.contains(&key.as_str()) || !(value.is_number() || value.is_boolean()) {
                            add_runs(&mut runs, value);
                        }
                    }
                }
                other => add_runs(&mut runs, other),
            }
            runs
        })
    }
}

/// Adds what a value of the input may run: a text is a script, a list of texts is a command or several scripts.
fn add_runs(runs: &mut Runs, value: &Value) {
    match value {
        Value::String(text) => runs.merge(runs::of_text(text)),
        Value::Array(items) => {
            let words: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
            match words {
                Some(words) => {
                    runs.merge(runs::of_words(&words));
                    // Each of them may be a script as well.
                    words.iter().filter(|word| word.contains(' ')).for_each(|word| runs.merge(runs::of_text(word)));
                }
                None => items.iter().for_each(|item| add_runs(runs, item)),
            }
        }
        Value::Object(fields) => fields.values().for_each(|value| add_runs(runs, value)),
        Value::Number(_) | Value::Bool(true) => runs.merge(Runs::unread("the command is not a text")),
        Value::Null | Value::Bool(false) => {}
    }
}

/// Returns how far patterns together match a use: a list of commands may be covered by several.
pub fn matches<'p>(patterns: impl Iterator<Item = &'p Pattern> + Clone, reading: &Reading<'_>) -> Matched {
    let wanted = reading.wanted;
    let mut fit = patterns.filter(|pattern| pattern.is_for(wanted.tool));
    if fit.clone().any(|pattern| matches!(pattern.what, What::Everything)) {
        return Matched::certain(wanted.tool);
    }
    if wanted.is_one_of(&COMMANDS) && wanted.tool != POWERSHELL {
        if let Some((command, script)) = reading.script()
            && covered(script, &fit)
        {
            return Matched::certain(command);
        }
        let part = fit.find_map(|pattern| match &pattern.what {
            What::Command { words, more } => reading.runs().may_be(words, *more),
            _ => None,
        });
        return part.map_or_else(Matched::no, Matched::possible);
    }
    fit.map(|pattern| one(&pattern.what, wanted)).max_by_key(|matched| matched.certainty).unwrap_or_else(Matched::no)
}

/// Whether each command of a script that was read completely is one of the patterns.
fn covered<'p>(script: &Script, patterns: &(impl Iterator<Item = &'p Pattern> + Clone)) -> bool {
    let Script { commands, plain, evaluates } = script;
    let names = |words: &[Option<String>]| {
        patterns.clone().any(|pattern| match &pattern.what {
            What::Command { words: wanted, more } => {
                let mut words = words.iter().map(Option::as_deref);
                wanted.iter().all(|wanted| words.next().flatten() == Some(wanted)) && (*more || words.next().is_none())
            }
            _ => false,
        })
    };
    *plain && !evaluates && commands.iter().all(|words| names(words))
}

/// How far one pattern matches a use that is not a command of a Bourne shell.
fn one(what: &What, wanted: &Use<'_>) -> Matched {
    match what {
        What::Everything => Matched::certain(wanted.tool),
        What::Command { .. } => Matched::no(),
        What::Text { text, more } => powershell_match(text, *more, wanted),
        What::Name(glob) => {
            file(wanted, |path| glob.exact.is_match(path.name()), |path| path.may_be_named(&glob.loose))
        }
        What::Path(glob) => file(wanted, |path| path.is(&glob.exact), |path| path.may_be(&glob.loose, &glob.text)),
        What::Domain(domain) => address(domain, wanted),
        What::Input(input) if input == wanted.input => Matched::certain(&input.to_string()),
        What::Input(_) => Matched::no(),
    }
}

fn powershell_match(text: &str, more: bool, wanted: &Use<'_>) -> Matched {
    let mut texts = Vec::new();
    places::texts(wanted.input, &PROSE_KEYS, &mut texts);
    if !more && texts.len() == 1 && wanted.find(&COMMANDS) == Some(text) {
        return Matched::certain(text);
    }
    let possible = texts.iter().find_map(|command| powershell::may_run(command, text));
    possible.map_or_else(Matched::no, Matched::possible)
}

/// How far a pattern matches the files in the input, whatever keys their paths are under.
fn file(wanted: &Use<'_>, is: impl Fn(&Path) -> bool, may_be: impl Fn(&Path) -> bool) -> Matched {
    let mut texts = Vec::new();
    places::texts(wanted.input, &places::CONTENT_KEYS, &mut texts);
    let paths: Vec<(&str, Path)> = texts.iter().map(|text| (*text, Path::read(text, wanted.cwd))).collect();
    if let Some(path) = wanted.find(&FILES).map(|text| (text, Path::read(text, wanted.cwd)))
        && is(&path.1)
        && paths.iter().all(|(text, other)| *text == path.0 || !places::looks_like_path(text) || is(other))
    {
        return Matched::certain(path.0);
    }
    if let Some((text, _)) = paths.iter().find(|(_, path)| may_be(path)) {
        return Matched::possible(shortened(text));
    }
    match places::is_unreadable(wanted.input, &FILES) {
        true => Matched::possible("the path is not a text".into()),
        false => Matched::no(),
    }
}

fn address(domain: &str, wanted: &Use<'_>) -> Matched {
    if let Some(url) = wanted.find(&ADDRESSES)
        && places::host(url).is_some_and(|host| places::is_below(&host, domain))
        && !wanted.input.as_object().is_some_and(|fields| {
            let other =
                |(key, value): (&String, &Value)| key != "url" && value.as_str().is_some_and(|t| t.contains("://"));
            fields.iter().any(|field| other(field) && field.0 != "prompt")
        })
    {
        return Matched::certain(url);
    }
    let mut texts = Vec::new();
    places::texts(wanted.input, &[], &mut texts);
    match texts.iter().find(|text| places::may_be_below(text, domain)) {
        Some(text) => Matched::possible(shortened(text)),
        None if places::is_unreadable(wanted.input, &ADDRESSES) => {
            Matched::possible("the address is not a text".into())
        }
        None => Matched::no(),
    }
}
