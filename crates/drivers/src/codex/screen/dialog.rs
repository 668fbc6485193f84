//! Which dialog it is, and what it asks.

use coop_core::agent::Choice;
use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext, Question, QuestionPrompt, SetupPrompt};
use serde_json::{Value, json};

use crate::options::{self, Block};
use crate::table::{DialogRule, Kind, Table};
use crate::view::{Dialog, ScreenLine, ShownOption};

/// What stands where in a dialog.
#[derive(Debug)]
struct Parts<'a> {
    /// Its title, and what follows it up to the options.
    body: &'a [ScreenLine],
    block: &'a Block,
    /// The lines below the options.
    foot: String,
}

pub(super) fn find(table: &Table, lines: &[ScreenLine]) -> Option<Dialog> {
    let block = options::find(&table.screen, lines)?;
    let foot = joined(&lines[block.end..]);
    let above = &lines[..block.first];
    let last = lines.last().map_or("", |line| line.text.as_str());
    let tops = table.dialogs.iter().filter_map(|rule| Some((rule, rule.top(above, &block, table, last)?)));
    let (titled, bare): (Vec<_>, Vec<_>) = tops.partition(|(rule, _)| !rule.title.is_empty());
    // What is quoted above a dialog may have its title too.
    let rule = titled.into_iter().max_by_key(|(_, top)| *top).or_else(|| bare.into_iter().next());
    rule.map(|(rule, top)| Parts { body: &above[top..], block: &block, foot }.dialog(table, rule))
}

impl DialogRule {
    /// Where it begins, if it is this one: its title is the last such line above the options.
    fn top(&self, above: &[ScreenLine], block: &Block, table: &Table, last: &str) -> Option<usize> {
        let has = |phrases: &[String], text: &str| phrases.iter().any(|phrase| text.contains(phrase.as_str()));
        let labels: Vec<String> = block.shown(table, self.kind).into_iter().map(|option| option.label).collect();
        let offers = |phrase: &String| labels.iter().any(|label| label.starts_with(phrase.as_str()));
        if !has(&self.foot, last) || !self.all.iter().all(offers) {
            return None;
        }
        if self.title.is_empty() {
            return Some(above.len());
        }
        let titled = |line: &ScreenLine| {
            let inner = line.text.trim_start();
            line.text.len() - inner.len() <= 2 && self.title.iter().any(|title| inner.starts_with(title.as_str()))
        };
        above.iter().rposition(titled)
    }
}

impl Parts<'_> {
    fn dialog(&self, table: &Table, rule: &DialogRule) -> Dialog {
        let options = self.block.shown(table, rule.kind);
        let context = self.context(rule, &options);
        let question_tab = match &context {
            PromptContext::Question(asked) => Some((asked.current, asked.questions.len())),
            _ => None,
        };
        Dialog {
            rule: rule.rule.clone(),
            context,
            numbered: self.block.numbered() && !rule.by_enter,
            selected: options.iter().position(|option| option.selected),
            tabs: Vec::new(),
            question_tab,
            review: false,
            submit: None,
            body: joined(self.body),
            foot: self.foot.clone(),
            options,
        }
    }

    fn context(&self, rule: &DialogRule, options: &[ShownOption]) -> PromptContext {
        let choices: Vec<Choice> = options.iter().map(ShownOption::choice).collect();
        match rule.kind {
            Kind::Permission => PromptContext::Permission(PermissionPrompt {
                subtype: rule.subtype.clone(),
                tool: rule.tool.clone(),
                input: self.command(),
                input_seen: self.command().is_some(),
                options: choices,
                message: Some(self.words()),
                ..PermissionPrompt::default()
            }),
            Kind::Plan => PromptContext::Plan(PlanPrompt { options: choices, ..PlanPrompt::default() }),
            Kind::Question => PromptContext::Question(self.question(rule, choices)),
            Kind::Setup => PromptContext::Setup(SetupPrompt {
                subtype: rule.subtype.clone().unwrap_or_else(|| rule.rule.clone()),
                options: choices,
                url: None,
                message: Some(self.words()).filter(|words| !words.is_empty()),
            }),
        }
    }

    /// What it would run, as far as it is on the screen: all that follows the `$`.
    fn command(&self) -> Option<Value> {
        let from = self.body.iter().position(|line| line.text.starts_with("  $ "))?;
        let lines = self.body[from..].iter().map(|line| line.text.trim_start_matches("  $ ").trim());
        let command = lines.collect::<Vec<_>>().join("\n");
        Some(json!({ "command": command.trim() }))
    }

    /// The dialog's own words.
    fn words(&self) -> String {
        let lines = self.body.iter().map(|line| line.text.trim()).filter(|text| !text.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// `Question 1/2 (2 unanswered)`, and the question below it. The others have an empty text.
    fn question(&self, rule: &DialogRule, options: Vec<Choice>) -> QuestionPrompt {
        let title = self.body.first().map_or("", |line| line.text.trim());
        let numbers = title.split_whitespace().nth(1).and_then(|part| part.split_once('/'));
        let number = |text: &str| text.parse::<usize>().ok();
        let (at, of) = numbers.and_then(|(at, of)| Some((number(at)?, number(of)?))).unwrap_or((1, 1));
        let (at, of) = (at.clamp(1, MOST) - 1, of.clamp(1, MOST));
        let mut questions = vec![Question::default(); of.max(at + 1)];
        let asked = self.body.iter().skip(1).map(|line| line.text.trim()).filter(|text| !text.is_empty());
        questions[at] = Question { question: asked.collect::<Vec<_>>().join(" "), options, ..Question::default() };
        QuestionPrompt { tool: rule.tool.clone(), questions, current: at, ..QuestionPrompt::default() }
    }
}

/// More questions at once nobody asks.
const MOST: usize = 64;

fn joined(lines: &[ScreenLine]) -> String {
    lines.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join("\n")
}
