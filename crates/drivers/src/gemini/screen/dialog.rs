//! Which dialog it is, and what it asks.

use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext, Question, QuestionPrompt, SetupPrompt};
use coop_core::agent::{Choice, Meaning};
use serde_json::{Value, json};

use super::options::{self, Block};
use crate::gemini::tool::{ASK, PLAN};
use crate::step::compact;
use crate::table::{DialogRule, Kind, Table};
use crate::view::{Dialog, ShownOption, Tab};

/// Below a question that takes several answers.
const SEVERAL: &str = "(Select all that apply)";

/// In the last line, when the pointer is on the line for words.
const TYPING: &str = "Enter to submit";

/// What stands where in a dialog.
#[derive(Debug)]
struct Parts<'a> {
    lines: &'a [String],
    block: Option<Block>,
    /// Its first line.
    title: &'a str,
    /// The lines right above the options.
    ask: String,
    /// The lines below them, or all lines where nothing can be chosen.
    foot: String,
    all: String,
}

pub(super) fn read(table: &Table, lines: &[String]) -> Option<Dialog> {
    table.dialogs.iter().find_map(|rule| {
        let parts = Parts::new(table, rule, lines);
        fits(rule, &parts).then(|| parts.dialog(rule))
    })
}

/// Every list of the rule that is not empty has to agree with the dialog.
fn fits(rule: &DialogRule, parts: &Parts<'_>) -> bool {
    let any = |phrases: &[String], text: &str| {
        phrases.is_empty() || phrases.iter().any(|phrase| text.contains(phrase.as_str()))
    };
    let titled = rule.title.is_empty() || rule.title.iter().any(|title| parts.title.starts_with(title.as_str()));
    titled
        && parts.block.is_some() != rule.text
        && any(&rule.ask, &parts.ask)
        && any(&rule.foot, &parts.foot)
        && any(&rule.any, &parts.all)
        && rule.all.iter().all(|phrase| parts.all.contains(phrase.as_str()))
        && !rule.none.iter().any(|phrase| parts.all.contains(phrase.as_str()))
}

impl<'a> Parts<'a> {
    fn new(table: &Table, rule: &DialogRule, lines: &'a [String]) -> Self {
        let mut block = options::find(table, rule.kind, lines);
        if rule.kind == Kind::Question
            && let Some(block) = &mut block
        {
            name_line_for_words(block, &lines[block.end..]);
        }
        let (first, end) = block.as_ref().map_or((lines.len(), 0), |block| (block.first, block.end));
        let title = lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
        Self { lines, title, ask: paragraph(&lines[..first]), foot: joined(&lines[end..]), all: joined(lines), block }
    }

    fn dialog(self, rule: &DialogRule) -> Dialog {
        let first = self.block.as_ref().map_or(self.lines.len(), |block| block.first);
        let tabs = self.lines.iter().find_map(|line| tabs(line)).unwrap_or_default();
        let context = self.context(rule, &tabs);
        let of = tabs.len();
        let question_tab = match &context {
            PromptContext::Question(asked) if of > 0 => Some((asked.current, of)),
            _ => None,
        };
        let options = self.block.as_ref().map(|block| block.options.clone()).unwrap_or_default();
        Dialog {
            rule: rule.rule.clone(),
            context,
            numbered: !options.is_empty(),
            selected: options.iter().position(|option| option.selected),
            tabs,
            question_tab,
            review: rule.review,
            submit: self.block.as_ref().and_then(|block| block.done),
            body: joined(&self.lines[..first]),
            foot: self.foot,
            options,
        }
    }

    fn choices(&self) -> Vec<Choice> {
        let options = self.block.as_ref().map(|block| block.options.as_slice()).unwrap_or_default();
        options.iter().map(ShownOption::choice).collect()
    }

    fn context(&self, rule: &DialogRule, tabs: &[Tab]) -> PromptContext {
        let input = if rule.subtype.is_none() { self.input() } else { None };
        match rule.kind {
            Kind::Permission => PromptContext::Permission(PermissionPrompt {
                subtype: rule.subtype.clone(),
                tool: rule.tool.clone(),
                input_seen: input.is_some(),
                input,
                options: self.choices(),
                message: Some(self.ask.clone()),
                ..PermissionPrompt::default()
            }),
            Kind::Plan => PromptContext::Plan(PlanPrompt {
                tool: Some(PLAN.to_owned()),
                plan: Some(self.plan()).filter(|plan| !plan.is_empty()),
                options: self.choices(),
                ..PlanPrompt::default()
            }),
            Kind::Question => PromptContext::Question(self.question(rule, tabs)),
            Kind::Setup => PromptContext::Setup(SetupPrompt {
                subtype: rule.subtype.clone().unwrap_or_else(|| rule.rule.clone()),
                options: self.choices(),
                url: self.all.split_whitespace().find(|word| word.starts_with("https://")).map(str::to_owned),
                message: Some(self.title.to_owned()),
            }),
        }
    }

    /// What the tool would do, as far as it is shown: the first line names it, and may be cut.
    fn input(&self) -> Option<Value> {
        let (_, about) = self.title.strip_prefix("? ")?.split_once("  ")?;
        let about = about.rsplit_once("  ").filter(|(_, place)| is_place(place)).map_or(about, |(about, _)| about);
        let about = about.trim().trim_end_matches('…');
        if self.ask.contains("Apply this change?") {
            let file = about.strip_prefix("Writing to ").unwrap_or(about);
            return Some(json!({ "file_path": file.split(": ").next().unwrap_or(file).trim() }));
        }
        let shell = self.ask.contains("Allow execution of [Shell]?");
        shell.then(|| json!({ "command": self.command(about) }))
    }

