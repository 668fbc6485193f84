//! Which hub a verb talks to.

use clap::Args;
use coop_api::client::{Client, Endpoint};

use super::{Token, hub_socket};
use crate::CommandError;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Which hub")]
pub(crate) struct HubTarget {
    /// Address of the hub, such as unix:/path or http://127.0.0.1:8123 [default: the one of this machine]
    #[arg(long, env = "COOP_HUB", hide_env_values = true, value_name = "URL")]
    hub: Option<String>,
    #[command(flatten)]
    token: Token,
}

impl HubTarget {
    pub(crate) fn client(&self) -> Result<Client, CommandError> {
        let endpoint = match self.hub.as_deref().filter(|given| !given.is_empty()) {
            Some(path) if path.starts_with('/') => Endpoint::Unix(path.into()),
            Some(given) => given.parse().map_err(|error| CommandError::usage(format!("{error}")))?,
            None => {
                let path = hub_socket();
                if !path.exists() {
                    return Err(CommandError::failed("No hub is running")
                        .with_hint("Start one in a terminal of its own: coop hub"));
                }
                Endpoint::Unix(path)
            }
        };
        Ok(Client::new(endpoint, self.token.value()))
    }
}
