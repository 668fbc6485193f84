//! Which dialog it is, and what it asks.

use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext, Question, QuestionPrompt, SetupPrompt};
use coop_core::agent::shown::{Form, Shown};
use coop_core::agent::{Choice, Meaning};

use super::rules;
use crate::options::{self, Block};
use crate::table::{DialogRule, Kind, Phrases, Table};
use crate::view::{Dialog, ScreenLine, ShownOption, Tab};

/// What stands where in a dialog.
#[derive(Debug)]
struct Parts<'a> {
    lines: &'a [ScreenLine],
    block: Option<Block>,
    /// Its first line.
    title: &'a str,
    /// The lines right above the options.
    ask: String,
    /// The lines below them, or all lines where nothing can be chosen.
    foot: String,
    all: String,
}

pub(super) fn find(table: &Table, lines: &[ScreenLine]) -> Option<Dialog> {
    // From the last rule down, then from the one before it: most dialogs have none inside.
    let rules = rules(lines);
    let tops = rules.iter().map(|rule| rule + 1).chain([0]);
    for (outside, top) in tops.enumerate().take(4) {
        let whole = top == 0;
        let parts = Parts::new(&table.screen, &lines[top..]);
        let rule = table.dialogs.iter().find(|rule| {
            let placed = if rule.text || rule.bare { whole } else { rule.inner_rules == outside };
            (placed || whole) && rule.fits(&parts)
        });
        if let Some(rule) = rule {
            return Some(parts.dialog(table, rule));
        }
    }
    None
}

impl<'a> Parts<'a> {
    fn new(phrases: &Phrases, lines: &'a [ScreenLine]) -> Self {
        let block = options::find(phrases, lines);
        let (first, end) = block.as_ref().map_or((lines.len(), 0), |block| (block.first, block.end));
        let title = lines.iter().map(|line| line.text.trim()).find(|text| !text.is_empty()).unwrap_or_default();
        Self { lines, title, ask: ask(&lines[..first]), foot: joined(&lines[end..]), all: joined(lines), block }
    }

    fn dialog(&self, table: &Table, rule: &DialogRule) -> Dialog {
        let mut options = self.block.as_ref().map(|block| block.shown(table, rule.kind)).unwrap_or_default();
        if rule.kind == Kind::Question {
            name_line_for_words(&mut options);
        }
        let first = self.block.as_ref().map_or(self.lines.len(), |block| block.first);
        let tabs = self.lines.iter().find_map(|line| tabs(&line.text)).unwrap_or_default();
        let review = rule.review;
        let selected = options.iter().position(|option| option.selected);
        let context = self.context(rule, &options, &tabs);
        let of = tabs.len();
        let question_tab = match &context {
            PromptContext::Question(asked) if of > 0 => Some((asked.current, of)),
            _ => None,
        };
        Dialog {
            rule: rule.rule.clone(),
            context,
            numbered: self.block.as_ref().is_some_and(Block::numbered),
            selected,
            tabs,
            question_tab,
            review,
            submit: self.block.as_ref().and_then(|block| block.submit),
            body: joined(&self.lines[..first]),
            foot: self.foot.clone(),
            options,
        }
    }

    fn context(&self, rule: &DialogRule, options: &[ShownOption], tabs: &[Tab]) -> PromptContext {
        let choices: Vec<Choice> = options.iter().map(ShownOption::choice).collect();
        match rule.kind {
            Kind::Permission => PromptContext::Permission(PermissionPrompt {
                subtype: rule.subtype.clone(),
                tool: rule.tool.clone(),
                shown: if rule.subtype.is_none() { self.shown(rule).map(Box::new) } else { None },
                options: choices,
                message: Some(self.ask.clone()),
                ..PermissionPrompt::default()
            }),
            Kind::Plan => {
                let tool = rule.tool.clone();
                PromptContext::Plan(PlanPrompt { tool, options: choices, ..PlanPrompt::default() })
            }
            Kind::Question => PromptContext::Question(self.question(rule, choices, options, tabs)),
            Kind::Setup => PromptContext::Setup(SetupPrompt {
                subtype: rule.subtype.clone().unwrap_or_else(|| rule.rule.clone()),
                options: choices,
                url: self.all.split_whitespace().find(|word| word.starts_with("https://")).map(str::to_owned),
                message: Some(if self.ask.is_empty() { self.title.to_owned() } else { self.ask.clone() }),
            }),
        }
    }

