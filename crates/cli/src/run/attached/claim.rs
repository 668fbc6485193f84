//! The hooks of an agent that coop did not start know of no session. They find it by the terminal they are on: a file says
//! whose that is.

use std::fs;
use std::path::PathBuf;

use coop_machine::{private, process};

use crate::run::program::Addresses;
use crate::sessions;

/// Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
}

impl Claim {
    /// Nothing where there is no socket for hooks to come to, or no file can be made: the agent's files and screen are
    /// still seen.
    pub(crate) fn make(leader: u32, addresses: &Addresses) -> Option<Self> {
        let socket = addresses.socket.as_ref()?.to_str()?;
        let path = path(leader)?;
        sessions::make_folder().ok()?;
        let text = format!("{socket}\n{}\n", addresses.hook_token.as_deref().unwrap_or_default());
        match private::write(&path, text.as_bytes()) {
            Ok(()) => Some(Self { path }),
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "installed hooks will not find this session");
                None
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Without its socket the file says nothing.
        drop(fs::remove_file(&self.path));
    }
}

/// With the time of its start: the number of a process is given again.
fn path(leader: u32) -> Option<PathBuf> {
    let started = process::started(leader)?;
    Some(sessions::folder().join("attached").join(format!("{leader}-{started}")))
}

/// Where the hooks of a process that we are one of go to, and with which token.
pub(crate) fn of_this_process() -> Option<(String, Option<String>)> {
    let folder = sessions::folder();
    if !sessions::is_ours(&folder) || !folder.join("attached").is_dir() {
        return None;
    }
    let mut pid = std::process::id();
    // The hook, a shell or two, and the agent.
    for _ in 0..5 {
        let text = process::session_of(pid).and_then(path).and_then(|path| private::read_to_string(&path).ok());
        if let Some(text) = text {
            let mut lines = text.lines();
            let socket = lines.next()?.to_owned();
            return Some((socket, lines.next().filter(|token| !token.is_empty()).map(str::to_owned)));
        }
        pid = process::parent_of(pid)?;
    }
    None
}
