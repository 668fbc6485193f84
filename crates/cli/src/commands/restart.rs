//! `coop restart`: ends the program of a session and starts it again.

use std::collections::BTreeMap;

use clap::Args;
use coop_api::v1::RestartRequest;

use crate::sessions::NamedTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop restart                             the same program, with the conversation it had
  coop restart --env ANTHROPIC_MODEL=opus  with another environment, which stays for later restarts
  coop restart --unset HTTP_PROXY
  coop restart -- --verbose                with other arguments";

/// End the program of a session and start it again, with the conversation it had
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Restart {
    #[command(flatten)]
    target: NamedTarget,
    /// Variable to set; may be given several times
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Variable to unset; may be given several times
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
    /// Start it without arguments
    #[arg(long, conflicts_with = "args")]
    no_args: bool,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
    /// Arguments, instead of those it had
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

impl Restart {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let env: BTreeMap<String, String> = self.env.into_iter().collect();
        let request = RestartRequest { env, unset: self.unset, args: self.args, no_args: self.no_args };
        let reply = self.target.client()?.restart(&request).await?;
        if self.json {
            return out::json(&reply);
        }
        let conversation = if reply.resumed { ", and the conversation goes on" } else { "" };
        out::print(&format!("started again as process {}{conversation}\n", reply.pid))
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it is a name, `=` and a value".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables() {
        assert_eq!(variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert_eq!(variable("A="), Ok(("A".into(), String::new())));
        assert!(variable("=b").is_err() && variable("A").is_err());
    }
}
