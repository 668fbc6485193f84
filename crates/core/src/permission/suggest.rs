//! Patterns to remember when a person answers for longer than once.
//!
//! A suggestion covers what the person was shown and no more: this command, this file, this input. It never covers
//! settings, hooks, folders whose name begins with a dot, or commands that run others: what they do is decided elsewhere
//! than in the text that was shown.

use serde_json::Value;

use super::pattern::{ADDRESSES, COMMANDS, FILES, POWERSHELL, Pattern, Use};
use super::places::{self, Path};
use super::programs::{self, Kind};
use super::shell::{self, Script};
use super::word;

/// Maximum length of a pattern, in bytes. A person reads no longer one in the list of rules.
const MAX_LEN: usize = 2000;

/// Commands that only report, whatever their arguments: the suggestion leaves the arguments open.
const REPORTS: &[(&[&str], &str)] = &[
    (&["ls"], "lists names of files"),
    (&["pwd"], "prints the folder"),
    (&["whoami"], "prints the account"),
    (&["id"], "prints accounts"),
    (&["uname"], "prints the system"),
    (&["nproc"], "counts processors"),
    (&["df"], "measures file systems"),
    (&["which"], "finds programs"),
    (&["git", "status"], "lists changed files"),
];

/// Commands without a suggestion, by the words they begin with.
const NEVER: &[(&[&str], &str)] = &[
    (&["coop"], "controls coop itself: rules, devices, other sessions"),
    (&["git", "-c"], "sets programs that git runs"),
    (&["git", "--config-env"], "sets programs that git runs"),
    (&["git", "--exec-path"], "sets programs that git runs"),
    (&["git", "alias"], "runs what is configured"),
    (&["git", "bisect"], "runs a command on each commit"),
    (&["git", "config"], "sets hooks, aliases and programs that git runs"),
    (&["git", "difftool"], "runs what is configured"),
    (&["git", "filter-branch"], "runs commands on each commit"),
    (&["git", "hook"], "runs hooks"),
    (&["git", "mergetool"], "runs what is configured"),
    (&["git", "push"], "publishes commits that were not shown"),
    (&["git", "rebase"], "runs commands on each commit"),
    (&["git", "submodule"], "runs commands in each submodule"),
    (&["chmod"], "makes files programs"),
    (&["chown"], "changes who may write"),
    (&["ln"], "makes one path stand for another"),
    (&["mount"], "makes one path stand for another"),
    (&["gh", "alias"], "runs what is configured"),
    (&["gh", "extension"], "installs programs"),
    (&["cargo", "--config"], "sets programs that cargo runs"),
    (&["cargo", "run"], "runs the program of the project"),
    (&["cargo", "install"], "installs programs"),
    (&["go", "run"], "runs a program"),
    (&["go", "generate"], "runs commands of the project"),
    (&["dotnet", "run"], "runs a program"),
    (&["gradle"], "runs tasks of the project"),
    (&["mvn"], "runs plugins of the project"),
    (&["composer"], "runs scripts of the project"),
    (&["pip"], "runs scripts of packages"),
    (&["pip3"], "runs scripts of packages"),
    (&["apt"], "installs programs"),
    (&["apt-get"], "installs programs"),
    (&["brew"], "installs programs"),
];

/// Programs that carry a command in their arguments, or take one from a file of the project.
const CARRIERS_WITHOUT_SUGGESTION: &[&str] = &["cargo", "git", "sort", "split", "helm", "systemctl"];

/// Names of files that decide what other programs do.
const SETTINGS: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "config.toml",
    "config.json",
    "config.yaml",
    "config.yml",
    "package.json",
    "makefile",
    "gnumakefile",
    "justfile",
    "dockerfile",
    "build.rs",
    "conftest.py",
    "setup.py",
    "pyproject.toml",
    "cargo.toml",
    "claude.md",
    "claude.local.md",
    "agents.md",
    "gemini.md",
    "authorized_keys",
    "crontab",
    "hooks.json",
    "mcp.json",
    "tsconfig.json",
    "build.gradle",
    "pom.xml",
    "vagrantfile",
    "procfile",
    "tasks.json",
    "launch.json",
];
/// Folders whose files decide what other programs do.
const FOLDERS: &[&str] = &["hooks", "systemd", "launchagents", "launchdaemons", "autostart", "cron.d"];
/// The same at the root.
const SYSTEM: &[&str] =
    &["etc", "proc", "sys", "dev", "boot", "usr", "bin", "sbin", "lib", "lib64", "opt", "library", "system"];
