//! What is a table about an agent: `agents/<name>.toml`.

use coop_core::agent::prompt::PromptContext;
use coop_core::agent::resolve::Settings;
use coop_core::agent::{Choice, Meaning};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub(crate) paths: Paths,
    pub(crate) timings: Timings,
    #[serde(default)]
    pub(crate) judge: Judge,
    /// Tools by what the agent calls them to people. What is not here says nothing of which tool it is.
    #[serde(default)]
    pub(crate) names: BTreeMap<String, String>,
    pub(crate) keys: Keys,
    #[serde(default)]
    pub(crate) arguments: Arguments,
    pub(crate) screen: Phrases,
    #[serde(default)]
    pub(crate) hooks: HookForms,
    #[serde(rename = "event")]
    pub(crate) events: Vec<Event>,
    /// Tried in this order.
    #[serde(rename = "dialog")]
    pub(crate) dialogs: Vec<DialogRule>,
    /// Tried in this order.
    #[serde(rename = "option")]
    pub(crate) options: Vec<OptionRule>,
    pub(crate) fallback: Fallback,
    /// The most tokens that a model can hold, by the beginnings of the models' names: where the agent's own program has such
    /// a table, and its log does not say.
    #[serde(default)]
    pub(crate) windows: BTreeMap<String, u64>,
}

/// Where the agent keeps its files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paths {
    /// The variable that names the folder of all of it.
    pub config_variable: String,
    /// Whether the variable names what stands for the home folder, and that folder is below it too.
    #[serde(default)]
    pub config_below: bool,
    /// That folder, below the home folder, where the variable is not set.
    pub config: String,
    /// Below it: the user's settings, for an agent that takes them from nowhere else.
    #[serde(default)]
    pub settings: Option<String>,
    /// Below it: one file for each running session, `<pid>.json`. Not every agent has such files.
    #[serde(default)]
    pub registry: Option<String>,
    /// Below it: the logs of conversations.
    pub logs: String,
    /// So many folders are between it and a log: one for each working folder, or year, month and day.
    pub log_depth: usize,
    /// A file in the first of them that names the working folder, if there is one.
    #[serde(default)]
    pub folder_marker: Option<String>,
    /// How a log's name ends.
    pub log_extension: String,
}

/// How far what an agent says can be relied on.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Judge {
    pub(crate) report_delay_ms: u64,
    pub(crate) plan_at_rest: bool,
    pub(crate) asks_in_turn: bool,
    pub(crate) asks_amid_work: bool,
    pub(crate) starts_at_rest: bool,
    pub(crate) starts_busy: bool,
    pub(crate) own_dialogs: Vec<String>,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            report_delay_ms: 0,
            plan_at_rest: false,
            asks_in_turn: false,
            asks_amid_work: false,
            starts_at_rest: true,
            starts_busy: false,
            own_dialogs: Vec::new(),
        }
    }
}

impl Judge {
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            report_delay: Duration::from_millis(self.report_delay_ms),
            plan_at_rest: self.plan_at_rest,
            asks_in_turn: self.asks_in_turn,
            asks_amid_work: self.asks_amid_work,
            starts_at_rest: self.starts_at_rest,
            starts_busy: self.starts_busy,
            own_dialogs: self.own_dialogs.clone(),
            ..Settings::default()
        }
    }
}

/// How long to wait for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timings {
    /// A key that has changed nothing on the screen for this long was lost.
    key_retry_ms: u64,
    /// A dialog that has just been painted takes no keys for this long.
    dialog_settle_ms: u64,
    /// Between a text that was typed without bracketed paste and its Enter.
    enter_delay_ms: u64,
    /// How late the registry is at most.
    registry_delay_ms: u64,
    /// How late the notification of a prompt comes.
    notification_delay_ms: u64,
    /// A hook that waits for nobody is given up after this.
    hook_timeout_secs: u64,
    /// A dialog of the agent's start takes no keys for this long after it was painted.
    #[serde(default)]
    start_settle_ms: u64,
    /// Between a paste and its Enter; without it they are one.
    #[serde(default)]
    paste_delay_ms: u64,
}

