//! What an answer asks for, checked against what the prompt offers.

use coop_core::agent::prompt::{Choice, Meaning, PromptContext, Question, QuestionPrompt};
use coop_core::agent::respond::{Answer, Respond, Scope};
use serde_json::Value;

use crate::answer::AnswerError;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wish {
    Allow {
        scope: Scope,
        input: Option<Value>,
    },
    /// Stops the turn unless there are words to go on with.
    Deny {
        text: Option<String>,
    },
    /// One option of the dialog, from 0. Its meaning is not known if the options are not.
    Choose {
        index: usize,
        meaning: Option<Meaning>,
        text: Option<String>,
    },
    /// One for each question.
    Answers(Vec<Wanted>),
    /// Words for a dialog that takes nothing else.
    Type(String),
}

/// The answer to one question: options from 0, or own words, or both where several can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) options: Vec<usize>,
    pub(crate) text: Option<String>,
}

pub(crate) fn unfit<T>(why: impl Into<String>) -> Result<T, AnswerError> {
    Err(AnswerError::Unfit(why.into()))
}

pub(crate) fn wish(context: &PromptContext, respond: &Respond) -> Result<Wish, AnswerError> {
    match context {
        PromptContext::Question(asked) => question(asked, respond),
        PromptContext::Permission(_) | PromptContext::Plan(_) => yes_or_no(context, respond),
        PromptContext::Setup(setup) => {
            refuse_answers(respond)?;
            refuse_input(respond)?;
            match (&respond.text, respond.option, respond.accept) {
                (Some(text), None, _) => Ok(Wish::Type(text.clone())),
                (_, Some(option), _) => choose(&setup.options, option, respond),
                (None, None, Some(true)) => Ok(Wish::Allow { scope: Scope::Once, input: None }),
                (None, None, Some(false)) => Ok(Wish::Deny { text: None }),
                (None, None, None) => unfit("An answer to this dialog needs an option, accept or a text."),
            }
        }
    }
}

fn yes_or_no(context: &PromptContext, respond: &Respond) -> Result<Wish, AnswerError> {
    refuse_answers(respond)?;
    let text = words(respond.text.as_deref());
    if let Some(option) = respond.option {
        refuse_input(respond)?;
        return choose(context.options(), option, respond);
    }
    match respond.accept {
        Some(true) if text.is_some() => unfit("A text goes with a refusal: leave it out, or set accept to false."),
        Some(true) => {
            if respond.updated_input.is_some() && matches!(context, PromptContext::Plan(_)) {
                return unfit("A plan is approved as it is: reject it with a text that says what to change.");
            }
            if respond.scope != Scope::Once && matches!(context, PromptContext::Plan(_)) {
                return unfit("A plan is approved once; it has no scope.");
            }
            Ok(Wish::Allow { scope: respond.scope, input: respond.updated_input.clone() })
        }
        Some(false) => refuse_input(respond).map(|()| Wish::Deny { text }),
        None if text.is_some() => refuse_input(respond).map(|()| Wish::Deny { text }),
        None => unfit("An answer to this prompt needs accept, an option or a text."),
    }
}

fn choose(options: &[Choice], option: u32, respond: &Respond) -> Result<Wish, AnswerError> {
    let text = words(respond.text.as_deref());
    let index = place(option, options.len())?;
    let meaning = options.get(index).map(|choice| choice.meaning);
    let takes_text = matches!(meaning, None | Some(Meaning::Deny | Meaning::DenyWithText | Meaning::Text));
    if text.is_some() && !takes_text {
        return unfit(format!("Option {option} takes no text."));
    }
    if text.is_none() && meaning == Some(Meaning::Text) {
        return unfit(format!("Option {option} needs a text."));
    }
    Ok(Wish::Choose { index, meaning, text })
}

