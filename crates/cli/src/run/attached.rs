//! `coop --attach`: a program that runs already, in a terminal that somebody else has.

mod claim;
pub(crate) mod processes;

use std::ffi::OsString;
use std::path::PathBuf;

use coop_drivers::Recipe;
use coop_session::SessionHandle;
use coop_session::attach::{AttachError, Found, screen, tmux};
use coop_terminal::pty;

use super::flags::Flags;
use super::listen::Bound;
use super::{agent, config, not_started};
use crate::CommandError;
use crate::sessions::Name;
pub(super) use claim::Claim;
pub(crate) use claim::of_this_process;
use processes::Inhabitant;

/// A pane or a window, and who is in it.
pub(super) struct Outside {
    found: Found,
    name: Name,
    inhabitant: Option<Inhabitant>,
}

impl Outside {
    pub(super) fn find(spec: &str, flags: &Flags) -> Result<Self, CommandError> {
        check(flags)?;
        let (kind, name) = spec.split_once(':').filter(|(_, name)| !name.is_empty()).ok_or_else(|| unknown(spec))?;
        let found = match kind {
            "tmux" => in_tmux(name, flags).map(Found::Tmux),
            "screen" => screen::Target { name: name.to_owned() }.find().map(Found::Screen),
            _ => return Err(unknown(spec)),
        };
        let found = found.map_err(|error| refused(&error, kind))?;
        let session = name.split(':').next().unwrap_or_default().trim_start_matches(['%', '$', '@', '=']);
        // Of Screen's `PID.NAME`, the name.
        let session = session.trim_start_matches(|c: char| kind == "screen" && c.is_ascii_digit());
        let session = session.strip_prefix('.').unwrap_or(session);
        let inhabitant = processes::inhabitant(found.leader(), flags.agent.agent.as_deref());
        Ok(Self { name: Name::of_program(session.as_ref()), found, inhabitant })
    }

    pub(super) fn name(&self) -> Name {
        self.name.clone()
    }

    pub(super) fn agent(&self) -> Option<Recipe> {
        self.inhabitant.as_ref()?.recipe.clone()
    }

    /// The environment and the folder are those of the agent: there are its files.
    pub(super) fn attach(
        self,
        flags: &Flags,
        recipe: Option<Recipe>,
        bound: &Bound,
    ) -> Result<(SessionHandle, Option<Claim>), CommandError> {
        let leader = self.found.leader();
        let pid = self.inhabitant.as_ref().map_or(leader, |inhabitant| inhabitant.pid);
        let env: Vec<(OsString, OsString)> = coop_machine::process::environment_of(pid);
        let env = if env.is_empty() { std::env::vars_os().collect() } else { env };
        let command = pty::Command {
            program: OsString::new(),
            args: Vec::new(),
            cwd: coop_machine::process::cwd_of(pid).map(PathBuf::from),
            env,
            size: self.found.size(),
            runner: Vec::new(),
        };
        let inside = agent::attached(&flags.agent, recipe, &command.env)?;
        tracing::info!(pid, "attaching to {}", self.found.title());
        let claim = inside.as_ref().and_then(|_| Claim::make(leader, &bound.addresses));
        let config = config(flags, command, inside);
        let session = coop_session::attach(config, self.found).map_err(|error| not_started(&error))?;
        Ok((session, claim))
    }
}

fn in_tmux(name: &str, flags: &Flags) -> Result<tmux::Found, AttachError> {
    let target = tmux::Target { socket: flags.agent.tmux_socket.clone(), name: name.to_owned() };
    let found = target.find()?;
    if let Some(old) = found.old() {
        tracing::warn!("{old}");
    }
    Ok(found)
}

fn unknown(spec: &str) -> CommandError {
    CommandError::usage(format!(
        "--attach {spec}: it is tmux:NAME, tmux:NAME:WINDOW.PANE, screen:NAME or screen:NAME:WINDOW"
    ))
    .with_hint("`tmux list-panes -a` and `screen -ls` show what there is.")
}

/// Flags that are about a program that is started.
fn check(flags: &Flags) -> Result<(), CommandError> {
    let given = [
        (!flags.command.is_empty(), "a command"),
        (flags.agent.resume.is_some(), "--resume"),
        (flags.session.cwd.is_some(), "--cwd"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, what)) => {
            Err(CommandError::usage(format!("--attach is for a program that runs already: it goes without {what}")))
        }
        None => Ok(()),
    }
}

fn refused(error: &AttachError, kind: &str) -> CommandError {
    let hint = match error {
        _ if kind == "screen" => "`screen -ls` shows the sessions, and `coop attach-list` those with agents.",
        AttachError::NotInstalled { .. } => {
            "Install tmux, best 3.2 or a newer one, or start the program under coop: coop -- claude"
        }
        AttachError::NotFound { .. } | AttachError::Dead { .. } => {
            "`coop attach-list` shows panes with agents. A server with a socket of its own: --tmux-socket PATH."
        }
    };
    let said = error.to_string();
    let mut letters = said.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    CommandError::usage(first.chain(letters).collect::<String>()).with_hint(hint)
}
