//! `coop session clear-permissions`: a session forgets what it was allowed and denied.

use clap::{Args, Subcommand};

use crate::sessions::HubTarget;
use crate::{CommandError, out};

/// Change what the hub keeps of a session
#[derive(Debug, Args)]
pub(crate) struct Session {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Forget what was allowed or denied for the rest of a session. What the agent itself was told to allow, it keeps
    ClearPermissions {
        /// The number of the session, as `coop sessions` shows it
        id: u64,
        #[command(flatten)]
        target: HubTarget,
    },
}

impl Session {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let What::ClearPermissions { id, target } = self.what;
        let cleared = target.client()?.hub_clear_permissions(id).await?.cleared;
        let patterns = if cleared == 1 { "pattern" } else { "patterns" };
        out::print(&format!("Session {id} has forgotten {cleared} {patterns}"))
    }
}
