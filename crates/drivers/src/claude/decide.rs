//! Answers through the hook that waits for them.

use coop_core::agent::prompt::{Meaning, PermissionPrompt, Prompt, PromptContext, Question, QuestionPrompt};
use coop_core::agent::respond::{Respond, Scope};
use coop_core::permission::pattern::{Pattern, Use};
use serde_json::{Map, Value, json};

use crate::answer::AnswerError;
use crate::json::{list, text};
use crate::wish::{Wanted, Wish, wish};

/// What the agent is told when nobody said why.
const REFUSED: &str = "The user refused this.";
const DECLINED: &str = "The user declined to answer the questions.";

pub(super) fn decide(prompt: &Prompt, respond: &Respond) -> Result<Value, AnswerError> {
    let wish = wish(&prompt.context, respond)?;
    let decision = match (&prompt.context, wish) {
        (PromptContext::Permission(permission), _) if permission.subtype.is_some() => {
            return only_keys("No hook asks about this dialog.");
        }
        (PromptContext::Permission(permission), wish) => {
            permission_decision(permission, wish, respond.pattern.as_deref())?
        }
        (PromptContext::Plan(plan), wish) => match wish {
            Wish::Allow { .. } | Wish::Choose { meaning: Some(Meaning::Allow), .. } => {
                approve_plan(plan.input.as_ref())
            }
            Wish::Deny { text } | Wish::Choose { meaning: Some(Meaning::Deny | Meaning::DenyWithText), text, .. } => {
                deny(text, REFUSED)
            }
            _ => return only_keys("This option also changes the agent's mode, which a hook cannot do."),
        },
        (PromptContext::Question(asked), Wish::Answers(wanted)) => answered(asked, &wanted)?,
        (PromptContext::Question(_), Wish::Deny { text }) => deny(text, DECLINED),
        (PromptContext::Question(_), _) => return only_keys("Only the dialog itself can do that."),
        (PromptContext::Setup(_), _) => return only_keys("No hook asks about this dialog."),
    };
    Ok(json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } }))
}

fn only_keys<T>(why: &str) -> Result<T, AnswerError> {
    Err(AnswerError::OnlyByKeys(why.to_owned()))
}

fn permission_decision(permission: &PermissionPrompt, wish: Wish, pattern: Option<&str>) -> Result<Value, AnswerError> {
    match wish {
        Wish::Allow { scope, input } => Ok(allow(permission, scope, pattern, input)),
        Wish::Deny { text } => Ok(deny(text, REFUSED)),
        Wish::Choose { meaning: Some(meaning), text, .. } => match meaning {
            Meaning::Allow => Ok(json!({ "behavior": "allow" })),
            Meaning::Deny | Meaning::DenyWithText => Ok(deny(text, REFUSED)),
            // The suggestions of the hook are not what the option does: some versions add a mode to them, and a rule
            // for the exact command where the option covers a prefix of it.
            _ => only_keys("Only the dialog itself can do what this option does."),
        },
        Wish::Choose { meaning: None, .. } => only_keys("The options of this dialog have not been read."),
        Wish::Answers(_) | Wish::Type(_) => only_keys("Only the dialog itself can take that."),
    }
}

fn allow(permission: &PermissionPrompt, scope: Scope, pattern: Option<&str>, input: Option<Value>) -> Value {
    let mut decision = Map::from_iter([("behavior".to_owned(), json!("allow"))]);
    if let Some(input) = input {
        decision.insert("updatedInput".to_owned(), input);
    }
    if let Some(destination) = destination(scope) {
        let rules = match pattern {
            Some(pattern) => native(pattern).map(|rule| added(&rule, destination)),
            None => rules(permission, destination),
        };
        decision.extend(rules.map(|rules| ("updatedPermissions".to_owned(), rules)));
    }
    Value::Object(decision)
}

fn destination(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::Once => None,
        Scope::Session => Some("session"),
        // The project's own file that is not shared with others: one person allowed it.
        Scope::Path => Some("localSettings"),
    }
}

