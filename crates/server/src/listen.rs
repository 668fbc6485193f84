//! Where we listen. Binding is done before the program starts, so that a port in use starts nothing.

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use coop_api::client::Pin;

use crate::tls::Tls;

/// Bound, and not yet accepting.
#[derive(Debug)]
pub struct Listener(pub(crate) Kind);

#[derive(Debug)]
pub(crate) enum Kind {
    Tcp(std::net::TcpListener, SocketAddr, Option<Tls>),
    // In this order: while the file is there, somebody listens.
    Unix(SocketFile, std::os::unix::net::UnixListener),
}

#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("port {port} on {host} is in use by another program: choose another one")]
    PortInUse { host: IpAddr, port: u16 },
    #[error("{address} cannot be listened on: {error}")]
    Tcp { address: SocketAddr, error: io::Error },
    #[error("another session listens on {}", path.display())]
    SocketInUse { path: PathBuf },
    #[error("{} exists and is not a socket; it is left alone: choose another path", path.display())]
    NotASocket { path: PathBuf },
    #[error("the socket path {} is too long: it may have {max} bytes", path.display())]
    PathTooLong { path: PathBuf, max: usize },
    #[error("the socket {} cannot be made: {error}", path.display())]
    Unix { path: PathBuf, error: io::Error },
}

/// Linux has room for 108 bytes with the terminating zero, macOS for 104.
const MAX_SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

impl Listener {
    pub fn tcp(host: IpAddr, port: u16) -> Result<Self, BindError> {
        let address = SocketAddr::new(host, port);
        let listener = std::net::TcpListener::bind(address).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => BindError::PortInUse { host, port },
            _ => BindError::Tcp { address, error },
        })?;
        let bound = listener.local_addr().and_then(|bound| listener.set_nonblocking(true).map(|()| bound));
        let bound = bound.map_err(|error| BindError::Tcp { address, error })?;
        Ok(Self(Kind::Tcp(listener, bound, None)))
    }

    /// Makes the folder for its owner only, and the socket too. A socket nobody listens on is replaced; anything else
    /// that is there is not.
    pub fn unix(path: &Path) -> Result<Self, BindError> {
        let path = path.to_path_buf();
        if path.as_os_str().len() > MAX_SOCKET_PATH {
            return Err(BindError::PathTooLong { path, max: MAX_SOCKET_PATH });
        }
        make_folder(&path).map_err(|error| BindError::Unix { path: path.clone(), error })?;
        remove_dead(&path)?;
        let listener = bind_private(&path)?;
        Ok(Self(Kind::Unix(SocketFile::new(path), listener)))
    }

    /// One that another process has bound.
    pub fn held_tcp(fd: OwnedFd) -> io::Result<Self> {
        let listener = std::net::TcpListener::from(fd);
        let bound = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        Ok(Self(Kind::Tcp(listener, bound, None)))
    }

    /// The same for a socket, whose file is removed with it.
    pub fn held_unix(fd: OwnedFd, path: &Path) -> io::Result<Self> {
        let listener = std::os::unix::net::UnixListener::from(fd);
        listener.set_nonblocking(true)?;
        Ok(Self(Kind::Unix(SocketFile::new(path.into()), listener)))
    }

    /// A port that speaks TLS and nothing else. A socket stays as it is: nobody can listen in on it.
    #[must_use]
    pub fn with_tls(self, tls: Option<Tls>) -> Self {
        match self.0 {
            Kind::Tcp(listener, bound, _) => Self(Kind::Tcp(listener, bound, tls)),
            socket @ Kind::Unix(..) => Self(socket),
        }
    }

    /// What it is known by, if it speaks TLS.
    #[must_use]
    pub fn pin(&self) -> Option<Pin> {
        match &self.0 {
            Kind::Tcp(.., tls) => tls.as_ref().map(Tls::pin),
            Kind::Unix(..) => None,
        }
    }

    /// How to reach it.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.0 {
            Kind::Tcp(_, address, None) => format!("http://{address}"),
            Kind::Tcp(_, address, Some(_)) => format!("https://{address}"),
            Kind::Unix(file, _) => format!("unix:{}", file.path.display()),
        }
    }

    /// The socket itself, and the file of it, which is removed when that is dropped.
    pub(crate) fn into_unix(self) -> io::Result<(SocketFile, std::os::unix::net::UnixListener)> {
        match self.0 {
            Kind::Unix(file, listener) => Ok((file, listener)),
            Kind::Tcp(..) => Err(io::Error::other("it is a port")),
        }
    }

    #[must_use]
    pub fn port(&self) -> Option<u16> {
        match &self.0 {
            Kind::Tcp(_, address, _) => Some(address.port()),
            Kind::Unix(..) => None,
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Kind::Tcp(listener, ..) => listener.as_fd(),
            Kind::Unix(_, listener) => listener.as_fd(),
        }
    }
}

