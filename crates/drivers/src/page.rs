//! A page: an agent without a driver of its own, described completely enough in `agents/<name>.toml` to know by its
//! screen, its title and its process what it does, and to type into it. docs/agents.md describes the keys.

mod check;
mod driver;
mod explain;
mod patterns;
mod press;
mod prompt;
mod screen;
mod start;

use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use serde::Deserialize;

use crate::fault::Fault;
use crate::table::{Groom, Kind, OptionRule, Table};

use start::Start;

pub use explain::{Explained, Tried};
pub use patterns::ScreenPatterns;

/// The pages that are part of coop: the name of each, and its text.
static EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The pages that are part of coop: the name of each, and its text.
#[must_use]
pub fn embedded() -> &'static [(&'static str, &'static str)] {
    EMBEDDED
}

/// A page, read and checked.
#[derive(Clone, Debug)]
pub struct Page {
    spec: Spec,
    /// What drivers have in common is read from here.
    table: Table,
}

/// A page as it is written. Each key may be missing in a file that is merged over another.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Spec {
    name: String,
    title: String,
    /// Names of the programs that it is.
    commands: Vec<String>,
    verified: Verified,
    /// Arguments that make it print its version.
    version: Vec<String>,
    /// What points at an option of a dialog.
    pointer: String,
    /// Arguments it is not started with.
    start: Start,
    /// What tells its state beside the screen.
    evidence: Told,
    input: Input,
    timing: Timing,
    resume: Resume,
    #[serde(rename = "region")]
    regions: Vec<Region>,
    /// Tried in this order, after the dialogs.
    #[serde(rename = "state")]
    states: Vec<StateRule>,
    /// Tried in this order.
    #[serde(rename = "dialog")]
    dialogs: Vec<DialogPage>,
    /// Tried in this order.
    #[serde(rename = "option")]
    options: Vec<OptionRule>,
}

/// The version whose screens the rules were taken from, if any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct Verified(pub Option<String>);

impl TryFrom<toml::Value> for Verified {
    type Error = &'static str;

    fn try_from(value: toml::Value) -> Result<Self, Self::Error> {
        match value {
            toml::Value::String(version) if !version.trim().is_empty() => Ok(Self(Some(version))),
            toml::Value::Boolean(false) => Ok(Self(None)),
            _ => Err("it is the version that the rules were taken from, or false"),
        }
    }
}

/// What tells its state beside the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Told {
    /// Marks of its prompt on the terminal (OSC 133), where it sends them.
    marks: bool,
    /// It is at its prompt when its own process group is in the foreground of the terminal.
    foreground: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Paste {
    #[default]
    Bracketed,
    Typed,
}

/// How it is told something.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Input {
    paste: Paste,
    submit: String,
    /// Between a text and the key that submits it.
    submit_delay_ms: u64,
    interrupt: Vec<String>,
    /// The region that is its input box. Without one nobody knows what a person has half typed.
    #[serde(rename = "box")]
    place: Option<String>,
    /// First characters of the box.
    sign: String,
    /// What an empty box begins with.
    placeholder: Vec<String>,
    /// First characters of messages that it would run as a command.
    commands: String,
    /// Whether it takes messages while it works.
    while_working: bool,
    /// What is typed stands before the cursor until it is given.
    echo: bool,
}

impl Default for Input {
    fn default() -> Self {
        Self {
            paste: Paste::Bracketed,
            submit: "Enter".to_owned(),
            submit_delay_ms: 0,
            interrupt: Vec::new(),
            place: None,
            sign: String::new(),
            placeholder: Vec::new(),
            commands: String::new(),
            while_working: false,
            echo: false,
        }
    }
}

/// How long to wait for what.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Timing {
    /// How long it must look idle to be called idle.
    idle_ms: Option<u64>,
    /// A key that has changed nothing on the screen for this long was lost.
    key_retry_ms: u64,
    /// A dialog that has just been painted takes no keys for this long.
    dialog_settle_ms: u64,
}

impl Default for Timing {
    fn default() -> Self {
        Self { idle_ms: None, key_retry_ms: 900, dialog_settle_ms: 150 }
    }
}

/// Arguments that go on with a conversation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Resume {
    /// With `{id}` where its id goes.
    id: Vec<String>,
    latest: Vec<String>,
}

/// A part of the screen. What it says about where it begins and ends is applied in the order of the keys here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Region {
    name: String,
    /// From the last line that has this on.
    #[serde(default)]
    from: Option<String>,
    /// After the last line that has this.
    #[serde(default)]
    after: Option<String>,
    /// Up to the next line that has this.
    #[serde(default)]
    before: Option<String>,
    /// The last lines in a row that begin with this, whatever they are indented by.
    #[serde(default)]
    block: Option<String>,
    /// The last so many lines that are not empty.
    #[serde(default)]
    last: Option<usize>,
    /// Without this many lines at the end, of those that are not empty.
    #[serde(default)]
    but_last: usize,
    /// Characters of frames, which are taken from the beginning and the end of lines.
    #[serde(default)]
    frame: String,
    /// What stands behind so many blanks is beside it, and not part of it.
    #[serde(default)]
    gap: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shows {
    Working,
    Idle,
    Error,
    Starting,
}

