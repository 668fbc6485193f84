//! Which processes of this machine hold the other end of a TCP connection over loopback.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Processes that may hold the other end of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holders {
    /// Those that do.
    pub found: Vec<u32>,
    /// Those whose files this process may not list, and that might.
    pub closed: Vec<u32>,
}

/// Looks for the processes at the other end of a connection from `peer` to `local`. Nothing if the other end is no socket
/// of this machine.
#[must_use]
pub fn holders(peer: SocketAddr, local: SocketAddr) -> Option<Holders> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    let inode = tables.iter().find_map(|table| inode(table, peer, local))?;
    let wanted = format!("socket:[{inode}]");
    let mut holders = Holders::default();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        match fs::read_dir(entry.path().join("fd")) {
            Ok(mut fds) => {
                let is_it = |fd: io::Result<fs::DirEntry>| {
                    fd.and_then(|fd| fs::read_link(fd.path())).is_ok_and(|target| target.as_os_str() == wanted.as_str())
                };
                if fds.any(is_it) {
                    holders.found.push(pid);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => holders.closed.push(pid),
            // It has ended.
            Err(_) => {}
        }
    }
    Some(holders)
}

/// The inode of the socket at `peer` that is connected to `local`, in a table of the kernel.
fn inode(table: &str, peer: SocketAddr, local: SocketAddr) -> Option<u64> {
    let same = |one: SocketAddr, other: SocketAddr| {
        one.port() == other.port() && one.ip().to_canonical() == other.ip().to_canonical()
    };
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (own, other) = (address(fields.next()?)?, address(fields.next()?)?);
        // After the state, queues, timers, user and timeout.
        (same(own, peer) && same(other, local)).then(|| fields.nth(6)?.parse().ok()).flatten()
    })
}

/// An address as the kernel prints it: words of four bytes in the order of the machine, and the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let words: Vec<[u8; 4]> = (0..address.len() / 8)
        .filter_map(|word| u32::from_str_radix(address.get(word * 8..word * 8 + 8)?, 16).ok())
        .map(u32::to_ne_bytes)
        .collect();
    let address = match words.as_slice() {
        [word] => IpAddr::from(Ipv4Addr::from(*word)),
        [_, _, _, _] => IpAddr::from(Ipv6Addr::from(<[u8; 16]>::try_from(words.concat()).ok()?)),
        _ => return None,
    };
    Some(SocketAddr::new(address, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn rows_are_read() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
                     0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1\n   \
                     1: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1\n";
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        if cfg!(target_endian = "little") {
            assert_eq!(inode(table, at("127.0.0.1:54321"), at("127.0.0.1:8080")), Some(12));
            assert_eq!(inode(table, at("[::ffff:127.0.0.1]:54321"), at("[::ffff:127.0.0.1]:8080")), Some(12));
            assert_eq!(inode(table, at("127.0.0.1:54322"), at("127.0.0.1:8080")), None);
        }
        assert_eq!(inode("", at("127.0.0.1:1"), at("127.0.0.1:2")), None);
    }

    #[test]
    fn the_process_at_the_other_end_is_found() {
        for host in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(host) else { continue };
            let local = listener.local_addr().unwrap();
            let client = TcpStream::connect(local).unwrap();
            let peer = client.local_addr().unwrap();
            let holders = holders(peer, local).unwrap();
            assert!(holders.found.contains(&std::process::id()), "{host}: {holders:?}");
            assert_eq!(super::holders(local, local), None, "{host}");
        }
    }
}
