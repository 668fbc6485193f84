//! `coop hooks`: has an agent that runs outside coop tell the hub what it does, and wait for its answers.

mod record;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use coop_drivers::{Driver, InstalledHook, Own, Recipe};
use coop_machine::private;

use super::sessions::columns;
use crate::folders::make_state_dir;
use crate::run::agent::{config_dir, hook_command, state_dir, version};
use crate::settings::{self, NotEditable};
use crate::{CommandError, out};
use record::Record;

const EXAMPLES: &str = "\
Examples:
  coop hooks install          shows what would change in ~/.claude/settings.json, and asks
  coop hooks install --yes    for scripts
  coop hooks install codex    the same in ~/.codex/hooks.json
  coop hooks install gemini   the same in ~/.gemini/settings.json
  coop hooks status           of all three
  coop hooks remove codex     as it was before, to the byte, if nobody has changed the file since

Claude Code: what it asks can then be answered from elsewhere; its dialog stays usable at the terminal meanwhile.
Codex: asks you to review the hooks when it is started next, and runs them once you have said that you trust them. While a
permission waits for an answer from elsewhere, Codex shows no dialog: for a minute at most, then it asks at the terminal.
Gemini CLI: what it does is seen; no hook of it can answer, so that is done at its terminal.

Agents that run already take hooks up when they are started anew. Without a hub a hook says nothing and is over in about a
millisecond.";

/// Let agents outside coop tell the hub what they ask: install, look at and remove their hooks
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hooks {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Add coop's hooks to the settings of an agent
    Install(Change),
    /// Say whether they are there
    Status {
        /// Only of this agent
        #[arg(value_enum)]
        agent: Option<Agent>,
    },
    /// Remove what was added, and nothing else
    Remove(Change),
}

#[derive(Debug, Args)]
struct Change {
    /// Whose hooks
    #[arg(value_enum, default_value = "claude")]
    agent: Agent,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

/// Agents that have hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Agent {
    Claude,
    Codex,
    Gemini,
}

impl Agent {
    pub(super) const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    pub(super) fn own(self) -> Own {
        match self {
            Self::Claude => Own::Claude,
            Self::Codex => Own::Codex,
            Self::Gemini => Own::Gemini,
        }
    }
}

/// How long an agent gives a hook that asks; coop lets go a little before.
const WAIT_SECS: u64 = 600;

impl Hooks {
    pub(super) fn run(self) -> Result<(), CommandError> {
        match self.what {
            What::Install(Change { agent, yes }) => File::of(agent)?.install(yes),
            What::Status { agent } => status(agent.map_or(Agent::ALL.to_vec(), |agent| vec![agent])),
            What::Remove(Change { agent, yes }) => File::of(agent)?.remove(yes),
        }
    }
}

fn status(agents: Vec<Agent>) -> Result<(), CommandError> {
    let hub = crate::sessions::HubTarget::here().client().is_ok();
    let hub = if hub { "listens" } else { "is not running: `coop hub --daemon` starts it" };
    let mut lines = Vec::new();
    for agent in agents {
        let file = File::of(agent)?;
        let name = agent.own().name();
        let install = format!("coop hooks install {name}");
        let state = match file.found() {
            Ok(Found::All) => "installed".to_owned(),
            Ok(Found::None) => format!("not installed: `{install}` adds them"),
            Ok(Found::Elsewhere) => format!("of another coop: `{install}` replaces them"),
            Ok(Found::Some { have, of }) => format!("{have} of {of} are installed: `{install}` adds the rest"),
            Err(error) => error.message().to_owned(),
        };
        lines.push([name.to_owned(), state, file.path.display().to_string()]);
    }
    lines.push(["hub".to_owned(), hub.to_owned(), String::new()]);
    out::print(&columns(&lines))
}

/// Which of coop's hooks are in the settings of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    All,
    Some {
        have: usize,
        of: usize,
    },
    /// They call a coop that is somewhere else.
    Elsewhere,
    None,
}

