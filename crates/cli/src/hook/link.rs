//! One request over the session's socket, or over TCP where a container hides the socket.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use coop_api::hook::{AGE_HEADER, AGENT_HEADER, MAX_BODY, PATH, SHELL_HEADER};
use coop_machine::private;
use rustix::fs::OFlags;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

/// A coop that runs is there at once.
const CONNECT_LIMIT: Duration = Duration::from_millis(200);
/// One that is there reads.
const WRITE_LIMIT: Duration = Duration::from_secs(2);
/// While coop has more connections waiting than it accepts: that often it is tried again.
const RETRY: Duration = Duration::from_millis(5);
/// How long a request that was parked outlives its hub. In the background an agent waits for its hook.
const HUB_IS_BACK: Duration = Duration::from_secs(30);
/// The same for an agent that may show no dialog before its hook is over.
const HUB_IS_BACK_SOON: Duration = Duration::from_secs(10);
const HUB_RETRY: Duration = Duration::from_millis(250);
/// How long coop may take to reply to a hook that waits for no decision: it replies at once. One that is stopped, or has no
/// descriptors left, must not hold up the agent.
const REPLY_LIMIT: Duration = Duration::from_secs(5);
/// The same before the agent shortens its conversation, of which coop then makes a copy.
const COPY_LIMIT: Duration = Duration::from_secs(15);
/// Ours has a few short lines.
const MAX_HEAD: usize = 1 << 20;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) body: Vec<u8>,
    /// Commands to run. Only through the socket is it certain that coop sent them: a port may be somebody else's by now.
    pub(super) shell: Vec<String>,
}

/// What is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    pub(super) name: &'a str,
    /// Whose hook it is.
    pub(super) agent: Option<&'a str>,
}

impl Event<'_> {
    /// How long the reply may take.
    fn limit(self, wait: Duration) -> Duration {
        match self.name {
            "PermissionRequest" => wait,
            "PreCompact" => wait.min(COPY_LIMIT),
            _ => wait.min(REPLY_LIMIT),
        }
    }

    /// Whether it can stand in the head of a request.
    fn is_plain(self) -> bool {
        let plain = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        };
        plain(self.name) && self.agent.is_none_or(plain)
    }
}

/// The reply; nothing when there is none to be had.
pub(super) fn ask(event: Event<'_>, payload: &[u8], started: Instant, wait: Duration) -> Option<Reply> {
    if !event.is_plain() {
        return None;
    }
    let wait = event.limit(wait);
    let over_socket = || {
        let stream = unix(&std::env::var_os("COOP_SOCKET").filter(|path| !path.is_empty())?).ok()?;
        stream.set_write_timeout(Some(WRITE_LIMIT)).ok()?;
        let limit = |stream: &UnixStream, left| stream.set_read_timeout(Some(left));
        exchange(stream, "localhost", event, payload, started, wait, limit).reply()
    };
    let over_tcp = || {
        let url = std::env::var("COOP_URL").ok()?;
        let host = url.strip_prefix("http://")?.split('/').next()?;
        let stream = tcp(host).ok()?;
        stream.set_write_timeout(Some(WRITE_LIMIT)).ok()?;
        let limit = |stream: &TcpStream, left| stream.set_read_timeout(Some(left));
        let reply = exchange(stream, host, event, payload, started, wait, limit).reply()?;
        Some(Reply { shell: Vec::new(), ..reply })
    };
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("COOP_SOCKET") || is_set("COOP_URL") {
        return over_socket().or_else(over_tcp);
    }
    over_terminal(event, payload, started, wait).or_else(|| over_hub(event, payload, started, wait))
}

/// An agent that coop did not start, on a terminal that a session of coop is attached to.
fn over_terminal(event: Event<'_>, payload: &[u8], started: Instant, wait: Duration) -> Option<Reply> {
    let (socket, token) = crate::run::attached::of_this_process()?;
    let stream = unix(OsStr::new(&socket)).ok()?;
    stream.set_write_timeout(Some(WRITE_LIMIT)).ok()?;
    let limit = |stream: &UnixStream, left| stream.set_read_timeout(Some(left));
    let reply = exchange_as(token, stream, "localhost", event, payload, started, wait, limit).reply()?;
    Some(Reply { shell: Vec::new(), ..reply })
}

