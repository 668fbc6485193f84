//! What agents' hooks tell.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use coop_api::{ApiError, Problem, hook as wire};
use coop_hub::HookCall;
use serde_json::{Value, json};

use super::{Hub, hub_error};
use crate::app::Caller;
use crate::http::agent::age;
use crate::http::extract::{bytes_up_to, json};
use crate::http::problem::HttpError;

/// Longer than any name an agent has for a hook.
const MAX_EVENT: usize = 64;

/// A hook of an agent calls
///
/// The body is what the agent gave the hook, as it is; the reply is what the hook prints, or empty with status 204. It
/// may take as long as a person does to answer.
#[utoipa::path(
    post,
    path = "/api/v1/hooks/{event}",
    tag = "ingest",
    params(
        ("event" = String, Path, description = "As the agent names it, for example `PermissionRequest` or `permission_request`"),
        ("X-Coop-Agent" = Option<String>, Header, description = "Whose hook it is, for example `codex` [default: `claude`]"),
        ("X-Coop-Age-Us" = Option<u64>, Header, description = "Microseconds since the hook was started"),
    ),
    request_body = Value,
    responses(
        (status = 200, body = Value),
        (status = 204, description = "There is nothing to print"),
        (status = "default", body = Problem, content_type = "application/problem+json")
    )
)]
pub(super) async fn hook(
    State(hub): State<Hub>,
    caller: Caller,
    Path(event): Path<String>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, HttpError> {
    let payload = json(&bytes_up_to(wire::MAX_BODY, request).await?)?;
    let event = name(&event)?;
    let age = Duration::from_micros(age(&headers)?);
    let agent = agent(&headers)?;
    let call = HookCall { event, payload, age, agent, pid: caller.peer.pid, network: caller.peer.tcp, confirms: true };
    let decision = hub.ask(call).await.map_err(hub_error)?;
    Ok(match decision.body {
        Some(body) => Json(body).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

fn name(given: &str) -> Result<String, ApiError> {
    let event = wire::event_name(given);
    let fine = !event.is_empty() && event.len() <= MAX_EVENT && event.bytes().all(|byte| byte.is_ascii_alphanumeric());
    fine.then_some(event).ok_or_else(|| {
        ApiError::bad_request("There is no such hook.").with_hint("Names are those of the agent, for example `Stop`.")
    })
}

fn agent(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let Some(value) = headers.get(wire::AGENT_HEADER) else { return Ok(None) };
    let known = value.to_str().ok().filter(|name| coop_hub::knows(name));
    let unknown = || ApiError::bad_request("`X-Coop-Agent` is no agent that coop knows.");
    known.map(|name| Some(name.to_owned())).ok_or_else(unknown)
}

/// What happened to an agent, in fewer words
///
/// `event_type` is `session_start`, `prompt_submit`, `tool_start`, `tool_call` or `stop`. The rest is what the hook was
/// told: `session_id`, `cwd`, `tool_name`, `tool_input`, `transcript_path`, `git_branch`, and the `error` of a stop.
#[utoipa::path(post, path = "/events", tag = "ingest", request_body = Value, responses((status = 200, body = Value), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn event(State(hub): State<Hub>, caller: Caller, request: Request) -> Result<Json<Value>, HttpError> {
    let payload: Value = json(&bytes_up_to(wire::MAX_BODY, request).await?)?;
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    let kind = text("event_type").or_else(|| text("type")).unwrap_or_default();
    let failed = payload.get("error").is_some_and(|error| !error.is_null());
    let event = match kind {
        "session_start" => "SessionStart",
        "prompt_submit" => "UserPromptSubmit",
        "tool_start" => "PreToolUse",
        "tool_call" => "PostToolUse",
        "stop" if failed => "StopFailure",
        "stop" => "Stop",
        other => {
            let known = "session_start, prompt_submit, tool_start, tool_call or stop";
            return Err(ApiError::bad_request(format!("There is no event `{other}`: it is {known}.")).into());
        }
    };
    if text("session_id").is_none_or(str::is_empty) {
        return Err(ApiError::bad_request("`session_id` is missing.").into());
    }
    let (event, age, pid) = (event.into(), Duration::ZERO, caller.peer.pid);
    let call = HookCall { event, payload, age, agent: None, pid, network: caller.peer.tcp, confirms: true };
    hub.ask(call).await.map_err(hub_error)?;
    Ok(Json(json!({ "ok": true })))
}
