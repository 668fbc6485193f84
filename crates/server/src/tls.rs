//! TLS on a port: the certificate, given or made, and the handshake. A port that speaks it speaks nothing else.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use coop_api::ApiError;
use coop_api::client::Pin;
use coop_machine::{clock, private};
use rcgen::{CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{TlsAcceptor, rustls};

/// Where the certificate that was made is, with its key, in coop's folder of state.
pub const OWN: &str = "tls.pem";
/// The longest that phones take.
const GOOD_DAYS: u64 = 825;
/// Made anew before it is too old.
const RENEWED_DAYS: u64 = 790;
const DAY_SECS: u64 = 24 * 60 * 60;
/// Stands before the date in the file.
const MADE: &str = "Made by coop, in seconds since 1970: ";
/// A client that does not speak TLS gets so long to read that.
const REFUSAL: Duration = Duration::from_secs(1);
/// The first byte of every connection that begins with a handshake.
const HANDSHAKE: u8 = 22;

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{} cannot be read: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{} has no {what} in PEM form", path.display())]
    Missing { path: PathBuf, what: &'static str },
    #[error("{} is broken: {error}", path.display())]
    Broken { path: PathBuf, error: String },
    #[error("the key in {} is not that of the certificate in {}", key.display(), certificate.display())]
    Mismatch { certificate: PathBuf, key: PathBuf },
    #[error("the certificate in {} cannot be used: {error}", path.display())]
    Unfit { path: PathBuf, error: rustls::Error },
    #[error("no certificate can be made: {0}")]
    NotMade(#[from] rcgen::Error),
    #[error("the certificate cannot be kept in {}: {error}", path.display())]
    NotKept { path: PathBuf, error: io::Error },
}

/// What a port shows, and the digest it is known by. Cheap to clone.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    pin: Pin,
}

impl fmt::Debug for Tls {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("pin", &self.pin).finish_non_exhaustive()
    }
}

impl Tls {
    /// From files in PEM form: the certificate with those between it and the one that is trusted, and its key.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes(certificate)?).collect();
        let chain = chain.map_err(|error| unread(certificate, "certificate", error))?;
        let first = chain.first().ok_or_else(|| missing(certificate, "certificate"))?;
        let pin = Pin::of(first);
        let private = PrivateKeyDer::from_pem_slice(&bytes(key)?).map_err(|error| unread(key, "private key", error))?;
        let unfit = |error| match error {
            rustls::Error::InconsistentKeys(_) => {
                TlsError::Mismatch { certificate: certificate.into(), key: key.into() }
            }
            error => TlsError::Unfit { path: certificate.into(), error },
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = builder.and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
        let mut config = config.map_err(unfit)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), pin })
    }

    /// The one that was made before, or a new one for these names and addresses of the machine.
    pub fn own(folder: &Path, names: &[String]) -> Result<Self, TlsError> {
        let path = folder.join(OWN);
        let now = clock::now_ms() / 1000;
        let kept = private::read_secret(&path).ok().and_then(|text| made(&text));
        if kept.is_none_or(|made| now.saturating_sub(made) >= RENEWED_DAYS * DAY_SECS) {
            let text = make(names, now)?;
            private::write(&path, text.as_bytes()).map_err(|error| TlsError::NotKept { path: path.clone(), error })?;
        }
        Self::read(&path, &path)
    }

    /// What clients that do not trust it otherwise know it by.
    #[must_use]
    pub fn pin(&self) -> Pin {
        self.pin
    }

    /// Nothing for one that does not speak it, who is told so.
    pub(crate) async fn accept(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let mut first = [0];
        if stream.peek(&mut first).await.ok()? == 1 && first[0] != HANDSHAKE {
            tracing::debug!("a client does not speak TLS");
            refuse(stream).await;
            return None;
        }
        let accepted = self.acceptor.accept(stream).await;
        accepted.inspect_err(|error| tracing::debug!(%error, "a client and we do not agree about TLS")).ok()
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|error| TlsError::Unreadable { path: path.into(), error })
}