pub(super) fn found(agent: Agent) -> Result<Found, CommandError> {
    File::of(agent)?.found()
}

/// The settings of an agent, and what belongs in them.
struct File {
    own: Own,
    path: PathBuf,
    hooks: Vec<InstalledHook>,
    /// What the user has to know once they are there.
    remark: String,
}

impl File {
    fn of(agent: Agent) -> Result<Self, CommandError> {
        let env: Vec<_> = std::env::vars_os().collect();
        let own = agent.own();
        let driver = Recipe::Own(own).driver();
        let title = own.title();
        let unknown =
            || CommandError::failed(format!("Where {title} keeps its settings is not known: HOME is not set"));
        let folder = config_dir(driver.as_ref(), &env).ok_or_else(unknown)?;
        let version = version(OsStr::new(own.name()), &env);
        let hooks = driver.hooks(&hook_command()?, WAIT_SECS, version.as_deref());
        let path = folder.join(driver.hooks_file().unwrap_or("settings.json"));
        // A link to a file elsewhere stays a link.
        Ok(Self { own, path: fs::canonicalize(&path).unwrap_or(path), hooks, remark: remark(own, driver.as_ref()) })
    }

    /// Nothing if there is no such file.
    fn read(&self) -> Result<Option<String>, CommandError> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("read", &error)),
        }
    }

    fn install(&self, yes: bool) -> Result<(), CommandError> {
        let before = self.read()?;
        let text = before.clone().unwrap_or_default();
        let cleaned = self.edited(settings::remove(&text_or_empty(&text), |c| self.is_stale(c), |_| true))?;
        let after = self.edited(settings::add(&cleaned, &self.hooks))?;
        if before.as_ref() == Some(&after) {
            return out::print(&format!("The hooks are in {} already", self.path.display()));
        }
        self.confirm(&text, &after, yes)?;
        let lock = lock()?;
        self.replace(before.as_deref(), Some(&after))?;
        Record::new(&self.path, before, after).keep()?;
        drop(lock);
        out::print(&format!("Done. Agents that are started from now on tell the hub: coop hub{}", self.remark))
    }

    fn remove(&self, yes: bool) -> Result<(), CommandError> {
        let Some(now) = self.read()? else { return out::print("There are none: the file does not exist") };
        let record = Record::of(&self.path);
        let after = match record.as_ref().filter(|record| record.after == now) {
            Some(record) => record.before.clone(),
            None => {
                let added = |event: &str| record.as_ref().is_none_or(|record| record.added(event));
                Some(self.edited(settings::remove(&now, |command| self.is_ours(command), added))?)
            }
        };
        if after.as_ref() == Some(&now) {
            return out::print(&format!("There are none in {}", self.path.display()));
        }
        self.confirm(&now, after.as_deref().unwrap_or_default(), yes)?;
        let lock = lock()?;
        self.replace(Some(&now), after.as_deref())?;
        Record::forget(&self.path)?;
        drop(lock);
        out::print("Done. Agents that run still have them until they are started anew")
    }

    /// Which of the hooks are there.
    fn found(&self) -> Result<Found, CommandError> {
        let text = self.read()?.unwrap_or_default();
        let there = self.edited(settings::commands(&text_or_empty(&text)))?;
        let have = self.hooks.iter().filter(|hook| there.contains(&hook.command)).count();
        let stale = there.iter().any(|command| self.is_stale(command));
        Ok(match (have, self.hooks.len()) {
            (0, _) if stale => Found::Elsewhere,
            (0, _) => Found::None,
            (have, of) if have == of => Found::All,
            (have, of) => Found::Some { have, of },
        })
    }

    fn is_ours(&self, command: &str) -> bool {
        self.hooks.iter().any(|hook| hook.command == command) || self.is_stale(command)
    }

    /// Of a coop that is somewhere else, such as one that was moved.
    fn is_stale(&self, command: &str) -> bool {
        let theirs = self.hooks.iter().any(|hook| {
            let own = hook.command.rsplit_once("/coop'").map(|(_, arguments)| arguments);
            own.is_some_and(|arguments| command.ends_with(&format!("/coop'{arguments}")))
        });
        theirs && !self.hooks.iter().any(|hook| hook.command == command)
    }

    fn edited<T>(&self, edited: Result<T, NotEditable>) -> Result<T, CommandError> {
        edited.map_err(|NotEditable(why)| {
            CommandError::failed(format!("{} is left alone: {why}", self.path.display()))
                .with_hint("coop changes files of plain JSON only, without comments. Mend it first.")
        })
    }

    fn confirm(&self, before: &str, after: &str, yes: bool) -> Result<(), CommandError> {
        let diff = similar::TextDiff::from_lines(before, after);
        let shown = self.path.display().to_string();
        let diff = diff.unified_diff().header(&shown, &shown).to_string();
        out::print(&diff)?;
        if yes {
            return Ok(());
        }
        if !io::stdin().is_terminal() {
            return Err(CommandError::usage("Nobody is here to say yes").with_hint("For scripts there is --yes."));
        }
        out::write(b"Write this? [y/N] ")?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        if matches!(line.trim(), "y" | "Y" | "yes") { Ok(()) } else { Err(CommandError::failed("Nothing was changed")) }
    }

    /// Whole or not at all, and only if it is still what the change was made for. What was there is kept.
    fn replace(&self, before: Option<&str>, after: Option<&str>) -> Result<(), CommandError> {
        if self.read()?.as_deref() != before {
            return Err(
                CommandError::failed(format!("{} was changed meanwhile", self.path.display())).with_hint("Try again.")
            );
        }
        if let Some(before) = before {
            private::write(&state_dir()?.join(format!("{}-settings.backup.json", self.own.name())), before.as_bytes())
                .map_err(|error| self.failed("backed up", &error))?;
        }
        let done = match after {
            Some(after) => {
                let mode = fs::metadata(&self.path).map_or(0o600, |meta| meta.permissions().mode() & 0o777);
                write(&self.path, after, mode)
            }
            None => fs::remove_file(&self.path),
        };
        done.map_err(|error| self.failed("written", &error))
    }

    fn failed(&self, what: &str, error: &io::Error) -> CommandError {
        CommandError::failed(format!("{} cannot be {what}: {error}", self.path.display()))
    }
}

