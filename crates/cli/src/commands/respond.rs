//! `coop respond`: answers what the agent asks.

use clap::{Args, ValueEnum};
use coop_api::v1::RespondRequest;

use crate::sessions::Target;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop state                                what it asks, and the numbers of the options
  coop respond --accept
  coop respond --accept --scope session     and do not ask again in this session
  coop respond --deny --text 'Use npm ci'
  coop respond --option 2
  coop respond --text 'Neither: use Redis'

Exits with 0 when the answer arrived, with 1 when not, and says why on stderr.";

/// Answer what the agent asks
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[group(id = "answer", required = true, multiple = true, args = ["accept", "deny", "option", "text"])]
pub(crate) struct Respond {
    /// Yes
    #[arg(long, short, conflicts_with_all = ["deny", "option"])]
    accept: bool,
    /// No; with --text, and why
    #[arg(long, short, conflicts_with = "option")]
    deny: bool,
    /// The option of this number, as `coop state` counts them
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    option: Option<u32>,
    /// An answer in your own words
    #[arg(long, short)]
    text: Option<String>,
    /// How far a yes goes: once, session or path (this project)
    #[arg(long, value_name = "SCOPE", requires = "accept", conflicts_with_all = ["deny", "option"])]
    scope: Option<Scope>,
    /// Allow it although coop does not know what would run
    #[arg(long, conflicts_with = "deny")]
    unseen: bool,
    /// Answer this prompt and no other, by the prompt_id of `coop state --json`
    #[arg(long, value_name = "ID")]
    prompt_id: Option<String>,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    Once,
    Session,
    Path,
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Path => "path",
        }
    }
}

impl Respond {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let request = RespondRequest {
            accept: (self.accept || self.deny).then_some(self.accept),
            option: self.option,
            text: self.text,
            scope: self.scope.map(|scope| scope.name().into()),
            prompt_id: self.prompt_id,
            unseen: self.unseen,
            ..RespondRequest::default()
        };
        let reply = self.target.client()?.respond(&request).await?;
        if self.json {
            out::json(&reply)?;
        }
        if reply.delivered {
            return Ok(());
        }
        let reason = reply.reason.unwrap_or_else(|| "It is not certain that the answer arrived".into());
        Err(CommandError::failed(reason).with_hint("`coop state` shows what the agent asks now."))
    }
}
