//! One route per request of the catalogue.

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use coop_api::Problem;
use coop_api::v1::{
    GetEventsRequest, GetEventsResponse, GetHealthRequest, GetHealthResponse, GetOutputRequest, GetOutputResponse,
    GetScreenRequest, GetScreenResponse, GetScreenSvgRequest, GetScreenTextRequest, GetStatusRequest,
    GetStatusResponse, LeaseRequest, LeaseResponse, ResizeRequest, ResizeResponse, RestartRequest, RestartResponse,
    ResumeRequest, ResumeResponse, SendInputRawRequest, SendInputRawResponse, SendInputRequest, SendInputResponse,
    SendKeysRequest, SendKeysResponse, SendSignalRequest, SendSignalResponse, ShutdownRequest, ShutdownResponse,
};
use coop_api::ws::{Reply, Request as ApiRequest};

use super::OUTPUT_HEADERS;
use super::extract::{Body, Params, bytes};
use super::problem::HttpError;
use crate::app::{App, Caller};
use crate::handler;

const OCTETS: &str = "application/octet-stream";

/// The reply's own JSON.
pub(super) async fn reply(app: &App, caller: &Caller, request: ApiRequest) -> Result<Json<Reply>, HttpError> {
    Ok(Json(handler::handle(app, caller, request).await?))
}

pub(super) type Answer = Result<Json<Reply>, HttpError>;

/// Whether the session is well
#[utoipa::path(get, path = "/api/v1/health", tag = "probes", responses((status = 200, body = GetHealthResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn health(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetHealthRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::HealthRequest(request)).await
}

/// The program and its terminal in numbers
#[utoipa::path(get, path = "/api/v1/status", tag = "terminal", responses((status = 200, body = GetStatusResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn status(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetStatusRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::StatusRequest(request)).await
}

/// The screen
#[utoipa::path(get, path = "/api/v1/screen", tag = "terminal", params(GetScreenRequest), responses((status = 200, body = GetScreenResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn screen(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetScreenRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::ScreenRequest(request)).await
}

/// The screen as plain text
#[utoipa::path(get, path = "/api/v1/screen/text", tag = "terminal", params(coop_api::v1::GetScreenTextRequest), responses((status = 200, body = String, content_type = "text/plain"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn screen_text(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetScreenTextRequest>,
) -> Result<Response, HttpError> {
    let reply = handler::handle(&app, &caller, ApiRequest::ScreenTextRequest(request)).await?;
    let text = if let Reply::ScreenText(reply) = reply { reply.text } else { String::new() };
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// A picture of the screen
#[utoipa::path(get, path = "/api/v1/screen/svg", tag = "terminal", responses((status = 200, body = String, content_type = "image/svg+xml"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn screen_svg(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetScreenSvgRequest>,
) -> Result<Response, HttpError> {
    let reply = handler::handle(&app, &caller, ApiRequest::ScreenSvgRequest(request)).await?;
    let svg = if let Reply::ScreenSvg(reply) = reply { reply.svg } else { String::new() };
    // The picture holds text of the program inside; nothing in it may run.
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        (axum::http::header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
    ];
    Ok((headers, svg).into_response())
}

/// Raw output
///
/// As JSON with base64, or as bytes for `Accept: application/octet-stream`, with the offsets in the headers
/// `Coop-Offset`, `Coop-Next-Offset`, `Coop-Generation` and `Coop-Lost`.
#[utoipa::path(get, path = "/api/v1/output", tag = "terminal", params(GetOutputRequest), responses((status = 200, content((GetOutputResponse = "application/json"), (Vec<u8> = "application/octet-stream"))), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn output(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Params(request): Params<GetOutputRequest>,
) -> Result<Response, HttpError> {
    let reply = handler::handle(&app, &caller, ApiRequest::OutputRequest(request)).await?;
    match reply {
        Reply::Output(output) if names(&headers, ACCEPT.as_str(), OCTETS) => {
            let values = [output.offset, output.next_offset, output.generation, output.lost];
            let offsets: HeaderMap = OUTPUT_HEADERS.into_iter().zip(values.map(HeaderValue::from)).collect();
            Ok(([(CONTENT_TYPE, OCTETS)], offsets, output.data).into_response())
        }
        reply => Ok(Json(reply).into_response()),
    }
}

