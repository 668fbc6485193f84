//! What the agent says of itself on its terminal (OSC 7501).

use coop_core::agent::prompt::{
    OPEN_DIALOG, PermissionPrompt, PlanPrompt, PromptContext, Question, QuestionPrompt, SetupPrompt,
};
use coop_core::agent::shown::{Form, Shown};
use coop_core::agent::state::Failure;
use coop_core::agent::{Choice, Fact, Look};

use super::hook::{ASKS, PLANS};
use super::{Claude, TABLE};
use crate::heard::Heard;

pub(super) fn hear(claude: &mut Claude, state: &str, kind: Option<&str>, message: Option<&str>) -> Heard {
    let was_asked = std::mem::replace(&mut claude.asked, state == "blocked");
    let facts = match state {
        // Working again after a dialog means that it was answered; a level alone could not say so.
        "working" if was_asked => vec![Fact::PromptGone, Fact::Looks(Look::Working)],
        "working" => vec![Fact::Looks(Look::Working)],
        "idle" => vec![Fact::Looks(Look::Idle)],
        "done" => vec![Fact::TurnEnded { last_message: None }],
        "blocked" => vec![Fact::PromptShown { context: context(kind, message.unwrap_or_default()) }],
        "error" => {
            let detail = message.unwrap_or_default().to_owned();
            let resume_at_ms = super::limit::lifts_at_ms("unknown", &detail);
            vec![Fact::TurnFailed { failure: Failure { kind: "unknown".to_owned(), detail, resume_at_ms } }]
        }
        "clear" => vec![Fact::SessionEnded { cause: None }],
        other => vec![Fact::Noted { what: format!("report {other}") }],
    };
    Heard { facts, ..Heard::nothing() }
}

/// As much of the prompt as one line tells. The hook or the screen tells the rest.
fn context(kind: Option<&str>, message: &str) -> PromptContext {
    match kind {
        Some("auth") => PromptContext::Setup(SetupPrompt {
            subtype: "login_required".to_owned(),
            message: said(message),
            ..SetupPrompt::default()
        }),
        Some("question") => PromptContext::Question(QuestionPrompt {
            tool: Some(ASKS.to_owned()),
            questions: message.strip_prefix("answer: ").map(question).into_iter().collect(),
            ..QuestionPrompt::default()
        }),
        _ if message == "approve plan" => {
            PromptContext::Plan(PlanPrompt { tool: Some(PLANS.to_owned()), ..PlanPrompt::default() })
        }
        // A dialog of the agent itself: a notice, or one that the person has opened.
        _ if message == "dialog open" => {
            PromptContext::Setup(SetupPrompt { subtype: OPEN_DIALOG.to_owned(), ..SetupPrompt::default() })
        }
        _ => {
            let name = message.strip_prefix("approve ").and_then(|rest| rest.split_once(": "));
            let tool = name.and_then(|(name, _)| TABLE.names.get(name).cloned());
            // The whole command with white space folded; of one that is too long nothing.
            let form = if tool.as_deref() == Some("Bash") { Form::Command } else { Form::Other };
            let shown = name.map(|(_, call)| Box::new(Shown { form, ..Shown::command(call) }));
            PromptContext::Permission(PermissionPrompt {
                tool,
                shown,
                message: said(message),
                ..PermissionPrompt::default()
            })
        }
    }
}

/// `Which database? (SQLite · Postgres)`.
fn question(message: &str) -> Question {
    let options = message.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let (question, labels) = options.unwrap_or((message, ""));
    let labels = labels.split(" · ").filter(|label| !label.is_empty());
    Question {
        question: question.to_owned(),
        options: labels.map(|label| Choice { label: label.to_owned(), ..Choice::default() }).collect(),
        ..Question::default()
    }
}

fn said(message: &str) -> Option<String> {
    (!message.is_empty()).then(|| message.to_owned())
}