/// An agent that runs in no session of coop tells the hub, if there is one.
fn over_hub(event: Event<'_>, payload: &[u8], started: Instant, wait: Duration) -> Option<Reply> {
    let path = hub()?;
    // A hub of another account is only talked to where the environment names its socket.
    let is_named = std::env::var_os("COOP_HUB").is_some_and(|path| !path.is_empty());
    let connect = || unix(&path).ok().filter(|hub| is_named || private::is_trusted_peer(hub));
    let deadline = Instant::now() + wait;
    // Claude Code, whose hooks name no agent, shows its dialog all the while.
    let is_back = if event.agent.is_some() { HUB_IS_BACK_SOON } else { HUB_IS_BACK };
    let limit = |stream: &UnixStream, left| stream.set_read_timeout(Some(left));
    // A hub that is not there is not waited for.
    let mut stream = Some(connect()?);
    let mut lost = None;
    loop {
        let left = deadline.checked_duration_since(Instant::now())?;
        if let Some(stream) = stream {
            stream.set_write_timeout(Some(WRITE_LIMIT)).ok()?;
            let exchanged = exchange(stream, "localhost", event, payload, started, left, limit);
            // What one hub refuses the next would refuse too; and no decision is waited for with other events.
            if exchanged != Exchange::Lost || event.name != "PermissionRequest" {
                return exchanged.reply();
            }
            lost = None;
        }
        // The hub ended while somebody was to answer: the next one is asked again, if it comes soon.
        if lost.get_or_insert_with(Instant::now).elapsed() > is_back {
            return None;
        }
        std::thread::sleep(HUB_RETRY);
        stream = connect();
    }
}

/// The socket that was named, or the usual one.
fn hub() -> Option<OsString> {
    match std::env::var_os("COOP_HUB").filter(|path| !path.is_empty()) {
        Some(given) => {
            let given = given.into_string().ok()?;
            let path = given.strip_prefix("unix:").unwrap_or(&given);
            path.starts_with('/').then(|| path.into())
        }
        None => crate::sessions::trusted_hub_socket().ok().map(Into::into),
    }
}

fn unix(path: &OsStr) -> io::Result<UnixStream> {
    let deadline = Instant::now() + CONNECT_LIMIT;
    let address = SocketAddrUnix::new(path)?;
    // The usual way to connect waits for as long as it takes.
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    rustix::fs::fcntl_setfl(&socket, OFlags::NONBLOCK)?;
    while let Err(error) = rustix::net::connect(&socket, &address) {
        if error != rustix::io::Errno::AGAIN || Instant::now() > deadline {
            return Err(error.into());
        }
        std::thread::sleep(RETRY);
    }
    rustix::fs::fcntl_setfl(&socket, OFlags::empty())?;
    Ok(socket.into())
}