fn make_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
        }
        _ => Ok(()),
    }
}

fn remove_dead(path: &Path) -> Result<(), BindError> {
    let kind = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(_) => return Ok(()),
    };
    if !kind.is_socket() {
        return Err(BindError::NotASocket { path: path.into() });
    }
    match std::os::unix::net::UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| BindError::Unix { path: path.into(), error })
        }
        _ => Err(BindError::SocketInUse { path: path.into() }),
    }
}

/// Bound under another name, and linked to its own when its permissions are right: at no moment may others connect, and
/// of two that start at once only one gets the name.
fn bind_private(path: &Path) -> Result<std::os::unix::net::UnixListener, BindError> {
    // Short, because the kernel's limit counts this name too; one process makes one socket at a time.
    let staged = path.with_file_name(format!(".{}", std::process::id()));
    let listener = std::os::unix::net::UnixListener::bind(&staged);
    let ready = listener.and_then(|listener| {
        fs::set_permissions(&staged, fs::Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        fs::hard_link(&staged, path)?;
        Ok(listener)
    });
    // The name is needed for the link only, and not at all if that failed.
    drop(fs::remove_file(&staged));
    ready.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => BindError::SocketInUse { path: path.into() },
        _ => BindError::Unix { path: path.into(), error },
    })
}

/// Removes the socket when it is dropped.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// Its device and number: whoever takes our place may have another file there by the time we go.
    own: Option<(u64, u64)>,
}

impl SocketFile {
    fn new(path: PathBuf) -> Self {
        Self { own: identity(&path), path }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Somebody else may have removed it; then there is nothing to do.
        if self.own.is_some() && identity(&self.path) == self.own {
            drop(fs::remove_file(&self.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_private_and_nothing_of_others_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/by/us.sock");
        let listener = Listener::unix(&path).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(matches!(Listener::unix(&path), Err(BindError::SocketInUse { .. })));
        std::os::unix::net::UnixStream::connect(&path).unwrap();
        drop(listener);
        assert!(!path.exists(), "removed when done");

        // Replaced by another one, which stays.
        let first = Listener::unix(&path).unwrap();
        fs::rename(&path, folder.path().join("away")).unwrap();
        let second = Listener::unix(&path).unwrap();
        drop(first);
        std::os::unix::net::UnixStream::connect(&path).unwrap();
        drop(second);
        assert!(!path.exists());

        // Dead: bound once, and nobody listens.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists());
        drop(Listener::unix(&path).unwrap());

        let file = folder.path().join("file");
        fs::write(&file, "precious").unwrap();
        assert!(matches!(Listener::unix(&file), Err(BindError::NotASocket { .. })));
        assert_eq!(fs::read(&file).unwrap(), b"precious");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(matches!(Listener::unix(&link), Err(BindError::NotASocket { .. })));

        let long = folder.path().join("x".repeat(120));
        assert!(matches!(Listener::unix(&long), Err(BindError::PathTooLong { .. })));
    }

    #[test]
    fn ports() {
        let local = IpAddr::from([127, 0, 0, 1]);
        let first = Listener::tcp(local, 0).unwrap();
        let port = first.port().unwrap();
        assert_eq!(first.address(), format!("http://127.0.0.1:{port}"));
        let error = Listener::tcp(local, port).unwrap_err().to_string();
        assert!(error.contains(&port.to_string()) && error.contains("in use"), "{error}");
    }
}
