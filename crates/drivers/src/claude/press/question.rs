//! Questions: one tab after the other, then the review.

use coop_core::agent::deliver::folded;
use coop_core::agent::prompt::{Meaning, PromptContext, Question, QuestionPrompt};

use super::{At, shows};
use crate::answer::{AnswerError, Press};
use crate::step::{Step, compact};
use crate::view::{Dialog, ShownOption};
use crate::wish::{Wanted, unfit};

pub(super) fn step(at: &At<'_>, asked: &QuestionPrompt, wanted: &[Wanted]) -> Result<Step, AnswerError> {
    if at.dialog.review {
        return review(at, asked, wanted);
    }
    let Some((index, question)) = current(asked, at.dialog) else {
        return Ok(Step::Wait);
    };
    let Some(wanted) = wanted.get(index) else {
        return Ok(Step::Wait);
    };
    let several = asked.questions.len() > 1 || question.multi_select;
    let step = if question.multi_select { many(at, wanted) } else { one(at, wanted) };
    // A single answer to a single question ends the dialog; all others are reviewed.
    Ok(match step {
        Step::Last(press) if several => Step::Then(press),
        step => step,
    })
}

fn current<'a>(asked: &'a QuestionPrompt, dialog: &Dialog) -> Option<(usize, &'a Question)> {
    let PromptContext::Question(shown) = &dialog.context else {
        return None;
    };
    let text = compact(&shown.questions.get(shown.current)?.question);
    asked.questions.iter().enumerate().find(|(_, question)| compact(&question.question) == text)
}

fn review(at: &At<'_>, asked: &QuestionPrompt, wanted: &[Wanted]) -> Result<Step, AnswerError> {
    let shown = compact(&at.dialog.body);
    let label = |question: &Question, index: &usize| question.options.get(*index).map(|option| compact(&option.label));
    let agrees = asked.questions.iter().zip(wanted).all(|(question, wanted)| {
        wanted.options.iter().filter_map(|index| label(question, index)).all(|label| shown.contains(&label))
    });
    if !agrees {
        return unfit("The dialog shows other answers: somebody else has answered it at the terminal.");
    }
    Ok(at.choose(0))
}

fn one(at: &At<'_>, wanted: &Wanted) -> Step {
    match (&wanted.text, wanted.options.first()) {
        (Some(text), _) => words(at, text, |at| Step::Last(at.key(&at.keys.confirm))),
        (None, Some(index)) => at.choose(*index),
        (None, None) => Step::Wait,
    }
}

/// Boxes until they are as wanted, then the words, then on.
fn many(at: &At<'_>, wanted: &Wanted) -> Step {
    let options = &at.dialog.options;
    let wrong = |(index, option): &(usize, &ShownOption)| match option.meaning {
        Meaning::Chat => false,
        Meaning::Text => wanted.text.is_none() && option.checked == Some(true),
        _ => option.checked.is_some_and(|checked| checked != wanted.options.contains(index)),
    };
    if let Some((index, option)) = options.iter().enumerate().find(wrong) {
        return match option.number {
            Some(number @ 1..=9) if !at.types() => Step::Then(at.key(&number.to_string())),
            _ if option.selected => Step::Then(at.key(&at.keys.confirm)),
            _ => Step::Then(at.toward(index)),
        };
    }
    match &wanted.text {
        Some(text) => words(at, text, |at| Step::Then(at.key(&at.keys.down))),
        None if at.types() => Step::Then(at.key(&at.keys.up)),
        None => Step::Then(at.key(&at.keys.next_tab)),
    }
}

/// The pointer goes to the line for words, they are typed, and what is there now is judged.
fn words(at: &At<'_>, text: &str, then: impl Fn(&At<'_>) -> Step) -> Step {
    if at.dialog.submit == Some(true) {
        return Step::Then(at.key(&at.keys.confirm));
    }
    let Some(index) = at.dialog.options.iter().position(|option| option.meaning == Meaning::Text) else {
        return Step::Wait;
    };
    let option = &at.dialog.options[index];
    if !option.selected {
        return Step::Then(at.toward(index));
    }
    if is_empty(option) {
        return Step::Then(Press::Type(folded(text)));
    }
    if shows(option, text) { then(at) } else { Step::Wait }
}

/// Its own label is the placeholder.
fn is_empty(option: &ShownOption) -> bool {
    option.label.starts_with("Type something") || option.label.is_empty()
}
