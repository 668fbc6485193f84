//! A hub without a terminal: started, found running, replaced by a newer one, ended.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use coop_api::client::{Client, ClientError, Endpoint};
use coop_machine::private;

use super::note::{self, Note};
use crate::folders::make_state_dir;
use crate::{CommandError, out, secret, sessions};

/// What a hub that ends is given.
const END: Duration = Duration::from_secs(10);
/// Between two looks at whether it has.
const LOOK: Duration = Duration::from_millis(20);

/// What the hub that is started in the background is told, so that it leaves the terminal.
pub(super) const DETACHED: &str = "--detached";

/// What became of the wish that a hub runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// One was there already, of this version or a newer one.
    Ran,
    /// An older one stays: it was given a token that nobody has told us.
    Stays { version: String },
    Started {
        /// The version of the one that it replaced.
        instead_of: Option<String>,
        /// Where it listens.
        said: String,
        pid: u32,
        log: PathBuf,
    },
}

/// `coop hub --daemon`, with the arguments it was given.
pub(super) async fn start(socket: PathBuf) -> Result<(), CommandError> {
    let arguments = note::arguments(secret::args().into_iter().skip(2));
    // A token that was given as an argument is not among those that are kept.
    let given = secret::args().into_iter().skip(2).filter(|argument| argument != "--daemon").collect();
    let how = How { arguments: given, cwd: None };
    match ensure(&socket, |_| Some(how)).await? {
        Outcome::Ran | Outcome::Stays { .. } => {
            let known = Note::read().filter(|_| socket == sessions::hub_socket());
            let known = known.map(|note| note.addresses).filter(|addresses| !addresses.is_empty());
            let addresses = known.unwrap_or_else(|| vec![format!("unix:{}", socket.display())]);
            let other = if arguments.is_empty() { "" } else { "; it stays as it was started" };
            out::print(&format!("A hub runs already, on {}{other}", addresses.join(" and ")))
        }
        Outcome::Started { instead_of, said, pid, log } => {
            let before = instead_of.map(|old| format!("The hub that ran was older ({old}) and has been replaced\n"));
            let before = before.unwrap_or_default();
            out::print(&format!("{before}{said}\nIt is process {pid}, and writes to {}", log.display()))
        }
    }
}

/// For those who need a hub on the usual socket and do not care how it runs: one that is there stays, an older one is
/// replaced by one that is started as it was, and where there is none, one is started with `arguments`.
pub(crate) async fn provide(arguments: &[&str]) -> Result<Outcome, CommandError> {
    let token = secret::variable(secret::AUTH_TOKEN).is_some();
    let first = || How { arguments: arguments.iter().map(OsString::from).collect(), cwd: None };
    let how = |old: Option<Note>| match old {
        Some(old) if old.told_token && !token => None,
        Some(old) => Some(How { arguments: old.arguments.iter().map(OsString::from).collect(), cwd: Some(old.cwd) }),
        None => Some(first()),
    };
    ensure(&sessions::trusted_hub_socket()?, how).await
}

/// How a hub is started.
struct How {
    arguments: Vec<OsString>,
    cwd: Option<PathBuf>,
}

