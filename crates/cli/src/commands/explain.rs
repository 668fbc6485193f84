//! `coop explain`: why the agent is believed to be in its state.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use coop_api::v1::{Evidence, ExplainResponse};
use coop_core::agent::resolve::Settings;

use super::replay;
use crate::sessions::NamedTarget;
use crate::{CommandError, out};

/// Show why coop believes what `coop state` says: what each source said, and what was made of it
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    target: NamedTarget,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
    /// Decide again what a file says that `coop --record-evidence` wrote, and show each step
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json"])]
    replay: Option<PathBuf>,
    /// With --replay: how long an agent that can only be seen must look idle, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 60, requires = "replay")]
    idle_grace: u64,
}

impl Explain {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        if let Some(path) = &self.replay {
            let settings = Settings { idle_grace: Duration::from_secs(self.idle_grace), ..Settings::default() };
            return out::print(&replay::replayed(&replay::read(path)?.evidence, settings, true));
        }
        let explanation = self.target.client()?.explain().await?;
        if self.json { out::json(&explanation) } else { out::print(&describe(&explanation)) }
    }
}

fn describe(explained: &ExplainResponse) -> String {
    let ExplainResponse { state, rule, reason, for_ms, sources, recent, .. } = explained;
    let head = format!("{state} for {}, by the rule `{rule}`: {}\n", ago(*for_ms), out::harmless(reason));
    let list = |title: &str, all: &[Evidence]| match all {
        [] => String::new(),
        all => format!("\n{title}\n{}", all.iter().map(line).collect::<String>()),
    };
    head + &list("The last each source said:", sources) + &list("All of it, newest last:", recent)
}

fn line(evidence: &Evidence) -> String {
    let judged = if evidence.accepted { "believed" } else { "not believed" };
    let Evidence { source, tier, fact, reason, .. } = evidence;
    let said = out::harmless(&format!("{fact}; {judged}: {reason}"));
    format!("  {:>8} ago  {tier} {source:<9} {said}\n", ago(evidence.ago_ms))
}

fn ago(ms: u64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", std::time::Duration::from_millis(ms).as_secs_f64()),
        _ => format!("{} min", ms / 60_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        let evidence = Evidence {
            source: "hook".into(),
            tier: 1,
            ago_ms: 1500,
            fact: "turn ended".into(),
            accepted: true,
            reason: "it is newer".into(),
            ..Evidence::default()
        };
        let explained = ExplainResponse {
            state: "idle".into(),
            rule: "end of turn".into(),
            reason: "the agent said so".into(),
            for_ms: 90_000,
            sources: vec![evidence],
            ..ExplainResponse::default()
        };
        let expected = "\
idle for 1 min, by the rule `end of turn`: the agent said so

The last each source said:
     1.5 s ago  1 hook      turn ended; believed: it is newer
";
        assert_eq!(describe(&explained), expected);
    }
}
