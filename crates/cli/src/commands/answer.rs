//! `coop answer`: answers what an agent asks, through the hub.

use clap::Args;
use coop_api::v1::{Answer as WireAnswer, RespondRequest};

use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop prompts                            what is asked, and the numbers
  coop answer 7 allow
  coop answer 7 allow --session           and do not ask again in this session
  coop answer 7 allow --path              nor in this project
  coop answer 7 deny --text 'Use npm ci'  the agent goes on with that; without a text its turn ends
  coop answer 7 deny --session
  coop answer 8 2                         the second option
  coop answer 9 2 1,3                     two questions: the second option of the first, two of the other
  coop answer 8 --text 'Neither: use Redis'

With --session or --path, what is allowed or denied is the pattern that `coop prompts` shows, and no more.

The first answer wins, wherever it is given; whoever comes second is told who was first. Exits with 0 when the agent has
the answer, with 1 when not, and says why on stderr.";

/// Answer what an agent asks
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Answer {
    /// The number of what is asked, as `coop prompts` shows it
    id: u64,
    /// allow, deny, or the number of an option; for several questions one for each, with commas where several may be chosen
    #[arg(value_name = "allow|deny|OPTION")]
    words: Vec<String>,
    /// For the rest of this session
    #[arg(long, conflicts_with = "path")]
    session: bool,
    /// For this project
    #[arg(long)]
    path: bool,
    /// An answer in your own words, or why not
    #[arg(long, short)]
    text: Option<String>,
    /// Allow it although coop does not know what would run
    #[arg(long)]
    unseen: bool,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: HubTarget,
}

impl Answer {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let request = self.request()?;
        let reply = self.target.client()?.hub_answer(self.id, &request).await?;
        if self.json {
            out::json(&reply)?;
        } else if let Some(pattern) = &reply.remembered {
            let place = if reply.scope == "path" { "in this project" } else { "for this session" };
            out::print(&format!("Remembered {place}: {}", out::harmless(pattern)))?;
        }
        if reply.delivered {
            return Ok(());
        }
        let reason = reply.reason.unwrap_or_else(|| "It is not certain that the answer arrived".into());
        Err(CommandError::failed(reason).with_hint("`coop prompts` shows what is asked now."))
    }

    fn request(&self) -> Result<RespondRequest, CommandError> {
        let scope = match (self.session, self.path) {
            (true, _) => Some("session".to_owned()),
            (_, true) => Some("path".to_owned()),
            _ => None,
        };
        let (text, unseen) = (self.text.clone(), self.unseen);
        let mut request = RespondRequest { text, scope, unseen, ..RespondRequest::default() };
        match self.words.as_slice() {
            [] if self.text.is_none() => {
                return Err(CommandError::usage("There is no answer")
                    .with_hint("Say allow, deny, the number of an option, or --text."));
            }
            [] => {}
            [word] if word == "allow" || word == "yes" => request.accept = Some(true),
            [word] if word == "deny" || word == "no" => request.accept = Some(false),
            [word] if word.parse::<u32>().is_ok() => request.option = word.parse().ok(),
            words => request.answers = words.iter().map(|word| numbers(word)).collect::<Result<_, _>>()?,
        }
        if request.scope.is_some() && request.accept.is_none() {
            return Err(CommandError::usage("--session and --path go with allow or deny"));
        }
        Ok(request)
    }
}

/// `1,3`
fn numbers(word: &str) -> Result<WireAnswer, CommandError> {
    let options: Result<Vec<u32>, _> = word.split(',').map(|number| number.trim().parse()).collect();
    let options =
        options.map_err(|_| CommandError::usage(format!("`{word}` is not allow, deny or the number of an option")))?;
    Ok(WireAnswer { options, text: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        answer: Answer,
    }

    fn request(line: &[&str]) -> Option<RespondRequest> {
        Line::try_parse_from([&["answer", "7"], line].concat()).ok()?.answer.request().ok()
    }

    #[test]
    fn rows() {
        let base = RespondRequest::default;
        let answer = |options: &[u32]| WireAnswer { options: options.to_vec(), text: None };
        let session = Some("session".to_owned());
        for (line, expected) in [
            (&["allow"][..], Some(RespondRequest { accept: Some(true), ..base() })),
            (&["allow", "--session"], Some(RespondRequest { accept: Some(true), scope: session.clone(), ..base() })),
            (&["deny", "--session"], Some(RespondRequest { accept: Some(false), scope: session, ..base() })),
            (&["2"], Some(RespondRequest { option: Some(2), ..base() })),
            (&["1,3"], Some(RespondRequest { answers: vec![answer(&[1, 3])], ..base() })),
            (&["2", "1,3"], Some(RespondRequest { answers: vec![answer(&[2]), answer(&[1, 3])], ..base() })),
            (&["--text", "x"], Some(RespondRequest { text: Some("x".into()), ..base() })),
            (&[], None),
            (&["maybe"], None),
            (&["2", "--session"], None),
            (&["allow", "--session", "--path"], None),
        ] {
            assert_eq!(request(line), expected, "{line:?}");
        }
    }
}
