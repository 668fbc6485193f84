//! `--tls`: with a certificate that is given, or with one that coop makes for itself.

use std::net::{IpAddr, UdpSocket};
use std::path::PathBuf;

use clap::Args;
use clap::builder::FalseyValueParser;
use coop_server::Tls;

use super::agent::state_dir;
use crate::CommandError;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct TlsFlags {
    /// Speak TLS on the port and nothing else: with the certificate that is given, or with one that is made once and known by
    /// its digest
    #[arg(long, env = "COOP_TLS", hide_env_values = true, value_parser = FalseyValueParser::new())]
    pub(crate) tls: bool,
    /// Certificate for that, in PEM form, with those between it and the one that browsers trust
    #[arg(long, value_name = "PATH", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its key, in PEM form
    #[arg(long, value_name = "PATH", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
}

impl TlsFlags {
    pub(crate) fn is_wanted(&self) -> bool {
        self.tls || self.tls_cert.is_some()
    }

    /// Nothing where it is not wanted. `names` are those that clients may call this machine by.
    pub(crate) fn read(&self, names: &[String]) -> Result<Option<Tls>, CommandError> {
        if !self.is_wanted() {
            return Ok(None);
        }
        let failed = |error: coop_server::TlsError| CommandError::failed(format!("TLS: {error}"));
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Tls::read(certificate, key).map_err(|error| {
                failed(error)
                    .with_hint("--tls-cert and --tls-key name files in PEM form; --tls alone makes a certificate.")
            })?,
            _ => Tls::own(&state_dir()?, &of_this_machine(names)).map_err(failed)?,
        };
        Ok(Some(tls))
    }
}

/// What a certificate of our own is good for. Others are told of it by its digest.
fn of_this_machine(names: &[String]) -> Vec<String> {
    let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let fixed = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let all = fixed.into_iter().chain([own]).chain(outward().map(|ip| ip.to_string())).chain(names.iter().cloned());
    let fits = |name: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        name.parse::<IpAddr>().is_ok() || (!name.is_empty() && name.chars().all(plain))
    };
    let mut fit: Vec<String> = all.filter(fits).collect();
    fit.sort();
    fit.dedup();
    fit
}

/// The address of this machine on the network it reaches others by. Nothing is sent.
pub(crate) fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind(("0.0.0.0", 0)).ok()?;
    // An address that nobody has: only the way there is looked up.
    socket.connect(("192.0.2.1", 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_certificate_can_have() {
        let names = ["box.lan", "", "a b", "10.0.0.7", "ümlaut", "box.lan"].map(str::to_owned);
        let all = of_this_machine(&names);
        for name in ["localhost", "127.0.0.1", "::1", "box.lan", "10.0.0.7"] {
            assert_eq!(all.iter().filter(|own| *own == name).count(), 1, "{name} in {all:?}");
        }
        assert!(!all.iter().any(|name| ["", "a b", "ümlaut"].contains(&name.as_str())), "{all:?}");
    }
}
