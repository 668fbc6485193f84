//! `coop prompts`: everything agents ask and nobody has answered.

use clap::Args;
use coop_api::hub::{Prompt, PromptChoice};
use coop_machine::clock::now_ms;

use super::ls::uptime;
use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop prompts              oldest first, with the numbers that `coop answer` takes
  coop prompts --json       with the raw input of each tool

What would hide in it (control characters, changes of direction, blanks of no width) is shown by name.";

/// List what agents ask and nobody has answered
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Prompts {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: HubTarget,
}

impl Prompts {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let found = self.target.client()?.hub_prompts().await?;
        if self.json {
            return out::json(&found);
        }
        if found.prompts.is_empty() {
            return out::print("Nobody asks anything.");
        }
        let now = now_ms();
        let all: Vec<String> = found.prompts.iter().map(|prompt| describe(prompt, now)).collect();
        out::print(&all.join("\n"))
    }
}

fn describe(prompt: &Prompt, now: u64) -> String {
    let secs = |from: u64, to: u64| i64::try_from(to.saturating_sub(from) / 1000).unwrap_or(i64::MAX);
    let project = prompt.project.as_deref().map(|project| format!(" in {}", out::harmless(project)));
    let expires = match prompt.via.as_str() {
        "hook" => format!(", for {} more", uptime(secs(now, prompt.expires_ms))),
        _ => String::new(),
    };
    let mut text = format!(
        "{}  {} ({}){}, asked {} ago{expires}, session {}\n",
        prompt.id,
        out::harmless(&prompt.kind),
        out::harmless(&prompt.tool),
        project.unwrap_or_default(),
        uptime(secs(prompt.asked_ms, now)),
        prompt.session,
    );
    if prompt.questions.is_empty() {
        text += &indented(&prompt.text);
        text += &options(&prompt.options);
    }
    for question in &prompt.questions {
        let several = if question.several { " (several may be chosen)" } else { "" };
        text += &indented(&format!("{}{several}", question.question));
        text += &options(&question.options);
    }
    if let Some(pattern) = &prompt.suggestion {
        text += &format!("    with --session or --path: {}\n", out::harmless(pattern));
    }
    text
}

/// All lines of it. Several have a bar before them, so that none can be taken for a line of ours.
fn indented(text: &str) -> String {
    let bar = if text.trim_end().contains('\n') { "  | " } else { "    " };
    text.lines().map(|line| format!("{bar}{}\n", out::harmless(&line.replace('\t', "    ")))).collect()
}

fn options(options: &[PromptChoice]) -> String {
    let line = |option: &PromptChoice| {
        let more = option.description.as_deref().map(|text| format!("  ({})", out::harmless(text)));
        format!("      {}  {}{}\n", option.number, out::harmless(&option.label), more.unwrap_or_default())
    };
    options.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        let option = |number, label: &str| PromptChoice { number, label: label.into(), ..PromptChoice::default() };
        let prompt = Prompt {
            id: 7,
            session: 2,
            kind: "permission".into(),
            tool: "Bash".into(),
            text: "touch a\n\tb<U+202E>".into(),
            project: Some("shop".into()),
            options: vec![option(1, "Allow once"), option(4, "Deny")],
            suggestion: Some("Bash(touch:*)".into()),
            asked_ms: 1_000,
            expires_ms: 121_000,
            via: "hook".into(),
            ..Prompt::default()
        };
        let expected = "\
7  permission (Bash) in shop, asked 2s ago, for 1m more, session 2
  | touch a
  |     b<U+202E>
      1  Allow once
      4  Deny
    with --session or --path: Bash(touch:*)
";
        assert_eq!(describe(&prompt, 3_000), expected);
    }
}
