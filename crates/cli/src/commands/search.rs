//! `coop search`: where something was said or done, in all sessions the hub knows.

use clap::Args;
use coop_api::hub::{SearchHit, SearchQuery};

use super::sessions::columns;
use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop search login            in sessions that run or have ended, in what they asked, and in what was said and done
  coop search rm -- -rf        all words, in any order
  coop search deploy --json

Conversations are read where the agents keep them: those of Claude Code, and of Codex and the Gemini CLI whose hooks the
hub hears (coop hooks install).";

/// Find where something was said or done, in all sessions
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Search {
    /// All of them have to be there, in any order
    #[arg(required = true)]
    words: Vec<String>,
    /// At most so many places
    #[arg(long, value_name = "COUNT")]
    limit: Option<u32>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: HubTarget,
}

impl Search {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let query = SearchQuery { q: self.words.join(" "), limit: self.limit };
        let found = self.target.client()?.hub_search(&query).await?;
        if self.json {
            return out::json(&found);
        }
        if found.hits.is_empty() {
            return out::print("Nothing was found.");
        }
        let more = if found.complete { "" } else { "There is more, or may be: say more words, or a higher --limit.\n" };
        out::print(&format!("{}{more}", table(&found.hits)))
    }
}

fn table(hits: &[SearchHit]) -> String {
    let head = ["SESSION", "AGENT", "PROJECT", "WHERE", "TEXT"].map(String::from);
    let rows = hits.iter().map(|hit| {
        let place = match (hit.line, hit.prompt) {
            (_, Some(prompt)) => format!("{} {prompt}", hit.kind),
            (Some(line), None) => format!("{}:{line}", hit.kind),
            (None, None) => hit.kind.clone(),
        };
        let text = hit.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let known = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), out::harmless);
        [hit.session.to_string(), known(&hit.agent), known(&hit.project), place, out::harmless(&text)]
    });
    columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}
