//! Binds everything there is to listen on, before the program is started.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use coop_server::{BindError, Listener, Listeners};

use super::flags::{Flags, ListenFlags};
use super::program::Addresses;
use crate::CommandError;
use crate::sessions::{self, Name};

/// Bound, and known by a name.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) name: Name,
    pub(super) listeners: Listeners,
    /// What the program is told, and the person.
    pub(super) addresses: Addresses,
}

pub(super) fn bind(flags: &Flags, default_name: &Name) -> Result<Bound, CommandError> {
    let listen = &flags.listen;
    // Somebody who wants to be shown around needs an address to open.
    let port = listen.port.or(flags.session.welcome.then_some(0));
    let is_none = listen.socket.as_deref() == Some(Path::new("none"));
    if is_none && port.is_none() && listen.grpc_port.is_none() {
        return Err(CommandError::usage("With --socket none and no port nobody could reach the program")
            .with_hint("Give it a --port."));
    }
    let http = port.map(|port| tcp(listen, port, "--port")).transpose()?;
    let grpc = listen.grpc_port.map(|port| tcp(listen, port, "--grpc-port")).transpose()?;
    let health = listen.health_port.map(|port| tcp(listen, port, "--health-port")).transpose()?;
    let wanted = flags.session.name.as_ref();
    let (name, socket) = match &listen.socket {
        _ if is_none => (wanted.unwrap_or(default_name).clone(), None),
        Some(path) => (wanted.unwrap_or(default_name).clone(), Some((at(path)?, path.clone()))),
        None => {
            let (name, listener, path) = in_folder(wanted, default_name)?;
            (name, Some((listener, path)))
        }
    };
    let url = http.as_ref().and_then(Listener::port).map(|port| url(listen.host, port));
    let (socket, path) = socket.unzip();
    // The program may change its directory.
    let path = path.map(|path| std::path::absolute(&path).unwrap_or(path).into());
    Ok(Bound {
        name,
        listeners: Listeners {
            http: http.into_iter().chain(socket).collect(),
            grpc: grpc.into_iter().collect(),
            health: health.into_iter().collect(),
        },
        addresses: Addresses { socket: path, url, hook_token: None },
    })
}

fn tcp(listen: &ListenFlags, port: u16, flag: &str) -> Result<Listener, CommandError> {
    Listener::tcp(listen.host, port).map_err(|error| match error {
        BindError::PortInUse { host, port } => {
            CommandError::failed(format!("Port {port} on {host} is in use by another program"))
                .with_hint(format!("Choose another one with {flag}, or {flag} 0 for any that is free."))
        }
        error => CommandError::failed(error.to_string()),
    })
}

fn at(path: &Path) -> Result<Listener, CommandError> {
    Listener::unix(path)
        .map_err(|error| CommandError::failed(error.to_string()).with_hint("Choose another path with --socket."))
}

/// A socket in the folder where `coop ls` looks. A name that was asked for is that name; the program's own gets a
/// number if another session has it.
fn in_folder(wanted: Option<&Name>, default: &Name) -> Result<(Name, Listener, PathBuf), CommandError> {
    sessions::make_folder()?;
    let _until_bound = sessions::lock()?;
    let candidates: Box<dyn Iterator<Item = Name>> = match wanted {
        Some(name) => Box::new(std::iter::once(name.clone())),
        None => Box::new(default.numbered()),
    };
    for name in candidates {
        let path = sessions::socket(&name);
        match Listener::unix(&path) {
            Ok(listener) => return Ok((name, listener, path)),
            Err(BindError::SocketInUse { .. }) => {}
            Err(error) => {
                return Err(CommandError::failed(error.to_string()).with_hint("Choose another path with --socket."));
            }
        }
    }
    Err(CommandError::failed(format!("A session named `{}` is already running", wanted.unwrap_or(default)))
        .with_hint("Choose another --name, or go to it: coop attach."))
}

/// How the program inside and the person next to it reach us.
fn url(host: IpAddr, port: u16) -> String {
    let host = match host {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    format!("http://{}", std::net::SocketAddr::new(host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (host, expected) in [
            ("127.0.0.1", "http://127.0.0.1:80"),
            ("0.0.0.0", "http://127.0.0.1:80"),
            ("::", "http://[::1]:80"),
            ("10.0.0.7", "http://10.0.0.7:80"),
        ] {
            assert_eq!(url(host.parse().unwrap(), 80), expected);
        }
    }
}
