//! Answers by keys, one at a time, each judged by what the screen shows. A key that a dialog does not take would go to the
//! next one, so that nothing is pressed that the dialog on the screen was not made for, and no Enter follows a digit.

use coop_core::agent::deliver::folded;
use coop_core::agent::prompt::{Meaning, PermissionPrompt, Prompt, PromptContext, Question, QuestionPrompt};
use coop_core::agent::respond::{Respond, Scope};

use crate::answer::{AnswerError, Press, Progress};
use crate::json::text;
use crate::step::{Step, compact};
use crate::table::{Kind, Table};
use crate::view::{Dialog, Reading};
use crate::wish::{Wanted, Wish, unfit, wish};

/// In the last line of a question: the option has no notes yet, or their line is open.
const NO_NOTES: &str = "tab to add notes";
const NOTES: &str = "to clear notes";

pub(super) fn press(
    table: &Table,
    prompt: &Prompt,
    respond: &Respond,
    reading: &Reading,
    done: &mut Progress,
) -> Result<Press, AnswerError> {
    let wish = wish(&prompt.context, respond)?;
    let Some(dialog) = reading.dialog.as_ref().filter(|dialog| fits(&prompt.context, dialog)) else {
        return Ok(if done.finished { Press::Done } else { Press::Wait });
    };
    let at = At { table, dialog };
    let step = match (&prompt.context, &wish) {
        (PromptContext::Question(asked), Wish::Answers(wanted)) => at.answer(asked, wanted),
        (_, wish) => at.step(wish)?,
    };
    Ok(done.take(&table.keys, dialog, step))
}

/// The dialog takes no words with a refusal: it is put away, and they are said.
pub(super) fn follow_up(prompt: &Prompt, respond: &Respond) -> Option<String> {
    match wish(&prompt.context, respond).ok()? {
        Wish::Deny { text } | Wish::Choose { meaning: Some(Meaning::Deny), text, .. } => text,
        _ => None,
    }
}

/// Whether the dialog on the screen is the one of the prompt.
fn fits(context: &PromptContext, dialog: &Dialog) -> bool {
    match (context, &dialog.context) {
        (PromptContext::Permission(asked), PromptContext::Permission(shown)) => {
            let tools = asked.tool.as_deref().zip(shown.tool.as_deref());
            asked.subtype == shown.subtype && tools.is_none_or(|(a, b)| a == b) && same_command(asked, dialog)
        }
        (PromptContext::Plan(_), PromptContext::Plan(_)) => true,
        (PromptContext::Question(asked), PromptContext::Question(_)) => current(asked, dialog).is_some(),
        (PromptContext::Setup(asked), PromptContext::Setup(shown)) => asked.subtype == shown.subtype,
        _ => false,
    }
}

/// Two dialogs follow each other: what it would run has to be there, as much of it as is always shown.
fn same_command(asked: &PermissionPrompt, dialog: &Dialog) -> bool {
    const ENOUGH: usize = 40;
    let command = |input: &serde_json::Value| text(input, "command").map(compact);
    let asked = asked.input.as_ref().and_then(command);
    let shown = dialog.context.input().and_then(command);
    let start = |text: String| text.chars().take(ENOUGH).collect::<String>();
    match (asked, shown) {
        (Some(asked), Some(shown)) => shown.starts_with(&start(asked)),
        _ => true,
    }
}

fn current<'a>(asked: &'a QuestionPrompt, dialog: &Dialog) -> Option<(usize, &'a Question)> {
    let PromptContext::Question(shown) = &dialog.context else {
        return None;
    };
    let text = compact(&shown.questions.get(shown.current)?.question);
    let at = asked.questions.get(shown.current)?;
    (compact(&at.question) == text).then_some((shown.current, at))
}

#[derive(Debug)]
struct At<'a> {
    table: &'a Table,
    dialog: &'a Dialog,
}

