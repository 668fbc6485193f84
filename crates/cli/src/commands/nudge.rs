//! `coop nudge`: says something to the agent.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use coop_api::v1::{NudgeRequest, NudgeResponse};

use super::input::stdin;
use super::wait::TIMED_OUT;
use crate::sessions::Target;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop nudge 'Fix the login bug'            refused unless the agent is idle
  coop nudge --when idle 'And then test it' delivered when it is
  coop nudge --wait 'What is in this folder?'
                                            waits until it is done, and prints what it said
  coop nudge --command /clear
  git diff | coop nudge -

Exits with 0 when the agent has it (or keeps it in its queue), with 1 when not, and says why on stderr. With --wait, 3 means
that the agent was not done in time.";

/// Say something to the agent, and make sure that it arrived
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Nudge {
    /// The message, or `-` to read it from stdin; after -- it may begin with a dash
    text: String,
    /// idle-only (refused unless it is idle), idle (waits until it is) or now (also while it works)
    #[arg(long, value_name = "WHEN", default_value = "idle-only")]
    when: When,
    /// Wait until the agent is done, and print what it said
    #[arg(long, short)]
    wait: bool,
    /// Seconds to wait at the most
    #[arg(long, value_name = "SECS")]
    timeout: Option<u32>,
    /// The message is a command of the agent, for example /clear
    #[arg(long)]
    command: bool,
    /// Replace what somebody has half typed
    #[arg(long)]
    replace_draft: bool,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    IdleOnly,
    Idle,
    Now,
}

impl When {
    fn name(self) -> &'static str {
        match self {
            Self::IdleOnly => "idle-only",
            Self::Idle => "idle",
            Self::Now => "now",
        }
    }
}

impl Nudge {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let request = NudgeRequest {
            message: if self.text == "-" { stdin()? } else { self.text.clone() },
            when: Some(self.when.name().into()),
            wait: self.wait.then(|| "turn_end".into()),
            timeout_secs: self.timeout,
            command: self.command,
            replace_draft: self.replace_draft,
        };
        let reply = self.target.client()?.nudge(&request).await?;
        if self.json {
            out::json(&reply)?;
        }
        self.report(reply)
    }

    fn report(&self, reply: NudgeResponse) -> Result<ExitCode, CommandError> {
        if let (Some(number), false) = (reply.queued, reply.delivered) {
            out::complain(&format!("coop: It waits until the agent is idle, as number {number}.\n"));
            return Ok(ExitCode::SUCCESS);
        }
        if !reply.delivered {
            let reason = reply.reason.unwrap_or_else(|| "It is not certain that it arrived".into());
            return Err(CommandError::failed(reason).with_hint("`coop screen` shows what the agent has."));
        }
        if self.wait && reply.state_after.is_none() {
            out::complain("coop: The agent has it, and was not done in time.\n");
            return Ok(ExitCode::from(TIMED_OUT));
        }
        if let Some(said) = reply.last_message.filter(|_| self.wait && !self.json) {
            out::print(&said)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
