//! A dialog that a rule of a page knows: what it asks, and its options.

use coop_core::agent::Choice;
use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext, Question, QuestionPrompt, SetupPrompt};
use serde_json::{Value, json};

use super::super::DialogPage;
use super::Part;
use crate::options;
use crate::table::{Kind, Table};
use crate::view::{Dialog, ScreenLine, ShownOption};

/// Nothing if its options are not there: it may be half painted.
pub(super) fn read(table: &Table, rule: &DialogPage, part: &Part<'_>) -> Option<Dialog> {
    let lines = &part.lines;
    let (options, first, end, numbered) = if rule.text {
        (Vec::new(), lines.len(), lines.len(), false)
    } else if rule.choices.is_empty() {
        let block = options::find(&table.screen, lines)?;
        (block.shown(table, rule.kind), block.first, block.end, block.numbered() && !rule.arrows)
    } else {
        let (options, at) = named(table, rule, lines)?;
        (options, at, at + 1, false)
    };
    let body = joined(&lines[..first]);
    Some(Dialog {
        rule: rule.rule.clone(),
        context: context(rule, &lines[..first], &body, &options),
        numbered,
        selected: options.iter().position(|option| option.selected),
        tabs: Vec::new(),
        question_tab: None,
        review: false,
        submit: None,
        body,
        foot: joined(&lines[end..]),
        options,
    })
}

/// Those of the rule that are on the screen, and the line with the first of them.
fn named(table: &Table, rule: &DialogPage, lines: &[ScreenLine]) -> Option<(Vec<ShownOption>, usize)> {
    let mut first = lines.len();
    let mut options = Vec::new();
    for choice in &rule.choices {
        let Some(at) = lines.iter().rposition(|line| line.text.contains(&choice.label)) else { continue };
        first = first.min(at);
        options.push(ShownOption {
            number: None,
            label: choice.label.clone(),
            description: None,
            selected: false,
            checked: None,
            meaning: table.meaning(rule.kind, &choice.label),
            keys: choice.keys.clone(),
        });
    }
    (!options.is_empty()).then_some((options, first))
}

fn context(rule: &DialogPage, body: &[ScreenLine], words: &str, options: &[ShownOption]) -> PromptContext {
    let options: Vec<Choice> = options.iter().map(ShownOption::choice).collect();
    let message = Some(words.to_owned()).filter(|words| !words.is_empty());
    match rule.kind {
        Kind::Permission => PromptContext::Permission(PermissionPrompt {
            subtype: rule.subtype.clone(),
            tool: rule.tool.clone(),
            input: rule.command.as_deref().and_then(|sign| command(sign, body)),
            options,
            message,
            ..PermissionPrompt::default()
        }),
        Kind::Plan => {
            PromptContext::Plan(PlanPrompt { tool: rule.tool.clone(), plan: message, options, ..PlanPrompt::default() })
        }
        Kind::Question => {
            let question = words.split_whitespace().collect::<Vec<_>>().join(" ");
            let questions = vec![Question { question, options, ..Question::default() }];
            PromptContext::Question(QuestionPrompt { tool: rule.tool.clone(), questions, ..QuestionPrompt::default() })
        }
        Kind::Setup => PromptContext::Setup(SetupPrompt {
            subtype: rule.subtype.clone().unwrap_or_else(|| rule.rule.clone()),
            options,
            url: words.split_whitespace().find(|word| word.starts_with("https://")).map(str::to_owned),
            message,
        }),
    }
}

/// What it would run: all that follows the sign, up to an empty line.
fn command(sign: &str, body: &[ScreenLine]) -> Option<Value> {
    let from = body.iter().position(|line| line.text.trim_start().starts_with(sign))?;
    let lines = body[from..].iter().map(|line| line.text.trim()).take_while(|text| !text.is_empty());
    let command = lines.collect::<Vec<_>>().join("\n");
    Some(json!({ "command": command.strip_prefix(sign)?.trim() }))
}

fn joined(lines: &[ScreenLine]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.text.trim()).filter(|text| !text.is_empty()).collect();
    lines.join("\n")
}
