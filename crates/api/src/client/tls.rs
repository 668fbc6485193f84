//! TLS to a coop: by the certificates that this system trusts, or by the digest of the one certificate that is expected.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use ring::digest::{SHA256, digest};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::{TlsConnector, rustls};

/// What is spoken inside. The client makes a connection for each request and needs no more than that.
const PROTOCOL: &[u8] = b"http/1.1";

/// The SHA-256 of a certificate. Whoever shows that one is trusted, whatever its name and whoever signed it; nobody else is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pin([u8; 32]);

impl Pin {
    /// Of a certificate in DER.
    #[must_use]
    pub fn of(certificate: &[u8]) -> Self {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest(&SHA256, certificate).as_ref());
        Self(bytes)
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Pin {
    type Err = ();

    /// As coop prints it, or with colons as openssl and browsers do.
    fn from_str(text: &str) -> Result<Self, ()> {
        let digits: String = text.chars().filter(|c| *c != ':').collect();
        if digits.len() != 64 || !digits.is_ascii() {
            return Err(());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(drop)?;
            *byte = u8::from_str_radix(pair, 16).map_err(drop)?;
        }
        Ok(Self(bytes))
    }
}

pub(super) async fn over(stream: TcpStream, host: &str, pin: Option<Pin>) -> io::Result<TlsStream<TcpStream>> {
    let config = match pin {
        Some(pin) => pinned(pin)?,
        None => trusting_the_system()?,
    };
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    TlsConnector::from(config).connect(name, stream).await.map_err(explained)
}

fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    PROVIDER.get_or_init(|| Arc::new(rustls::crypto::ring::default_provider())).clone()
}

fn spoken(mut config: ClientConfig) -> Arc<ClientConfig> {
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Arc::new(config)
}

fn pinned(pin: Pin) -> io::Result<Arc<ClientConfig>> {
    let provider = provider();
    let verifier = Pinned { pin, algorithms: provider.signature_verification_algorithms };
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(io::Error::other)?.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(spoken(builder.with_no_client_auth()))
}

/// Read once: the files of a system are many.
fn trusting_the_system() -> io::Result<Arc<ClientConfig>> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(io::Error::other(
            "this system has no certificates to trust; add #sha256= and the digest of its own",
        ));
    }
    let builder = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
    let config = builder.map_err(io::Error::other)?.with_root_certificates(roots).with_no_client_auth();
    Ok(CONFIG.get_or_init(|| spoken(config)).clone())
}

/// Asks for one certificate and no other, and that whoever shows it has its key.
#[derive(Debug)]
struct Pinned {
    pin: Pin,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match Pin::of(end_entity) == self.pin {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// In words for people, where they can do something about it.
fn explained(error: io::Error) -> io::Error {
    let why = match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)) => {
            "it has another certificate than the one with that digest"
        }
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "this machine does not trust its certificate; if it is the right one, add #sha256= and its digest"
        }
        Some(Error::InvalidMessage(_)) => "it does not speak TLS there; try http://",
        _ => return error,
    };
    io::Error::other(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_as_people_have_them() {
        let shown = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Pin::of(b"").to_string(), shown);
        let upper = shown.to_uppercase();
        let pairs: Vec<&str> = (0..32).map(|at| &upper[at * 2..at * 2 + 2]).collect();
        let colons = pairs.join(":");
        assert_eq!(colons.parse(), Ok(Pin::of(b"")));
        for bad in ["", "ab", &shown[1..], &format!("{shown}0"), &shown.replace('e', "x"), &"ä".repeat(32)] {
            assert_eq!(bad.parse::<Pin>(), Err(()), "{bad}");
        }
    }
}
