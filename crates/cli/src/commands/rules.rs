//! `coop rules`: what agents may do without asking, and what they may not.

use clap::{Args, Subcommand, ValueEnum};
use coop_api::hub::{NewRule, RuleTest, RuleVerdict};
use serde_json::Value;

use super::sessions::columns;
use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop rules add allow 'Bash(git status:*)'        a command that begins with these words
  coop rules add allow 'Bash(cargo test)'          this one and no other
  coop rules add deny 'Bash(rm:*)'                 also behind sudo, in a list, in a shell of its own, or hidden
  coop rules add allow 'Write(*.md)' --project .
  coop rules add ask 'WebFetch(domain:example.org)'
  coop rules add deny 'Bash(git push:*)' --host '*'  on every machine whose agents are on the board
  coop rules test Bash 'git status; rm x'          would it be allowed, and why
  coop rules remove 2

Deny wins over ask, and ask over allow. A command is allowed only if it was read for certain and every part of it is
allowed. A rule that denies or asks counts wherever it possibly matches, so also for what cannot be read. Rules are for
agents of this machine unless --host says otherwise: those whose hooks report to the hub, and those under coop.";

/// What agents may do without asking: list, add, remove and test rules
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Rules {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List standing rules, and what sessions remember
    List {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        target: HubTarget,
    },
    /// Add a rule
    Add {
        effect: Effect,
        /// For example 'Bash(git status:*)', 'Write(*.py)', 'WebFetch(domain:example.org)' or Read
        pattern: String,
        /// Only in this folder and below
        #[arg(long, value_name = "FOLDER")]
        project: Option<std::path::PathBuf>,
        /// For agents of this machine, as `coop sessions` names it, or '*' for all [default: the machine of the hub]
        #[arg(long, value_name = "HOST")]
        host: Option<String>,
        #[command(flatten)]
        target: HubTarget,
    },
    /// Remove a rule by its number
    Remove {
        id: u64,
        #[command(flatten)]
        target: HubTarget,
    },
    /// Say what the rules make of a use of a tool, and which of them
    Test {
        /// For example Bash or Write
        tool: String,
        /// The command, or the input of the tool as JSON
        input: String,
        /// With what this session remembers, by its number
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Where it would be done [default: here]
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<std::path::PathBuf>,
        /// On which machine it would be done [default: that of the session, or of the hub]
        #[arg(long, value_name = "HOST")]
        host: Option<String>,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        target: HubTarget,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Effect {
    Allow,
    Deny,
    Ask,
}

impl Rules {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self.what {
            What::List { json, target } => list(&target, json).await,
            What::Add { effect, pattern, project, host, target } => {
                let effect = match effect {
                    Effect::Allow => "allow",
                    Effect::Deny => "deny",
                    Effect::Ask => "ask",
                };
                // A folder of another machine is not looked at here.
                let project = match (project, &host) {
                    (Some(folder), Some(_)) => Some(text_of(folder)?),
                    (Some(folder), None) => Some(absolute(&folder)?),
                    (None, _) => None,
                };
                let rule = NewRule { pattern, effect: effect.into(), project, host };
                let added = target.client()?.hub_add_rule(&rule).await?;
                out::print(&format!("Rule {}: {} {}", added.id, added.effect, out::harmless(&added.pattern)))
            }
            What::Remove { id, target } => {
                target.client()?.hub_remove_rule(id).await?;
                out::print(&format!("Rule {id} is gone"))
            }
            What::Test { tool, input, session, cwd, host, json, target } => {
                // What is no JSON is a command.
                let input = serde_json::from_str::<Value>(&input).ok().filter(Value::is_object).unwrap_or(input.into());
                let cwd = match (cwd, &session) {
                    (Some(folder), _) => absolute(&folder)?,
                    (None, Some(_)) => String::new(),
                    (None, None) => absolute(std::path::Path::new("."))?,
                };
                let verdict = target.client()?.hub_test_rules(&RuleTest { tool, input, cwd, session, host }).await?;
                if json { out::json(&verdict) } else { out::print(&describe(&verdict)) }
            }
        }
    }
}

fn absolute(folder: &std::path::Path) -> Result<String, CommandError> {
    let shown = folder.display();
    let path = folder.canonicalize().map_err(|error| CommandError::usage(format!("{shown}: {error}")))?;
    text_of(path)
}

fn text_of(path: std::path::PathBuf) -> Result<String, CommandError> {
    let shown = path.display().to_string();
    path.into_os_string().into_string().map_err(|_| CommandError::usage(format!("{shown} has a name that is no text")))
}

async fn list(target: &HubTarget, json: bool) -> Result<(), CommandError> {
    let rules = target.client()?.hub_rules().await?;
    if json {
        return out::json(&rules);
    }
    if rules.rules.is_empty() && rules.memory.is_empty() {
        return out::print("There are no rules: everything is asked. `coop rules --help` shows how to add one.");
    }
    let mut lines = vec![["RULE", "EFFECT", "PATTERN", "WHERE", "HOST"].map(String::from)];
    lines.extend(rules.rules.iter().map(|rule| {
        let place = rule.project.as_deref().map_or_else(|| "everywhere".to_owned(), out::harmless);
        let host = match rule.host.as_deref() {
            None => "this machine".to_owned(),
            Some("*") => "all machines".to_owned(),
            Some(host) => out::harmless(host),
        };
        [rule.id.to_string(), rule.effect.clone(), out::harmless(&rule.pattern), place, host]
    }));
    lines.extend(rules.memory.iter().map(|memory| {
        let place = format!("session {}", out::harmless(&memory.session_id));
        ["-".to_owned(), memory.effect.clone(), out::harmless(&memory.pattern), place, "its own".to_owned()]
    }));
    out::print(&columns(&lines))
}

fn describe(verdict: &RuleVerdict) -> String {
    let rules: Vec<String> = verdict.rules.iter().map(|id| format!("rule {id}")).collect();
    let because: Vec<String> = rules.into_iter().chain(verdict.memory.iter().map(|p| out::harmless(p))).collect();
    let part = verdict.part.as_deref().map(|part| format!(" `{}`", out::harmless(part))).unwrap_or_default();
    let certainty = verdict.certainty.as_deref().unwrap_or_default();
    match (because.is_empty(), certainty) {
        (true, "possible") => {
            format!("{}: no rule covers all of it for certain; rules that allow match only{part}", verdict.effect)
        }
        (true, _) => format!("{}: no rule matches", verdict.effect),
        (false, "") => format!("{}: {}", verdict.effect, because.join(", ")),
        (false, _) => format!("{}: {}, {certainty} because of{part}", verdict.effect, because.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_names_the_part_that_decided() {
        let verdict = |effect: &str, rules: &[u64], certainty: Option<&str>, part: Option<&str>| RuleVerdict {
            effect: effect.into(),
            rules: rules.into(),
            memory: Vec::new(),
            certainty: certainty.map(Into::into),
            part: part.map(Into::into),
        };
        for (verdict, text) in [
            (verdict("deny", &[2], Some("possible"), Some("rm y")), "deny: rule 2, possible because of `rm y`"),
            (verdict("allow", &[1, 3], Some("certain"), Some("ls")), "allow: rule 1, rule 3, certain because of `ls`"),
            (
                verdict("ask", &[], Some("possible"), Some("mkdir x")),
                "ask: no rule covers all of it for certain; rules that allow match only `mkdir x`",
            ),
            (verdict("ask", &[], None, None), "ask: no rule matches"),
            // A hub of an earlier version does not name it.
            (verdict("deny", &[2], None, None), "deny: rule 2"),
        ] {
            assert_eq!(describe(&verdict), text);
        }
    }
}