/// In plain words, what comes of it.
fn remark(own: Own, driver: &dyn Driver) -> String {
    let title = own.title();
    let mut said = String::new();
    if driver.hooks_are_reviewed() {
        said += &format!(
            "\n{title} runs no hook that you have not looked at. When it is started next it says `Hooks need review`: it \
             shows these commands and asks whether you trust them. coop never says so for you; until you do, they do \
             nothing."
        );
    }
    if let Some(wait) = driver.withholds_dialog() {
        said += &format!(
            "\nWhile a permission waits for an answer from elsewhere, {title} shows no dialog: for {} seconds at most, \
             then it asks at the terminal.",
            wait.as_secs()
        );
    }
    if !driver.decides_by_hook() {
        said += &format!(
            "\nNo hook of {title} can answer: what it asks is seen on the board, and answered at its terminal."
        );
    }
    said
}

fn text_or_empty(text: &str) -> String {
    if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() }
}

/// Held while the file is changed, so that two coops do not at once.
fn lock() -> Result<fs::File, CommandError> {
    let lock = private::create(&make_state_dir()?.join("hooks.lock"))?;
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).map_err(io::Error::from)?;
    Ok(lock)
}

/// Beside it first, then in its place.
fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let part = path.with_extension(format!("coop-{}", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&part)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    let done = written.and_then(|()| fs::rename(&part, path));
    if done.is_err() {
        // Half of a file is of use to nobody.
        drop(fs::remove_file(&part));
    }
    done
}
