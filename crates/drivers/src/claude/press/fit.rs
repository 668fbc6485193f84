//! Whether the dialog on the screen is the one of a prompt.

use coop_core::agent::prompt::{PermissionPrompt, PromptContext};
use serde_json::Value;

use crate::step::compact;
use crate::view::Dialog;

pub(super) fn fits(context: &PromptContext, dialog: &Dialog) -> bool {
    match (context, &dialog.context) {
        (PromptContext::Permission(asked), PromptContext::Permission(shown)) => {
            asked.subtype == shown.subtype && same_tool(asked, shown) && same_input(asked, dialog)
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

/// Two dialogs of one tool follow each other: what it would run has to be there, as much of it as is always shown.
fn same_input(asked: &PermissionPrompt, dialog: &Dialog) -> bool {
    const ENOUGH: usize = 24;
    let text = |key: &str| asked.input.as_ref().and_then(|input| input.get(key)).and_then(Value::as_str);
    let file = || text("file_path").and_then(|path| path.rsplit('/').next());
    let Some(sign) = text("command").and_then(|command| command.lines().next()).or_else(file) else {
        return true;
    };
    let sign: String = compact(sign).chars().take(ENOUGH).collect();
    // The top of a dialog that is higher than the screen is not there to be compared.
    let whole = dialog.context.tool().is_some();
    !whole || compact(&dialog.body).contains(&sign)
}
