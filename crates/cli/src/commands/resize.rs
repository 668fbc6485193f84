//! `coop resize`: changes the size of the terminal.

use clap::Args;
use coop_api::v1::ResizeRequest;

use crate::sessions::Target;
use crate::{CommandError, out};

/// Give the terminal of a session another size
#[derive(Debug, Args)]
pub(crate) struct Resize {
    cols: u32,
    rows: u32,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Resize {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let request = ResizeRequest { cols: self.cols, rows: self.rows };
        let reply = self.target.client()?.resize(&request).await?;
        if self.json { out::json(&reply) } else { Ok(()) }
    }
}
