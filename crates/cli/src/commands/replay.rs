//! `coop replay`: what would be decided now of what an agent did then.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use coop_core::agent::record::{self, Recorded};
use coop_core::agent::resolve::Settings;
use serde_json::Value;

use crate::{CommandError, out, pages};

const EXAMPLES: &str = "\
Examples:
  coop --record-evidence a.jsonl -- claude     writes down what is heard of the agent
  coop replay a.jsonl                          the states that it would be in, by the rules of this coop
  coop replay a.jsonl --explain                everything that was heard, and what was made of it
  coop report --evidence a.jsonl               makes a file of it that can be sent to somebody";

/// Decide again what an agent did, by a file of `coop report` or of --record-evidence
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Replay {
    file: PathBuf,
    /// Show all that was heard, whether it was believed, and why
    #[arg(long)]
    explain: bool,
    /// How long an agent that can only be seen must look idle, in seconds [default: what is usual for the agent]
    #[arg(long, value_name = "SECS")]
    idle_grace: Option<u64>,
}

/// What a file has of an agent.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) evidence: Vec<Recorded>,
    agent: Option<String>,
    /// What was believed when it was written.
    state: Option<String>,
    /// How much was heard before the first of the evidence.
    forgotten: u64,
}

impl Replay {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let told = read(&self.file)?;
        if told.evidence.is_empty() {
            return Err(CommandError::failed(format!("{} has no evidence in it", self.file.display())).with_hint(
                "`coop report` has it unless it was told otherwise, and so has a file of --record-evidence.",
            ));
        }
        let mut settings = match &told.agent {
            Some(agent) => pages::named(agent)?.recipe.driver().judge(),
            None => Settings::default(),
        };
        if let Some(secs) = self.idle_grace {
            settings.idle_grace = Duration::from_secs(secs);
        }
        let mut missing = String::new();
        if told.forgotten > 0 {
            missing = format!(
                "{} pieces of evidence before this are missing: the first states may be wrong.\n",
                told.forgotten
            );
        }
        let mut shown = missing + &replayed(&told.evidence, settings, self.explain);
        if let Some(state) = told.state {
            shown += &format!("It was believed to be: {}\n", out::harmless(&state));
        }
        out::print(&shown)
    }
}

/// Lines of evidence, and those of a report.
pub(super) fn read(path: &Path) -> Result<Told, CommandError> {
    let shown = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| CommandError::usage(format!("{shown} cannot be read: {error}")))?;
    let mut told = Told::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |error| CommandError::usage(format!("{shown}, line {}: {error}", number + 1));
        let value: Value = serde_json::from_str(line).map_err(wrong)?;
        if value.get("heard_ms").is_some() {
            told.evidence.push(serde_json::from_value(value).map_err(wrong)?);
        } else if value.get("report").is_some() {
            let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            (told.agent, told.state) = (field("agent").filter(|agent| agent != "unknown"), field("state"));
        } else if let Some(forgotten) = value.get("forgotten").and_then(Value::as_u64) {
            told.forgotten = forgotten;
        } else if value.get("screen").is_none() && value.get("explain").is_none() {
            return Err(CommandError::usage(format!("{shown}, line {}: it is no evidence", number + 1)));
        }
    }
    Ok(told)
}

/// Every step, or only those that changed the state.
pub(super) fn replayed(recorded: &[Recorded], settings: Settings, explain: bool) -> String {
    let steps = record::replay(Instant::now(), settings, recorded.iter().cloned());
    let mut before = "starting";
    let mut shown = String::new();
    for step in steps {
        let Recorded { heard_ms, source, fact, .. } = &step.recorded;
        let judged = if step.accepted { "believed" } else { "not believed" };
        let arrow = if step.state == before { String::new() } else { format!("  → {}", step.state) };
        let said = out::harmless(&format!("{}; {judged}: {}", fact.name(), step.reason));
        if explain {
            shown += &format!("{:>10} ms  {:<9} {said}{arrow}\n", heard_ms, source.name());
        } else if step.state != before {
            shown += &format!("{:>10} ms  {}\n", heard_ms, step.state);
        }
        before = step.state;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 3] = [
        r#"{"heard_ms":10,"at_ms":-5,"source":"registry","fact":{"looks":"idle"}}"#,
        r#"{"heard_ms":900,"at_ms":890,"source":"hook","turn":"t1","fact":{"turn_started":{"text":"hello"}}}"#,
        r#"{"heard_ms":950,"at_ms":880,"source":"registry","fact":{"looks":"idle"}}"#,
    ];

    #[test]
    fn a_record_is_decided_again() {
        let recorded: Vec<Recorded> = LINES.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = "        \
        10 ms  registry  looks idle; believed: registry says so  → idle
       900 ms  hook      turn started; believed: hook: turn started  → working
       950 ms  registry  looks idle; not believed: hook is newer
";
        assert_eq!(replayed(&recorded, Settings::default(), true).trim(), expected.trim());
        let changes = "        10 ms  idle\n       900 ms  working\n";
        assert_eq!(replayed(&recorded, Settings::default(), false), changes);
    }

    #[test]
    fn reports_are_read_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        let head = r#"{"report":1,"coop":"0.1.0","agent":"claude","state":"idle"}"#;
        fs::write(&path, [&[head, r#"{"screen":"x"}"#, r#"{"explain":{}}"#], &LINES[..]].concat().join("\n")).unwrap();
        let told = read(&path).unwrap();
        assert_eq!(
            (told.evidence.len(), told.agent.as_deref(), told.state.as_deref()),
            (3, Some("claude"), Some("idle"))
        );
        fs::write(&path, "{}\n").unwrap();
        assert!(read(&path).is_err());
    }
}
