//! `coop board`: every agent in one terminal, who needs a person first, and a way to answer.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::Args;
use coop_api::client::Endpoint;
use coop_board::model::Settings;
use coop_board::{BoardError, Options};

use crate::CommandError;
use crate::config::Config;
use crate::sessions::HubTarget;

const EXAMPLES: &str = "\
The same as `coop` alone in a terminal, while a hub runs. ? shows the keys, q leaves; the agents go on.

Examples:
  coop run -- claude     an agent under coop, and a hub
  coop board             in another terminal; leave it open

What needs you is at the top. Enter opens it: y allows, n denies, and an answer that allows something can be taken back
with u for a moment. NO_COLOR=1 does without colours. Notifications are set in config.toml: coop config show";

/// See every agent in this terminal, who needs you first, and answer from here
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Board {
    #[command(flatten)]
    target: HubTarget,
    /// Write how long each picture took, in microseconds, when the board is left
    #[arg(long, hide = true, value_name = "FILE")]
    frames: Option<PathBuf>,
    /// Panic with the first picture, to see that the terminal is given back
    #[arg(long, hide = true)]
    panic: bool,
}

impl Board {
    /// As if nothing had been said but `coop board`.
    pub(crate) fn here() -> Self {
        Self { target: HubTarget::here(), frames: None, panic: false }
    }

    pub(crate) async fn run(self) -> Result<(), CommandError> {
        if !is_at_a_terminal() {
            return Err(CommandError::usage("board is for a person at a terminal, and here is none")
                .with_hint("`coop sessions` prints the same, and `coop prompts` what is asked."));
        }
        let config = Config::read()?.board;
        let client = self.target.client()?;
        let local = matches!(client.endpoint(), Endpoint::Unix(_));
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let cwd = std::env::current_dir().map(|cwd| cwd.to_string_lossy().into_owned()).unwrap_or_else(|_| "/".into());
        let settings = Settings { colour, undo_ms: config.undo_ms(), cwd, local };
        let coop = std::env::current_exe()?;
        let memory = crate::run::agent::state_dir()?.join("board.json");
        let notify = config.notify();
        let (frames, panics) = (self.frames, self.panic);
        let options = Options { client, coop, memory, settings, notify, frames, panics };
        coop_board::run(options).await.map_err(|BoardError::Terminal(error)| {
            CommandError::failed(format!("The terminal cannot be used: {error}"))
        })
    }
}

pub(crate) fn is_at_a_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
