//! The same for what an agent does, asks and is told.

mod told;

use std::time::Duration;

use coop_core::agent::conversation::{Entry, EntryKind, Usage};
use coop_core::agent::cost::{Cost, DOLLAR};
use coop_core::agent::deliver::{Nudge, Nudged, Receipt, WaitFor, When};
use coop_core::agent::evidence::Source;
use coop_core::agent::explain::{Explanation, Judged};
use coop_core::agent::gate::{Groom, StartConfig, StartPart, StopConfig, StopMode};
use coop_core::agent::lifted::LiftedConfig;
use coop_core::agent::prompt::{Choice, Meaning, Prompt, PromptContext, PromptId, Question};
use coop_core::agent::respond::{Answer, Respond, Responded, Scope};
use coop_core::agent::spent::{Context, Spent};
use coop_core::agent::state::{AgentStatus, Capabilities, Failure, State};
use serde_json::Value;

use crate::{ApiError, v1};
pub use told::{prompt_from_wire, respond_to_wire, source_from_wire, spent_from_wire, state_from_wire};

/// Every state, by its name.
pub const STATES: [&str; 9] =
    ["starting", "working", "idle", "prompt", "error", "parked", "restarting", "exited", "unknown"];

/// What a person reads at a glance.
const PREVIEW: usize = 200;

/// Fields that say what a tool is about to do, the most telling first.
const TELLING: [&str; 8] = ["command", "file_path", "notebook_path", "path", "url", "query", "pattern", "plan"];

#[must_use]
pub fn state(status: &AgentStatus, agent: &str, screen_seq: u64) -> v1::GetAgentStateResponse {
    let (error, parked) = failure(&status.state);
    let parked = parked.map(|parked| v1::Parked { continues_at_epoch_ms: status.continues_at_ms, ..parked });
    v1::GetAgentStateResponse {
        agent: agent.into(),
        state: status.state.name().into(),
        since_seq: status.since_seq,
        screen_seq,
        detection_tier: status.source.map(tier).unwrap_or_default(),
        prompt: status.state.prompt().map(prompt),
        idle_grace_remaining_secs: status.idle_grace.map(|grace| grace.as_secs_f32()),
        source: status.source.map(|source| source.name().into()),
        reason: status.reason.clone(),
        state_seq: status.seq,
        session_id: status.session_id.clone(),
        model: status.model.clone(),
        last_message: status.last_message.clone(),
        queued: u32::try_from(status.queued).unwrap_or(u32::MAX),
        error,
        parked,
        capabilities: Some(capabilities(status.can)),
        usage: Some(usage(status.spent.usage)),
        cost: status.spent.cost.map(cost),
        context: status.spent.context.map(context),
    }
}

pub(super) fn state_change(
    prev: &str,
    next: &State,
    seq: u64,
    source: Option<Source>,
    reason: String,
) -> v1::StateChangeEvent {
    let (error, parked) = failure(next);
    v1::StateChangeEvent {
        prev: prev.into(),
        next: next.name().into(),
        prompt: next.prompt().map(prompt),
        source: source.map(|source| source.name().into()),
        reason,
        state_seq: seq,
        error,
        parked,
    }
}

/// An event as `StreamState` sends it, if it is one.
#[must_use]
pub fn state_event(event: v1::Event) -> Option<v1::AgentStateEvent> {
    let Some(v1::event::Body::StateChange(change)) = event.body else { return None };
    let v1::StateChangeEvent { prev, next, prompt, source, reason, .. } = change;
    Some(v1::AgentStateEvent { prev, next, seq: event.seq, prompt, source, reason })
}

/// An event as `StreamTranscriptEvents` sends it, if it is one.
#[must_use]
pub fn transcript_event(event: v1::Event) -> Option<v1::TranscriptEvent> {
    match event.body? {
        v1::event::Body::TranscriptSaved(v1::TranscriptSavedEvent { number, lines, at_ms }) => {
            Some(v1::TranscriptEvent { number, lines, at_ms, seq: event.seq })
        }
        _ => None,
    }
}

