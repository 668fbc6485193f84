//! `coop hooks`: has an agent that runs outside coop tell the hub what it does, and wait for its answers.

mod record;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use coop_drivers::{Driver, InstalledHook};

use crate::run::agent::{config_dir, hook_command, state_dir, version};
use crate::settings::{self, NotEditable};
use crate::{CommandError, out};
use record::Record;

const EXAMPLES: &str = "\
Examples:
  coop hooks install          shows what would change in ~/.claude/settings.json, and asks
  coop hooks install --yes    for scripts
  coop hooks status
  coop hooks remove           as it was before, to the byte, if nobody has changed the file since

Agents that run already take hooks up when they are started anew. Without a hub a hook says nothing and is over in about a
millisecond; whoever sits at the terminal can always answer there, hub or not.";

/// Let agents outside coop tell the hub what they ask: install, look at and remove their hooks
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hooks {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Add coop's hooks to the settings of Claude Code
    Install {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Say whether they are there
    Status,
    /// Remove what was added, and nothing else
    Remove {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// How long an agent gives a hook that asks; coop lets go a little before.
const WAIT_SECS: u64 = 600;

impl Hooks {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let file = File::of_claude()?;
        match self.what {
            What::Install { yes } => file.install(yes),
            What::Status => file.status(),
            What::Remove { yes } => file.remove(yes),
        }
    }
}

/// Which of coop's hooks are in the settings of Claude Code.
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

pub(super) fn found() -> Result<Found, CommandError> {
    File::of_claude()?.found()
}

/// The settings of an agent, and what belongs in them.
struct File {
    path: PathBuf,
    hooks: Vec<InstalledHook>,
}

impl File {
    fn of_claude() -> Result<Self, CommandError> {
        let env: Vec<_> = std::env::vars_os().collect();
        let driver: Box<dyn Driver> =
            coop_drivers::driver("claude").ok_or_else(|| CommandError::failed("Claude Code is not known"))?;
        let folder = config_dir(driver.as_ref(), &env).ok_or_else(|| {
            CommandError::failed("Where Claude Code keeps its settings is not known: HOME is not set")
        })?;
        let version = version(OsStr::new("claude"), &env);
        let hooks = driver.hooks(&hook_command()?, WAIT_SECS, version.as_deref());
        let path = folder.join("settings.json");
        // A link to a file elsewhere stays a link.
        Ok(Self { path: fs::canonicalize(&path).unwrap_or(path), hooks })
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
        out::print("Done. Agents that are started from now on tell the hub: coop hub")
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

    fn status(&self) -> Result<(), CommandError> {
        let hub = std::os::unix::net::UnixStream::connect(crate::sessions::hub_socket()).is_ok();
        let hub = if hub { "listens" } else { "is not running: `coop hub --daemon` starts it" };
        let state = match self.found()? {
            Found::All => "installed".to_owned(),
            Found::None => "not installed: `coop hooks install` adds them".to_owned(),
            Found::Elsewhere => "of another coop: `coop hooks install` replaces them".to_owned(),
            Found::Some { have, of } => format!("{have} of {of} are installed: `coop hooks install` adds the rest"),
        };
        out::print(&format!("file   {}\nhooks  {state}\nhub    {hub}", self.path.display()))
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
                .with_hint("Mend the file first; Claude Code does not read one that is wrong either.")
        })
    }

    fn confirm(&self, before: &str, after: &str, yes: bool) -> Result<(), CommandError> {
        let diff = similar::TextDiff::from_lines(before, after);
        let shown = self.path.display().to_string();
        let diff = diff.unified_diff().header(&shown, &shown).to_string();
        out::print(&diff.lines().map(out::harmless).collect::<Vec<_>>().join("\n"))?;
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
            write(&state_dir().join("claude-settings.backup.json"), before, 0o600)
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

fn text_or_empty(text: &str) -> String {
    if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() }
}

/// Held while the file is changed, so that two coops do not at once.
fn lock() -> Result<fs::File, CommandError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(state_dir())?;
    let lock = fs::File::create(state_dir().join("hooks.lock"))?;
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
