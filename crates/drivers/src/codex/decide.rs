//! Answers through the hook that waits for them: yes, or no with words.

use coop_core::agent::prompt::{Prompt, PromptContext};
use coop_core::agent::respond::Respond;
use serde_json::{Value, json};

use crate::answer::AnswerError;
use crate::wish::{Wish, wish};

/// What the agent is told when nobody said why.
const REFUSED: &str = "The user refused this.";

pub(super) fn decide(prompt: &Prompt, respond: &Respond) -> Result<Value, AnswerError> {
    if !matches!(prompt.context, PromptContext::Permission(_)) {
        return only_keys("No hook asks about this dialog.");
    }
    let decision = match wish(&prompt.context, respond)? {
        Wish::Allow { input: None, .. } => json!({ "behavior": "allow" }),
        Wish::Allow { input: Some(_), .. } => return only_keys("Codex runs a command as it is, or not at all."),
        Wish::Deny { text } => json!({ "behavior": "deny", "message": text.as_deref().unwrap_or(REFUSED) }),
        Wish::Choose { .. } | Wish::Answers(_) | Wish::Type(_) => {
            return only_keys("A hook of Codex takes yes or no, and words with a no.");
        }
    };
    Ok(json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }))
}

fn only_keys<T>(why: &str) -> Result<T, AnswerError> {
    Err(AnswerError::OnlyByKeys(why.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptId};

    #[test]
    fn yes_or_no_and_nothing_else() {
        let permission = PromptContext::Permission(PermissionPrompt::default());
        let yes = Respond { accept: Some(true), ..Respond::default() };
        let no = Respond { accept: Some(false), ..Respond::default() };
        for (context, respond, expected) in [
            (permission.clone(), yes.clone(), Some(json!({ "behavior": "allow" }))),
            (permission.clone(), no.clone(), Some(json!({ "behavior": "deny", "message": REFUSED }))),
            (
                permission.clone(),
                Respond { text: Some("why".into()), ..no },
                Some(json!({ "behavior": "deny", "message": "why" })),
            ),
            (permission.clone(), Respond { updated_input: Some(json!({})), ..yes.clone() }, None),
            (permission, Respond::default(), None),
            (PromptContext::Plan(PlanPrompt::default()), yes, None),
        ] {
            let prompt = Prompt { id: PromptId(String::new()), context, ready: true, by_hook: true };
            let said = decide(&prompt, &respond).ok();
            let expected = expected.map(|decision| {
                json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } })
            });
            assert_eq!(said, expected, "{respond:?}");
        }
    }
}