#[must_use]
pub fn prompt(prompt: &Prompt) -> v1::PromptContext {
    let context = &prompt.context;
    let mut wire = v1::PromptContext {
        r#type: context.kind().into(),
        subtype: context.subtype().map(str::to_owned),
        tool: context.tool().map(str::to_owned),
        input: context.input().map(preview),
        input_full: context.input().map(Value::to_string),
        options: labels(context.options()),
        option_details: details(context.options()),
        ready: prompt.ready,
        prompt_id: prompt.id.0.clone(),
        by_hook: prompt.by_hook,
        digest: context.digest(),
        ..v1::PromptContext::default()
    };
    match context {
        PromptContext::Permission(permission) => {
            let known = permission.known_input();
            wire.input = known.as_ref().map(|(input, _)| preview(input));
            wire.input_full = known.as_ref().map(|(input, _)| input.to_string());
            wire.input_seen = known.is_some_and(|(_, seen)| seen);
            wire.options_fallback = permission.options_fallback;
            wire.message.clone_from(&permission.message);
        }
        PromptContext::Plan(plan) => {
            wire.options_fallback = plan.options_fallback;
            wire.summary.clone_from(&plan.plan);
        }
        PromptContext::Question(asked) => {
            wire.questions = asked.questions.iter().map(question).collect();
            wire.question_current = u32::try_from(asked.current).unwrap_or(u32::MAX);
            wire.question = asked.questions.get(asked.current).map(|current| current.question.clone());
        }
        PromptContext::Setup(setup) => {
            wire.input.clone_from(&setup.url);
            wire.message.clone_from(&setup.message);
        }
    }
    wire
}

#[must_use]
pub fn explanation(explanation: Explanation) -> v1::ExplainResponse {
    let all = |judged: Vec<Judged>| judged.into_iter().map(evidence).collect();
    v1::ExplainResponse {
        state: explanation.state,
        rule: explanation.rule,
        reason: explanation.reason,
        for_ms: explanation.for_ms,
        sources: all(explanation.sources),
        recent: all(explanation.recent),
        ..v1::ExplainResponse::default()
    }
}

pub fn nudge(request: v1::NudgeRequest) -> Result<Nudge, ApiError> {
    if request.message.trim().is_empty() {
        return Err(ApiError::bad_request("There is nothing to say: `message` is empty."));
    }
    let when = match request.when.as_deref() {
        None | Some("idle-only") => When::IdleOnly,
        Some("idle") => When::Idle,
        Some("now") => When::Now,
        Some(other) => return Err(no_such("when", other, "idle-only, idle or now")),
    };
    let wait = match request.wait.as_deref() {
        None | Some("delivered") => WaitFor::Delivered,
        Some("turn_end") => WaitFor::TurnEnd,
        Some(other) => return Err(no_such("wait", other, "delivered or turn_end")),
    };
    Ok(Nudge {
        message: request.message,
        when,
        wait,
        timeout: request.timeout_secs.map(|secs| Duration::from_secs(secs.into())),
        command: request.command,
        replace_draft: request.replace_draft,
    })
}

#[must_use]
pub fn nudged(nudged: Nudged) -> v1::NudgeResponse {
    v1::NudgeResponse {
        delivered: nudged.delivered,
        state_before: nudged.state_before,
        reason: nudged.reason,
        receipt: nudged.receipt.map(receipt),
        queued: nudged.queued,
        state_after: nudged.state_after,
        last_message: nudged.last_message,
    }
}

pub(super) fn receipt(receipt: Receipt) -> v1::Receipt {
    v1::Receipt {
        how: receipt.how.name().into(),
        after_ms: u64::try_from(receipt.after.as_millis()).unwrap_or(u64::MAX),
    }
}

/// `by` is who answers.
pub fn respond(request: v1::RespondRequest, by: String) -> Result<Respond, ApiError> {
    let v1::RespondRequest { accept, option, text, answers, scope, prompt_id, updated_input, unseen, digest } = request;
    if accept.is_none() && option.is_none() && text.is_none() && answers.is_empty() {
        let detail = "There is no answer: give `accept`, `option`, `text` or `answers`.";
        return Err(ApiError::bad_request(detail));
    }
    if option == Some(0) || answers.iter().any(|answer| answer.options.contains(&0)) {
        return Err(ApiError::bad_request("Options are counted from 1."));
    }
    let scope = match scope.as_deref() {
        None | Some("once") => Scope::Once,
        Some("session") => Scope::Session,
        Some("path") => Scope::Path,
        Some(other) => return Err(no_such("scope", other, "once, session or path")),
    };
    let updated_input = updated_input.map(|text| json("updated_input", &text)).transpose()?;
    let answers = answers.into_iter().map(|answer| Answer { options: answer.options, text: answer.text }).collect();
    let prompt = prompt_id.map(PromptId);
    Ok(Respond { prompt, accept, option, text, answers, scope, pattern: None, updated_input, unseen, digest, by })
}

