//! The sessions of this person on this machine, by the sockets they listen on.

mod hub;
mod name;
mod target;

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use coop_api::client::{Client, Endpoint};
use coop_api::hub as hub_api;
use coop_machine::private;
pub(crate) use hub::HubTarget;
pub(crate) use name::Name;
pub(crate) use target::{NamedTarget, Target, Token, is_own};

use crate::CommandError;

/// A socket somebody listens on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// Where the socket of a session with this name goes.
pub(crate) fn socket(name: &Name) -> PathBuf {
    folder().join(format!("{name}.sock"))
}

/// Where the hub listens if nobody says otherwise.
pub(crate) fn hub_socket() -> PathBuf {
    folder().join(hub_api::SOCKET)
}

/// The same for a client: an error if another account could have put it there. A folder that is missing is no error.
pub(crate) fn trusted_hub_socket() -> Result<PathBuf, CommandError> {
    let path = hub_socket();
    match private::check_socket(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(CommandError::failed(error.to_string())
            .with_hint("Name the hub's socket with --hub, or set XDG_RUNTIME_DIR to a folder of your own.")),
        _ => Ok(path),
    }
}

/// Connects to the hub of this machine, for commands that take no address.
pub(crate) fn hub_client() -> Result<Client, CommandError> {
    Ok(Client::new(Endpoint::Unix(trusted_hub_socket()?), None))
}

/// How a person calls the session at this address.
pub(crate) fn call(endpoint: &Endpoint) -> String {
    match endpoint {
        Endpoint::Unix(path) if path.parent() == Some(&folder()) => {
            path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
        }
        endpoint => endpoint.to_string(),
    }
}

/// Makes the folder for sockets, for us alone. One that others can get at is refused.
pub(crate) fn make_folder() -> Result<(), CommandError> {
    let folder = folder();
    let made = fs::DirBuilder::new().mode(0o700).create(&folder);
    if let Err(error) = made.or_else(|error| if folder.is_dir() { Ok(()) } else { Err(error) }) {
        return Err(CommandError::failed(format!("The folder {} cannot be made: {error}", folder.display()))
            .with_hint("Say with --socket where the socket is to be, or do without one: --socket none."));
    }
    private::check_folder(&folder).map_err(|error| {
        CommandError::failed(format!("{error}, and sockets are put there")).with_hint(
            "Make it yours with mode 0700, set XDG_RUNTIME_DIR to a folder of your own, or choose a path with --socket.",
        )
    })
}

/// Held while a name is chosen and its socket made, so that two that start at once do not take the same.
pub(crate) fn lock() -> io::Result<fs::File> {
    let folder = fs::File::open(folder())?;
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(folder)
}

/// All that run, by name. Sockets that nobody listens on any more are removed.
pub(crate) fn live() -> Vec<Found> {
    let folder = folder();
    let mut found = if is_ours(&folder) { live_in(&folder) } else { Vec::new() };
    found.sort();
    found
}

/// The folder for sockets: the one the system gives each person, else one of ours for them in /tmp.
pub(crate) fn folder() -> PathBuf {
    runtime_folder().unwrap_or_else(|| format!("/tmp/coop-{}", rustix::process::geteuid().as_raw()).into())
}

fn runtime_folder() -> Option<PathBuf> {
    let given = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
    // After `su` the variable may still name the folder of another account, which root could write too.
    let usable = given.is_absolute()
        && rustix::fs::access(&given, rustix::fs::Access::WRITE_OK).is_ok()
        && fs::metadata(&given).is_ok_and(|meta| private::is_trusted(meta.uid()));
    usable.then(|| given.join("coop"))
}

/// A folder, and no link to one, that no other account can look into or put a socket in.
pub(crate) fn is_ours(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) && private::check_folder(folder).is_ok()
}

fn live_in(folder: &Path) -> Vec<Found> {
    // A folder that cannot be read has no sessions for us.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| look(&entry.path())).collect()
}

fn look(path: &Path) -> Option<Found> {
    let name = path.file_name()?.to_str().filter(|name| *name != hub_api::SOCKET)?.strip_suffix(".sock")?.to_owned();
    if !fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_socket()) {
        return None;
    }
    match UnixStream::connect(path) {
        Ok(_) => Some(Found { name, path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            // Left behind by a coop that was killed. If it cannot be removed, it is skipped all the same.
            drop(fs::remove_file(path));
            None
        }
        // One that is there and busy.
        Err(_) => Some(Found { name, path: path.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixListener;

    #[test]
    fn the_living_are_found_and_the_dead_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let _lives = UnixListener::bind(at("lives.sock")).unwrap();
        let _hub = UnixListener::bind(at(hub_api::SOCKET)).unwrap();
        drop(UnixListener::bind(at("dead.sock")).unwrap());
        drop(UnixListener::bind(at("dead.other")).unwrap());
        fs::write(at("file.sock"), "precious").unwrap();
        assert_eq!(live_in(folder.path()), [Found { name: "lives".into(), path: at("lives.sock") }]);
        assert!(!at("dead.sock").exists());
        assert!(at("dead.other").exists() && at("file.sock").exists(), "not ours to remove");
    }

    #[test]
    fn folders_of_others_are_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let set_mode = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        set_mode(0o700);
        assert!(is_ours(folder.path()));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        assert!(!is_ours(&link));
        set_mode(0o750);
        assert!(!is_ours(folder.path()));
        assert!(!is_ours(Path::new("/no/such/folder")));
    }
}
