//! `coop run`: a session as `coop -- COMMAND` starts it, and a hub that shows it.

use std::process::ExitCode;

use clap::Args;

use crate::CommandError;
use crate::run::Flags;

const EXAMPLES: &str = "\
Examples:
  coop run -- claude                  the agent under coop, on the board of the hub
  coop run --name shop -- codex       by a name of your choice
  coop sessions                       the board: every agent, who needs you first
  coop attach shop                    get into it; Ctrl-\\ leaves again
  coop run --no-hub -- claude         the same as coop -- claude

If no hub runs for you on this machine, one is started in the background; it stays when the session ends, until
coop hub --stop. One of an older coop is replaced, by one that is started as it was, and what waits there is asked again.
One of the same version or a newer one stays. With COOP_HUB set, none is started: you have said where it is.";

/// Run a program as `coop -- COMMAND` does, with a hub that shows it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    /// Do not start a hub, and leave one that runs as it is
    #[arg(long)]
    no_hub: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Run {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        crate::run::run(self.flags, !self.no_hub)
    }
}