fn question(asked: &QuestionPrompt, respond: &Respond) -> Result<Wish, AnswerError> {
    refuse_input(respond)?;
    if asked.questions.is_empty() {
        return Err(AnswerError::OnlyByKeys("The questions of this prompt are not known.".to_owned()));
    }
    if !respond.answers.is_empty() {
        if respond.option.is_some() || respond.text.is_some() {
            return unfit("Give the answers alone, without an option or a text beside them.");
        }
        return answers(&asked.questions, &respond.answers);
    }
    if respond.option.is_none() && respond.text.is_none() {
        return match respond.accept {
            Some(false) => Ok(Wish::Deny { text: None }),
            Some(true) => unfit("A question is answered with an option, a text or answers; accept alone says nothing."),
            None => unfit("An answer to a question needs an option, a text or answers."),
        };
    }
    if respond.accept == Some(false) {
        return match (respond.option, words(respond.text.as_deref())) {
            (None, text) => Ok(Wish::Deny { text }),
            (Some(_), _) => unfit("An option is an answer: leave out accept."),
        };
    }
    let one = Answer { options: respond.option.into_iter().collect(), text: respond.text.clone() };
    match asked.questions.as_slice() {
        [only] => chat(only, &one).map_or_else(|| answers(&asked.questions, &[one]), Ok),
        several => unfit(format!("{} questions are asked: give one of the answers for each.", several.len())),
    }
}

/// To leave the dialog and talk about it is no answer, but an option.
fn chat(question: &Question, answer: &Answer) -> Option<Wish> {
    let [option] = answer.options[..] else {
        return None;
    };
    let index = usize::try_from(option).ok()?.checked_sub(1)?;
    let meaning = question.options.get(index)?.meaning;
    (meaning == Meaning::Chat).then_some(Wish::Choose { index, meaning: Some(meaning), text: None })
}

fn answers(questions: &[Question], answers: &[Answer]) -> Result<Wish, AnswerError> {
    if answers.len() != questions.len() {
        let (asked, given) = (questions.len(), answers.len());
        return unfit(format!("{asked} questions are asked and {given} answers are given: one for each is needed."));
    }
    let wanted = questions.iter().zip(answers).map(|(question, answer)| wanted(question, answer));
    wanted.collect::<Result<_, _>>().map(Wish::Answers)
}

fn wanted(question: &Question, answer: &Answer) -> Result<Wanted, AnswerError> {
    let name = &question.question;
    let text = words(answer.text.as_deref());
    let mut options = Vec::new();
    for option in &answer.options {
        let index = place(*option, question.options.len())?;
        match question.options.get(index).map(|choice| choice.meaning) {
            Some(Meaning::Text) if text.is_none() => {
                return unfit(format!("Option {option} of {name:?} needs a text."));
            }
            Some(Meaning::Text) => {}
            Some(Meaning::Chat) => {
                return unfit(format!("Option {option} of {name:?} is not an answer to it."));
            }
            _ if options.contains(&index) => {}
            _ => options.push(index),
        }
    }
    match (question.multi_select, options.len(), text.is_some()) {
        (_, 0, false) => unfit(format!("There is no answer to {name:?}.")),
        // Without hooks only the one on the screen is known, until the agent has written its log.
        (false, 2.., _) | (false, 1, true) if name.is_empty() => {
            unfit("Not every question is known yet, nor whether it takes several answers: try again in a moment.")
        }
        (false, 2.., _) | (false, 1, true) => unfit(format!("{name:?} takes one answer.")),
        _ => Ok(Wanted { options, text }),
    }
}

/// The place of an option that is counted from 1. `known` is 0 when the options are not known.
fn place(option: u32, known: usize) -> Result<usize, AnswerError> {
    let index = usize::try_from(option).unwrap_or(usize::MAX);
    match index.checked_sub(1) {
        Some(index) if known == 0 || index < known => Ok(index),
        _ if known == 0 => unfit("Options are counted from 1."),
        _ => unfit(format!("There are {known} options, counted from 1; {option} is not one of them.")),
    }
}

fn words(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn refuse_answers(respond: &Respond) -> Result<(), AnswerError> {
    if respond.answers.is_empty() { Ok(()) } else { unfit("Answers are for questions; this prompt has none.") }
}

fn refuse_input(respond: &Respond) -> Result<(), AnswerError> {
    let allows = respond.updated_input.is_none();
    if allows { Ok(()) } else { unfit("A changed input goes with accept on a tool permission only.") }
}
