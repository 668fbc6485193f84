//! Binds everything there is to listen on, before the program is started.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use coop_server::{BindError, Listener, Listeners, Tls};

use super::flags::{Flags, ListenFlags};
use super::held::{Before, Held};
use super::program::Addresses;
use crate::CommandError;
use crate::sessions::{self, Name};

/// What listeners are kept by.
const HTTP: &str = "http";
const GRPC: &str = "grpc";
const HEALTH: &str = "health";
const SOCKET: &str = "socket";

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
    let tls = tls(flags, port.or(listen.grpc_port).is_some(), is_none)?;
    let secured = |listener: Listener| listener.with_tls(tls.clone());
    let http = port.map(|port| tcp(listen, port, "--port")).transpose()?.map(secured);
    let grpc = listen.grpc_port.map(|port| tcp(listen, port, "--grpc-port")).transpose()?.map(secured);
    // Probes have nothing to hide, and few of them know a certificate of our own.
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
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = http.as_ref().and_then(Listener::port).map(|port| url(scheme, listen.host, port));
    let (socket, path) = socket.unzip();
    // The program may change its directory.
    let path = path.map(|path| std::path::absolute(&path).unwrap_or(path).into());
    Ok(Bound {
        name,
        listeners: Listeners {
            http: http.into_iter().chain(socket).collect(),
            grpc: grpc.into_iter().collect(),
            hooks: Vec::new(),
            health: health.into_iter().collect(),
        },
        addresses: Addresses { socket: path, url, hook_token: None, mark: None },
    })
}

/// What the ports show, if they are to speak TLS.
fn tls(flags: &Flags, has_port: bool, no_socket: bool) -> Result<Option<Tls>, CommandError> {
    if flags.tls.is_wanted() && !has_port {
        return Err(CommandError::usage("TLS is spoken on a port, and there is none").with_hint("Give it a --port."));
    }
    if flags.tls.is_wanted() && no_socket {
        return Err(CommandError::usage("With --tls the agent inside needs the socket: its hooks speak no TLS")
            .with_hint("Leave out --socket none, or say where the socket is to be."));
    }
    flags.tls.read(&flags.access.allow_host)
}

/// What another process has bound, and `hold` has kept.
pub(super) fn inherit(held: &mut Held, before: &Before, flags: &Flags) -> Result<Bound, CommandError> {
    let tls = flags.tls.read(&flags.access.allow_host)?;
    let mut tcp = |name| held.inherited(name).map(Listener::held_tcp).transpose();
    let (http, grpc, health) = (tcp(HTTP)?, tcp(GRPC)?, tcp(HEALTH)?);
    let secured = |listener: Listener| listener.with_tls(tls.clone());
    let (http, grpc) = (http.map(secured), grpc.map(secured));
    let path = before.socket.as_deref().unwrap_or(Path::new(""));
    let socket = held.inherited(SOCKET).map(|fd| Listener::held_unix(fd, path)).transpose()?;
    let addresses = Addresses {
        socket: before.socket.clone().map(Into::into),
        url: before.url.clone(),
        hook_token: before.hook_token.clone(),
        mark: None,
    };
    let listeners = Listeners {
        http: http.into_iter().chain(socket).collect(),
        grpc: grpc.into_iter().collect(),
        hooks: Vec::new(),
        health: health.into_iter().collect(),
    };
    let name = before.name.parse().map_err(io::Error::other)?;
    Ok(Bound { name, listeners, addresses })
}

/// Has it all kept.
pub(super) fn keep(bound: &Bound, held: &Held) -> io::Result<()> {
    // A sealed session, which has some for hooks, cannot be held.
    let Listeners { http, grpc, health, hooks: _ } = &bound.listeners;
    for listener in http {
        held.keep(if listener.port().is_some() { HTTP } else { SOCKET }, listener.as_fd())?;
    }
    grpc.iter().try_for_each(|listener| held.keep(GRPC, listener.as_fd()))?;
    health.iter().try_for_each(|listener| held.keep(HEALTH, listener.as_fd()))
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
fn url(scheme: &str, host: IpAddr, port: u16) -> String {
    let host = match host {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    format!("{scheme}://{}", std::net::SocketAddr::new(host, port))
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
            assert_eq!(url("http", host.parse().unwrap(), 80), expected);
        }
    }
}