/// The rules the agent suggests, or one that allows the same again. Suggestions that change the mode or add folders are
/// left out: they allow more than what was asked, or something else. Nothing where every rule would do so.
fn rules(permission: &PermissionPrompt, destination: &str) -> Option<Value> {
    let allows = |rule: &&Value| text(rule, "type") == Some("addRules") && text(rule, "behavior") == Some("allow");
    let suggested: Vec<Value> = permission
        .suggestions
        .iter()
        .filter(allows)
        .map(|rule| {
            let mut rule = rule.clone();
            rule["destination"] = json!(destination);
            rule
        })
        .collect();
    if !suggested.is_empty() {
        return Some(Value::Array(suggested));
    }
    rule(permission).map(|rule| added(&rule, destination))
}

fn added(rule: &Value, destination: &str) -> Value {
    json!([{ "type": "addRules", "rules": [rule], "behavior": "allow", "destination": destination }])
}

/// The agent's own rule for a pattern that means the same in both languages. Its rules for files do not: they go by
/// folders, and allow what else writes files.
pub(super) fn native(pattern: &str) -> Option<Value> {
    let name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let Some((tool, inside)) = pattern.split_once('(') else {
        let alone = !FILE_TOOLS.contains(&pattern) && pattern != "Bash" && name(pattern);
        return alone.then(|| json!({ "toolName": pattern }));
    };
    let inside = inside.strip_suffix(')')?;
    let words = inside.strip_suffix(":*").unwrap_or(inside);
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._-/=:,@%+~".contains(c);
    let same = match tool {
        "Bash" => words.chars().all(plain) && !words.ends_with(':'),
        "WebFetch" => inside.starts_with("domain:"),
        _ => false,
    };
    (same && !words.is_empty()).then(|| json!({ "toolName": tool, "ruleContent": inside }))
}

/// Tools whose name alone would allow every file there is.
const FILE_TOOLS: [&str; 6] = ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead"];

/// The agent's own rule for what a person was shown, and no more.
fn rule(permission: &PermissionPrompt) -> Option<Value> {
    let (tool, input) = (permission.tool.as_deref()?, permission.input.as_ref()?);
    let pattern = Pattern::suggest(&Use { tool, input, cwd: "", host: None })?;
    native(&pattern.to_string())
}

/// Without words it is the dialog's plain "No", which stops the turn; with words the agent goes on with them.
fn deny(words: Option<String>, otherwise: &str) -> Value {
    match words {
        Some(words) => json!({ "behavior": "deny", "message": words }),
        None => json!({ "behavior": "deny", "message": otherwise, "interrupt": true }),
    }
}

/// Since 2.1.199 an approval that does not repeat the input is dropped. Without a mode the agent returns to the one that
/// it had before the plan, which may accept edits; the option "Yes, manually approve edits" does not.
fn approve_plan(input: Option<&Value>) -> Value {
    json!({
        "behavior": "allow",
        "updatedInput": input.cloned().unwrap_or_else(|| json!({})),
        "updatedPermissions": [{ "type": "setMode", "mode": "default", "destination": "session" }],
    })
}

fn answered(asked: &QuestionPrompt, wanted: &[Wanted]) -> Result<Value, AnswerError> {
    let Some(input @ Value::Object(_)) = &asked.input else {
        return only_keys("What the agent asked is only known from the screen.");
    };
    if list(input, "questions").len() != asked.questions.len() {
        return only_keys("What the agent asked is only known from the screen.");
    }
    let answers = asked.questions.iter().zip(wanted).map(|(question, wanted)| {
        let words = labels(question, wanted);
        (question.question.clone(), Value::String(words))
    });
    let mut input = input.clone();
    input["answers"] = Value::Object(answers.collect());
    Ok(json!({ "behavior": "allow", "updatedInput": input }))
}

fn labels(question: &Question, wanted: &Wanted) -> String {
    let chosen = wanted.options.iter().filter_map(|index| question.options.get(*index));
    let labels = chosen.map(|choice| choice.label.as_str()).chain(wanted.text.as_deref());
    labels.collect::<Vec<_>>().join(", ")
}
