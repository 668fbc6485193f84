//! `coop report`: what coop knows of an agent, in a file for somebody who is to find out why it is wrong.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use coop_api::v1::GetScreenTextRequest;
use coop_machine::private;
use serde_json::{Value, json};

use super::replay;
use crate::mask::Mask;
use crate::sessions::NamedTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop report -s claude                             what is believed now and why, the screen, and the evidence it rests on
  coop report -s claude --evidence a.jsonl          with all evidence, if coop was started with --record-evidence a.jsonl
  coop report --no-screen --dry-run                 only say what would be in it
  coop replay FILE --explain                        what this coop makes of it

Tokens, keys, long random words and your home folder are taken out, the same one by the same name everywhere. What you and the
agent said stays, as far as it is on the screen or in the evidence: look at the file before you send it.";

/// Write what coop knows of an agent to a file, without secrets, to be sent to somebody
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Report {
    #[command(flatten)]
    target: NamedTarget,
    /// The file that --record-evidence of this session writes [default: the last evidence, which coop remembers]
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,
    /// Leave out the evidence, which has what you and the agent said; it cannot be replayed then
    #[arg(long, conflicts_with = "evidence")]
    no_evidence: bool,
    /// Leave out what is on the screen
    #[arg(long)]
    no_screen: bool,
    /// Say what would be in it, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// The file to write; one that exists is left alone [default: coop-report-<SECONDS>.jsonl]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Report {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        let (health, state) = (client.health().await?, client.agent_state().await?);
        let mut mask = Mask::new(private::home().as_deref().and_then(Path::to_str));
        let mut said = vec!["the version of coop, the kind of agent and its state".to_owned()];
        let head = json!({
            "report": 1, "coop": health.version, "agent": health.agent, "state": state.state, "reason": state.reason,
        });
        let mut lines = vec![head];
        // A program that is no agent has none.
        let mut remembered = None;
        if let Ok(mut explained) = client.explain_with_evidence().await {
            said.push(format!("the last {} things that were heard of it, by kind", explained.recent.len()));
            remembered = Some((std::mem::take(&mut explained.evidence), explained.forgotten));
            lines.push(json!({ "explain": explained }));
        }
        if !self.no_screen {
            let screen = client.screen_text(&GetScreenTextRequest::default()).await?;
            said.push(format!("its screen, with {} lines", screen.lines().count()));
            lines.push(json!({ "screen": screen }));
        }
        if let Some(path) = &self.evidence {
            let evidence = replay::read(path)?.evidence;
            said.push(format!("{} pieces of evidence, with what you and the agent said", evidence.len()));
            lines.extend(evidence.iter().filter_map(|evidence| serde_json::to_value(evidence).ok()));
        }
        match remembered.filter(|_| self.evidence.is_none()) {
            Some(_) if self.no_evidence => said.push("no evidence: it cannot be replayed".to_owned()),
            Some((evidence, forgotten)) => {
                let before = match forgotten {
                    0 => "all there was".to_owned(),
                    more => format!("the {more} before them are forgotten, so what is replayed begins in the middle"),
                };
                said.push(format!("{} pieces of evidence, with what you and the agent said; {before}", evidence.len()));
                lines.extend(evidence.iter().filter_map(|piece| serde_json::from_str(piece).ok()));
                lines.push(json!({ "forgotten": forgotten }));
            }
            None => {}
        }
        mask.values(&mut lines);
        let list: String = said.iter().map(|what| format!("  - {what}\n")).collect();
        out::complain(&format!("In the report:\n{list}  Taken out: {} secrets, and your home folder.\n", mask.count()));
        if self.dry_run {
            return Ok(());
        }
        write(self.output, &lines)
    }
}

fn write(output: Option<PathBuf>, lines: &[Value]) -> Result<(), CommandError> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let path = output.unwrap_or_else(|| format!("coop-report-{seconds}.jsonl").into());
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    private::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        CommandError::failed(format!("{} cannot be written: {error}", path.display()))
            .with_hint("Say with --output where the report is to go.")
    })?;
    out::print(&format!("{}\n", path.display()))
}
