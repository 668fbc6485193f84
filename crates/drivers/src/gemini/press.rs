//! Answers by keys, one at a time, each judged by what the screen shows. A digit chooses, Escape refuses. Enter picks
//! what is marked, so that it is pressed only where that has been seen to be what is wanted.

mod fit;
mod question;

use coop_core::agent::deliver::folded;
use coop_core::agent::prompt::{Meaning, Prompt, PromptContext};
use coop_core::agent::respond::{Respond, Scope};

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
        return Ok(if done.finished { Press::Done } else { Press::Wait });
    };
    let at = At { keys, dialog, last: done.last.as_ref().map(|(_, press)| press) };
    let step = match (&prompt.context, &wish) {
        (PromptContext::Question(asked), Wish::Answers(wanted)) => question::step(&at, asked, wanted)?,
        (PromptContext::Setup(_), wish) => at.setup(wish)?,
        (_, wish) => at.step(wish)?,
    };
    Ok(done.take(keys, dialog, step))
}

/// A tool is refused without a word, which ends the turn: the words are said then.
pub(super) fn follow_up(prompt: &Prompt, respond: &Respond) -> Option<String> {
    if matches!(prompt.context, PromptContext::Plan(_)) || prompt.context.subtype().is_some() {
        return None;
    }
    match wish(&prompt.context, respond).ok()? {
        Wish::Deny { text } | Wish::Choose { meaning: Some(Meaning::Deny), text, .. } => text,
        _ => None,
    }
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
            Wish::Allow { input: Some(_), .. } => unfit("Gemini runs a tool as it is: its input cannot be changed."),
            Wish::Allow { scope, input: None } => {
                let meaning = match scope {
                    Scope::Once => Meaning::Allow,
                    Scope::Session => Meaning::AllowSession,
                    Scope::Path => Meaning::AllowProject,
                };
                match self.with(meaning) {
                    Some(index) => Ok(self.choose(index)),
                    None => unfit("This dialog has no such option."),
                }
            }
            Wish::Deny { text } => Ok(match (self.with(Meaning::DenyWithText), text, self.with(Meaning::Deny)) {
                (Some(index), Some(text), _) => self.words(index, text),
                // Of a start-up dialog Escape may mean something else.
                (_, _, Some(index)) if self.dialog.context.subtype().is_some() => self.choose(index),
                _ => Step::Last(self.key(&self.keys.cancel)),
            }),
            Wish::Choose { index, meaning, text } => {
                let Some(option) = self.dialog.options.get(*index) else {
                    return unfit(format!("The dialog on the screen has {} options.", self.dialog.options.len()));
                };
                let typed = option.selected && matches!(self.dialog.context, PromptContext::Plan(_));
                if !typed && meaning.is_some_and(|meaning| meaning != option.meaning) {
                    return unfit("The dialog on the screen has other options than the prompt.");
                }
                match (meaning, text) {
                    (Some(Meaning::DenyWithText), Some(text)) => Ok(self.words(*index, text)),
                    (Some(Meaning::DenyWithText), None) => unfit(format!("Option {} needs a text.", index + 1)),
                    _ => Ok(self.choose(*index)),
                }
            }
            Wish::Answers(_) | Wish::Type(_) => unfit("This dialog is answered with an option."),
        }
    }

    /// Escape is no answer to a dialog of the start: what it does there is not what was asked for.
    fn setup(&self, wish: &Wish) -> Result<Step, AnswerError> {
        match (self.dialog.options.is_empty(), wish) {
            (true, Wish::Type(text)) => Ok(match self.last {
                Some(Press::Type(_)) => Step::Last(self.key(&self.keys.confirm)),
                _ => Step::Then(Press::Type(folded(text))),
            }),
            (true, Wish::Deny { .. }) => Ok(Step::Last(self.key(&self.keys.cancel))),
            (true, _) => unfit("This dialog is answered with a text."),
            (false, Wish::Deny { .. }) if self.with(Meaning::Deny).is_none() => {
                unfit("This dialog is answered with an option.")
            }
            (false, wish) => self.step(wish),
        }
    }

    /// A digit; arrows and Enter beyond the digits, and where a digit would be typed as a word.
    fn choose(&self, index: usize) -> Step {
        let option = self.dialog.options.get(index);
        match option.and_then(|option| option.number) {
            Some(number @ 1..=9) if !self.types() => Step::Last(self.key(&number.to_string())),
            _ if self.dialog.selected == Some(index) => Step::Last(self.key(&self.keys.confirm)),
            _ => Step::Then(self.toward(index)),
        }
    }

    /// The line for words is chosen, they are typed, and given once they are all there.
    fn words(&self, index: usize, text: &str) -> Step {
        let Some(option) = self.dialog.options.get(index) else {
            return Step::Wait;
        };
        if !option.selected {
            return match option.number {
                Some(number @ 1..=9) if !self.types() => Step::Then(self.key(&number.to_string())),
                _ => Step::Then(self.toward(index)),
            };
        }
        let shown = format!("{}{}", option.label, option.description.as_deref().unwrap_or_default());
        if shows(&shown, text) {
            Step::Last(self.key(&self.keys.confirm))
        } else {
            Step::Then(Press::Type(folded(text)))
        }
    }

    /// The pointer is where words are typed, and a digit would be one of them.
    fn types(&self) -> bool {
        let selected = self.dialog.selected.and_then(|index| self.dialog.options.get(index));
        selected.is_some_and(|option| takes_words(self.dialog, option))
    }

    /// Words that were typed into an option stand where its label was: it is the last then.
    fn with(&self, meaning: Meaning) -> Option<usize> {
        let options = &self.dialog.options;
        let typed = || {
            let plan = matches!(self.dialog.context, PromptContext::Plan(_)) && meaning == Meaning::DenyWithText;
            plan.then(|| options.len().checked_sub(1)).flatten()
        };
        options.iter().position(|option| option.meaning == meaning).or_else(typed)
    }

    fn toward(&self, index: usize) -> Press {
        let up = self.dialog.submit == Some(true) || self.dialog.selected.is_some_and(|selected| selected > index);
        self.key(if up { &self.keys.up } else { &self.keys.down })
    }

    fn key(&self, key: &str) -> Press {
        Press::Keys(vec![key.to_owned()])
    }
}