/// Where output goes on, and the bytes that paint the screen before it
#[utoipa::path(get, path = "/api/v1/resume", tag = "terminal", params(ResumeRequest), responses((status = 200, body = ResumeResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn resume(State(app): State<App>, caller: Caller, Params(request): Params<ResumeRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Resume(request)).await
}

/// Type text
#[utoipa::path(post, path = "/api/v1/input", tag = "terminal", request_body = SendInputRequest, responses((status = 200, body = SendInputResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn input(State(app): State<App>, caller: Caller, Body(request): Body<SendInputRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Input(request)).await
}

/// Write bytes as they are
///
/// As JSON with base64, or as bytes with `Content-Type: application/octet-stream`.
#[utoipa::path(post, path = "/api/v1/input/raw", tag = "terminal", request_body(content((SendInputRawRequest = "application/json"), (Vec<u8> = "application/octet-stream"))), responses((status = 200, body = SendInputRawResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn input_raw(State(app): State<App>, caller: Caller, request: Request) -> Answer {
    let request = if names(request.headers(), CONTENT_TYPE.as_str(), OCTETS) {
        SendInputRawRequest { data: bytes(request).await?.into(), lease: None }
    } else {
        Body::from_request(request, &app).await?.0
    };
    reply(&app, &caller, ApiRequest::InputRaw(request)).await
}

/// Press keys
#[utoipa::path(post, path = "/api/v1/input/keys", tag = "terminal", request_body = SendKeysRequest, responses((status = 200, body = SendKeysResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn keys(State(app): State<App>, caller: Caller, Body(request): Body<SendKeysRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Keys(request)).await
}

/// Change the size of the terminal
#[utoipa::path(post, path = "/api/v1/resize", tag = "terminal", request_body = ResizeRequest, responses((status = 200, body = ResizeResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn resize(State(app): State<App>, caller: Caller, Body(request): Body<ResizeRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Resize(request)).await
}

/// Send a signal
#[utoipa::path(post, path = "/api/v1/signal", tag = "terminal", request_body = SendSignalRequest, responses((status = 200, body = SendSignalResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn signal(State(app): State<App>, caller: Caller, Body(request): Body<SendSignalRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Signal(request)).await
}

/// Take, prolong or give back the right to type
#[utoipa::path(post, path = "/api/v1/lease", tag = "terminal", request_body = LeaseRequest, responses((status = 200, body = LeaseResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn lease(State(app): State<App>, caller: Caller, Body(request): Body<LeaseRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Lock(request)).await
}

/// End the program
///
/// It is asked to end, and killed after the time given with `--shutdown-timeout`. Asked again, it is killed at once.
#[utoipa::path(post, path = "/api/v1/shutdown", tag = "lifecycle", request_body = ShutdownRequest, responses((status = 200, body = ShutdownResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn shutdown(State(app): State<App>, caller: Caller, Body(request): Body<ShutdownRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Shutdown(request)).await
}

/// End the program and start it again
///
/// In the same session, with other variables or arguments if they are given, and with the conversation it had. The reply
/// comes when it has been started. Clients stay connected: the state is `restarting` meanwhile, and output goes on as a
/// new generation.
#[utoipa::path(post, path = "/api/v1/session/restart", tag = "lifecycle", request_body = RestartRequest, responses((status = 200, body = RestartResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn restart(State(app): State<App>, caller: Caller, Body(request): Body<RestartRequest>) -> Answer {
    reply(&app, &caller, ApiRequest::Restart(request)).await
}

/// Events after one that was seen
#[utoipa::path(get, path = "/api/v1/events/catchup", tag = "events", params(GetEventsRequest), responses((status = 200, body = GetEventsResponse), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn events_catchup(
    State(app): State<App>,
    caller: Caller,
    Params(request): Params<GetEventsRequest>,
) -> Answer {
    reply(&app, &caller, ApiRequest::EventsRequest(request)).await
}

fn names(headers: &HeaderMap, header: &str, kind: &str) -> bool {
    headers.get(header).and_then(|value| value.to_str().ok()).is_some_and(|value| value.starts_with(kind))
}