/// Hidden folders that hold settings or keys. A project may be in another hidden folder.
#[rustfmt::skip]
const HIDDEN: &[&str] = &[
    ".agents", ".aws", ".azure", ".cargo", ".claude", ".codex", ".config", ".coop", ".cursor", ".docker", ".gemini", ".git", ".github",
    ".gnupg", ".husky", ".kube", ".local", ".npm", ".opencode", ".ssh", ".vscode",
];

/// Returns the pattern that covers exactly what a person was shown, if one may be remembered.
pub(super) fn suggest(wanted: &Use<'_>) -> Option<Pattern> {
    let tool = wanted.tool;
    let text = if wanted.is_one_of(&COMMANDS) {
        command(wanted, wanted.find(&COMMANDS)?)?
    } else if wanted.is_one_of(&FILES) {
        let path = Path::read(wanted.find(&FILES)?, wanted.cwd);
        let path = path.strict().filter(|path| !decides_what_runs(path, wanted.cwd))?;
        format!("{tool}({})", globset::escape(path))
    } else if wanted.is_one_of(&ADDRESSES) {
        let host = places::host(wanted.find(&ADDRESSES)?).filter(|host| is_public(host))?;
        format!("{tool}(domain:{host})")
    } else {
        let input = Some(wanted.input).filter(|input| matches!(input, Value::Object(_)))?;
        format!("{tool}({input})")
    };
    let fine = text.len() <= MAX_LEN && !text.contains(|c: char| c.is_control());
    let pattern: Pattern = fine.then(|| text.parse().ok()).flatten()?;
    pattern.covers(wanted).then_some(pattern)
}

fn command(wanted: &Use<'_>, command: &str) -> Option<String> {
    let tool = wanted.tool;
    if tool == POWERSHELL {
        return Some(format!("{tool}({command})"));
    }
    let Script { commands, plain: true, evaluates: false } = shell::read(command) else { return None };
    let [words] = &commands[..] else { return None };
    let begins = |start: &[&str]| {
        start.iter().zip(words).all(|(start, word)| Some(*start) == word.as_deref()) && words.len() >= start.len()
    };
    if let Some((start, _)) = REPORTS.iter().find(|(start, _)| begins(start)) {
        return Some(format!("{tool}({}:*)", start.join(" ")));
    }
    let words: Option<Vec<&str>> = words.iter().map(Option::as_deref).collect();
    let words = words?;
    why_not(&words, wanted.cwd).is_none().then(|| quote(&words)).flatten().map(|line| format!("{tool}({line})"))
}

/// Returns why a command is not suggested, not even exactly as it is.
fn why_not(words: &[&str], cwd: &str) -> Option<&'static str> {
    let name = words.first()?;
    if name.contains('/') {
        return Some("is a file that may change");
    }
    if let Some((_, why)) = NEVER.iter().find(|(start, _)| words.starts_with(start)) {
        return Some(why);
    }
    let program = word::program(name);
    let arguments = || words[1..].iter().map(|word| (*word).to_owned());
    match programs::kind(&program) {
        None | Some(Kind::Calculates) => {}
        Some(Kind::Carries) if CARRIERS_WITHOUT_SUGGESTION.contains(&program.as_str()) => {
            let options = arguments().filter(|word| word.starts_with('-'));
            if programs::carries(&program, options).is_some() {
                return Some("runs the command in its arguments");
            }
        }
        Some(Kind::Carries) => return Some("runs commands of its arguments or of the project"),
        Some(_) => return Some("runs other programs"),
    }
    let values = words[1..].iter().map(|word| word.rsplit('=').next().unwrap_or(word));
    values.into_iter().any(|path| decides_what_runs(path, cwd)).then_some("changes settings, hooks or a hidden folder")
}

/// Whether a file is of those that settings, hooks or programs are in.
fn decides_what_runs(path: &str, cwd: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_hidden = |part: &str| part.starts_with('.') && !matches!(part, "." | "..");
    // The folder of the project was shown with the prompt; only known places of settings count in its own path.
    let project = cwd.trim_end_matches('/').to_lowercase();
    let (above, below) = match lower.strip_prefix(&project) {
        Some(rest) if !project.is_empty() && rest.starts_with('/') => (project.as_str(), rest),
        _ => ("", lower.as_str()),
    };
    let first = if lower.starts_with('/') { lower.split('/').nth(1) } else { None };
    SETTINGS.contains(&name)
        || first.is_some_and(|first| SYSTEM.contains(&first))
        || lower.split('/').any(|part| FOLDERS.contains(&part))
        || above.split('/').any(|part| HIDDEN.contains(&part))
        || below.split('/').any(is_hidden)
}

/// Whether a host has a name, and is not of this machine.
fn is_public(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    host.contains('.')
        && last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !matches!(last, "localhost" | "local" | "internal")
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
