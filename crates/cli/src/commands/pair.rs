//! `coop pair`: a phone or another machine gets a token of its own, by a code that is shown here.

use std::io::{IsTerminal as _, stdout};
use std::net::{IpAddr, SocketAddr};

use clap::{Args, ValueEnum};
use coop_api::hub::{NewCode, PairCode};
use coop_machine::clock::now_ms;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use super::hub::note::Note;
use crate::run::tls::outward;
use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop pair                          a code and a QR code; whoever has it can look and answer
  coop pair --scope view --name tv   look, and nothing else
  coop pair --address https://hub.tailnet.example
  coop devices list                  who has a token
  coop devices revoke 2              not any more, at once

On the device, open the address, or exchange the code there:
  curl -d '{\"code\": \"ABCD-EFGH\", \"name\": \"my phone\"}' ADDRESS/api/v1/pair
The token in the reply is shown that once; the hub keeps a digest of it. A code is good once, for five minutes.

The hub needs a port that the device can reach: coop hub --daemon --port 8123 --host 0.0.0.0 --tls. Without --tls what is
sent there is not encrypted. For certificates that phones trust, and for tunnels (--address): docs/remote.md.";

/// Give a phone or another machine a token of its own, by a code that is good once
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pair {
    /// What the device may do; each may do what is before it too
    #[arg(long, value_enum, default_value_t = Scope::Answer)]
    scope: Scope,
    /// What it is called here [default: what it calls itself]
    #[arg(long)]
    name: Option<String>,
    /// Where the device reaches the hub, such as https://hub.example [default: the hub's own address]
    #[arg(long, value_name = "URL")]
    address: Option<String>,
    /// Print the code and the address as JSON, and no QR code
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: HubTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// Look at everything
    View,
    /// Answer what agents ask
    Answer,
    /// Message them, type into them, end them
    Drive,
    /// Everything: rules, devices, the end of the hub
    Admin,
    /// For agents elsewhere: report and ask, and not even look
    Hooks,
}

impl Pair {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let address = match &self.address {
            Some(given) => given_address(given)?,
            None => own_address()?,
        };
        let scope = self.scope.to_possible_value().map(|value| value.get_name().to_owned());
        let wanted = NewCode { scope, name: self.name };
        let code = self.target.client()?.hub_pair_code(&wanted).await?;
        // What is behind # is not sent to anybody.
        let url = format!("{address}/pair#{}", code.code);
        if self.json {
            let PairCode { code, expires_ms, scope } = code;
            return out::json(&serde_json::json!({
                "code": code, "expires_ms": expires_ms, "scope": scope, "address": address, "url": url,
            }));
        }
        let picture = qr(&url, stdout().is_terminal())?;
        let minutes = code.expires_ms.saturating_sub(now_ms()).div_ceil(60_000);
        let here = if is_here(&address) { HERE } else { "" };
        out::write(picture.as_bytes())?;
        out::print(&format!(
            "\n{url}\n\nCode: {}   good once, for {minutes} minutes, to {}\n{here}",
            code.code, code.scope
        ))
    }
}

const HERE: &str =
    "Only this machine reaches that address; for others: coop hub --port 8123 --host 0.0.0.0, or --address\n";

fn given_address(given: &str) -> Result<String, CommandError> {
    let address = given.trim_end_matches('/');
    let host = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['#', '?', '@', ' ']) => Ok(address.to_owned()),
        _ => Err(CommandError::usage(format!("`{given}` is no address such as https://hub.example"))),
    }
}

/// Where the hub of this machine listens, as others would call it.
fn own_address() -> Result<String, CommandError> {
    let note = Note::read().unwrap_or_default();
    let of_port = |address: &&String| address.starts_with("http://") || address.starts_with("https://");
    let address = note.addresses.iter().find(of_port).ok_or_else(|| {
        CommandError::failed("The hub has no port that a device could reach")
            .with_hint("coop hub --stop; coop hub --daemon --port 8123 --host 0.0.0.0; or say where with --address")
    })?;
    Ok(outside(address, outward()).unwrap_or_else(|| address.clone()))
}

/// As others would write an address that stands for all there are.
fn outside(address: &str, outward: Option<IpAddr>) -> Option<String> {
    let (scheme, place) = address.split_once("://")?;
    let bound: SocketAddr = place.parse().ok()?;
    let outward = outward.filter(|_| bound.ip().is_unspecified())?;
    Some(format!("{scheme}://{}", SocketAddr::new(outward, bound.port())))
}

fn is_here(address: &str) -> bool {
    let host = address.trim_start_matches("http://").trim_start_matches("https://");
    host.parse::<SocketAddr>().is_ok_and(|bound| bound.ip().is_loopback()) || host.starts_with("localhost")
}

/// Two rows in one line of text; black on white whatever the terminal's colours are, where it has any.
fn qr(url: &str, coloured: bool) -> Result<String, CommandError> {
    let code = QrCode::with_error_correction_level(url, EcLevel::L)
        .map_err(|error| CommandError::failed(format!("There is no QR code for {url}: {error}")))?;
    let mut picture = code.render::<Dense1x2>();
    if !coloured {
        // Terminals are mostly dark.
        picture.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark);
    }
    let picture = picture.quiet_zone(true).build();
    let line = |line: &str| if coloured { format!("\x1b[38;5;16;48;5;231m{line}\x1b[0m") } else { line.to_owned() };
    Ok(picture.lines().map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (given, expected) in [
            ("https://hub.example/", Some("https://hub.example")),
            ("http://10.0.0.2:8123", Some("http://10.0.0.2:8123")),
            ("hub.example", None),
            ("https://", None),
            ("https://x#y", None),
            ("https://user:secret@x", None),
        ] {
            assert_eq!(given_address(given).ok().as_deref(), expected, "{given}");
        }
        let outward = "10.0.0.7".parse().ok();
        for (address, expected) in [
            ("https://0.0.0.0:8123", Some("https://10.0.0.7:8123")),
            ("http://0.0.0.0:8123", Some("http://10.0.0.7:8123")),
            ("https://127.0.0.1:8123", None),
            ("unix:/x", None),
        ] {
            assert_eq!(outside(address, outward).as_deref(), expected, "{address}");
        }
        assert!(is_here("http://127.0.0.1:8123") && is_here("http://[::1]:1") && is_here("http://localhost:1"));
        assert!(!is_here("http://10.0.0.2:8123") && !is_here("https://hub.example"));
    }

    #[test]
    fn a_picture_for_cameras() {
        let plain = qr("http://10.0.0.2:8123/pair#ABCD-EFGH", false).unwrap();
        let widths: Vec<usize> = plain.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == widths[0] && *width <= 80), "{plain}");
        assert!(plain.lines().all(|line| line.chars().all(|c| " ▀▄█".contains(c))), "{plain}");
        assert!(qr("http://x/pair#A", true).unwrap().starts_with("\x1b["));
    }
}