fn tcp(host: &str) -> io::Result<TcpStream> {
    let with_port = |port| format!("{host}:{port}").to_socket_addrs();
    let mut addresses = host.to_socket_addrs().or_else(|_| with_port(80))?;
    let address = addresses.next().ok_or(io::ErrorKind::NotFound)?;
    let stream = TcpStream::connect_timeout(&address, CONNECT_LIMIT)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn exchange<S: Read + Write>(
    stream: S,
    host: &str,
    event: Event<'_>,
    payload: &[u8],
    started: Instant,
    wait: Duration,
    limit: impl Fn(&S, Duration) -> io::Result<()>,
) -> Exchange {
    let token = std::env::var("COOP_HOOK_TOKEN").ok();
    exchange_as(token, stream, host, event, payload, started, wait, limit)
}

#[allow(clippy::too_many_arguments, reason = "they are what a request has")]
fn exchange_as<S: Read + Write>(
    token: Option<String>,
    mut stream: S,
    host: &str,
    event: Event<'_>,
    payload: &[u8],
    started: Instant,
    wait: Duration,
    limit: impl Fn(&S, Duration) -> io::Result<()>,
) -> Exchange {
    let head = head(token, host, event, payload.len(), started);
    if stream.write_all(&head).and_then(|()| stream.write_all(payload)).is_err() {
        return Exchange::Lost;
    }
    let deadline = Instant::now() + wait;
    let (mut got, mut piece) = (Vec::new(), [0; 16 << 10]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || limit(&stream, left).is_err() {
            return Exchange::Lost;
        }
        match stream.read(&mut piece) {
            Ok(0) => return Exchange::Lost,
            Ok(count) => got.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Exchange::Lost,
        }
        match parse(&got) {
            Parsed::Whole(reply) => return Exchange::Reply(reply),
            // A hub that ends says that it is not ready: the next one may be.
            Parsed::Refused if got.starts_with(b"HTTP/1.1 5") => return Exchange::Lost,
            Parsed::Refused => return Exchange::Refused,
            Parsed::Part => {}
        }
    }
}

fn head(token: Option<String>, host: &str, event: Event<'_>, length: usize, started: Instant) -> Vec<u8> {
    let token = token.filter(|token| token.bytes().all(|byte| byte.is_ascii_graphic()));
    let token = token.filter(|token| !token.is_empty());
    let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    let agent = event.agent.map(|agent| format!("{AGENT_HEADER}: {agent}\r\n")).unwrap_or_default();
    let event = event.name;
    // Each is the least that it can be.
    let age = super::age::since_start().unwrap_or_default().max(started.elapsed()).as_micros();
    format!(
        "POST {PATH}{event} HTTP/1.1\r\nhost: {host}\r\n{token}{agent}{AGE_HEADER}: {age}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
    .into_bytes()
}

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
enum Exchange {
    Reply(Reply),
    /// coop does not take this request.
    Refused,
    /// coop has gone, is going, or did not reply in time.
    Lost,
}

impl Exchange {
    fn reply(self) -> Option<Reply> {
        match self {
            Self::Reply(reply) => Some(reply),
            Self::Refused | Self::Lost => None,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Parsed {
    Part,
    Whole(Reply),
    Refused,
}

/// Reads as much of HTTP as coop writes. It always says how long a reply is.
fn parse(bytes: &[u8]) -> Parsed {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > MAX_HEAD { Parsed::Refused } else { Parsed::Part };
    };
    let Ok(head) = std::str::from_utf8(&bytes[..end]) else { return Parsed::Refused };
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3));
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(':')).collect();
    let header =
        |name: &str| headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
    let shell = header(SHELL_HEADER).and_then(|list| serde_json::from_str(list).ok()).unwrap_or_default();
    let body = &bytes[end + 4..];
    match (status, header("content-length").and_then(|length| length.parse().ok())) {
        (Some("204"), _) => Parsed::Whole(Reply { body: Vec::new(), shell }),
        (Some("200"), Some(length)) if length > MAX_BODY => Parsed::Refused,
        (Some("200"), Some(length)) if body.len() < length => Parsed::Part,
        (Some("200"), Some(length)) => Parsed::Whole(Reply { body: body[..length].to_vec(), shell }),
        _ => Parsed::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies() {
        let whole = |body: &str, shell: &[&str]| {
            let shell = shell.iter().map(|command| (*command).to_owned()).collect();
            Parsed::Whole(Reply { body: body.as_bytes().to_vec(), shell })
        };
        for (text, expected) in [
            ("", Parsed::Part),
            ("HTTP/1.1 200 OK\r\ncontent-le", Parsed::Part),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{", Parsed::Part),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", whole("{}", &[])),
            ("HTTP/1.1 204 No Content\r\ndate: x\r\n\r\n", whole("", &[])),
            ("HTTP/1.1 204 No Content\r\nCoop-Shell: [\"ls \\u00e4\"]\r\n\r\n", whole("", &["ls ä"])),
            ("HTTP/1.1 200 OK\r\n\r\n{}", Parsed::Refused),
            ("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n{}", Parsed::Refused),
            ("HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}", Parsed::Refused),
            ("SSH-2.0-OpenSSH\r\n\r\n", Parsed::Refused),
        ] {
            assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(parse(&[b'x'; MAX_HEAD + 1]), Parsed::Refused);
        assert_eq!(parse(b"HTTP/1.1 200 \xff\r\n\r\n"), Parsed::Refused);
    }
}
