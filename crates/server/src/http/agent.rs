//! One route per request of the catalogue that is about the agent.

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use coop_api::v1::{
    CatchupTranscriptsRequest, CatchupTranscriptsResponse, ExplainRequest, ExplainResponse, GetAgentStateRequest,
    GetAgentStateResponse, GetConversationRequest, GetConversationResponse, GetGroomConfigRequest,
    GetLiftedConfigRequest, GetRecordingConfigRequest, GetStartConfigRequest, GetStopConfigRequest,
    GetTranscriptRequest, GetTranscriptResponse, GroomConfig, HookRequest, InterruptRequest, InterruptResponse,
    LiftedConfig, ListTranscriptsRequest, ListTranscriptsResponse, NudgeRequest, NudgeResponse, Recording,
    RecordingConfig, ResolveStopRequest, ResolveStopResponse, RespondRequest, RespondResponse, StartConfig, StopConfig,
    WaitRequest, WaitResponse,
};
use coop_api::ws::{Reply, Request as ApiRequest};
use coop_api::{ApiError, Problem, hook as wire};

use super::extract::{Body, Params, bytes, bytes_up_to, text};
use super::problem::HttpError;
use super::routes::{Answer, reply};
use crate::app::{App, Caller};
use crate::handler;

/// What the agent is doing
#[utoipa::path(get, path = "/api/v1/agent/state", tag = "agent", responses((status = 200, body = GetAgentStateResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn state(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetAgentStateRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::StateRequest(request)).await
}

/// Why that is believed
#[utoipa::path(get, path = "/api/v1/agent/explain", tag = "agent", params(ExplainRequest), responses((status = 200, body = ExplainResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn explain(State(app): State<App>, caller: Caller, Params(request): Params<ExplainRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::ExplainRequest(request)).await
}

/// Say something to the agent
///
/// Refused with `AGENT_BUSY` unless it is idle, or `when` says otherwise. `delivered` means that the agent has it, and
/// `receipt` says how that is known.
#[utoipa::path(post, path = "/api/v1/agent/nudge", tag = "agent", request_body = NudgeRequest, responses((status = 200, body = NudgeResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn nudge(State(app): State<App>, caller: Caller, Body(request): Body<NudgeRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Nudge(request)).await
}

/// Answer what the agent asks
#[utoipa::path(post, path = "/api/v1/agent/respond", tag = "agent", request_body = RespondRequest, responses((status = 200, body = RespondResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn respond(State(app): State<App>, caller: Caller, Body(request): Body<RespondRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Respond(request)).await
}

/// Stop what the agent is doing
#[utoipa::path(post, path = "/api/v1/agent/interrupt", tag = "agent", request_body = InterruptRequest, responses((status = 200, body = InterruptResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn interrupt(State(app): State<App>, caller: Caller, Body(request): Body<InterruptRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Interrupt(request)).await
}

/// Wait until the agent is in a state
#[utoipa::path(get, path = "/api/v1/agent/wait", tag = "agent", params(WaitRequest), responses((status = 200, body = WaitResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn wait(State(app): State<App>, caller: Caller, Params(request): Params<WaitRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Wait(request)).await
}

/// What was said and done
#[utoipa::path(get, path = "/api/v1/conversation", tag = "agent", params(GetConversationRequest), responses((status = 200, body = GetConversationResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn conversation(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetConversationRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::ConversationRequest(request)).await
}

/// A hook of the agent calls
///
/// The body is what the agent gave the hook, as it is; the reply is what the hook prints, or empty with status 204. It
/// may take as long as a person does to answer. The token of the hooks is enough here, and only here.
#[utoipa::path(
    post,
    path = "/api/v1/hooks/{event}",
    tag = "hooks",
    params(
        ("event" = String, Path, description = "As the agent names it, for example `PermissionRequest` or `permission_request`"),
        ("X-Coop-Age-Us" = Option<u64>, Header, description = "Microseconds since the hook was started"),
    ),
    request_body = serde_json::Value,
    responses(
        (status = 200, body = serde_json::Value, headers(("Coop-Shell" = Option<String>, description = "Commands whose output the hook adds, as a JSON list"))),
        (status = 204, description = "There is nothing to print"),
        (status = "default", body = Problem, content_type = "application/problem+json")
    )
)]
pub(super) async fn hook(
    State(app): State<App>,
    caller: Caller,
    Path(event): Path<String>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, HttpError> {
    let payload = text(&bytes_up_to(wire::MAX_BODY, request).await?)?;
    let request = HookRequest { event, payload, age_us: age(&headers)? };
    let Reply::Hook(reply) = handler::handle(&app, &caller, ApiRequest::Hook(request)).await? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let mut response = match reply.body {
        Some(body) => ([(axum::http::header::CONTENT_TYPE, "application/json")], body).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    };
    if !reply.shell.is_empty()
        && let Ok(commands) = HeaderValue::try_from(wire::shell_header(&reply.shell))
    {
        response.headers_mut().insert(wire::SHELL_HEADER, commands);
    }
    Ok(response)
}

/// The work is done: the agent may stop
///
/// The body says how it went, as any JSON.
#[utoipa::path(post, path = "/api/v1/stop/resolve", tag = "hooks", request_body = serde_json::Value, responses((status = 200, body = ResolveStopResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn stop_resolve(State(app): State<App>, caller: Caller, request: Request) -> Answer {
    let body = text(&bytes(request).await?)?;
    reply(&app, &caller, ApiRequest::StopResolve(ResolveStopRequest { body })).await
}

