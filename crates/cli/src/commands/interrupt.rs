//! `coop interrupt`: stops what the agent is doing.

use clap::Args;

use crate::sessions::NamedTarget;
use crate::{CommandError, out};

/// Stop what the agent is doing; it stays, and waits for what you say next
#[derive(Debug, Args)]
pub(crate) struct Interrupt {
    #[command(flatten)]
    target: NamedTarget,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Interrupt {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let reply = self.target.client()?.interrupt().await?;
        if self.json { out::json(&reply) } else { Ok(()) }
    }
}
