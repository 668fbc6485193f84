//! `coop explain`: why the agent is believed to be in its state.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use coop_api::v1::{Evidence, ExplainResponse};
use coop_core::agent::record::{self, Recorded};
use coop_core::agent::resolve::Settings;

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
            return out::print(&replayed(&read(path)?, settings));
        }
        let explanation = self.target.client()?.explain().await?;
        if self.json { out::json(&explanation) } else { out::print(&describe(&explanation)) }
    }
}

fn read(path: &Path) -> Result<Vec<Recorded>, CommandError> {
    let shown = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| CommandError::usage(format!("{shown} cannot be read: {error}")))?;
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| CommandError::usage(format!("{shown}, line {}: {error}", number + 1)))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}

fn replayed(recorded: &[Recorded], settings: Settings) -> String {
    let steps = record::replay(Instant::now(), settings, recorded.iter().cloned());
    let mut before = "starting";
    let mut shown = String::new();
    for step in steps {
        let Recorded { heard_ms, source, fact, .. } = &step.recorded;
        let judged = if step.accepted { "believed" } else { "not believed" };
        let arrow = if step.state == before { String::new() } else { format!("  → {}", step.state) };
        let said = out::harmless(&format!("{}; {judged}: {}", fact.name(), step.reason));
        shown += &format!("{:>10} ms  {:<9} {said}{arrow}\n", heard_ms, source.name());
        before = step.state;
    }
    shown
}

fn describe(explained: &ExplainResponse) -> String {
    let ExplainResponse { state, rule, reason, for_ms, sources, recent } = explained;
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
    fn a_record_is_decided_again() {
        let lines = [
            r#"{"heard_ms":10,"at_ms":-5,"source":"registry","fact":{"looks":"idle"}}"#,
            r#"{"heard_ms":900,"at_ms":890,"source":"hook","turn":"t1","fact":{"turn_started":{"text":"hello"}}}"#,
            r#"{"heard_ms":950,"at_ms":880,"source":"registry","fact":{"looks":"idle"}}"#,
        ];
        let recorded: Vec<Recorded> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = "        \
        10 ms  registry  looks idle; believed: registry says so  → idle
       900 ms  hook      turn started; believed: hook: turn started  → working
       950 ms  registry  looks idle; not believed: hook is newer
";
        assert_eq!(replayed(&recorded, Settings::default()).trim(), expected.trim());
    }

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
            recent: Vec::new(),
        };
        let expected = "\
idle for 1 min, by the rule `end of turn`: the agent said so

The last each source said:
     1.5 s ago  1 hook      turn ended; believed: it is newer
";
        assert_eq!(describe(&explained), expected);
    }
}
