//! `coop wait`: returns when the agent is in a state.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use coop_api::convert::agent::STATES;
use coop_api::v1::{WaitRequest, WaitResponse};

use crate::sessions::Target;
use crate::{CommandError, out};

/// What a shell script can tell from a refusal.
pub(super) const TIMED_OUT: u8 = 3;
/// What one request may wait; longer takes several.
const PIECE: Duration = Duration::from_secs(60);

const EXAMPLES: &str = "\
Examples:
  coop wait idle                    until it is done
  coop wait idle prompt             until it is done or asks something
  coop wait idle --timeout 600 && coop nudge 'Next, write the tests'

Prints the state. Exits with 0 when it was reached, with 3 when the time was over before, and with 1 when the agent has
exited.";

/// Wait until the agent is in one of these states
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Wait {
    /// The states, for example: idle prompt
    #[arg(value_name = "STATE", required = true, value_parser = PossibleValuesParser::new(STATES))]
    states: Vec<String>,
    /// Seconds to wait at the most
    #[arg(long, short, value_name = "SECS", default_value = "30")]
    timeout: u32,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Wait {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let reply = self.reached().await?;
        if self.json {
            out::json(&reply)?;
        } else {
            out::print(&reply.state)?;
        }
        if reply.reached {
            return Ok(ExitCode::SUCCESS);
        }
        if reply.timed_out {
            return Ok(ExitCode::from(TIMED_OUT));
        }
        Err(CommandError::failed("The agent has exited").with_hint("`coop screen` shows what it showed last."))
    }

    /// In pieces, so that a connection that is gone is noticed.
    async fn reached(&self) -> Result<WaitResponse, CommandError> {
        let client = self.target.client()?;
        let deadline = Instant::now() + Duration::from_secs(self.timeout.into());
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let is_last = left <= PIECE;
            let timeout = u32::try_from(left.min(PIECE).as_secs_f64().ceil() as u64).unwrap_or(u32::MAX);
            let request = WaitRequest { state: self.states.join(","), timeout: Some(timeout) };
            let reply = client.wait(&request).await?;
            if is_last || !reply.timed_out {
                return Ok(reply);
            }
        }
    }
}