/// How a state is known. Everything that the rule names has to agree.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateRule {
    rule: String,
    state: Shows,
    /// The whole screen where none is named.
    #[serde(default)]
    region: Option<String>,
    /// It has all of these, one of these, none of these.
    #[serde(default)]
    all: Vec<String>,
    #[serde(default)]
    any: Vec<String>,
    #[serde(default)]
    none: Vec<String>,
    /// A line begins with one of these characters.
    #[serde(default)]
    spinner: String,
    /// A line fits one of these regular expressions.
    #[serde(default)]
    pattern: Vec<Pattern>,
    /// The title has one of these.
    #[serde(default)]
    title: Vec<String>,
    /// Idle, because the person stopped it.
    #[serde(default)]
    interrupted: bool,
    /// Screens it was taken from, in `crates/drivers/testdata/<agent>`; a test looks at them.
    #[serde(default)]
    captures: Vec<String>,
}

/// How a dialog is known, and how it is answered.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DialogPage {
    rule: String,
    kind: Kind,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    region: Option<String>,
    #[serde(default)]
    all: Vec<String>,
    #[serde(default)]
    any: Vec<String>,
    #[serde(default)]
    none: Vec<String>,
    #[serde(default)]
    title: Vec<String>,
    /// What the command that it asks about stands behind.
    #[serde(default)]
    command: Option<String>,
    /// Its options, where keys choose them that are always the same. Without these they are read from the screen:
    /// numbered lines, or lines around the pointer.
    #[serde(default, rename = "choice")]
    choices: Vec<ChoicePage>,
    /// Options that are read are chosen with arrows and Enter even if they have numbers.
    #[serde(default)]
    arrows: bool,
    /// Words are typed, nothing is chosen.
    #[serde(default)]
    text: bool,
    /// It asks once more about what was chosen in the one before; its first option says yes.
    #[serde(default)]
    confirms: bool,
    #[serde(default)]
    groom: Option<Groom>,
    #[serde(default)]
    captures: Vec<String>,
}

/// An option, and the keys that choose it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoicePage {
    label: String,
    keys: Vec<String>,
}

/// A regular expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Regex::new(&text).map(Self).map_err(|error| error.to_string().replace('\n', " "))
    }
}

impl Page {
    /// Reads a page.
    pub fn read(text: &str) -> Result<Self, Fault> {
        Self::layered(text, None).map(|(page, _)| page)
    }

    /// Reads a page with a user's own on top of it: keys of that one win, and its lists replace. Gives what came of it
    /// too, as a table.
    pub fn layered(text: &str, over: Option<&str>) -> Result<(Self, toml::Table), Fault> {
        let parse = |text: &str| -> Result<toml::Table, Fault> {
            // Alone first: what is wrong has a line there.
            toml::from_str::<Spec>(text).map_err(|error| Fault::of(text, &error))?;
            text.parse().map_err(|error| Fault::of(text, &error))
        };
        let mut table = parse(text)?;
        if let Some(over) = over {
            merge(&mut table, parse(over)?);
        }
        let last = over.unwrap_or(text);
        let spec: Spec = table.clone().try_into().map_err(|error| Fault::of(last, &error))?;
        check::check(&spec, last)?;
        Ok((Self::of(spec), table))
    }

    fn of(spec: Spec) -> Self {
        let table = spec.table();
        Self { spec, table }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    #[must_use]
    pub fn title(&self) -> &str {
        &self.spec.title
    }

    #[must_use]
    pub fn commands(&self) -> &[String] {
        &self.spec.commands
    }

    /// The version that the rules were taken from.
    #[must_use]
    pub fn verified(&self) -> Option<&str> {
        self.spec.verified.0.as_deref()
    }

    /// Arguments that make it print its version.
    #[must_use]
    pub fn version_args(&self) -> &[String] {
        &self.spec.version
    }

    /// All keys that it may press, by name.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let Input { submit, interrupt, .. } = &self.spec.input;
        let dialogs = self.spec.dialogs.iter();
        let choices = dialogs.flat_map(|dialog| {
            let groom = dialog.groom.iter().flat_map(|groom| &groom.keys);
            dialog.choices.iter().flat_map(|choice| &choice.keys).chain(groom)
        });
        [submit].into_iter().chain(interrupt).chain(choices).map(String::as_str)
    }

    /// Whether `--resume` can be given the latest conversation, and one by its id.
    #[must_use]
    pub fn resumes(&self, hint: &str) -> bool {
        let Resume { id, latest } = &self.spec.resume;
        !if is_latest(hint) { latest } else { id }.is_empty()
    }

    /// How long it must look idle to be called idle.
    #[must_use]
    pub fn idle_grace(&self) -> Option<Duration> {
        self.spec.timing.idle_ms.map(Duration::from_millis)
    }

    #[must_use]
    pub fn driver(self: &Arc<Self>) -> Box<dyn crate::Driver> {
        Box::new(driver::Paged::new(Arc::clone(self)))
    }
}

fn is_latest(hint: &str) -> bool {
    matches!(hint, "latest" | "last" | "auto")
}

/// Tables are merged, and of anything else that of `over` counts.
fn merge(base: &mut toml::Table, over: toml::Table) {
    for (name, value) in over {
        match (base.get_mut(&name), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(over)) => merge(base, over),
            (_, value) => {
                base.insert(name, value);
            }
        }
    }
}
