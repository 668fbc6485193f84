//! What the agent does, and telling it something.

use std::time::Duration;

use coop_api::convert::agent as convert;
use coop_api::v1::{
    ExplainRequest, ExplainResponse, GetAgentStateResponse, InterruptResponse, NudgeRequest, NudgeResponse,
    RespondRequest, RespondResponse, WaitRequest, WaitResponse,
};
use coop_api::{ApiError, Code};
use coop_core::agent::State;
use coop_core::agent::state::AgentStatus;

use crate::app::{App, Caller, session_error};

const DEFAULT_WAIT: u32 = 30;
/// Longer than any turn; a client that wants to wait longer asks again.
const MAX_WAIT: u32 = 3600;

pub(super) fn state(app: &App) -> GetAgentStateResponse {
    describe(app, &app.session.agent())
}

pub(super) async fn explain(app: &App, request: &ExplainRequest) -> Result<ExplainResponse, ApiError> {
    let mut explained = convert::explanation(app.session.explain().await.map_err(session_error)?);
    if request.evidence {
        (explained.evidence, explained.forgotten) = app.session.heard().await.map_err(session_error)?;
    }
    Ok(explained)
}

pub(super) async fn nudge(app: &App, caller: &Caller, request: NudgeRequest) -> Result<NudgeResponse, ApiError> {
    let nudge = convert::nudge(request)?;
    app.limit_input(caller)?;
    Ok(convert::nudged(app.session.nudge(nudge).await.map_err(session_error)?))
}

pub(super) async fn respond(app: &App, caller: &Caller, request: RespondRequest) -> Result<RespondResponse, ApiError> {
    let respond = convert::respond(request, format!("a client at {}", caller.peer.key))?;
    app.limit_input(caller)?;
    Ok(convert::responded(app.session.respond(respond).await.map_err(session_error)?))
}

pub(super) async fn interrupt(app: &App, caller: &Caller) -> Result<InterruptResponse, ApiError> {
    app.limit_input(caller)?;
    app.session.interrupt().await.map_err(session_error)?;
    Ok(InterruptResponse { interrupted: true })
}

/// Returns when the agent is in one of the states, when the time is over, or when it never will be: it has exited.
pub(super) async fn wait(app: &App, request: &WaitRequest) -> Result<WaitResponse, ApiError> {
    let states = states(&request.state)?;
    let time = Duration::from_secs(request.timeout.unwrap_or(DEFAULT_WAIT).min(MAX_WAIT).into());
    let mut agent = app.session.watch_agent();
    let wanted = |status: &AgentStatus| states.contains(&status.state.name());
    let settled = agent.wait_for(|status| wanted(status) || status.state == State::Exited);
    let timed_out = tokio::select! {
        // The session's thread is gone: what it said last stays.
        _ = settled => false,
        () = tokio::time::sleep(time) => true,
        () = app.stop.cancelled() => return Err(ApiError::new(Code::NotReady, "coop is going away.")),
    };
    let status = app.session.agent();
    let reached = wanted(&status);
    let timed_out = timed_out && !reached;
    Ok(WaitResponse { state: status.state.name().into(), reached, timed_out, agent: Some(describe(app, &status)) })
}

fn describe(app: &App, status: &AgentStatus) -> GetAgentStateResponse {
    convert::state(status, &app.options.agent, app.session.status().screen_seq)
}

fn states(given: &str) -> Result<Vec<&str>, ApiError> {
    let known = |name: &str| convert::STATES.contains(&name);
    let names: Vec<&str> = given.split(',').map(str::trim).collect();
    match names.iter().find(|name| !known(name)) {
        None => Ok(names),
        Some(other) => {
            let detail = format!("There is no state `{other}`: it is one of {}.", convert::STATES.join(", "));
            Err(ApiError::bad_request(detail))
        }
    }
}
