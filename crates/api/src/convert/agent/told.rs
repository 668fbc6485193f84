//! The other way round: what a coop says of its agent, for one that follows it.

use coop_core::agent::conversation::Usage;
use coop_core::agent::cost::{Cost, picodollars};
use coop_core::agent::evidence::Source;
use coop_core::agent::prompt::{
    Choice, Meaning, PermissionPrompt, PlanPrompt, Prompt, PromptContext, PromptId, Question, QuestionPrompt,
    SetupPrompt,
};
use coop_core::agent::respond::{Respond, Scope};
use coop_core::agent::spent::{Context, Spent};
use coop_core::agent::state::{Failure, State};
use serde_json::Value;

use crate::v1;

/// A state that this version does not know is unknown.
#[must_use]
pub fn state_from_wire(wire: &v1::GetAgentStateResponse) -> State {
    let failure = |kind: &str, detail: &str, resume_at_ms| Failure {
        kind: kind.to_owned(),
        detail: detail.to_owned(),
        resume_at_ms,
    };
    match wire.state.as_str() {
        "starting" => State::Starting,
        "working" => State::Working,
        "idle" => State::Idle,
        "restarting" => State::Restarting,
        "exited" => State::Exited,
        "prompt" => wire.prompt.as_ref().map_or(State::Unknown, |prompt| State::Prompt(prompt_from_wire(prompt))),
        "error" => {
            let error = wire.error.clone().unwrap_or_default();
            State::Error(failure(&error.kind, &error.detail, None))
        }
        "parked" => {
            let parked = wire.parked.clone().unwrap_or_default();
            State::Parked(failure("rate_limit", &parked.reason, parked.resume_at_epoch_ms))
        }
        _ => State::Unknown,
    }
}

#[must_use]
pub fn spent_from_wire(wire: &v1::GetAgentStateResponse) -> Spent {
    let used = wire.usage.unwrap_or_default();
    let cost = wire
        .cost
        .as_ref()
        .and_then(|cost| picodollars(cost.usd).map(|picodollars| Cost { picodollars, estimate: cost.estimate }));
    Spent {
        usage: Usage {
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            cache_read_tokens: used.cache_read_tokens,
            cache_write_tokens: used.cache_write_tokens,
        },
        cost,
        context: wire.context.as_ref().map(|context| Context { tokens: context.tokens, window: context.window }),
    }
}

#[must_use]
pub fn source_from_wire(wire: &v1::GetAgentStateResponse) -> Option<Source> {
    Source::ALL.into_iter().find(|source| Some(source.name()) == wire.source.as_deref())
}

#[must_use]
pub fn prompt_from_wire(wire: &v1::PromptContext) -> Prompt {
    let input = wire.input_full.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let options = choices(&wire.option_details);
    let context = match wire.r#type.as_str() {
        "plan" => PromptContext::Plan(PlanPrompt {
            tool: wire.tool.clone(),
            plan: wire.summary.clone(),
            input,
            tool_id: None,
            options,
            options_fallback: wire.options_fallback,
        }),
        "question" => PromptContext::Question(QuestionPrompt {
            tool: wire.tool.clone(),
            questions: wire.questions.iter().map(question).collect(),
            current: usize::try_from(wire.question_current).unwrap_or(usize::MAX),
            input,
            tool_id: None,
        }),
        "setup" => PromptContext::Setup(SetupPrompt {
            subtype: wire.subtype.clone().unwrap_or_default(),
            options,
            url: wire.input.clone(),
            message: wire.message.clone(),
        }),
        _ => PromptContext::Permission(PermissionPrompt {
            subtype: wire.subtype.clone(),
            tool: wire.tool.clone(),
            input,
            input_seen: wire.input_seen,
            options,
            options_fallback: wire.options_fallback,
            message: wire.message.clone(),
            ..PermissionPrompt::default()
        }),
    };
    Prompt { id: PromptId(wire.prompt_id.clone()), context, ready: wire.ready, by_hook: wire.by_hook }
}

/// An answer to pass on, for this prompt and no other.
#[must_use]
pub fn respond_to_wire(respond: &Respond, prompt: &PromptId) -> v1::RespondRequest {
    let scope = match respond.scope {
        Scope::Once => None,
        Scope::Session => Some("session"),
        Scope::Path => Some("path"),
    };
    let answer = |answer: &coop_core::agent::respond::Answer| v1::Answer {
        options: answer.options.clone(),
        text: answer.text.clone(),
    };
    v1::RespondRequest {
        accept: respond.accept,
        option: respond.option,
        text: respond.text.clone(),
        answers: respond.answers.iter().map(answer).collect(),
        scope: scope.map(str::to_owned),
        prompt_id: Some(prompt.0.clone()),
        updated_input: respond.updated_input.as_ref().map(Value::to_string),
        unseen: respond.unseen,
        digest: respond.digest.clone(),
    }
}

fn question(wire: &v1::QuestionContext) -> Question {
    Question {
        question: wire.question.clone(),
        header: wire.header.clone(),
        multi_select: wire.multi_select,
        options: choices(&wire.option_details),
    }
}

fn choices(wire: &[v1::PromptOption]) -> Vec<Choice> {
    let choice = |option: &v1::PromptOption| Choice {
        label: option.label.clone(),
        description: option.description.clone(),
        meaning: match option.meaning.as_str() {
            "allow" => Meaning::Allow,
            "allow_session" => Meaning::AllowSession,
            "allow_project" => Meaning::AllowProject,
            "deny" => Meaning::Deny,
            "deny_with_text" => Meaning::DenyWithText,
            "text" => Meaning::Text,
            "chat" => Meaning::Chat,
            _ => Meaning::Answer,
        },
    };
    wire.iter().map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coop_core::agent::state::AgentStatus;
    use serde_json::json;

    /// What one coop says, another understands.
    #[test]
    fn there_and_back() {
        let choice = |label: &str, meaning| Choice { label: label.into(), description: Some("x".into()), meaning };
        let options = vec![choice("Yes", Meaning::Allow), choice("No", Meaning::DenyWithText)];
        let question = Question {
            question: "Which?".into(),
            header: Some("Database".into()),
            multi_select: true,
            options: vec![choice("A", Meaning::Answer), choice("Other", Meaning::Text)],
        };
        let input = Some(json!({ "command": "ls" }));
        let contexts = [
            PromptContext::Permission(PermissionPrompt {
                tool: Some("Bash".into()),
                input: input.clone(),
                options: options.clone(),
                ..PermissionPrompt::default()
            }),
            PromptContext::Plan(PlanPrompt { plan: Some("# P".into()), input, options, ..PlanPrompt::default() }),
            PromptContext::Question(QuestionPrompt { questions: vec![question], ..QuestionPrompt::default() }),
            PromptContext::Setup(SetupPrompt { subtype: "theme".into(), ..SetupPrompt::default() }),
        ];
        let failure = Failure { kind: "rate_limit".into(), detail: "d".into(), resume_at_ms: Some(7) };
        let prompts = contexts
            .into_iter()
            .map(|context| State::Prompt(Prompt { id: PromptId("p1".into()), context, ready: true, by_hook: true }));
        let plain = [State::Starting, State::Working, State::Idle, State::Restarting, State::Exited, State::Unknown];
        let failed = [State::Error(Failure { resume_at_ms: None, ..failure.clone() }), State::Parked(failure)];
        for state in prompts.chain(plain).chain(failed) {
            let wire = super::super::state(&AgentStatus::new(state.clone()), "claude", 0);
            assert_eq!(state_from_wire(&wire), state);
        }
    }
}
