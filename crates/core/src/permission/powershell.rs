//! Commands of PowerShell. They are not read: a rule that denies one looks for its name, and for ways to hide it.

use super::runs::{mentions, shortened};

/// Names that mean the same command.
const ALIASES: &[&[&str]] = &[
    &["remove-item", "rm", "del", "ri", "rd", "rmdir", "erase"],
    &["copy-item", "cp", "copy", "cpi"],
    &["move-item", "mv", "move", "mi"],
    &["get-content", "cat", "gc", "type"],
    &["get-childitem", "ls", "dir", "gci"],
    &["set-content", "sc"],
    &["invoke-webrequest", "curl", "wget", "iwr"],
    &["invoke-restmethod", "irm"],
    &["stop-process", "kill", "spps"],
    &["start-process", "start", "saps"],
];
/// What runs text, or a command whose name is only known when it runs.
const HIDES: &[&str] = &[
    "iex",
    "invoke-expression",
    "invoke-command",
    "icm",
    "&",
    "-encodedcommand",
    "-enc",
    "-ec",
    "frombase64string",
    "[char]",
    "scriptblock",
    ".invoke",
    "add-type",
    "start-job",
    "-join",
    "-replace",
    "-f",
    "cmd",
    "pwsh",
    "powershell",
    "bash",
    "sh",
    "wsl",
    "set-alias",
    "new-alias",
    "sal",
    "nal",
    "reflection",
    "invoke-wmimethod",
    "invoke-cimmethod",
    "[convert]",
    "start-threadjob",
    "foreach-object",
    "%",
    "where-object",
    "?",
    ". ",
    "$(",
];

/// The part of a text that is, or may be, the command that `wanted` begins with.
pub(super) fn may_run(text: &str, wanted: &str) -> Option<String> {
    // A backtick and quotes are left out of a name.
    let plain = text.to_lowercase().replace(['`', '\'', '"', '^'], "");
    let name = wanted.split_whitespace().next().unwrap_or(wanted).to_lowercase();
    let group = ALIASES.iter().find(|names| names.contains(&name.as_str()));
    let named = mentions(&plain, &name) || group.is_some_and(|names| names.iter().any(|name| mentions(&plain, name)));
    let hides = |sign: &&&str| match sign.starts_with('-') || sign.chars().all(|c| c.is_alphabetic() || c == '-') {
        true => mentions(&plain, sign),
        false => plain.contains(**sign),
    };
    // A variable where a command begins.
    let first = plain
        .split([';', '|', '\n', '{', '('])
        .any(|command| command.trim_start().starts_with('$') && !command.contains('='));
    (named || first || HIDES.iter().any(|sign| hides(&sign))).then(|| shortened(text))
}
