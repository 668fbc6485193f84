//! `coop hook` as the help shows it. What it does is in `crate::hook`, which runs before any flag is read.

use clap::Args;

use crate::CommandError;

const EXAMPLES: &str = "\
In the settings of an agent, as the command of a hook:
  coop hook PermissionRequest
  coop hook PermissionRequest codex

What it uses:
  COOP_SOCKET      the session's socket; coop sets it for the program inside
  COOP_URL         or its address
  COOP_HUB         without either of them, the socket of the hub [default: where `coop hub` listens]
  COOP_HOOK_TOKEN  a token that is good for hooks and nothing else; coop sets it too
  COOP_HOOK_WAIT   seconds to wait for an answer [590]
  COOP_SPOOL       a file for events that could not be told

It always exits with 0 and never writes to stderr: without coop, the agent goes on as if there were no hook.";

/// Tell coop what happens in the agent; the agent itself runs this
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hook {
    /// The agent's name for what happens, for example PermissionRequest or permission-request; the details come on stdin
    #[arg(value_name = "EVENT")]
    _event: String,
    /// Whose hook it is, for the hub: codex or gemini [default: claude]
    #[arg(value_name = "AGENT")]
    _agent: Option<String>,
}

impl Hook {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        Err(CommandError::usage("The event stands alone or before the agent, for example: coop hook Stop"))
    }
}
