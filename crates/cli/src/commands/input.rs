//! `coop input`: types text.

use std::io::Read as _;

use clap::Args;
use coop_api::v1::SendInputRequest;

use crate::sessions::Target;
use crate::{CommandError, out};

/// Type text into a session
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// The text, or `-` to read it from stdin; after -- it may begin with a dash
    text: String,
    /// Press Enter after it
    #[arg(long, short)]
    enter: bool,
    /// Send it as a paste, so that its lines are not taken for separate inputs
    #[arg(long, short)]
    paste: bool,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Input {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let text = if self.text == "-" { stdin()? } else { self.text };
        let request = SendInputRequest { text, enter: self.enter, paste: self.paste, lease: None };
        let reply = self.target.client()?.input(&request).await?;
        if self.json { out::json(&reply) } else { Ok(()) }
    }
}

/// All of it, as text.
pub(super) fn stdin() -> Result<String, CommandError> {
    let mut text = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut text);
    read.map_err(|error| CommandError::failed(format!("stdin could not be read as text: {error}")))?;
    Ok(text)
}
