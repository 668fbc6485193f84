//! Where a coop listens, and how to get a connection to it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use hyper::Uri;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

use super::ClientError;
use super::tls::{self, Pin};

/// What stands between an address and the digest of its certificate.
const PINNED: &str = "#sha256=";

/// A host that drops packets answers never; one that is there answers within a round trip.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// An address as people write it: `http://127.0.0.1:8080`, `https://box:8123`, `https://box:8123#sha256=DIGEST` where the
/// certificate is one that only its digest is known of, or `unix:/run/user/1000/coop/claude.sock`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    Tcp { host: String, port: u16 },
    Tls { host: String, port: u16, pin: Option<Pin> },
    Unix(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not an address of a coop: {reason}")]
pub struct EndpointError {
    given: String,
    reason: &'static str,
}

/// Either kind of stream.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

impl Endpoint {
    /// The `Host` header, and what stands after `//` in a URL.
    pub(super) fn authority(&self) -> String {
        match self {
            // The colons of an IPv6 address would be taken for the port's.
            Self::Tcp { host, port } | Self::Tls { host, port, .. } if host.contains(':') => format!("[{host}]:{port}"),
            Self::Tcp { host, port } | Self::Tls { host, port, .. } => format!("{host}:{port}"),
            Self::Unix(_) => "localhost".into(),
        }
    }

    pub(super) async fn connect(&self) -> Result<Box<dyn Io>, ClientError> {
        let connected = tokio::time::timeout(CONNECT_LIMIT, self.stream()).await;
        let stream = connected.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no answer")));
        stream.map_err(|error| self.unreachable(error))
    }

    pub(super) fn unreachable(&self, error: io::Error) -> ClientError {
        ClientError::Unreachable { endpoint: self.clone(), error }
    }

    async fn stream(&self) -> io::Result<Box<dyn Io>> {
        match self {
            Self::Tcp { host, port } => Ok(Box::new(tcp(host, *port).await?)),
            Self::Tls { host, port, pin } => Ok(Box::new(tls::over(tcp(host, *port).await?, host, *pin).await?)),
            Self::Unix(path) => Ok(Box::new(UnixStream::connect(path).await?)),
        }
    }
}

async fn tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect((host, port)).await?;
    // Keystrokes are small and must not wait for each other.
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { .. } => write!(f, "http://{}", self.authority()),
            Self::Tls { pin: None, .. } => write!(f, "https://{}", self.authority()),
            Self::Tls { pin: Some(pin), .. } => write!(f, "https://{}{PINNED}{pin}", self.authority()),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(given: &str) -> Result<Self, EndpointError> {
        let bad = |reason| EndpointError { given: given.to_owned(), reason };
        if let Some(path) = given.strip_prefix("unix:") {
            // `unix:///path` is the same by the rules of URLs.
            let path = path.strip_prefix("//").unwrap_or(path);
            let absolute = path.starts_with('/').then(|| Self::Unix(path.into()));
            return absolute.ok_or_else(|| bad("after unix: comes the absolute path of a socket"));
        }
        let (address, pin) = match given.split_once('#') {
            Some((address, _)) => {
                let pin = given.strip_prefix(address).and_then(|pin| pin.strip_prefix(PINNED)?.parse().ok());
                (address, Some(pin.ok_or_else(|| bad("after # comes sha256= and the digest of a certificate"))?))
            }
            None => (given, None),
        };
        let uri: Uri = address.parse().map_err(|_| bad("it looks like http://127.0.0.1:8080 or unix:/path"))?;
        let tls = match uri.scheme_str() {
            Some("http") if pin.is_some() => return Err(bad("without TLS there is no certificate")),
            Some("http") => false,
            Some("https") => true,
            _ => return Err(bad("it begins with http://, https:// or unix:")),
        };
        if uri.path() != "/" || uri.query().is_some() {
            return Err(bad("nothing comes after the port"));
        }
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| bad("it has no host"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(match tls {
            false => Self::Tcp { host, port: uri.port_u16().unwrap_or(80) },
            true => Self::Tls { host, port: uri.port_u16().unwrap_or(443), pin },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let tcp = |host: &str, port| Some(Endpoint::Tcp { host: host.into(), port });
        let tls = |host: &str, port, pin| Some(Endpoint::Tls { host: host.into(), port, pin });
        let pinned = format!("https://box:1#sha256={}", Pin::of(b""));
        let plain = pinned.replace("https", "http");
        for (given, expected, shown) in [
            ("http://127.0.0.1:8080", tcp("127.0.0.1", 8080), "http://127.0.0.1:8080"),
            ("http://localhost:1/", tcp("localhost", 1), "http://localhost:1"),
            ("http://[::1]:9", tcp("::1", 9), "http://[::1]:9"),
            ("http://box", tcp("box", 80), "http://box:80"),
            ("unix:/run/a.sock", Some(Endpoint::Unix("/run/a.sock".into())), "unix:/run/a.sock"),
            ("unix:///run/a.sock", Some(Endpoint::Unix("/run/a.sock".into())), "unix:/run/a.sock"),
            ("unix:a.sock", None, ""),
            ("https://box:8123", tls("box", 8123, None), "https://box:8123"),
            ("https://[::1]", tls("::1", 443, None), "https://[::1]:443"),
            (&pinned, tls("box", 1, Some(Pin::of(b""))), &pinned),
            ("https://box:1#sha256=ab", None, ""),
            ("https://box:1#abc", None, ""),
            ("https://box:1/x", None, ""),
            (&plain, None, ""),
            ("http://box:8080/api", None, ""),
            ("box:8080", None, ""),
            ("", None, ""),
        ] {
            let read = given.parse::<Endpoint>();
            assert_eq!(read.as_ref().ok(), expected.as_ref(), "{given}");
            if let Ok(endpoint) = read {
                assert_eq!(endpoint.to_string(), shown);
            }
        }
    }
}