fn missing(path: &Path, what: &'static str) -> TlsError {
    TlsError::Missing { path: path.into(), what }
}

fn unread(path: &Path, what: &'static str, error: PemError) -> TlsError {
    match error {
        PemError::NoItemsFound => missing(path, what),
        error => TlsError::Broken { path: path.into(), error: error.to_string() },
    }
}

/// When it was, by what stands before it.
fn made(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(MADE)?.trim().parse().ok())
}

fn make(names: &[String], now: u64) -> Result<String, TlsError> {
    let date = |secs: u64| {
        let secs = i64::try_from(secs).unwrap_or(i64::MAX);
        time::OffsetDateTime::from_unix_timestamp(secs).unwrap_or(time::OffsetDateTime::UNIX_EPOCH)
    };
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "coop");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // Clocks differ.
    params.not_before = date(now.saturating_sub(DAY_SECS));
    params.not_after = date(now + GOOD_DAYS * DAY_SECS);
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok(format!("{MADE}{now}\n{}{}", certificate.pem(), key.serialize_pem()))
}

/// Says it in HTTP, which it most likely speaks, and does not cut it off before it has read that.
async fn refuse(mut stream: TcpStream) {
    let error = ApiError::bad_request("This port speaks TLS, and nothing else.")
        .with_hint("Call it with https:// instead of http://.");
    let body = serde_json::to_string(&error.problem()).unwrap_or_default();
    let reply = format!(
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let told = async {
        let mut sink = [0; 4096];
        if stream.read(&mut sink).await? == 0 {
            return Ok(());
        }
        stream.write_all(reply.as_bytes()).await?;
        stream.shutdown().await?;
        while stream.read(&mut sink).await? > 0 {}
        io::Result::Ok(())
    };
    // It may be gone already, or not want to go.
    drop(tokio::time::timeout(REFUSAL, told).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_made_once_and_anew_when_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(OWN);
        let names = ["localhost".to_owned(), "127.0.0.1".into(), "::1".into()];
        let own = || Tls::own(folder.path(), &names).unwrap().pin();
        let first = own();
        assert_eq!(own(), first);
        let now = clock::now_ms() / 1000;
        let aged = make(&names, now - 800 * DAY_SECS).unwrap();
        fs::write(&path, aged).unwrap();
        let old = Tls::read(&path, &path).unwrap().pin();
        assert_ne!(own(), old);
        fs::write(&path, "rubbish").unwrap();
        own();
    }

    #[test]
    fn what_is_wrong_with_given_files_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = ["localhost".to_owned()];
        for name in ["a", "b"] {
            fs::write(at(name), make(&names, 1_700_000_000).unwrap()).unwrap();
        }
        let whole = fs::read_to_string(at("a")).unwrap();
        let (certificate, key) = whole.split_at(whole.find("-----BEGIN PRIVATE").unwrap());
        fs::write(at("certificate"), certificate).unwrap();
        fs::write(at("key"), key).unwrap();
        fs::write(at("empty"), "").unwrap();
        fs::write(at("broken"), certificate.replace("MII", "!!!")).unwrap();
        fs::write(at("other"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        for (certificate, key, expected) in [
            ("certificate", "key", ""),
            ("a", "a", ""),
            ("none", "key", "none cannot be read: No such file"),
            ("certificate", "none", "none cannot be read"),
            ("empty", "key", "empty has no certificate in PEM form"),
            ("key", "key", "key has no certificate in PEM form"),
            ("certificate", "certificate", "certificate has no private key in PEM form"),
            ("broken", "key", "broken is broken: "),
            ("certificate", "b", "is not that of the certificate in"),
            ("other", "key", "other cannot be used"),
        ] {
            match Tls::read(&at(certificate), &at(key)) {
                Ok(_) => assert_eq!(expected, "", "{certificate} {key}"),
                Err(error) => {
                    let error = error.to_string();
                    assert!(!expected.is_empty() && error.contains(expected), "{certificate} {key}: {error}");
                }
            }
        }
    }
}