/// Starts one unless one runs that is not older. Hooks that wait at one that is replaced ask the new one. `how` is told
/// what the one that is to be replaced has said of itself, and says nothing if it had better stay.
async fn ensure(socket: &Path, how: impl FnOnce(Option<Note>) -> Option<How>) -> Result<Outcome, CommandError> {
    let client = Client::new(Endpoint::Unix(socket.to_owned()), None);
    let older = match client.hub_version().await {
        Ok(version) if is_older(&version, env!("CARGO_PKG_VERSION")) => Some(version),
        Ok(_) => return Ok(Outcome::Ran),
        Err(ClientError::Unreachable { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let note = older.as_ref().and_then(|_| Note::read());
    let Some(how) = how(note) else { return Ok(Outcome::Stays { version: older.unwrap_or_default() }) };
    if older.is_some() {
        end(&client, socket).await?;
    }
    match spawn(socket, &how, older)? {
        Ok(started) => Ok(started),
        // Somebody else was faster, and theirs is as good.
        Err(_) if client.hub_version().await.is_ok() => Ok(Outcome::Ran),
        Err(failed) => Err(failed),
    }
}

/// Returns when it listens, or has failed to.
fn spawn(socket: &Path, how: &How, instead_of: Option<String>) -> io::Result<Result<Outcome, CommandError>> {
    let path = match make_state_dir() {
        Ok(folder) => folder.join("hub.log"),
        Err(error) => return Ok(Err(error)),
    };
    let log = private::append(&path)?;
    let before = log.metadata()?.len();
    let mut command = Command::new(std::env::current_exe()?);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    if let Some(cwd) = how.cwd.as_ref().filter(|cwd| cwd.is_dir()) {
        command.current_dir(cwd);
    }
    let args = std::iter::once(OsString::from("hub")).chain(how.arguments.iter().cloned()).chain([DETACHED.into()]);
    let mut child = secret::spawn(&mut command, &args.collect::<Vec<_>>(), &[])?;
    // It lets go of its output when it listens, or ends before.
    let mut said = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut said)?;
    }
    if said.is_empty() {
        child.wait()?;
        return Ok(Err(failed(&path, before)));
    }
    // The process that was started has ended, and the hub goes on in a child of it.
    child.wait()?;
    let pid = listener(socket).unwrap_or(child.id());
    Ok(Ok(Outcome::Started { instead_of, said: said.trim_end().to_owned(), pid, log: path }))
}

/// The process that listens on a socket.
fn listener(socket: &Path) -> Option<u32> {
    let stream = UnixStream::connect(socket).ok()?;
    let peer = rustix::net::sockopt::socket_peercred(&stream).ok()?;
    u32::try_from(peer.pid.as_raw_pid()).ok()
}

/// What it wrote before it ended.
fn failed(path: &Path, before: u64) -> CommandError {
    let text = fs::read(path).unwrap_or_default();
    let new =
        String::from_utf8_lossy(text.get(usize::try_from(before).unwrap_or(0)..).unwrap_or_default()).into_owned();
    let why = new.trim().strip_prefix("coop: ").unwrap_or(new.trim());
    CommandError::failed(format!("The hub did not start: {}", out::harmless(why.lines().next().unwrap_or_default())))
        .with_hint(format!("`coop hub` starts it here; its log is {}", path.display()))
}

pub(super) async fn stop(socket: PathBuf) -> Result<(), CommandError> {
    let client = Client::new(Endpoint::Unix(socket.clone()), None);
    match end(&client, &socket).await {
        Ok(()) => out::print("The hub has ended; agents go on without it"),
        Err(error) => Err(error),
    }
}

/// Returns when nobody listens any more, or somebody else has put another one in its place.
async fn end(client: &Client, socket: &Path) -> Result<(), CommandError> {
    let old = client.hub_version().await.unwrap_or_default();
    match client.hub_shutdown().await {
        Err(ClientError::Unreachable { .. }) => return Err(CommandError::failed("No hub is running")),
        done => done?,
    }
    let limit = Instant::now() + END;
    // While requests end, its socket is there and nobody answers.
    while UnixStream::connect(socket).is_ok() {
        let version = tokio::time::timeout(LOOK, client.hub_version()).await;
        if matches!(version, Ok(Ok(version)) if version != old) {
            return Ok(());
        }
        if Instant::now() > limit {
            return Err(CommandError::failed("The hub does not end"));
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// Leaves the terminal, so that its end is not ours.
pub(super) fn leave_terminal() {
    // Below the sidecar of an agent it would count as a process of that agent.
    if let Err(error) = coop_terminal::daemon::leave_parent() {
        tracing::debug!(%error, "the hub stays below the process that started it");
    }
    // Whoever leads a group of processes cannot. What `--daemon` starts does not.
    if let Err(error) = rustix::process::setsid() {
        tracing::debug!(%error, "the hub stays in the session of its terminal");
    }
}

/// Tells whoever started us that we listen: nothing more is said.
pub(super) fn let_go_of_output() -> io::Result<()> {
    let nowhere = fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(&nowhere)?)
}

/// Compared by their numbers. One that is no version is not older.
pub(crate) fn is_older(theirs: &str, ours: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u32>> {
        version.split(['-', '+']).next()?.split('.').map(|part| part.parse().ok()).collect()
    };
    matches!((numbers(theirs), numbers(ours)), (Some(theirs), Some(ours)) if theirs < ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (theirs, ours, older) in [
            ("0.1.0", "0.1.0", false),
            ("0.1.0", "0.1.1", true),
            ("0.9.0", "0.10.0", true),
            ("1.0.0", "0.10.0", false),
            ("0.1.0-rc1", "0.2.0", true),
            ("", "0.2.0", false),
            ("what", "0.2.0", false),
        ] {
            assert_eq!(is_older(theirs, ours), older, "{theirs} {ours}");
        }
    }
}
