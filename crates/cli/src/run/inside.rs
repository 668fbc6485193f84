//! What the session is around: a program that is started, or one that runs already.

use coop_drivers::Recipe;
use coop_session::{Config, SessionHandle};

use super::agent::Prepared;
use super::attached::{Claim, Outside};
use super::flags::Flags;
use super::held::Held;
use super::listen::Bound;
use super::program::Program;
use super::sealed::Sealed;
use super::{agent, config, not_started};
use crate::CommandError;
use crate::sessions::Name;

pub(super) enum Inside {
    Start(Program),
    Attach(Box<Outside>),
}

/// What is kept as long as the session runs.
pub(super) enum Kept {
    Nothing,
    Started(#[allow(dead_code, reason = "held, not looked at")] Box<Prepared>),
    Attached(#[allow(dead_code, reason = "held, not looked at")] Option<Claim>),
}

impl Inside {
    /// Touches nothing.
    pub(super) fn new(flags: &Flags) -> Result<Self, CommandError> {
        match &flags.agent.attach {
            Some(spec) => Ok(Self::Attach(Box::new(Outside::find(spec, flags)?))),
            None => Program::new(&flags.command).map(Self::Start),
        }
    }

    /// The name a session around it has if nobody gives it another.
    pub(super) fn name(&self) -> Name {
        match self {
            Self::Start(program) => program.name(),
            Self::Attach(outside) => outside.name(),
        }
    }

    /// The agent that it is, if it is one that is known.
    pub(super) fn agent(&self) -> Option<Recipe> {
        match self {
            Self::Start(program) => program.agent(),
            Self::Attach(outside) => outside.agent(),
        }
    }

    pub(super) fn run(
        self,
        flags: &Flags,
        recipe: Option<Recipe>,
        bound: &Bound,
        held: Option<&mut Held>,
        sealed: Option<&Sealed>,
    ) -> Result<(SessionHandle, Kept), CommandError> {
        match self {
            Self::Start(program) => start(program, flags, recipe, bound, held, sealed),
            Self::Attach(outside) => {
                let (session, claim) = outside.attach(flags, recipe, bound)?;
                Ok((session, Kept::Attached(claim)))
            }
        }
    }
}

fn start(
    program: Program,
    flags: &Flags,
    recipe: Option<Recipe>,
    bound: &Bound,
    held: Option<&mut Held>,
    sealed: Option<&Sealed>,
) -> Result<(SessionHandle, Kept), CommandError> {
    let mut addresses = bound.addresses.clone();
    if let Some(sealed) = sealed {
        // It sees nothing else of coop.
        (addresses.socket, addresses.url) = (Some(sealed.socket().into()), None);
    }
    let mut command = program.command(flags, addresses)?;
    let before = held.as_ref().and_then(|held| held.before.as_ref());
    if let Some(sealed) = sealed {
        // Also for the command that a restart begins with.
        command.runner = sealed.runner(&agent::folder(&bound.name))?;
    }
    let prepared = agent::prepare(&flags.agent, recipe, &bound.name, &mut command, before)?;
    let inside = prepared.as_ref().map(|prepared| prepared.config.clone());
    let mut config: Config = config(flags, command, inside);
    config.launcher = prepared.as_ref().map(|prepared| prepared.launcher.clone());
    let left = match held {
        Some(held) => {
            config.survival = Some(held.survival.clone());
            held.left(bound, prepared.as_ref())?
        }
        None => None,
    };
    let session = match left {
        Some(left) => coop_session::adopt(config, left),
        None => coop_session::start(config),
    };
    let session = session.map_err(|error| not_started(&error))?;
    if let Some(prepared) = &prepared {
        prepared.listen(&session);
    }
    Ok((session, prepared.map_or(Kept::Nothing, |prepared| Kept::Started(Box::new(prepared)))))
}
