//! `coop signal`: sends a signal to what runs inside.

use clap::{Args, ValueEnum};
use coop_api::v1::SendSignalRequest;

use crate::sessions::Target;
use crate::{CommandError, out};

/// Send a signal to the program, for example: coop signal INT
#[derive(Debug, Args)]
pub(crate) struct Signal {
    /// A name or number: INT, SIGTERM, 9
    name: String,
    /// Who gets it
    #[arg(long = "target", value_name = "WHO", default_value = "foreground")]
    receiver: Receiver,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Receiver {
    /// The job that Ctrl-C would reach
    Foreground,
    /// The program's process group
    Group,
    /// Everything started in this terminal
    Session,
}

impl Signal {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let target = match self.receiver {
            Receiver::Foreground => "foreground",
            Receiver::Group => "group",
            Receiver::Session => "session",
        };
        let request = SendSignalRequest { signal: self.name, target: Some(target.into()) };
        let reply = self.target.client()?.signal(&request).await?;
        if self.json { out::json(&reply) } else { Ok(()) }
    }
}
