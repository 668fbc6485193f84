//! Whether the dialog on the screen is the one of a prompt.

use coop_core::agent::prompt::{PermissionPrompt, PromptContext};
use coop_core::agent::shown::About;

use crate::step::compact;
use crate::view::Dialog;

pub(super) fn fits(context: &PromptContext, dialog: &Dialog) -> bool {
    match (context, &dialog.context) {
        (PromptContext::Permission(asked), PromptContext::Permission(shown)) => {
            asked.subtype == shown.subtype && same_tool(asked, shown) && same_call(asked, shown)
        }
        (PromptContext::Plan(_), PromptContext::Plan(_)) => true,
        (PromptContext::Question(asked), PromptContext::Question(shown)) => {
            let text = shown.questions.get(shown.current).map(|question| compact(&question.question));
            let one = |text: String| asked.questions.iter().any(|question| compact(&question.question) == text);
            dialog.review || asked.questions.is_empty() || text.is_some_and(one)
        }
        (PromptContext::Setup(asked), PromptContext::Setup(shown)) => asked.subtype == shown.subtype,
        _ => false,
    }
}

/// The dialog of a tool without a title of its own does not say which it is.
fn same_tool(asked: &PermissionPrompt, shown: &PermissionPrompt) -> bool {
    let edits = |tool: &str| ["Edit", "Write", "MultiEdit", "NotebookEdit"].contains(&tool);
    match (asked.tool.as_deref(), shown.tool.as_deref()) {
        (Some(asked), Some(shown)) => asked == shown || edits(asked) && edits(shown),
        _ => true,
    }
}

/// Two dialogs of one tool follow each other: the dialog has to show the call that was asked about.
fn same_call(asked: &PermissionPrompt, shown: &PermissionPrompt) -> bool {
    match (&asked.input, &asked.shown, &shown.shown) {
        (Some(input), _, Some(shown)) => shown.about(input) != About::Another,
        (None, Some(asked), Some(shown)) => !asked.contradicts(shown),
        _ => true,
    }
}

/// What the dialog shows, for an answer that takes several keys. The visible part of a dialog that is higher than the
/// screen moves with its options, and is compared with the input alone.
pub(super) fn subject(dialog: &Dialog) -> Option<String> {
    let shown = dialog.context.shown().filter(|shown| !shown.cut)?;
    Some(format!("{}\n{}", dialog.rule, compact(&shown.lines.concat())))
}
