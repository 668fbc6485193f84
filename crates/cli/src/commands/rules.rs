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
  coop rules add deny 'Bash(rm:*)'                 also behind sudo, in a list, or in a shell of its own
  coop rules add allow 'Write(*.md)' --project .
  coop rules add ask 'WebFetch(domain:example.org)'
  coop rules test Bash 'git status; rm x'          would it be allowed, and why
  coop rules remove 2

Deny wins over ask, and ask over allow. A command is allowed only if every part of it is; what cannot be read for certain
is asked. Rules count for agents whose hooks the hub hears, and for those under coop.";

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
            What::Add { effect, pattern, project, target } => {
                let effect = match effect {
                    Effect::Allow => "allow",
                    Effect::Deny => "deny",
                    Effect::Ask => "ask",
                };
                let project = project.map(|folder| absolute(&folder)).transpose()?;
                let rule = NewRule { pattern, effect: effect.into(), project };
                let added = target.client()?.hub_add_rule(&rule).await?;
                out::print(&format!("Rule {}: {} {}", added.id, added.effect, out::harmless(&added.pattern)))
            }
            What::Remove { id, target } => {
                target.client()?.hub_remove_rule(id).await?;
                out::print(&format!("Rule {id} is gone"))
            }
            What::Test { tool, input, session, cwd, json, target } => {
                // What is no JSON is a command.
                let input = serde_json::from_str::<Value>(&input).ok().filter(Value::is_object).unwrap_or(input.into());
                let cwd = match (cwd, &session) {
                    (Some(folder), _) => absolute(&folder)?,
                    (None, Some(_)) => String::new(),
                    (None, None) => absolute(std::path::Path::new("."))?,
                };
                let verdict = target.client()?.hub_test_rules(&RuleTest { tool, input, cwd, session }).await?;
                if json { out::json(&verdict) } else { out::print(&describe(&verdict)) }
            }
        }
    }
}

fn absolute(folder: &std::path::Path) -> Result<String, CommandError> {
    let shown = folder.display();
    let path = folder.canonicalize().map_err(|error| CommandError::usage(format!("{shown}: {error}")))?;
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
    let mut lines = vec![["RULE", "EFFECT", "PATTERN", "WHERE"].map(String::from)];
    lines.extend(rules.rules.iter().map(|rule| {
        let place = rule.project.as_deref().map_or_else(|| "everywhere".to_owned(), out::harmless);
        [rule.id.to_string(), rule.effect.clone(), out::harmless(&rule.pattern), place]
    }));
    lines.extend(rules.memory.iter().map(|memory| {
        let place = format!("session {}", out::harmless(&memory.session_id));
        ["-".to_owned(), memory.effect.clone(), out::harmless(&memory.pattern), place]
    }));
    out::print(&columns(&lines))
}

fn describe(verdict: &RuleVerdict) -> String {
    let rules: Vec<String> = verdict.rules.iter().map(|id| format!("rule {id}")).collect();
    let because: Vec<String> = rules.into_iter().chain(verdict.memory.iter().map(|p| out::harmless(p))).collect();
    match because.is_empty() {
        true => format!("{}: no rule says otherwise", verdict.effect),
        false => format!("{}: {}", verdict.effect, because.join(", ")),
    }
}