impl Timings {
    /// Of an agent that is typed into and looked at, and that has no hooks and no files.
    pub(crate) fn seen_only(key_retry_ms: u64, dialog_settle_ms: u64, submit_delay_ms: u64) -> Self {
        Self {
            key_retry_ms,
            dialog_settle_ms,
            enter_delay_ms: submit_delay_ms,
            registry_delay_ms: 0,
            notification_delay_ms: 0,
            hook_timeout_secs: 0,
            start_settle_ms: 0,
            paste_delay_ms: submit_delay_ms,
        }
    }

    #[must_use]
    pub fn key_retry(&self) -> Duration {
        Duration::from_millis(self.key_retry_ms)
    }

    #[must_use]
    pub fn dialog_settle(&self) -> Duration {
        Duration::from_millis(self.dialog_settle_ms)
    }

    #[must_use]
    pub fn start_settle(&self) -> Duration {
        Duration::from_millis(self.start_settle_ms)
    }

    #[must_use]
    pub fn paste_delay(&self) -> Duration {
        Duration::from_millis(self.paste_delay_ms)
    }

    #[must_use]
    pub fn enter_delay(&self) -> Duration {
        Duration::from_millis(self.enter_delay_ms)
    }

    #[must_use]
    pub fn registry_delay(&self) -> Duration {
        Duration::from_millis(self.registry_delay_ms)
    }

    #[must_use]
    pub fn hook_timeout(&self) -> Duration {
        Duration::from_secs(self.hook_timeout_secs)
    }

    #[must_use]
    pub fn notification_delay(&self) -> Duration {
        Duration::from_millis(self.notification_delay_ms)
    }
}

/// Arguments of the command line that are not a name and one value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Those without a value.
    pub(crate) switches: Vec<String>,
    /// Those that take all values that follow.
    pub(crate) lists: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keys {
    pub(crate) interrupt: Vec<String>,
    pub(crate) confirm: String,
    pub(crate) cancel: String,
    pub(crate) up: String,
    pub(crate) down: String,
    pub(crate) next_tab: String,
    /// Opens a line for words on the option the pointer is on.
    pub(crate) amend: String,
}

/// Phrases outside dialogs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Phrases {
    /// Of the footer below the input box, while it works.
    pub(crate) working_footer: Vec<String>,
    /// First characters of the line with the spinner.
    pub(crate) spinner: String,
    /// Of that line: what makes it one.
    pub(crate) spinner_phrases: Vec<String>,
    /// First characters of the title.
    pub(crate) title_idle: String,
    pub(crate) title_working: String,
    pub(crate) interrupted: Vec<String>,
    /// First characters of the input box.
    pub(crate) input: String,
    /// What an empty input box may show where it is not painted faint.
    #[serde(default)]
    pub(crate) placeholder: Vec<String>,
    /// Of the title, while something is asked.
    #[serde(default)]
    pub(crate) title_asks: Vec<String>,
    /// Of the line that names the mode, where it is not the usual one.
    #[serde(default)]
    pub(crate) modes: Vec<String>,
    /// What points at an option.
    pub(crate) pointer: String,
    /// What describes an option stands beside it.
    #[serde(default)]
    pub(crate) columns: bool,
}

/// A hook event, and since which version it is known. An older version drops a settings file that names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) since: Option<String>,
    /// Its hook may wait for a person.
    #[serde(default)]
    pub(crate) waits: bool,
    /// The agent need not wait for its hook.
    #[serde(default)]
    pub(crate) background: bool,
    /// The tools it is installed for, in the agent's own words; all where it is empty.
    #[serde(default)]
    pub(crate) matcher: String,
}

/// What hooks of the agent can be, and where they are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct HookForms {
    /// Below the agent's folder: the file that has the user's hooks.
    pub(crate) file: Option<String>,
    /// What it counts a timeout in, if not in seconds.
    pub(crate) timeout_in_ms: bool,
    /// How long a hook may wait for an answer, where the dialog is not shown meanwhile.
    pub(crate) wait_secs: Option<u64>,
    /// The same for the hook of a subagent, whose dialog comes after it.
    pub(crate) subagent_wait_secs: Option<u64>,
    /// The versions from which on a hook can be more than a command that is waited for. Missing where it never can.
    pub(crate) direct_since: Option<String>,
    pub(crate) background_since: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Permission,
    Plan,
    Question,
    Setup,
}

