//! `coop notify`: whether people are told of what is asked.

use clap::{Args, Subcommand};

use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop notify test      tell everybody who wants to hear: browsers that subscribed, and what config.toml names

Browsers subscribe in the settings of the web app. ntfy, a webhook, the desktop and a command are in the section [notify]
of config.toml: coop config show.";

/// See whether notifications arrive
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Notify {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    target: HubTarget,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Tell everybody something, and say how many took it
    Test,
}

impl Notify {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let What::Test = self.what;
        let told = self.target.client()?.hub_notify_test().await?.told;
        if told == 0 {
            return Err(CommandError::failed("Nobody was told")
                .with_hint("Subscribe in the settings of the web app, or name somebody in [notify] of config.toml; the log of the hub says what failed."));
        }
        out::print(&format!("Told {told}"))
    }
}