#[must_use]
pub fn responded(responded: Responded) -> v1::RespondResponse {
    v1::RespondResponse {
        delivered: responded.delivered,
        prompt_type: responded.kind.into(),
        reason: responded.reason,
        prompt_id: responded.prompt.0,
        via: responded.via.name().into(),
    }
}

/// JSON that came as text.
pub fn json(field: &str, text: &str) -> Result<Value, ApiError> {
    serde_json::from_str(text).map_err(|error| ApiError::bad_request(format!("`{field}` is not JSON: {error}.")))
}

pub fn stop_config(config: v1::StopConfig) -> Result<StopConfig, ApiError> {
    let mode = match config.mode.as_str() {
        "" | "allow" => StopMode::Allow,
        "auto" => StopMode::Auto,
        "gate" => StopMode::Gate,
        other => return Err(no_such("mode", other, "allow, auto or gate")),
    };
    Ok(StopConfig { mode, prompt: config.prompt })
}

#[must_use]
pub fn stop_config_reply(config: StopConfig) -> v1::StopConfig {
    let mode = match config.mode {
        StopMode::Allow => "allow",
        StopMode::Auto => "auto",
        StopMode::Gate => "gate",
    };
    v1::StopConfig { mode: mode.into(), prompt: config.prompt }
}

pub fn start_config(config: v1::StartConfig) -> Result<StartConfig, ApiError> {
    let causes = ["startup", "resume", "clear", "compact"];
    if let Some(other) = config.event.keys().find(|cause| !causes.contains(&cause.as_str())) {
        return Err(no_such("event", other, "startup, resume, clear or compact"));
    }
    let part = |part: v1::StartPart| StartPart { text: part.text, shell: part.shell };
    let event = config.event.into_iter().map(|(cause, own)| (cause, part(own))).collect();
    Ok(StartConfig { text: config.text, shell: config.shell, event })
}

#[must_use]
pub fn start_config_reply(config: StartConfig) -> v1::StartConfig {
    let part = |part: StartPart| v1::StartPart { text: part.text, shell: part.shell };
    let event = config.event.into_iter().map(|(cause, own)| (cause, part(own))).collect();
    v1::StartConfig { text: config.text, shell: config.shell, event }
}

pub fn groom(config: &v1::GroomConfig) -> Result<Groom, ApiError> {
    match config.level.as_str() {
        "auto" => Ok(Groom::Auto),
        "manual" => Ok(Groom::Manual),
        "pristine" => Ok(Groom::Pristine),
        other => Err(no_such("level", other, "auto, manual or pristine")),
    }
}

#[must_use]
pub fn groom_reply(groom: Groom) -> v1::GroomConfig {
    let level = match groom {
        Groom::Auto => "auto",
        Groom::Manual => "manual",
        Groom::Pristine => "pristine",
    };
    v1::GroomConfig { level: level.into() }
}

#[must_use]
pub fn lifted(config: v1::LiftedConfig) -> LiftedConfig {
    let message = config.message.unwrap_or_else(|| LiftedConfig::default().message);
    LiftedConfig { enabled: config.enabled, message }
}

#[must_use]
pub fn lifted_reply(config: LiftedConfig) -> v1::LiftedConfig {
    v1::LiftedConfig { enabled: config.enabled, message: Some(config.message) }
}

pub(super) fn usage_event(spent: Spent) -> v1::UsageEvent {
    let Spent { usage: used, cost: costs, context: filled } = spent;
    v1::UsageEvent { usage: Some(usage(used)), cost: costs.map(cost), context: filled.map(context) }
}

#[must_use]
pub fn context(context: Context) -> v1::Context {
    v1::Context { tokens: context.tokens, window: context.window }
}

#[must_use]
pub fn usage(usage: Usage) -> v1::Usage {
    v1::Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
    }
}

#[must_use]
#[allow(clippy::cast_precision_loss, reason = "dollars for people")]
pub fn cost(cost: Cost) -> v1::Cost {
    v1::Cost { usd: cost.picodollars as f64 / DOLLAR as f64, estimate: cost.estimate }
}

