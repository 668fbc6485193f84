//! Answers that are given to the app-server, in its words.

use coop_core::agent::Meaning;
use coop_core::agent::prompt::{PermissionPrompt, Prompt, PromptContext, QuestionPrompt};
use coop_core::agent::respond::{Respond, Scope};
use serde_json::{Map, Value, json};

use crate::answer::AnswerError;
use crate::json::{list, text};
use crate::wish::{Wanted, Wish, wish};

pub(super) const YES: &str = "accept";
/// Ends the turn, as Escape does in the dialog.
pub(super) const NO: &str = "cancel";

pub(super) fn reply(prompt: &Prompt, respond: &Respond) -> Result<Value, AnswerError> {
    match (&prompt.context, wish(&prompt.context, respond)?) {
        (PromptContext::Permission(permission), wish) if permission.subtype.is_none() => {
            Ok(json!({ "decision": decision(permission, &wish)? }))
        }
        (PromptContext::Question(asked), Wish::Answers(wanted)) => answers(asked, &wanted),
        _ => only_keys("Only the dialog itself can take that."),
    }
}

fn only_keys<T>(why: &str) -> Result<T, AnswerError> {
    Err(AnswerError::OnlyByKeys(why.to_owned()))
}

fn decision(permission: &PermissionPrompt, wish: &Wish) -> Result<Value, AnswerError> {
    let more = || match permission.suggestions.first() {
        Some(more) => Ok(more.clone()),
        None => only_keys("The agent offers nothing that lasts."),
    };
    match wish {
        Wish::Allow { scope: Scope::Once, input: None } | Wish::Choose { meaning: Some(Meaning::Allow), .. } => {
            Ok(json!(YES))
        }
        Wish::Choose { meaning: Some(Meaning::AllowSession | Meaning::AllowProject), .. } => more(),
        Wish::Deny { text: None }
        | Wish::Choose { meaning: Some(Meaning::Deny | Meaning::DenyWithText), text: None, .. } => Ok(json!(NO)),
        // Words are said when the dialog is gone, and another scope is the dialog's to know.
        _ => only_keys("Only the dialog itself can take that."),
    }
}

/// By the ids of the questions, the options by their labels.
fn answers(asked: &QuestionPrompt, wanted: &[Wanted]) -> Result<Value, AnswerError> {
    let questions = asked.input.as_ref().map(|input| list(input, "questions")).unwrap_or_default();
    let mut answers = Map::new();
    for (question, wanted) in questions.iter().zip(wanted) {
        let options = list(question, "options");
        let label = |index: &usize| options.get(*index).and_then(|option| text(option, "label"));
        let labels: Option<Vec<&str>> = wanted.options.iter().map(label).collect();
        match (text(question, "id"), labels) {
            (Some(id), Some(labels)) if !labels.is_empty() && wanted.text.is_none() => {
                answers.insert(id.to_owned(), json!({ "answers": labels }));
            }
            _ => return only_keys("Own words are typed into the dialog."),
        }
    }
    if answers.len() != asked.questions.len() {
        return only_keys("Not every question is known.");
    }
    Ok(json!({ "answers": answers }))
}
