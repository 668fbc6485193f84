//! What a hook call says.

use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext, Question, QuestionPrompt};
use coop_core::agent::state::Failure;
use coop_core::agent::{Choice, Fact, Look, Meaning};
use serde_json::Value;

use super::{Claude, StartedTool, TABLE};
use crate::heard::Heard;
use crate::json::{flag, list, owned, text};
use crate::table::Kind;

/// Tools that are remembered. A reply rarely starts more, and only one that still waits is asked about.
const STARTED: usize = 32;

/// Tools that are nothing but a dialog.
pub(super) const ASKS: &str = "AskUserQuestion";
pub(super) const PLANS: &str = "ExitPlanMode";

pub(super) fn hear(claude: &mut Claude, event: &str, payload: &Value) -> Heard {
    let facts = vec![fact(claude, event, payload)];
    Heard {
        turn: owned(payload, "prompt_id"),
        at_ms: None,
        facts,
        session_id: owned(payload, "session_id"),
        transcript: owned(payload, "transcript_path"),
        title: None,
        model: owned(payload, "model"),
    }
}

fn fact(claude: &mut Claude, event: &str, payload: &Value) -> Fact {
    match event {
        "SessionStart" => Fact::SessionStarted {
            id: owned(payload, "session_id"),
            cause: owned(payload, "source"),
            model: owned(payload, "model"),
            log: owned(payload, "transcript_path"),
        },
        "UserPromptSubmit" => Fact::TurnStarted { text: owned(payload, "prompt") },
        "PreToolUse" => {
            remember(claude, payload);
            Fact::ToolStarted {
                id: owned(payload, "tool_use_id"),
                name: owned(payload, "tool_name"),
                input: payload.get("tool_input").cloned(),
                agent: owned(payload, "agent_id"),
            }
        }
        "PermissionRequest" => Fact::PromptShown { context: prompt(claude, payload) },
        "PostToolUse" | "PostToolUseFailure" => {
            forget(claude, payload);
            Fact::ToolFinished {
                id: owned(payload, "tool_use_id"),
                name: owned(payload, "tool_name"),
                agent: owned(payload, "agent_id"),
            }
        }
        "Notification" => notification(payload),
        "Stop" => Fact::TurnEnded { last_message: owned(payload, "last_assistant_message") },
        "StopFailure" => Fact::TurnFailed { failure: failure(payload) },
        "SubagentStop" => Fact::SubagentEnded,
        "PreCompact" => Fact::Compacting,
        // Asked for by the person, who is to go on; by itself it compacts amid a turn.
        "PostCompact" if text(payload, "trigger") == Some("manual") => Fact::TurnEnded { last_message: None },
        "PostCompact" => Fact::Compacted,
        "SessionEnd" => Fact::SessionEnded { cause: owned(payload, "reason") },
        other => Fact::Noted { what: other.to_owned() },
    }
}

fn notification(payload: &Value) -> Fact {
    match text(payload, "notification_type") {
        Some("permission_prompt") => Fact::Looks(Look::Dialog { context: None }),
        Some("idle_prompt") => Fact::Looks(Look::Idle),
        other => Fact::Noted { what: format!("Notification {}", other.unwrap_or("without a type")) },
    }
}

fn failure(payload: &Value) -> Failure {
    let kind = text(payload, "error").unwrap_or("unknown");
    let detail = text(payload, "error_details").or_else(|| text(payload, "last_assistant_message"));
    let all = ["error_details", "last_assistant_message"].map(|key| text(payload, key).unwrap_or_default()).join("\n");
    Failure {
        kind: kind.to_owned(),
        detail: detail.unwrap_or_default().to_owned(),
        resume_at_ms: super::limit::lifts_at_ms(kind, &all),
    }
}

fn remember(claude: &mut Claude, payload: &Value) {
    let (Some(id), Some(name)) = (owned(payload, "tool_use_id"), owned(payload, "tool_name")) else {
        return;
    };
    let input = payload.get("tool_input").cloned().unwrap_or_default();
    claude.started.push_back(StartedTool { id, name, input });
    if claude.started.len() > STARTED {
        claude.started.pop_front();
    }
}

fn forget(claude: &mut Claude, payload: &Value) {
    if let Some(id) = text(payload, "tool_use_id") {
        claude.started.retain(|tool| tool.id != id);
    }
}

/// The call that is asked about: the last one of the same tool with the same input, of several the oldest, because
/// they ask one after the other.
fn tool_id(claude: &Claude, tool: &str, input: &Value) -> Option<String> {
    let same = |started: &&StartedTool| started.name == tool && started.input == *input;
    claude.started.iter().find(same).map(|started| started.id.clone())
}

fn prompt(claude: &Claude, payload: &Value) -> PromptContext {
    let tool = text(payload, "tool_name").unwrap_or_default();
    let input = payload.get("tool_input").cloned().unwrap_or_default();
    let id = tool_id(claude, tool, &input);
    own_dialog(tool, &input, id.as_deref()).unwrap_or_else(|| {
        PromptContext::Permission(PermissionPrompt {
            tool: owned(payload, "tool_name"),
            input: payload.get("tool_input").cloned(),
            tool_id: id,
            agent_id: owned(payload, "agent_id"),
            suggestions: list(payload, "permission_suggestions").to_vec(),
            ..PermissionPrompt::default()
        })
    })
}

/// What the dialog of a tool that is nothing but a dialog asks.
pub(super) fn own_dialog(tool: &str, input: &Value, id: Option<&str>) -> Option<PromptContext> {
    let tool_id = id.map(str::to_owned);
    let kept = Some(input.clone());
    let named = Some(tool.to_owned());
    match tool {
        ASKS => {
            let questions = questions(input);
            Some(PromptContext::Question(QuestionPrompt { tool: named, questions, current: 0, input: kept, tool_id }))
        }
        PLANS => {
            let plan = owned(input, "plan");
            Some(PromptContext::Plan(PlanPrompt { tool: named, plan, input: kept, tool_id, ..PlanPrompt::default() }))
        }
        _ => None,
    }
}

/// The questions of `AskUserQuestion`, each with what the dialog itself adds.
pub(super) fn questions(input: &Value) -> Vec<Question> {
    list(input, "questions").iter().map(question).collect()
}

fn question(value: &Value) -> Question {
    let own = list(value, "options").iter().map(|option| Choice {
        label: text(option, "label").or_else(|| option.as_str()).unwrap_or_default().to_owned(),
        description: owned(option, "description"),
        meaning: Meaning::Answer,
    });
    let added = TABLE.fallback.question.iter().map(|label| TABLE.choice(Kind::Question, label));
    Question {
        question: owned(value, "question").unwrap_or_default(),
        header: owned(value, "header"),
        multi_select: flag(value, "multiSelect"),
        options: own.chain(added).collect(),
    }
}
