//! An answer that is one option of a dialog: which one it is, and the next key on the way to it.

use coop_core::agent::prompt::{Meaning, PermissionPrompt, Prompt, PromptContext, Question, QuestionPrompt};
use coop_core::agent::respond::{Respond, Scope};

use crate::answer::{AnswerError, Press};
use crate::json::text;
use crate::step::{Step, compact};
use crate::table::{Kind, Table};
use crate::view::{Dialog, Reading};
use crate::wish::{Wish, unfit, wish};

/// Words that the dialog takes none of: it is put away, and they are said.
pub(crate) fn follow_up(prompt: &Prompt, respond: &Respond) -> Option<String> {
    match wish(&prompt.context, respond).ok()? {
        Wish::Deny { text } | Wish::Choose { meaning: Some(Meaning::Deny), text, .. } => text,
        _ => None,
    }
}

/// Whether the dialog on the screen is the one of the prompt.
pub(crate) fn fits(context: &PromptContext, dialog: &Dialog) -> bool {
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

/// The question on the screen.
pub(crate) fn current<'a>(asked: &'a QuestionPrompt, dialog: &Dialog) -> Option<(usize, &'a Question)> {
    let PromptContext::Question(shown) = &dialog.context else {
        return None;
    };
    let text = compact(&shown.questions.get(shown.current)?.question);
    let at = asked.questions.get(shown.current)?;
    (compact(&at.question) == text).then_some((shown.current, at))
}

/// The dialog, and whose it is.
#[derive(Debug)]
pub(crate) struct At<'a> {
    /// What people call the agent.
    pub(crate) agent: &'a str,
    pub(crate) table: &'a Table,
    pub(crate) dialog: &'a Dialog,
}

impl At<'_> {
    pub(crate) fn step(&self, wish: &Wish) -> Result<Step, AnswerError> {
        match wish {
            Wish::Allow { input: Some(_), .. } => {
                unfit(format!("{} runs a tool as it is: its input cannot be changed.", self.agent))
            }
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

    /// Its own keys, or a digit, or arrows and Enter.
    pub(crate) fn choose(&self, index: usize) -> Step {
        let option = self.dialog.options.get(index);
        if let Some(option) = option.filter(|option| !option.keys.is_empty()) {
            return Step::Last(Press::Keys(option.keys.clone()));
        }
        match option.and_then(|option| option.number) {
            Some(number @ 1..=9) if self.dialog.numbered => Step::Last(self.key(&number.to_string())),
            _ if self.dialog.selected == Some(index) => Step::Last(self.key(&self.table.keys.confirm)),
            _ => Step::Then(self.toward(index)),
        }
    }

    fn with(&self, meaning: Meaning) -> Option<usize> {
        self.dialog.options.iter().position(|option| option.meaning == meaning)
    }

    pub(crate) fn toward(&self, index: usize) -> Press {
        let up = self.dialog.selected.is_some_and(|selected| selected > index);
        self.key(if up { &self.table.keys.up } else { &self.table.keys.down })
    }

    pub(crate) fn key(&self, key: &str) -> Press {
        Press::Keys(vec![key.to_owned()])
    }
}

/// One step of what the table says about this dialog.
pub(crate) fn groom(agent: &str, table: &Table, reading: &Reading, trusted_cwd: bool) -> Option<Vec<String>> {
    let dialog = reading.dialog.as_ref()?;
    let rule = table.dialogs.iter().find(|rule| rule.rule == dialog.rule)?;
    let startup = rule.kind == Kind::Setup || rule.subtype.is_some();
    let groom = rule.groom.as_ref().filter(|groom| startup && (trusted_cwd || !groom.trusted_cwd))?;
    let Some(label) = &groom.option else {
        return Some(groom.keys.clone()).filter(|keys| !keys.is_empty());
    };
    let index = dialog.options.iter().position(|option| option.label.starts_with(label.as_str()))?;
    match (At { agent, table, dialog }).choose(index) {
        Step::Then(Press::Keys(keys)) | Step::Last(Press::Keys(keys)) => Some(keys),
        _ => None,
    }
}