    /// What the dialog shows of the call: 2.1.325 draws lines above and below a command, 2.1.197 indents it and puts its
    /// description below it. Of a dialog that is higher than the screen, the top is out of sight.
    fn shown(&self, rule: &DialogRule) -> Option<Shown> {
        let first = self.block.as_ref().map_or(self.lines.len(), |block| block.first);
        let texts: Vec<&str> = self.lines[..first].iter().map(|line| line.text.as_str()).collect();
        let top = texts.iter().position(|text| !text.trim().is_empty())?;
        let drawn: Vec<usize> = (top..first).filter(|at| texts[*at].starts_with("╌╌╌")).collect();
        let titled = rule.tool.is_some() || self.title.starts_with(OTHER_TOOL);
        let is_command = rule.tool.as_deref() == Some(COMMANDS) || !titled;
        let (from, to, form, cut) = match (is_command, drawn.as_slice()) {
            (true, [.., open, close]) => (open + 1, *close, Form::Command, false),
            (true, [close]) => (top, *close, Form::Command, true),
            (true, []) => {
                let from = if titled { top + 1 } else { top };
                let inside = |text: &&&str| text.trim().is_empty() || text.starts_with("   ");
                (from, from + texts[from..].iter().take_while(inside).count(), Form::Described, !titled)
            }
            (false, _) => {
                let asks = texts.iter().rposition(|text| self.ask.starts_with(text.trim()) && !text.trim().is_empty());
                (top + 1, asks.unwrap_or(first).max(top + 1), Form::Other, false)
            }
        };
        let lines = texts[from..to].iter().filter(|text| !text.trim().is_empty() && !text.starts_with("╌╌╌"));
        let bare = |text: &&str| text.trim().trim_start_matches('│').trim_start().to_owned();
        Some(Shown { lines: lines.map(bare).collect(), form, cut })
    }

    /// Only the question on the screen is known; the others have an empty text.
    fn question(
        &self,
        rule: &DialogRule,
        choices: Vec<Choice>,
        options: &[ShownOption],
        tabs: &[Tab],
    ) -> QuestionPrompt {
        let count = tabs.len().max(1);
        let header = |at: usize| tabs.get(at).map(|tab| tab.label.clone());
        let mut questions: Vec<Question> =
            (0..count).map(|at| Question { header: header(at), ..Question::default() }).collect();
        if rule.review {
            let tool = rule.tool.clone();
            return QuestionPrompt { tool, questions, current: count, ..QuestionPrompt::default() };
        }
        // The tab that is shown is not told apart in plain text: it is the first without an answer, or, where the
        // boxes of a question with several answers are checked, the last with one.
        let open = tabs.iter().position(|tab| !tab.answered);
        let checked = options.iter().any(|option| option.checked == Some(true));
        let answered = tabs.iter().rposition(|tab| tab.answered);
        let current = if checked { answered.or(open) } else { open.or(answered) }.unwrap_or(0);
        if let Some(shown) = questions.get_mut(current) {
            shown.question.clone_from(&self.ask);
            shown.multi_select = options.iter().any(|option| option.checked.is_some());
            shown.options = choices;
        }
        QuestionPrompt { tool: rule.tool.clone(), questions, current, ..QuestionPrompt::default() }
    }
}

/// The tool whose dialog shows a command.
const COMMANDS: &str = "Bash";
/// Title of the dialog of a tool that has none of its own.
const OTHER_TOOL: &str = "Tool use";

/// The line for own words stands before the last option, and shows them once they are typed.
fn name_line_for_words(options: &mut [ShownOption]) {
    let chat = options.iter().position(|option| option.meaning == Meaning::Chat);
    if let Some(option) = chat.and_then(|chat| chat.checked_sub(1)).and_then(|place| options.get_mut(place)) {
        option.meaning = Meaning::Text;
    }
}

impl DialogRule {
    fn fits(&self, parts: &Parts<'_>) -> bool {
        let any = |phrases: &[String], text: &str| {
            phrases.is_empty() || phrases.iter().any(|phrase| text.contains(phrase.as_str()))
        };
        let titled = self.title.is_empty() || self.title.iter().any(|title| parts.title.starts_with(title.as_str()));
        let chosen = match &parts.block {
            Some(_) => !self.notice,
            None => self.notice || self.text || self.bare && self.ask.is_empty(),
        };
        titled
            && chosen
            && any(&self.ask, &parts.ask)
            && any(&self.foot, &parts.foot)
            && any(&self.any, &parts.all)
            && self.all.iter().all(|phrase| parts.all.contains(phrase.as_str()))
            && !self.none.iter().any(|phrase| parts.all.contains(phrase.as_str()))
    }
}

/// The last paragraph, as one line.
fn ask(lines: &[ScreenLine]) -> String {
    let text = |line: &ScreenLine| line.text.trim().to_owned();
    let drawn = |text: &String| text.is_empty() || text.starts_with(['╌', '─', '▔']);
    let backwards = lines.iter().rev().map(text).skip_while(|line| drawn(line)).take_while(|line| !drawn(line));
    let mut found: Vec<String> = backwards.collect();
    found.reverse();
    found.join(" ")
}

fn joined(lines: &[ScreenLine]) -> String {
    lines.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join("\n")
}

/// `←  ☒ Database  ☐ Features  ✔ Submit  →`, or ` ☐ Database` alone.
fn tabs(text: &str) -> Option<Vec<Tab>> {
    let inner = text.trim().trim_start_matches('←').trim_end_matches('→').trim();
    if !inner.starts_with(['☐', '☒']) {
        return None;
    }
    let mut found = Vec::new();
    for (at, mark) in inner.match_indices(['☐', '☒']) {
        let rest = &inner[at + mark.len()..];
        let end = rest.find(['☐', '☒', '✔']).unwrap_or(rest.len());
        found.push(Tab { label: rest[..end].trim().to_owned(), answered: mark == "☒" });
    }
    Some(found)
}