fn takes_words(dialog: &Dialog, option: &ShownOption) -> bool {
    let last = dialog.options.last().is_some_and(|last| last.number == option.number);
    let typed = last && matches!(dialog.context, PromptContext::Plan(_));
    typed || matches!(option.meaning, Meaning::Text | Meaning::DenyWithText)
}

/// Whether these words were typed, once. Of a long text only a part is shown.
fn shows(shown: &str, text: &str) -> bool {
    const ENOUGH: usize = 16;
    let (shown, whole) = (compact(shown), compact(text));
    // A text that was thought lost and typed again arrived twice.
    if shown.contains(&format!("{whole}{whole}")) {
        return false;
    }
    let text: Vec<char> = whole.chars().collect();
    let some = ENOUGH.min(text.len());
    let (begin, end): (String, String) = (text[..some].iter().collect(), text[text.len() - some..].iter().collect());
    some > 0 && (shown.contains(&begin) || shown.contains(&end))
}

/// One step of what the table says about this dialog.
pub(super) fn groom(table: &Table, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
    let dialog = reading.dialog.as_ref()?;
    let rule = table.dialogs.iter().find(|rule| rule.rule == dialog.rule)?;
    let startup = rule.kind == Kind::Setup || rule.subtype.is_some();
    let groom = rule.groom.as_ref().filter(|groom| startup && (trusted_cwd || !groom.trusted_cwd))?;
    let label = groom.option.as_ref()?;
    let index = dialog.options.iter().position(|option| option.label.starts_with(label.as_str()))?;
    match (At { keys: &table.keys, dialog, last: None }).choose(index) {
        Step::Then(Press::Keys(keys)) | Step::Last(Press::Keys(keys)) => Some(keys),
        _ => None,
    }
}
