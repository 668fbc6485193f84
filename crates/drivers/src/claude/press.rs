//! Answers by keys, one at a time, each judged by what the screen shows.
//!
//! What to press next follows from the dialog on the screen alone. The same key is not pressed again while the screen
//! still shows what it showed before it, unless the caller says that the key was lost.

mod fit;
mod question;

use coop_core::agent::deliver::folded;
use coop_core::agent::prompt::{Meaning, Prompt, PromptContext};
use coop_core::agent::respond::{Respond, Scope};
use coop_core::agent::shown::Shown;

use crate::answer::{AnswerError, Press, Progress};
use crate::step::{Step, compact};
use crate::table::{Keys, Kind, Table};
use crate::view::{Dialog, Reading, ShownOption};
use crate::wish::{Wish, unfit, wish};

pub(super) fn press(
    keys: &Keys,
    prompt: &Prompt,
    respond: &Respond,
    reading: &Reading,
    done: &mut Progress,
) -> Result<Press, AnswerError> {
    let wish = wish(&prompt.context, respond)?;
    let Some(dialog) = reading.dialog.as_ref().filter(|dialog| fit::fits(&prompt.context, dialog)) else {
        return match &reading.dialog {
            _ if done.finished => Ok(Press::Done),
            // An answer that waits must not reach the dialog that comes next.
            Some(_) => Err(AnswerError::Changed),
            None => Ok(Press::Wait),
        };
    };
    if dialog.context.shown().is_some_and(Shown::is_unpainted) {
        return Ok(Press::Wait);
    }
    let subject = fit::subject(dialog);
    if done.bound.is_some() && subject.is_some() && done.bound != subject {
        return if done.finished { Ok(Press::Done) } else { Err(AnswerError::Changed) };
    }
    done.bound = done.bound.take().or(subject);
    let at = At { keys, dialog, last: done.last.as_ref().map(|(_, press)| press) };
    let step = match (&prompt.context, &wish) {
        (PromptContext::Question(asked), Wish::Answers(wanted)) => question::step(&at, asked, wanted)?,
        (PromptContext::Setup(_), wish) => setup(&at, wish)?,
        (_, wish) => at.step(wish)?,
    };
    Ok(done.take(keys, dialog, step))
}

/// The dialog, and the keys it takes.
#[derive(Debug)]
struct At<'a> {
    keys: &'a Keys,
    dialog: &'a Dialog,
    last: Option<&'a Press>,
}

impl At<'_> {
    fn step(&self, wish: &Wish) -> Result<Step, AnswerError> {
        match wish {
            Wish::Allow { input: Some(_), .. } => {
                Err(AnswerError::OnlyByHook("Keys cannot change the input of a tool.".to_owned()))
            }
            Wish::Allow { scope, input: None } => {
                let meaning = match scope {
                    Scope::Once => Meaning::Allow,
                    Scope::Session => Meaning::AllowSession,
                    Scope::Path => Meaning::AllowProject,
                };
                match self.with(&[meaning]) {
                    Some(index) => Ok(self.choose(index)),
                    None => Err(AnswerError::OnlyByHook("This dialog has no such option.".to_owned())),
                }
            }
            Wish::Deny { text: Some(text) } => match self.with(&[Meaning::DenyWithText, Meaning::Deny]) {
                Some(index) => self.refuse(index, text),
                None => Err(AnswerError::OnlyByHook("This dialog takes no words.".to_owned())),
            },
            Wish::Deny { text: None } => Ok(match self.with(&[Meaning::Deny]) {
                Some(index) => self.choose(index),
                None => Step::Last(self.key(&self.keys.cancel)),
            }),
            Wish::Choose { index, meaning, text } => {
                let Some(option) = self.dialog.options.get(*index) else {
                    return unfit(format!("The dialog on the screen has {} options.", self.dialog.options.len()));
                };
                if meaning.is_some_and(|meaning| is_fixed(meaning) && meaning != option.meaning) {
                    return unfit("The dialog on the screen has other options than the prompt.");
                }
                match text {
                    Some(text) => self.refuse(*index, text),
                    None if option.meaning == Meaning::DenyWithText && self.takes_words(option) => {
                        unfit(format!("Option {} needs a text.", index + 1))
                    }
                    None => Ok(self.choose(*index)),
                }
            }
            Wish::Answers(_) | Wish::Type(_) => unfit("This dialog is answered with an option."),
        }
    }

    /// A digit where there are digits; arrows and Enter elsewhere, and where the digit would be typed as a word.
    fn choose(&self, index: usize) -> Step {
        let option = self.dialog.options.get(index);
        match option.and_then(|option| option.number) {
            Some(number @ 1..=9) if !self.types() => Step::Last(self.key(&number.to_string())),
            _ if self.dialog.selected == Some(index) => Step::Last(self.key(&self.keys.confirm)),
            _ => Step::Then(self.toward(index)),
        }
    }

    /// No, with words: on the option that takes them, or on a plain "No" that is opened for them.
    fn refuse(&self, index: usize, text: &str) -> Result<Step, AnswerError> {
        let Some(option) = self.dialog.options.get(index) else {
            return Ok(Step::Wait);
        };
        if !option.selected {
            return Ok(Step::Then(self.toward(index)));
        }
        if self.takes_words(option) {
            return Ok(Step::Then(Press::Type(folded(text))));
        }
        if shows(option, text) {
            return Ok(Step::Last(self.key(&self.keys.confirm)));
        }
        if self.dialog.foot.contains(AMEND) {
            return Ok(Step::Then(self.key(&self.keys.amend)));
        }
        // The line below the options follows the pointer, and may be painted after it.
        if matches!(self.last, Some(Press::Type(_) | Press::Keys(_))) {
            return Ok(Step::Wait);
        }
        Err(AnswerError::OnlyByHook("This dialog takes no words with a refusal.".to_owned()))
    }

    /// The pointer is where words are typed, and a digit would be one of them.
    fn types(&self) -> bool {
        let selected = self.dialog.selected.and_then(|index| self.dialog.options.get(index));
        selected.is_some_and(|option| self.takes_words(option) || option.meaning == Meaning::Text)
    }

    /// The option shows the placeholder of an empty line for words.
    fn takes_words(&self, option: &ShownOption) -> bool {
        option.selected && option.meaning == Meaning::DenyWithText
    }

    fn with(&self, meanings: &[Meaning]) -> Option<usize> {
        let first = |meaning: &Meaning| self.dialog.options.iter().position(|option| option.meaning == *meaning);
        // Words that were typed into an option stand where its label was.
        let typed = || {
            let plan = self.dialog.rule == "plan" && meanings.contains(&Meaning::DenyWithText);
            plan.then(|| self.dialog.options.len().checked_sub(1)).flatten()
        };
        meanings.iter().find_map(first).or_else(typed)
    }

    fn toward(&self, index: usize) -> Press {
        let up = self.dialog.submit == Some(true) || self.dialog.selected.is_some_and(|selected| selected > index);
        self.key(if up { &self.keys.up } else { &self.keys.down })
    }

    fn key(&self, key: &str) -> Press {
        Press::Keys(vec![key.to_owned()])
    }
}

