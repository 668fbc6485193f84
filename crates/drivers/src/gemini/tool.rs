//! Tools that are nothing but a dialog.

use coop_core::agent::prompt::{PlanPrompt, PromptContext, Question, QuestionPrompt};
use coop_core::agent::{Choice, Meaning};
use serde_json::Value;

use super::TABLE;
use crate::json::{flag, list, owned, text};
use crate::table::Kind;

pub(super) const ASK: &str = "ask_user";
pub(super) const PLAN: &str = "exit_plan_mode";
/// What a question with several answers offers after its own, if those are several.
pub(super) const ALL: &str = "All of the above";

/// What the dialog of such a tool asks.
pub(super) fn own_dialog(tool: &str, input: &Value, id: Option<&str>) -> Option<PromptContext> {
    let tool_id = id.map(str::to_owned);
    let kept = Some(input.clone());
    let named = Some(tool.to_owned());
    match tool {
        ASK => {
            let questions = list(input, "questions").iter().map(question).collect();
            Some(PromptContext::Question(QuestionPrompt { tool: named, questions, current: 0, input: kept, tool_id }))
        }
        PLAN => Some(PromptContext::Plan(PlanPrompt { tool: named, input: kept, tool_id, ..PlanPrompt::default() })),
        _ => None,
    }
}

/// A question with what the dialog itself adds.
fn question(value: &Value) -> Question {
    let multi_select = flag(value, "multiSelect");
    let answer = |label: &str| Choice { label: label.to_owned(), description: None, meaning: Meaning::Answer };
    let mut options: Vec<Choice> = match text(value, "type") {
        Some("yesno") => ["Yes", "No"].map(answer).to_vec(),
        Some("text") => Vec::new(),
        _ => list(value, "options").iter().map(option).collect(),
    };
    if multi_select && options.len() > 1 {
        options.push(answer(ALL));
    }
    // A question for words alone has nothing to choose.
    let added = TABLE.fallback.question.iter().map(|label| TABLE.choice(Kind::Question, label));
    options.extend(added);
    Question {
        question: owned(value, "question").unwrap_or_default(),
        header: owned(value, "header"),
        multi_select,
        options,
    }
}

fn option(value: &Value) -> Choice {
    Choice {
        label: owned(value, "label").unwrap_or_default(),
        description: owned(value, "description"),
        meaning: Meaning::Answer,
    }
}
