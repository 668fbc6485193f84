//! The agent's own calls, and what decides whether it may stop and what it is told.

use std::time::Duration;

use coop_api::convert::agent as convert;
use coop_api::v1::{
    GroomConfig, HookRequest, HookResponse, LiftedConfig, ResolveStopRequest, ResolveStopResponse, StartConfig,
    StopConfig,
};
use coop_api::{ApiError, hook};
use coop_session::{HookCall, HookReply};
use serde_json::Value;

use crate::app::{App, session_error};

/// Longer than any name an agent has for a hook.
const MAX_EVENT: usize = 64;

/// Returns when there is an answer. A client that goes away takes its question with it.
pub(super) async fn hook(app: &App, request: HookRequest) -> Result<HookResponse, ApiError> {
    let event = hook::event_name(&request.event);
    if event.is_empty() || event.len() > MAX_EVENT || !event.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let detail = format!("There is no hook `{}`.", request.event);
        return Err(ApiError::bad_request(detail).with_hint("Names are those of the agent, for example `Stop`."));
    }
    let call = HookCall {
        event,
        payload: parse("payload", request.payload)?,
        age: Duration::from_micros(request.age_us),
        answerable: true,
    };
    let HookReply { body, shell } = app.session.hook(call).await.map_err(session_error)?;
    Ok(HookResponse { body: body.map(|body| body.to_string()), shell })
}

pub(super) async fn resolve_stop(app: &App, request: ResolveStopRequest) -> Result<ResolveStopResponse, ApiError> {
    let body = parse("body", request.body)?;
    app.session.resolve_stop(body).await.map_err(session_error)?;
    Ok(ResolveStopResponse { resolved: true })
}

pub(super) async fn stop_config(app: &App, set: Option<StopConfig>) -> Result<StopConfig, ApiError> {
    let set = set.map(convert::stop_config).transpose()?;
    Ok(convert::stop_config_reply(app.session.stop_config(set).await.map_err(session_error)?))
}

pub(super) async fn start_config(app: &App, set: Option<StartConfig>) -> Result<StartConfig, ApiError> {
    let set = set.map(convert::start_config).transpose()?;
    Ok(convert::start_config_reply(app.session.start_config(set).await.map_err(session_error)?))
}

pub(super) async fn groom(app: &App, set: Option<GroomConfig>) -> Result<GroomConfig, ApiError> {
    let set = set.as_ref().map(convert::groom).transpose()?;
    Ok(convert::groom_reply(app.session.groom(set).await.map_err(session_error)?))
}

pub(super) async fn lifted(app: &App, set: Option<LiftedConfig>) -> Result<LiftedConfig, ApiError> {
    let set = set.map(convert::lifted);
    Ok(convert::lifted_reply(app.session.lifted(set).await.map_err(session_error)?))
}

fn parse(field: &str, text: Option<String>) -> Result<Value, ApiError> {
    text.map_or(Ok(Value::Null), |text| convert::json(field, &text))
}
