//! `coop config`: the person's settings of the hub, checked and shown.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::{self, Config};
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop config show > ~/.config/coop/config.toml    a file to begin with: every setting, with its default
  coop config check                                whether it is right; what is wrong is said with line and key

It is config.toml below $XDG_CONFIG_HOME/coop or ~/.config/coop, and about the hub: where it listens, how long a request
waits, what a session remembers. Flags of `coop hub` count more than it. The hub reads it when it is started.";

/// Check or show the settings of the hub
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Settings {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Say what is wrong with the file, by line and key
    Check {
        /// Another file than your own
        file: Option<PathBuf>,
    },
    /// Print the settings that count, as a file
    Show,
}

impl Settings {
    pub(super) fn run(self) -> Result<(), CommandError> {
        match self.what {
            What::Check { file } => check(file),
            What::Show => show(),
        }
    }
}

fn check(file: Option<PathBuf>) -> Result<(), CommandError> {
    let named = file.is_some();
    let path = file.unwrap_or_else(config::path);
    match Config::of(&path)? {
        Some(_) => out::print(&format!("{}: it is right", path.display())),
        None if named => Err(CommandError::usage(format!("{} does not exist", path.display()))),
        None => out::print(&format!("{} does not exist: every setting has its default", path.display())),
    }
}

fn show() -> Result<(), CommandError> {
    let path = config::path();
    let own = Config::of(&path)?;
    let whence = if own.is_some() { "as it counts" } else { "does not exist: these are the defaults" };
    out::print(&format!("# {}, {whence}\n\n{}", path.display(), own.unwrap_or_default().describe()))
}