    /// The frame inside shows all of a command, but of several joined ones each alone.
    fn command(&self, about: &str) -> String {
        let inside = self.lines.iter().filter_map(|line| line.strip_prefix("│ ")?.strip_suffix('│'));
        let whole = inside.map(str::trim_end).collect::<Vec<_>>().join("\n");
        if compact(&whole).starts_with(&compact(about)) { whole } else { about.to_owned() }
    }

    fn plan(&self) -> String {
        let first = self.block.as_ref().map_or(self.lines.len(), |block| block.first);
        let body = self.lines[..first].iter().skip_while(|line| line.trim() != self.title).skip(1);
        body.map(String::as_str).collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    /// Only the question on the screen is known; the others have an empty text.
    fn question(&self, rule: &DialogRule, tabs: &[Tab]) -> QuestionPrompt {
        let count = tabs.len().max(1);
        let header = |at: usize| tabs.get(at).map(|tab| tab.label.clone());
        let mut questions: Vec<Question> =
            (0..count).map(|at| Question { header: header(at), ..Question::default() }).collect();
        let tool = Some(ASK.to_owned());
        if rule.review {
            return QuestionPrompt { tool, questions, current: count, ..QuestionPrompt::default() };
        }
        let choices = self.choices();
        let shown = Question {
            question: self.asked(),
            header: header(0),
            multi_select: self.all.contains(SEVERAL),
            options: choices,
        };
        // Not told apart in plain text: it is the first without an answer.
        let current = tabs.iter().position(|tab| !tab.answered).unwrap_or(count - 1);
        let input = self.all_is_shown(tabs).then(|| call(&shown));
        if let Some(question) = questions.get_mut(current) {
            *question = Question { header: header(current), ..shown };
        }
        QuestionPrompt { tool, questions, current, input, ..QuestionPrompt::default() }
    }

    /// What is asked stands between the title, or the tabs, and the options or the line for words.
    fn asked(&self) -> String {
        let first = self.block.as_ref().map_or(self.lines.len(), |block| block.first);
        let body = self.lines[..first].iter().map(|line| line.trim());
        let mut body = body.skip_while(|line| line.is_empty()).skip(1).skip_while(|line| line.is_empty()).peekable();
        if body.peek().is_some_and(|line| tabs(line).is_some()) {
            body.next();
        }
        let asked = body.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty() && *line != "▲");
        asked.filter(|line| *line != SEVERAL).collect::<Vec<_>>().join(" ")
    }

    /// One question, and all of its options: nothing is left that only the call could tell.
    fn all_is_shown(&self, tabs: &[Tab]) -> bool {
        let whole = self.block.as_ref().is_some_and(|block| {
            let first = block.options.first().is_some_and(|option| option.number == Some(1));
            let last = block.options.last().is_some_and(|option| option.meaning == Meaning::Text);
            first && last
        });
        tabs.is_empty() && whole
    }
}

/// As the agent would have called its tool.
fn call(question: &Question) -> Value {
    let own = question.options.iter().filter(|option| option.meaning == Meaning::Answer);
    let options: Vec<Value> =
        own.map(|option| json!({ "label": option.label, "description": option.description })).collect();
    json!({ "questions": [{
        "question": question.question,
        "type": "choice",
        "multiSelect": question.multi_select,
        "options": options,
    }] })
}

/// The line for own words shows them once they are typed. It is the last option with a number, which a list that is too
/// long does not show, or the one whose words Enter would give.
fn name_line_for_words(block: &mut Block, below: &[String]) {
    let cut = below.iter().any(|line| line.trim() == "▼");
    let typing = below.iter().any(|line| line.contains(TYPING));
    let last = block.options.len().checked_sub(1).filter(|_| !cut);
    for (place, option) in block.options.iter_mut().enumerate() {
        if Some(place) == last || typing && option.selected {
            option.meaning = Meaning::Text;
        }
    }
}

/// `1 of 2`: of several dialogs that follow each other.
fn is_place(text: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.trim().split_once(" of ").is_some_and(|(place, of)| number(place) && number(of))
}

/// The last paragraph, as one line.
fn paragraph(lines: &[String]) -> String {
    let drawn = |line: &&str| line.is_empty() || line.starts_with(['╰', '╭', '│', '▲']);
    let lines = lines.iter().rev().map(|line| line.trim());
    let mut found: Vec<&str> = lines.skip_while(drawn).take_while(|line| !drawn(line)).collect();
    found.reverse();
    found.join(" ")
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

/// `← ✓ Database │ □ Features │ ≡ Review →`.
fn tabs(text: &str) -> Option<Vec<Tab>> {
    let inner = text.trim().strip_prefix('←')?.strip_suffix('→')?;
    let tab = |part: &str| {
        let part = part.trim();
        let answered = part.starts_with('✓');
        let label = part.strip_prefix(['✓', '□'])?;
        Some(Tab { label: label.trim().to_owned(), answered })
    };
    Some(inner.split('│').filter_map(tab).collect())
}