/// Whether the agent may stop
#[utoipa::path(get, path = "/api/v1/config/stop", tag = "config", responses((status = 200, body = StopConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn stop_config(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetStopConfigRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::StopConfigRequest(request)).await
}

/// Set whether the agent may stop
#[utoipa::path(put, path = "/api/v1/config/stop", tag = "config", request_body = StopConfig, responses((status = 200, body = StopConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn put_stop_config(State(app): State<App>, caller: Caller, Body(set): Body<StopConfig>) -> Answer {
    reply(&app, &caller, ApiRequest::StopConfig(set)).await
}

/// What the agent is told when a session begins
#[utoipa::path(get, path = "/api/v1/config/start", tag = "config", responses((status = 200, body = StartConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn start_config(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetStartConfigRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::StartConfigRequest(request)).await
}

/// Set what the agent is told when a session begins
#[utoipa::path(put, path = "/api/v1/config/start", tag = "config", request_body = StartConfig, responses((status = 200, body = StartConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn put_start_config(State(app): State<App>, caller: Caller, Body(set): Body<StartConfig>) -> Answer {
    reply(&app, &caller, ApiRequest::StartConfig(set)).await
}

/// What is done about dialogs at the agent's start
#[utoipa::path(get, path = "/api/v1/config/groom", tag = "config", responses((status = 200, body = GroomConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn groom_config(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetGroomConfigRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::GroomConfigRequest(request)).await
}

/// Set what is done about dialogs at the agent's start
#[utoipa::path(put, path = "/api/v1/config/groom", tag = "config", request_body = GroomConfig, responses((status = 200, body = GroomConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn put_groom_config(State(app): State<App>, caller: Caller, Body(set): Body<GroomConfig>) -> Answer {
    reply(&app, &caller, ApiRequest::GroomConfig(set)).await
}

/// Whether coop tells a parked agent to go on when its limit lifts
#[utoipa::path(get, path = "/api/v1/config/lifted", tag = "config", responses((status = 200, body = LiftedConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn lifted_config(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetLiftedConfigRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::LiftedConfigRequest(request)).await
}

/// Set whether coop tells a parked agent to go on when its limit lifts
#[utoipa::path(put, path = "/api/v1/config/lifted", tag = "config", request_body = LiftedConfig, responses((status = 200, body = LiftedConfig), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn put_lifted_config(State(app): State<App>, caller: Caller, Body(set): Body<LiftedConfig>) -> Answer {
    reply(&app, &caller, ApiRequest::LiftedConfig(set)).await
}

/// Whether the session records itself, and how far that is
#[utoipa::path(get, path = "/api/v1/config/recording", tag = "config", responses((status = 200, body = Recording), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn recording_config(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetRecordingConfigRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::RecordingConfigRequest(request)).await
}

/// Let the session record itself, to a file in coop's own folder, or end that
#[utoipa::path(put, path = "/api/v1/config/recording", tag = "config", request_body = RecordingConfig, responses((status = 200, body = Recording), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn put_recording_config(
    State(app): State<App>,
    caller: Caller,
    Body(set): Body<RecordingConfig>,
) -> Answer {
    reply(&app, &caller, ApiRequest::RecordingConfig(set)).await
}

/// Conversations that were kept before they were shortened
#[utoipa::path(get, path = "/api/v1/transcripts", tag = "transcripts", responses((status = 200, body = ListTranscriptsResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn transcripts(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<ListTranscriptsRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::TranscriptList(request)).await
}

/// One of them
#[utoipa::path(get, path = "/api/v1/transcripts/{number}", tag = "transcripts", params(("number" = u64, Path, description = "From 1")), responses((status = 200, body = GetTranscriptResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn transcript(State(app): State<App>, caller: Caller, Path(number): Path<String>) -> Answer {
    let number = number.parse().map_err(|_| ApiError::bad_request(format!("`{number}` is not a number.")))?;
    reply(&app, &caller, ApiRequest::TranscriptGet(GetTranscriptRequest { number })).await
}

/// Transcripts and lines since those that were seen
#[utoipa::path(get, path = "/api/v1/transcripts/catchup", tag = "transcripts", params(CatchupTranscriptsRequest), responses((status = 200, body = CatchupTranscriptsResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn transcripts_catchup(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<CatchupTranscriptsRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::TranscriptCatchup(request)).await
}

/// How long ago a hook was started, in microseconds.
pub(crate) fn age(headers: &HeaderMap) -> Result<u64, ApiError> {
    let Some(value) = headers.get(wire::AGE_HEADER) else { return Ok(0) };
    let number = value.to_str().ok().and_then(|value| value.parse().ok());
    number.ok_or_else(|| ApiError::bad_request("`X-Coop-Age-Us` is a number of microseconds."))
}