/// How one dialog is known. Every list that is not empty has to agree with the dialog.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogRule {
    pub(crate) rule: String,
    pub(crate) kind: Kind,
    #[serde(default)]
    pub(crate) subtype: Option<String>,
    #[serde(default)]
    pub(crate) tool: Option<String>,
    /// The first line begins with one of these.
    #[serde(default)]
    pub(crate) title: Vec<String>,
    /// The lines right above the options have one of these.
    #[serde(default)]
    pub(crate) ask: Vec<String>,
    /// The lines below the options have one of these.
    #[serde(default)]
    pub(crate) foot: Vec<String>,
    /// The dialog has all of these, one of these, none of these.
    #[serde(default)]
    pub(crate) all: Vec<String>,
    #[serde(default)]
    pub(crate) any: Vec<String>,
    #[serde(default)]
    pub(crate) none: Vec<String>,
    /// Rules of the full width that the dialog itself contains.
    #[serde(default)]
    pub(crate) inner_rules: usize,
    /// It has no rule above it: the whole screen is the dialog.
    #[serde(default)]
    pub(crate) bare: bool,
    /// The answers are given, and only the confirmation is left.
    #[serde(default)]
    pub(crate) review: bool,
    /// Words are typed, nothing is chosen.
    #[serde(default)]
    pub(crate) text: bool,
    /// Nothing is chosen: a key goes on.
    #[serde(default)]
    pub(crate) notice: bool,
    /// A digit only moves the pointer, or does nothing at all; Enter chooses.
    #[serde(default)]
    pub(crate) by_enter: bool,
    /// What dismisses it safely.
    #[serde(default)]
    pub(crate) groom: Option<Groom>,
    /// Screens it was taken from, in `crates/drivers/testdata/<agent>`; a test looks at them.
    #[allow(dead_code, reason = "read by a test, from the file itself")]
    pub(crate) captures: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Groom {
    /// The option with this beginning is chosen.
    #[serde(default)]
    pub(crate) option: Option<String>,
    /// These keys are pressed.
    #[serde(default)]
    pub(crate) keys: Vec<String>,
    /// Only in a folder that the user named.
    #[serde(default)]
    pub(crate) trusted_cwd: bool,
}

/// What an option does, by its words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionRule {
    pub(crate) kind: Vec<Kind>,
    /// It is this, or begins with this, or has all of these.
    #[serde(default)]
    pub(crate) is: Option<String>,
    #[serde(default)]
    pub(crate) starts: Option<String>,
    #[serde(default)]
    pub(crate) has: Vec<String>,
    pub(crate) meaning: Meaning,
    /// Known from the words of the program only: no captured screen has such an option.
    #[serde(default)]
    #[expect(dead_code, reason = "read by a test, from the file itself")]
    pub(crate) unverified: bool,
}

impl OptionRule {
    pub(crate) fn fits(&self, kind: Kind, label: &str) -> bool {
        self.kind.contains(&kind)
            && self.is.as_deref().is_none_or(|is| label == is)
            && self.starts.as_deref().is_none_or(|starts| label.starts_with(starts))
            && self.has.iter().all(|part| label.contains(part.as_str()))
    }
}

/// What a dialog usually offers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fallback {
    pub(crate) permission: Vec<String>,
    pub(crate) plan: Vec<String>,
    /// What a question offers after its own options.
    pub(crate) question: Vec<String>,
    pub(crate) trust: Vec<String>,
}

impl Table {
    /// What such a dialog usually offers.
    pub(crate) fn usual_options(&self, context: &PromptContext) -> Vec<Choice> {
        let (kind, labels) = match context {
            PromptContext::Permission(permission) if permission.subtype.as_deref() == Some("trust") => {
                (Kind::Permission, &self.fallback.trust)
            }
            PromptContext::Permission(_) => (Kind::Permission, &self.fallback.permission),
            PromptContext::Plan(_) => (Kind::Plan, &self.fallback.plan),
            PromptContext::Question(_) | PromptContext::Setup(_) => return context.options().to_vec(),
        };
        labels.iter().map(|label| self.choice(kind, label)).collect()
    }

    pub(crate) fn choice(&self, kind: Kind, label: &str) -> Choice {
        Choice { label: label.to_owned(), description: None, meaning: self.meaning(kind, label) }
    }

    pub(crate) fn meaning(&self, kind: Kind, label: &str) -> Meaning {
        self.options.iter().find(|rule| rule.fits(kind, label)).map_or(Meaning::Answer, |rule| rule.meaning)
    }
}
