//! Whether the dialog on the screen is the one of a prompt.

use coop_core::agent::prompt::{PermissionPrompt, PromptContext, Question, QuestionPrompt};

use crate::json::text;
use crate::step::compact;
use crate::view::Dialog;

pub(super) fn fits(context: &PromptContext, dialog: &Dialog) -> bool {
    match (context, &dialog.context) {
        (PromptContext::Permission(asked), PromptContext::Permission(shown)) => {
            let tools = asked.tool.as_deref().zip(shown.tool.as_deref());
            asked.subtype == shown.subtype && tools.is_none_or(|(a, b)| a == b) && same_input(asked, shown)
        }
        (PromptContext::Plan(_), PromptContext::Plan(_)) => true,
        (PromptContext::Question(asked), PromptContext::Question(_)) => {
            dialog.review || asked.questions.is_empty() || current(asked, dialog).is_some()
        }
        (PromptContext::Setup(asked), PromptContext::Setup(shown)) => asked.subtype == shown.subtype,
        _ => false,
    }
}

/// Two dialogs follow each other: what it would do has to be there, as much of it as is always shown.
fn same_input(asked: &PermissionPrompt, shown: &PermissionPrompt) -> bool {
    const ENOUGH: usize = 24;
    let (Some(asked), Some(shown)) = (&asked.input, &shown.input) else {
        return true;
    };
    let command = |input| text(input, "command").map(compact);
    if let (Some(asked), Some(shown)) = (command(asked), command(shown)) {
        let start: String = asked.chars().take(ENOUGH).collect();
        return shown.starts_with(&start);
    }
    let file = |input| text(input, "file_path").and_then(|path| path.rsplit('/').next());
    match (file(asked), file(shown)) {
        (Some(asked), Some(shown)) => asked == shown,
        _ => true,
    }
}

/// The question on the screen: by its words, or by its place where they are not known.
pub(super) fn current<'a>(asked: &'a QuestionPrompt, dialog: &Dialog) -> Option<(usize, &'a Question)> {
    let PromptContext::Question(shown) = &dialog.context else {
        return None;
    };
    let words = compact(&shown.questions.get(shown.current)?.question);
    let mut questions = asked.questions.iter().enumerate();
    let by_words = questions.find(|(_, question)| compact(&question.question) == words);
    let by_place = || asked.questions.get(shown.current).filter(|question| question.question.is_empty());
    by_words.or_else(|| Some((shown.current, by_place()?)))
}
