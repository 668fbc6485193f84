//! `coop schema`: the API for machines to read.

use clap::Args;

use crate::{CommandError, out};

/// Print the OpenAPI document of the HTTP interface
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// That of the hub, and not that of a session
    #[arg(long)]
    hub: bool,
}

impl Schema {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        out::json(&if self.hub { coop_server::hub_openapi() } else { coop_server::openapi() })
    }
}
