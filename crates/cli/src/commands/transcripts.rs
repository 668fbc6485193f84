//! `coop transcripts`: conversations as they were before they were shortened.

use clap::Args;
use coop_api::v1::Transcript;

use crate::sessions::Target;
use crate::{CommandError, out};

/// List the conversations that were kept before the agent shortened them, or print one
#[derive(Debug, Args)]
pub(crate) struct Transcripts {
    /// Print the transcript of this number, as the agent wrote it: one JSON object on a line
    #[arg(value_name = "N")]
    number: Option<u64>,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Transcripts {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        if let Some(number) = self.number {
            let transcript = client.transcript(number).await?;
            return if self.json { out::json(&transcript) } else { out::document(&transcript.content) };
        }
        let list = client.transcripts().await?;
        if self.json { out::json(&list) } else { out::print(&table(&list.transcripts)) }
    }
}

fn table(transcripts: &[Transcript]) -> String {
    if transcripts.is_empty() {
        return "None was kept: the agent has not shortened its conversation yet.".into();
    }
    let row = |t: &Transcript| format!("{:>6}  {:>7}  {:>9}\n", t.number, t.lines, t.bytes);
    format!("{:>6}  {:>7}  {:>9}\n", "NUMBER", "LINES", "BYTES") + &transcripts.iter().map(row).collect::<String>()
}
