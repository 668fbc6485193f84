//! All that can be known of a running agent at one moment, and how a failed test shows it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use coop_terminal::pty::ExitStatus;
use coop_terminal::{ProgramStatus, Signal};

use crate::Agent;
use crate::hooks::HookLine;
use crate::model::{Event, What};
use crate::terminal::Terminal;

/// Enough of the raw output to see the last thing a program drew.
const TAIL: usize = 600;
/// Enough of each file that an agent wrote itself.
const OWN_LINES: usize = 12;

#[derive(Clone, Debug)]
pub struct Sight {
    /// The lines of the screen.
    pub screen: String,
    /// All titles (OSC 0 and 2) so far.
    pub titles: Vec<String>,
    /// All reports of OSC 7501 so far.
    pub statuses: Vec<ProgramStatus>,
    pub exit: Option<ExitStatus>,
    pub hooks: Vec<HookLine>,
    pub model: Vec<Event>,
    tail: String,
}

impl Sight {
    pub(crate) fn of(terminal: &Terminal, agent: &Agent) -> Self {
        let (hooks, model) = (agent.hook_lines(), agent.model.events());
        let state = terminal.state();
        let signals = state.signals.iter().map(|(_, signal)| signal.clone());
        let (mut titles, mut statuses) = (Vec::new(), Vec::new());
        for signal in signals {
            match signal {
                Signal::Title(title) => titles.push(title),
                Signal::ProgramStatus(status) => statuses.push(status),
                _ => {}
            }
        }
        let tail = state.raw[state.raw.len().saturating_sub(TAIL)..].escape_ascii().to_string();
        Self { screen: state.screen.text(0).join("\n"), titles, statuses, exit: state.exit, hooks, model, tail }
    }

    /// The title now.
    #[must_use]
    pub fn title(&self) -> &str {
        self.titles.last().map_or("", |title| title.trim())
    }

    /// The names of the hooks so far, in order.
    #[must_use]
    pub fn hook_names(&self) -> Vec<&str> {
        self.hooks.iter().map(|line| line.event.as_str()).collect()
    }

    /// The states of OSC 7501 so far, in order, with the kind where there is one: `blocked/permission`.
    #[must_use]
    pub fn states(&self) -> Vec<String> {
        let name = |status: &ProgramStatus| match &status.kind {
            Some(kind) => format!("{}/{kind}", status.state),
            None => status.state.clone(),
        };
        self.statuses.iter().map(name).collect()
    }

    /// How often the agent has taken this message, by its hook or by the model.
    pub(crate) fn prompts(&self, text: &str) -> usize {
        prompts(&self.hooks, &self.model, text)
    }

    /// A request that the script has no reply to.
    pub(crate) fn unexpected(&self) -> Option<String> {
        unexpected(&self.model)
    }
}

pub(crate) fn prompts(hooks: &[HookLine], model: &[Event], text: &str) -> usize {
    let hooked = hooks.iter().filter(|line| line.payload["prompt"] == text);
    let asked = model.iter().filter(
        |event| matches!(&event.what, What::Request { user, results, .. } if user.contains(text) && results.is_empty()),
    );
    hooked.count().max(asked.count())
}

pub(crate) fn unexpected(model: &[Event]) -> Option<String> {
    model.iter().find(|event| matches!(event.what, What::Unexpected { .. })).map(ToString::to_string)
}

pub(crate) fn hook_rows(hooks: &[HookLine]) -> Vec<String> {
    hooks.iter().map(|line| format!("{} {}", line.event, short(&line.payload.to_string()))).collect()
}

pub(crate) fn model_rows(model: &[Event]) -> Vec<String> {
    model.iter().map(|event| short(&event.to_string())).collect()
}

/// The ends of the files with lines of JSON below an agent's home: what it wrote about its conversations itself.
pub(crate) fn own_rows(home: &Path) -> Vec<String> {
    let mut folders = vec![home.to_owned()];
    let mut rows = Vec::new();
    while let Some(folder) = folders.pop() {
        let paths: Vec<PathBuf> = fs::read_dir(&folder).into_iter().flatten().flatten().map(|it| it.path()).collect();
        for path in paths {
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                let text = fs::read_to_string(&path).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let name = path.strip_prefix(home).unwrap_or(&path).display();
                rows.push(format!("{name}, {} lines", lines.len()));
                rows.extend(lines[lines.len().saturating_sub(OWN_LINES)..].iter().map(|line| short(line)));
            }
        }
    }
    rows
}

impl fmt::Display for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sections = [
            ("screen", self.screen.trim_end().to_owned()),
            ("title", self.title().to_owned()),
            ("program status", self.states().join(" ")),
            ("last bytes", self.tail.clone()),
            ("hooks", hook_rows(&self.hooks).join("\n")),
            ("model", model_rows(&self.model).join("\n")),
            ("exit", format!("{:?}", self.exit)),
        ];
        sections.iter().try_for_each(|(name, text)| writeln!(f, "--- {name}\n{text}"))
    }
}

/// A line that can be read among others.
fn short(text: &str) -> String {
    text.chars().take(400).collect()
}
