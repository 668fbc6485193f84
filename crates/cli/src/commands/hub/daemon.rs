//! A hub without a terminal: started, found running, replaced by a newer one, ended.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use coop_api::client::{Client, ClientError, Endpoint};

use crate::run::agent::state_dir;
use crate::{CommandError, out};

/// What a hub that ends is given.
const END: Duration = Duration::from_secs(10);
/// Between two looks at whether it has.
const LOOK: Duration = Duration::from_millis(20);

/// What the hub that is started in the background is told, so that it leaves the terminal.
pub(super) const DETACHED: &str = "--detached";

/// Starts one unless one runs. One that is older is replaced: hooks that wait there ask the new one.
pub(super) async fn start(socket: PathBuf) -> Result<(), CommandError> {
    let client = Client::new(Endpoint::Unix(socket.clone()), None);
    match client.hub_version().await {
        Ok(version) if !is_older(&version, env!("CARGO_PKG_VERSION")) => {
            return out::print(&format!("A hub runs already, on unix:{}", socket.display()));
        }
        Ok(version) => {
            out::print(&format!("The hub that runs is older ({version}) and is replaced"))?;
            end(&client).await?;
        }
        Err(ClientError::Unreachable { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let folder = state_dir();
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let path = folder.join("hub.log");
    let log = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
    let before = log.metadata()?.len();
    let mut child = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1).filter(|argument| argument != "--daemon"))
        .arg(DETACHED)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()?;
    // It lets go of its output when it listens, or ends before.
    let mut said = String::new();
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut said)?;
    }
    if said.is_empty() {
        child.wait()?;
        return Err(failed(&path, before));
    }
    out::print(&format!("{}\nIt is process {}, and writes to {}", said.trim_end(), child.id(), path.display()))
}

/// What it wrote before it ended.
fn failed(path: &std::path::Path, before: u64) -> CommandError {
    let text = fs::read(path).unwrap_or_default();
    let new =
        String::from_utf8_lossy(text.get(usize::try_from(before).unwrap_or(0)..).unwrap_or_default()).into_owned();
    let why = new.trim().strip_prefix("coop: ").unwrap_or(new.trim());
    CommandError::failed(format!("The hub did not start: {}", out::harmless(why.lines().next().unwrap_or_default())))
        .with_hint(format!("`coop hub` starts it here; its log is {}", path.display()))
}

pub(super) async fn stop(socket: PathBuf) -> Result<(), CommandError> {
    let client = Client::new(Endpoint::Unix(socket), None);
    match end(&client).await {
        Ok(()) => out::print("The hub has ended; agents go on without it"),
        Err(error) => Err(error),
    }
}

/// Returns when nobody listens any more.
async fn end(client: &Client) -> Result<(), CommandError> {
    match client.hub_shutdown().await {
        Err(ClientError::Unreachable { .. }) => return Err(CommandError::failed("No hub is running")),
        done => done?,
    }
    let limit = Instant::now() + END;
    while !matches!(client.hub_version().await, Err(ClientError::Unreachable { .. })) {
        if Instant::now() > limit {
            return Err(CommandError::failed("The hub does not end"));
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// Leaves the terminal, so that its end is not ours.
pub(super) fn leave_terminal() {
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
fn is_older(theirs: &str, ours: &str) -> bool {
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
