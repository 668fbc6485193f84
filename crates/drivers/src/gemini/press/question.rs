//! Questions: one tab after the other, then the review.

use coop_core::agent::deliver::folded;
use coop_core::agent::prompt::{Meaning, Question, QuestionPrompt};

use super::fit::current;
use super::{At, shows};
use crate::answer::{AnswerError, Press};
use crate::gemini::tool::ALL;
use crate::step::{Step, compact};
use crate::view::ShownOption;
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
    let several = asked.questions.len() > 1 || !at.dialog.tabs.is_empty();
    let step = if at.dialog.options.is_empty() {
        alone(at, wanted)?
    } else if question.multi_select || at.dialog.options.iter().any(|option| option.checked.is_some()) {
        many(at, question, wanted)
    } else {
        one(at, wanted)
    };
    // An answer to a single question ends the dialog; all others are reviewed.
    Ok(match step {
        Step::Last(press) if several => Step::Then(press),
        step => step,
    })
}

fn review(at: &At<'_>, asked: &QuestionPrompt, wanted: &[Wanted]) -> Result<Step, AnswerError> {
    let shown = compact(&at.dialog.body);
    let label = |question: &Question, index: &usize| question.options.get(*index).map(|option| compact(&option.label));
    let agrees = asked.questions.iter().zip(wanted).all(|(question, wanted)| {
        let labels = chosen(question, wanted);
        labels.iter().filter_map(|index| label(question, index)).all(|label| shown.contains(&label))
    });
    if !agrees {
        return unfit("The dialog shows other answers: somebody else has answered it at the terminal.");
    }
    Ok(Step::Last(at.key(&at.keys.confirm)))
}

/// Words are all it takes.
fn alone(at: &At<'_>, wanted: &Wanted) -> Result<Step, AnswerError> {
    let Some(text) = &wanted.text else {
        return unfit("This question is answered with a text.");
    };
    let line = at.dialog.body.lines().rev().find_map(|line| line.trim().strip_prefix("> "));
    Ok(if line.is_some_and(|line| shows(line, text)) {
        Step::Last(at.key(&at.keys.confirm))
    } else {
        Step::Then(Press::Type(folded(text)))
    })
}

/// A list that is too long shows a part; its digits count all the same.
fn one(at: &At<'_>, wanted: &Wanted) -> Step {
    let shown =
        |number: usize| at.dialog.options.iter().position(|option| option.number.map(|n| n as usize) == Some(number));
    match (&wanted.text, wanted.options.first()) {
        (Some(text), _) => own_words(at, text),
        (None, Some(index)) => match (shown(index + 1), index + 1) {
            (Some(place), _) => at.choose(place),
            (None, number @ 1..=9) if !at.types() => Step::Last(at.key(&number.to_string())),
            _ => Step::Then(at.key(&at.keys.down)),
        },
        (None, None) => Step::Wait,
    }
}

/// From the top down: boxes that are in sight until they are as wanted, then the words, then what ends it.
fn many(at: &At<'_>, question: &Question, wanted: &Wanted) -> Step {
    let chosen = chosen(question, wanted);
    let wrong = |option: &&ShownOption| {
        let box_of_its_own = option.meaning != Meaning::Text && option.label != ALL;
        let place = option.number.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
        let is_wanted = place.is_some_and(|place| chosen.contains(&place));
        box_of_its_own && option.checked.is_some_and(|checked| checked != is_wanted)
    };
    // Somebody has moved the pointer: what is above is not known yet.
    let up = at.key(&at.keys.up);
    let hidden = at.dialog.options.first().is_none_or(|first| first.number != Some(1));
    if hidden && at.last.is_none_or(|last| *last == up) {
        return Step::Then(up);
    }
    if let Some(option) = at.dialog.options.iter().find(wrong) {
        return match option.number {
            Some(number @ 1..=9) if !at.types() => Step::Then(at.key(&number.to_string())),
            _ => Step::Then(at.key(&at.keys.up)),
        };
    }
    match &wanted.text {
        Some(text) => own_words(at, text),
        None if at.dialog.submit == Some(true) => Step::Last(at.key(&at.keys.confirm)),
        None => Step::Then(at.key(&at.keys.down)),
    }
}

fn own_words(at: &At<'_>, text: &str) -> Step {
    match at.dialog.options.iter().position(|option| option.meaning == Meaning::Text) {
        Some(index) => at.words(index, text),
        None => Step::Then(at.key(&at.keys.down)),
    }
}

/// The places of what is to be chosen: all of them, where that was chosen.
fn chosen(question: &Question, wanted: &Wanted) -> Vec<usize> {
    let all = question.options.iter().position(|option| option.label == ALL);
    match all {
        Some(all) if wanted.options.contains(&all) => (0..all).collect(),
        _ => wanted.options.clone(),
    }
}