impl At<'_> {
    fn step(&self, wish: &Wish) -> Result<Step, AnswerError> {
        match wish {
            Wish::Allow { input: Some(_), .. } => unfit("Codex runs a tool as it is: its input cannot be changed."),
            Wish::Allow { scope, input: None } => {
                let meaning = match scope {
                    Scope::Once => Meaning::Allow,
                    Scope::Session => Meaning::AllowSession,
                    Scope::Path => Meaning::AllowProject,
                };
                match self.with(meaning) {
                    Some(index) => Ok(self.choose(index)),
                    None if *scope == Scope::Once => unfit("This dialog is answered with an option."),
                    None => unfit("This dialog has no such scope."),
                }
            }
            Wish::Deny { .. } => match (self.with(Meaning::Deny), &self.dialog.context) {
                (Some(index), _) => Ok(self.choose(index)),
                (None, PromptContext::Setup(_)) => unfit("This dialog is answered with an option."),
                (None, _) => Ok(Step::Last(self.key(&self.table.keys.cancel))),
            },
            Wish::Choose { index, meaning, .. } => match self.dialog.options.get(*index) {
                None => unfit(format!("The dialog on the screen has {} options.", self.dialog.options.len())),
                Some(option) if meaning.is_some_and(|meaning| meaning != option.meaning) => {
                    unfit("The dialog on the screen has other options than the prompt.")
                }
                Some(_) => Ok(self.choose(*index)),
            },
            Wish::Answers(_) | Wish::Type(_) => unfit("This dialog is answered with an option."),
        }
    }

    /// One question after the other; the answer to the last gives them all.
    fn answer(&self, asked: &QuestionPrompt, wanted: &[Wanted]) -> Step {
        let Some((index, _)) = current(asked, self.dialog) else {
            return Step::Wait;
        };
        let Some(wanted) = wanted.get(index) else {
            return Step::Wait;
        };
        let step = match (&wanted.text, wanted.options.first()) {
            (Some(text), _) => self.words(text),
            (None, Some(option)) => self.choose(*option),
            (None, None) => Step::Wait,
        };
        match step {
            Step::Last(press) if index + 1 < asked.questions.len() => Step::Then(press),
            step => step,
        }
    }

    /// Own words are notes to the last option, which is none of those that were offered.
    fn words(&self, text: &str) -> Step {
        let Some(last) = self.dialog.options.len().checked_sub(1) else {
            return Step::Wait;
        };
        let foot = &self.dialog.foot;
        let typed = folded(text);
        if foot.contains(NOTES) {
            let notes = foot.lines().map(|line| line.trim_start_matches(|c| self.table.screen.pointer.contains(c)));
            let notes = compact(&notes.take_while(|line| !line.contains(NOTES)).collect::<String>());
            return if notes == compact(&typed) {
                Step::Last(self.key(&self.table.keys.confirm))
            } else {
                Step::Then(Press::Type(typed))
            };
        }
        if self.dialog.selected != Some(last) {
            return Step::Then(self.toward(last));
        }
        if foot.contains(NO_NOTES) { Step::Then(self.key(&self.table.keys.amend)) } else { Step::Wait }
    }

    fn choose(&self, index: usize) -> Step {
        let option = self.dialog.options.get(index);
        match option.and_then(|option| option.number) {
            Some(number @ 1..=9) if self.dialog.numbered => Step::Last(self.key(&number.to_string())),
            _ if self.dialog.selected == Some(index) => Step::Last(self.key(&self.table.keys.confirm)),
            _ => Step::Then(self.toward(index)),
        }
    }

    fn with(&self, meaning: Meaning) -> Option<usize> {
        self.dialog.options.iter().position(|option| option.meaning == meaning)
    }

    fn toward(&self, index: usize) -> Press {
        let up = self.dialog.selected.is_some_and(|selected| selected > index);
        self.key(if up { &self.table.keys.up } else { &self.table.keys.down })
    }

    fn key(&self, key: &str) -> Press {
        Press::Keys(vec![key.to_owned()])
    }
}

/// One step of what the table says about this dialog.
pub(super) fn groom(table: &Table, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
    let dialog = reading.dialog.as_ref()?;
    let rule = table.dialogs.iter().find(|rule| rule.rule == dialog.rule)?;
    let startup = rule.kind == Kind::Setup || rule.subtype.is_some();
    let groom = rule.groom.as_ref().filter(|groom| startup && (trusted_cwd || !groom.trusted_cwd))?;
    let label = groom.option.as_ref()?;
    let index = dialog.options.iter().position(|option| option.label.starts_with(label.as_str()))?;
    match (At { table, dialog }).choose(index) {
        Step::Then(Press::Keys(keys)) | Step::Last(Press::Keys(keys)) => Some(keys),
        _ => None,
    }
}
