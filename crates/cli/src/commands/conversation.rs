//! `coop conversation`: what was said and done.

use std::time::Duration;

use clap::Args;
use coop_api::client::Client;
use coop_api::v1::{ConversationEntry, GetConversationRequest};

use coop_core::text::shown;

use crate::sessions::NamedTarget;
use crate::{CommandError, out};

/// With --follow: what the agent writes is seen this long after. Its log says nothing by itself.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

const EXAMPLES: &str = "\
Examples:
  coop conversation                    from the beginning
  coop conversation --follow           and what comes, until the program exits
  coop conversation --json | jq -r 'select(.kind == \"assistant\").text'";

/// Print what was said and done in a session, in one form for all agents
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Conversation {
    #[command(flatten)]
    target: NamedTarget,
    /// Go on printing until the program exits
    #[arg(long, short)]
    follow: bool,
    /// Print each entry as the API sends it, one JSON object on a line
    #[arg(long)]
    json: bool,
}

impl Conversation {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        let mut after = 0;
        loop {
            // Asked before: what is said last is printed too.
            let over = !self.follow || client.status().await?.state == "exited";
            after = self.print_from(&client, after).await?;
            if over {
                return Ok(());
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Prints all there is, and says where to go on.
    async fn print_from(&self, client: &Client, mut after: u64) -> Result<u64, CommandError> {
        loop {
            let page = client.conversation(&GetConversationRequest { after, limit: None, images: false }).await?;
            for entry in &page.entries {
                if self.json {
                    out::json_line(entry)?;
                } else {
                    out::print(&describe(entry))?;
                }
            }
            let stuck = page.next <= after;
            after = page.next.max(after);
            if !page.more || stuck {
                return Ok(after);
            }
        }
    }
}

fn describe(entry: &ConversationEntry) -> String {
    let who = entry.agent.as_deref().map(|agent| format!(" [{}]", out::harmless(agent))).unwrap_or_default();
    let what = match (&entry.tool, &entry.input, &entry.text, &entry.value) {
        (Some(tool), Some(input), ..) => format!("{tool} {input}"),
        (.., Some(text), _) => text.clone(),
        (.., Some(value)) => value.clone(),
        _ if entry.media_type.is_some() => entry.media_type.clone().unwrap_or_default(),
        _ => String::new(),
    };
    let failed = if entry.is_error { " (failed)" } else { "" };
    let mut lines = what.lines();
    let first = format!("{:<11}{who}{failed} {}", entry.kind, shown(lines.next().unwrap_or_default()));
    let rest = lines.map(|line| format!("\n{:<12}{}", "", shown(line)));
    first.trim_end().to_owned() + &rest.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        let said = ConversationEntry { kind: "assistant".into(), text: Some("one\ntwo".into()), ..Default::default() };
        assert_eq!(describe(&said), "assistant   one\n            two");
        let call = ConversationEntry {
            kind: "tool_call".into(),
            tool: Some("Bash".into()),
            input: Some("{}".into()),
            ..Default::default()
        };
        assert_eq!(describe(&call), "tool_call   Bash {}");
        let stopped = ConversationEntry { kind: "interrupted".into(), ..Default::default() };
        assert_eq!(describe(&stopped), "interrupted");
    }
}