#[must_use]
pub fn entry(entry: Entry) -> v1::ConversationEntry {
    let mut wire = v1::ConversationEntry {
        line: entry.line,
        index: entry.index,
        id: entry.id,
        timestamp: entry.timestamp,
        agent: entry.agent,
        ..v1::ConversationEntry::default()
    };
    let kind = match entry.kind {
        EntryKind::User { text } => said(&mut wire, "user", text),
        EntryKind::Assistant { text } => said(&mut wire, "assistant", text),
        EntryKind::Thinking { text } => said(&mut wire, "thinking", text),
        EntryKind::Error { text } => said(&mut wire, "error", text),
        EntryKind::ToolCall { tool_id, tool, input } => {
            (wire.tool_id, wire.tool, wire.input) = (tool_id, Some(tool), Some(input.to_string()));
            "tool_call"
        }
        EntryKind::ToolResult { tool_id, text, is_error } => {
            (wire.tool_id, wire.is_error) = (tool_id, is_error);
            said(&mut wire, "tool_result", text)
        }
        EntryKind::Image { tool_id, media_type, data } => {
            (wire.tool_id, wire.media_type, wire.data) = (tool_id, Some(media_type), data);
            "image"
        }
        EntryKind::Interrupted => "interrupted",
        EntryKind::Compaction { text } => {
            wire.text = text;
            "compaction"
        }
        EntryKind::Unknown { value } => {
            wire.value = Some(value.to_string());
            "unknown"
        }
    };
    wire.kind = kind.into();
    wire
}

/// The same without the bytes of pictures, unless somebody wants them.
#[must_use]
pub fn entries(entries: Vec<Entry>, images: bool) -> Vec<v1::ConversationEntry> {
    let bare = |wire: v1::ConversationEntry| v1::ConversationEntry { data: wire.data.filter(|_| images), ..wire };
    entries.into_iter().map(entry).map(bare).collect()
}

fn said(wire: &mut v1::ConversationEntry, kind: &'static str, text: String) -> &'static str {
    wire.text = Some(text);
    kind
}

fn tier(source: Source) -> String {
    format!("{}-{}", source.tier(), source.name())
}

fn evidence(judged: Judged) -> v1::Evidence {
    v1::Evidence {
        source: judged.source.name().into(),
        tier: judged.source.tier().into(),
        ago_ms: judged.ago_ms,
        fact: judged.fact,
        turn: judged.turn,
        accepted: judged.accepted,
        rule: judged.rule,
        reason: judged.reason,
    }
}

fn failure(state: &State) -> (Option<v1::AgentError>, Option<v1::Parked>) {
    match state {
        State::Error(Failure { kind, detail, .. }) => {
            (Some(v1::AgentError { kind: kind.clone(), detail: detail.clone() }), None)
        }
        State::Parked(failure) => {
            let reason = if failure.detail.is_empty() { &failure.kind } else { &failure.detail };
            let resume_at_epoch_ms = failure.resume_at_ms;
            (None, Some(v1::Parked { reason: reason.clone(), resume_at_epoch_ms, continues_at_epoch_ms: None }))
        }
        _ => (None, None),
    }
}

fn capabilities(can: Capabilities) -> v1::Capabilities {
    v1::Capabilities {
        nudge: can.nudge,
        nudge_while_working: can.nudge_while_working,
        respond_by_keys: can.respond_by_keys,
        respond_by_hook: can.respond_by_hook,
        interrupt: can.interrupt,
        conversation: can.conversation,
        stop_gate: can.stop_gate,
    }
}

fn question(question: &Question) -> v1::QuestionContext {
    v1::QuestionContext {
        question: question.question.clone(),
        header: question.header.clone(),
        multi_select: question.multi_select,
        options: labels(&question.options),
        option_details: details(&question.options),
    }
}

fn labels(choices: &[Choice]) -> Vec<String> {
    choices.iter().map(|choice| choice.label.clone()).collect()
}

fn details(choices: &[Choice]) -> Vec<v1::PromptOption> {
    let detail = |choice: &Choice| v1::PromptOption {
        label: choice.label.clone(),
        description: choice.description.clone(),
        meaning: meaning(choice.meaning).into(),
    };
    choices.iter().map(detail).collect()
}

fn meaning(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Allow => "allow",
        Meaning::AllowSession => "allow_session",
        Meaning::AllowProject => "allow_project",
        Meaning::Deny => "deny",
        Meaning::DenyWithText => "deny_with_text",
        Meaning::Answer => "answer",
        Meaning::Text => "text",
        Meaning::Chat => "chat",
    }
}

/// What the tool is about to do, in few words.
fn preview(input: &Value) -> String {
    let telling = TELLING.iter().find_map(|field| input.get(field)?.as_str());
    let whole = telling.map_or_else(|| input.to_string(), str::to_owned);
    match whole.char_indices().nth(PREVIEW) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

fn no_such(field: &str, given: &str, known: &str) -> ApiError {
    ApiError::bad_request(format!("There is no `{field}` called `{given}`: it is {known}."))
}

#[cfg(test)]
mod tests;
