//! `coop sessions`: every agent the hub knows, who needs a person first.

use clap::Args;
use coop_api::hub::{Session, SessionFilter};
use coop_machine::clock::now_ms;

use super::ls::uptime;
use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop sessions                        all that run, who needs you first
  coop sessions --state prompt,error   only those
  coop sessions --project shop --json

CONTROL says what can be done: owned (it runs under coop), hooked (what it asks can be answered: coop prompts), hooked
(look) (this agent takes answers at its terminal only), observed (look, no touch: coop hooks install), cold (it has ended).";

/// List every agent the hub knows, who needs you first
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sessions {
    /// Only those in one of these states, for example prompt,error
    #[arg(long, value_name = "STATES")]
    state: Option<String>,
    /// Only agents of this kind, for example claude
    #[arg(long)]
    agent: Option<String>,
    /// Only in this project: the name of its folder, or the path of one above it
    #[arg(long)]
    project: Option<String>,
    /// Also those that have ended
    #[arg(long)]
    all: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: HubTarget,
}

impl Sessions {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let filter = SessionFilter { state: self.state, agent: self.agent, project: self.project, all: self.all };
        let found = self.target.client()?.hub_sessions(&filter).await?;
        if self.json {
            return out::json(&found);
        }
        if found.sessions.is_empty() {
            return out::print("No agent is there, or none that fits.");
        }
        out::print(&table(&found.sessions, now_ms()))
    }
}

fn table(sessions: &[Session], now: u64) -> String {
    let head = ["ID", "STATE", "FOR", "CONTROL", "AGENT", "PROJECT", "BRANCH", "MODEL", "TITLE"].map(String::from);
    let rows = sessions.iter().map(|session| cells(session, now));
    columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

/// Columns as wide as their widest cell.
pub(super) fn columns<const N: usize>(lines: &[[String; N]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let show = |line: &[String; N]| {
        let cells: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(show).collect()
}

fn cells(session: &Session, now: u64) -> [String; 9] {
    let text = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), out::harmless);
    let state = match &session.prompt {
        Some(prompt) => format!("{} ({})", session.state, prompt.r#type),
        None => session.state.clone(),
    };
    let secs = i64::try_from(now.saturating_sub(session.since_ms) / 1000).unwrap_or(i64::MAX);
    let mark = if session.unseen { "*" } else { "" };
    [
        session.id.to_string(),
        format!("{state}{mark}"),
        uptime(secs),
        match (session.control.as_str(), session.answerable) {
            ("hooked", false) => "hooked (look)".to_owned(),
            (control, _) => control.to_owned(),
        },
        out::harmless(&session.agent),
        text(&session.project),
        text(&session.branch),
        text(&session.model),
        session.title.as_deref().map(out::harmless).unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        let session = Session {
            id: 3,
            agent: "claude".into(),
            state: "prompt".into(),
            prompt: Some(coop_api::v1::PromptContext { r#type: "plan".into(), ..Default::default() }),
            since_ms: 1_000,
            control: "hooked".into(),
            answerable: true,
            unseen: true,
            project: Some("shop".into()),
            title: Some("Fix\u{1b}[2J it".into()),
            ..Session::default()
        };
        let expected = "\
ID  STATE           FOR  CONTROL  AGENT   PROJECT  BRANCH  MODEL  TITLE
3   prompt (plan)*  1m   hooked   claude  shop     -       -      Fix␛[2J it
";
        assert_eq!(table(&[session], 62_000), expected);
    }
}
