//! Which hub a verb talks to.

use std::io;
use std::os::unix::net::UnixStream;

use clap::Args;
use coop_api::client::{Client, Endpoint};
use coop_machine::private;

use super::{Token, trusted_hub_socket};
use crate::{CommandError, secret};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Which hub")]
pub(crate) struct HubTarget {
    /// Address of the hub, such as unix:/path or http://127.0.0.1:8123 [default: the one of this machine]
    #[arg(long, env = "COOP_HUB", hide_env_values = true, value_name = "URL")]
    hub: Option<String>,
    #[command(flatten)]
    token: Token,
}

fn is_nobody(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

impl HubTarget {
    /// The one of this machine, or the one that the environment names.
    pub(crate) fn here() -> Self {
        let hub = std::env::var("COOP_HUB").ok().filter(|value| !value.is_empty());
        let token = secret::variable(secret::AUTH_TOKEN).and_then(|token| token.into_string().ok());
        Self { hub, token: Token::from(token) }
    }

    pub(crate) fn client(&self) -> Result<Client, CommandError> {
        let endpoint = match self.hub.as_deref().filter(|given| !given.is_empty()) {
            Some(path) if path.starts_with('/') => Endpoint::Unix(path.into()),
            Some(given) => given.parse().map_err(|error| CommandError::usage(format!("{error}")))?,
            None => {
                let path = trusted_hub_socket()?;
                match UnixStream::connect(&path) {
                    // The token goes to it.
                    Ok(hub) if !private::is_trusted_peer(&hub) => {
                        return Err(CommandError::failed(format!("Another account listens on {}", path.display()))
                            .with_hint("Name the socket with --hub, if that is the hub you mean."));
                    }
                    // A hub that was killed leaves its socket behind.
                    Err(error) if is_nobody(&error) => {
                        return Err(CommandError::failed("No hub is running").with_hint("Start one: coop hub --daemon"));
                    }
                    _ => {}
                }
                Endpoint::Unix(path)
            }
        };
        Ok(Client::new(endpoint, self.token.value()))
    }
}
