//! `coop send`: says that the work is done, so that the agent may stop.

use clap::Args;
use coop_api::client::ClientError;
use serde_json::Value;

use super::input::stdin;
use crate::sessions::Target;
use crate::{CommandError, args, out};

const EXAMPLES: &str = "\
Example:
  coop send '{\"status\": \"done\", \"message\": \"The login works again\"}'

Whoever has the token of the session can say so at any time. The agent inside can where its stop is set to `auto`
(PUT /api/v1/config/stop); in the mode `gate` that is for others to decide.";

/// Say that the work is done, so that an agent that may not stop before can
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Send {
    /// How it went, as JSON, or `-` to read it from stdin
    #[arg(value_name = "JSON")]
    body: String,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Send {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let text = if self.body == "-" { stdin()? } else { self.body };
        let body: Value = serde_json::from_str(&text).map_err(|error| {
            CommandError::usage(format!("This is not JSON: {error}"))
                .with_hint("For example: coop send '{\"status\": \"done\"}'")
        })?;
        let reply = match self.target.hook_client()? {
            Some(client) => client.hook("Send", &body).await.map(Option::unwrap_or_default),
            None => self.target.client()?.resolve_stop(&body).await.map(|reply| to_json(&reply)),
        };
        let reply = reply.map_err(refused)?;
        if self.json { out::json(&reply) } else { Ok(()) }
    }
}

fn to_json(reply: &coop_api::v1::ResolveStopResponse) -> Value {
    serde_json::json!({ "resolved": reply.resolved })
}

/// The agent inside may not have the token, and should not look for it.
fn refused(error: ClientError) -> CommandError {
    match error {
        ClientError::Api(problem) if args::is_nested() => CommandError::failed(problem.detail),
        error => error.into(),
    }
}