/// In the footer, when the option the pointer is on can be given words.
const AMEND: &str = "Tab to amend";

fn is_fixed(meaning: Meaning) -> bool {
    !matches!(meaning, Meaning::Answer | Meaning::Text | Meaning::DenyWithText | Meaning::Deny)
}

/// Whether these words were typed into the option. A long text shows only a part of itself.
fn shows(option: &ShownOption, text: &str) -> bool {
    const ENOUGH: usize = 16;
    let shown = compact(&format!("{}{}", option.label, option.description.as_deref().unwrap_or_default()));
    let whole = compact(text);
    // A text that was thought lost and typed again arrived twice.
    if shown.contains(&format!("{whole}{whole}")) {
        return false;
    }
    let text: Vec<char> = whole.chars().collect();
    let some = ENOUGH.min(text.len());
    let (begin, end): (String, String) = (text[..some].iter().collect(), text[text.len() - some..].iter().collect());
    some > 0 && (shown.contains(&begin) || shown.contains(&end))
}

fn setup(at: &At<'_>, wish: &Wish) -> Result<Step, AnswerError> {
    if at.dialog.options.is_empty() {
        let word = match wish {
            Wish::Type(text) => folded(text),
            Wish::Allow { .. } if at.dialog.foot.contains("(y/n)") => "y".to_owned(),
            Wish::Deny { .. } if at.dialog.foot.contains("(y/n)") => "n".to_owned(),
            Wish::Allow { .. } => return Ok(Step::Last(at.key(&at.keys.confirm))),
            Wish::Choose { .. } => return unfit("This dialog has no options: answer with accept."),
            _ => return Ok(Step::Last(at.key(&at.keys.cancel))),
        };
        let typed = matches!(at.last, Some(Press::Type(_)));
        return Ok(if typed { Step::Last(at.key(&at.keys.confirm)) } else { Step::Then(Press::Type(word)) });
    }
    match wish {
        Wish::Type(_) => unfit("This dialog is answered with an option."),
        Wish::Allow { .. } => Ok(match at.with(&[Meaning::Allow]) {
            Some(index) => at.choose(index),
            None => Step::Last(at.key(&at.keys.confirm)),
        }),
        wish => at.step(wish),
    }
}

/// One step of what the table says about this dialog: a digit, an arrow, or a key that dismisses it.
pub(super) fn groom(table: &Table, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
    let dialog = reading.dialog.as_ref()?;
    let rule = table.dialogs.iter().find(|rule| rule.rule == dialog.rule)?;
    let startup = rule.kind == Kind::Setup || rule.subtype.is_some();
    let groom = rule.groom.as_ref().filter(|groom| startup && (trusted_cwd || !groom.trusted_cwd))?;
    let Some(label) = &groom.option else {
        return Some(groom.keys.clone());
    };
    let index = dialog.options.iter().position(|option| option.label.starts_with(label.as_str()))?;
    let at = At { keys: &table.keys, dialog, last: None };
    match at.choose(index) {
        Step::Then(Press::Keys(keys)) | Step::Last(Press::Keys(keys)) => Some(keys),
        _ => None,
    }
}
