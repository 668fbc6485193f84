//! From the text of a scenario to its rules: lines into items, items into rules. What a step says is in `step`.

use super::step::{self, NotAStep};
use super::{On, Rule, Scenario, Step, Tool};

/// What is wrong with a scenario, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct ParseError {
    pub file: String,
    pub line: usize,
    pub problem: String,
}

/// One line that says something, with the text of the `|` lines below it.
struct Item {
    line: usize,
    indented: bool,
    text: String,
}

pub(super) fn parse(file: &str, text: &str) -> Result<Scenario, ParseError> {
    let at = |line: usize, problem: String| ParseError { file: file.to_owned(), line, problem };
    let mut rules: Vec<Rule> = Vec::new();
    for item in items(text).map_err(|line| at(line, "`|` goes on with the text of a line, and there is none".into()))? {
        if !item.indented {
            rules.push(rule(&item).map_err(|problem| at(item.line, problem))?);
            continue;
        }
        let Some(rule) = rules.last_mut() else {
            return Err(at(
                item.line,
                "a reply without what it answers; expected `user:` or `result:` above it".into(),
            ));
        };
        add_step(&mut rule.steps, &item.text).map_err(|problem| at(item.line, problem.0))?;
    }
    if let Some(empty) = rules.iter().find(|rule| rule.steps.is_empty()) {
        return Err(at(empty.line, format!("`{}` has no reply; expected indented lines below it", empty.on)));
    }
    if let Some((rule, question)) = rules.iter().find_map(|rule| Some((rule, bare_question(&rule.steps)?))) {
        return Err(at(rule.line, format!("{question:?} has no options; expected `- LABEL: DESCRIPTION` below it")));
    }
    Ok(Scenario { rules })
}

fn items(text: &str) -> Result<Vec<Item>, usize> {
    let mut items: Vec<Item> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (line_number, said) = (number + 1, line.trim());
        if said.is_empty() || said.starts_with('#') {
            continue;
        }
        if let Some(more) = said.strip_prefix('|') {
            let above = items.last_mut().ok_or(line_number)?;
            above.text.push('\n');
            above.text.push_str(more.strip_prefix(' ').unwrap_or(more));
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        items.push(Item { line: line_number, indented, text: said.to_owned() });
    }
    Ok(items)
}

fn rule(item: &Item) -> Result<Rule, String> {
    let (head, text) = match item.text.split_once(':') {
        Some((head, text)) => (head.trim(), text.trim().to_owned()),
        None => (item.text.as_str(), String::new()),
    };
    let (name, again) = match head.strip_suffix("again") {
        Some(name) => (name.trim_end(), true),
        None => (head, false),
    };
    let on = match name {
        "user" => On::User(text),
        "result" => On::Result(text),
        _ => {
            return Err(format!(
                "`{head}` is not what a model answers; expected `user` or `result` (a reply is indented)"
            ));
        }
    };
    Ok(Rule { line: item.line, on, again, steps: Vec::new() })
}

fn add_step(steps: &mut Vec<Step>, text: &str) -> Result<(), NotAStep> {
    let asked = match steps.last_mut() {
        Some(Step::Call(Tool::Ask(questions))) => Some(questions),
        _ => None,
    };
    if let Some(option) = text.strip_prefix("- ") {
        let question = asked.and_then(|questions| questions.last_mut());
        let question =
            question.ok_or_else(|| NotAStep("an option without a question; expected `ask` above it".into()))?;
        question.options.push(step::choice(option));
        return Ok(());
    }
    match (step::step(text)?, asked) {
        (Step::Call(Tool::Ask(more)), Some(questions)) => questions.extend(more),
        (step, _) => steps.push(step),
    }
    Ok(())
}

fn bare_question(steps: &[Step]) -> Option<&str> {
    let questions = steps.iter().filter_map(|step| match step {
        Step::Call(Tool::Ask(questions)) => Some(questions),
        _ => None,
    });
    questions.flatten().find(|question| question.options.is_empty()).map(|question| question.text.as_str())
}
