//! Tokens that this process was started with: kept in memory, out of what other processes can read, and handed to the
//! coop processes that this one starts.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command};
use std::sync::OnceLock;

use coop_terminal::secret::{Places, Secrets};

pub(crate) const AUTH_TOKEN: &str = "COOP_AUTH_TOKEN";
const HUB_TOKEN: &str = "COOP_HUB_TOKEN";
/// Token of a session, as its holder hands it to the next server. Never in an environment.
pub(crate) const SESSION_TOKEN: &str = "COOP_SESSION_TOKEN";

const PLACES: Places =
    Places { variables: &[AUTH_TOKEN, HUB_TOKEN, SESSION_TOKEN], flags: &["--auth-token", "--hub-token", "--token"] };

static SECRETS: OnceLock<Secrets> = OnceLock::new();

/// Moves the tokens into memory. Call first thing, before there is another thread.
pub(crate) fn take() -> io::Result<&'static Secrets> {
    let taken = Secrets::take(PLACES, std::env::args_os())?;
    Ok(SECRETS.get_or_init(|| taken))
}

/// Returns the arguments of this process. The kernel and `std::env::args_os` show them without tokens.
pub(crate) fn args() -> Vec<OsString> {
    match SECRETS.get() {
        Some(secrets) => secrets.args().to_vec(),
        None => std::env::args_os().collect(),
    }
}

/// Returns the value of a variable that was taken out of the environment.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    SECRETS.get()?.variable(name).map(OsStr::to_owned)
}

/// Starts a coop with `args`, which gets the tokens of this process and `more` in its memory.
pub(crate) fn spawn(command: &mut Command, args: &[OsString], more: &[(&str, &OsStr)]) -> io::Result<Child> {
    let Some(secrets) = SECRETS.get() else { return command.args(args).spawn() };
    let given = secrets.give(command, args, more)?;
    let mut child = command.spawn()?;
    if let Err(error) = given.deliver() {
        // It would wait for its tokens.
        drop(child.kill());
        drop(child.wait());
        return Err(error);
    }
    Ok(child)
}
