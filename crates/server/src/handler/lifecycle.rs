//! Whether it runs, and ending it.

use coop_api::v1::{
    GetHealthResponse, GetStatusResponse, RestartRequest, RestartResponse, SendSignalRequest, SendSignalResponse,
    ShutdownRequest, ShutdownResponse, TerminalSize,
};
use coop_api::{ApiError, convert};
use coop_core::fleet::Control;
use coop_session::Change;
use coop_terminal::pty::{Signal, Target};

use crate::app::{App, session_error};

pub(super) fn health(app: &App) -> GetHealthResponse {
    let status = app.session.status();
    GetHealthResponse {
        status: convert::state(status.lifecycle).into(),
        pid: convert::pid(&status),
        uptime_secs: app.uptime_secs(),
        agent: app.options.agent.clone(),
        ws_clients: app.ws_clients(),
        terminal: Some(TerminalSize { cols: status.cols.into(), rows: status.rows.into() }),
        name: app.options.name.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

pub(super) fn status(app: &App) -> GetStatusResponse {
    let status = app.session.status();
    GetStatusResponse {
        state: convert::state(status.lifecycle).into(),
        pid: convert::pid(&status),
        uptime_secs: app.uptime_secs(),
        exit_code: status.exit().and_then(coop_core::status::Exit::code),
        exit_signal: status.exit().and_then(coop_core::status::Exit::signal),
        screen_seq: status.screen_seq,
        bytes_read: status.output_end,
        bytes_written: status.bytes_written,
        ws_clients: app.ws_clients(),
        generation: status.generation,
        output_start: status.output_start,
        event_seq: status.event_seq,
        control: if status.own { Control::Owned } else { Control::Attached }.name().into(),
        containment: app.containment().name().into(),
    }
}

pub(super) async fn signal(app: &App, request: &SendSignalRequest) -> Result<SendSignalResponse, ApiError> {
    let signal: Signal = request.signal.parse().map_err(|error| ApiError::bad_request(format!("{error}")))?;
    let target = match request.target.as_deref() {
        None | Some("foreground") => Target::Foreground,
        Some("group") => Target::Group,
        Some("session") => Target::Session,
        Some(other) => {
            let detail = format!("There is no target `{other}`: it is foreground, group or session.");
            return Err(ApiError::bad_request(detail));
        }
    };
    app.session.signal(signal, target).await.map_err(session_error)?;
    Ok(SendSignalResponse { delivered: true })
}

/// Returns when the program has been started again. It goes on when the client goes away.
pub(super) async fn restart(app: &App, request: RestartRequest) -> Result<RestartResponse, ApiError> {
    let done = app.session.restart(change(request)?).await.map_err(session_error)?;
    Ok(RestartResponse {
        generation: done.generation,
        pid: done.pid.cast_signed(),
        resumed: done.resumed.is_some(),
        session_id: done.resumed,
    })
}

fn change(request: RestartRequest) -> Result<Change, ApiError> {
    let RestartRequest { env, unset, args, no_args } = request;
    if let Some(name) = env.keys().find(|name| unset.contains(name)) {
        return Err(ApiError::bad_request(format!("`{name}` cannot be set and unset at once.")));
    }
    if no_args && !args.is_empty() {
        return Err(ApiError::bad_request("Give `args` or `no_args`, and not both."));
    }
    let args = (no_args || !args.is_empty()).then_some(args);
    let set = env.into_iter().map(|(name, value)| (name, Some(value)));
    let env: Vec<(String, Option<String>)> = set.chain(unset.into_iter().map(|name| (name, None))).collect();
    if let Some((name, _)) = env.iter().find(|(name, _)| name.is_empty() || name.contains('=')) {
        return Err(ApiError::bad_request(format!("No variable can be called `{name}`.")));
    }
    if let Some((name, _)) = env.iter().find(|(name, _)| name == "COOP" || name.starts_with("COOP_")) {
        return Err(ApiError::bad_request(format!("`{name}` is coop's own: the program finds its session by it.")));
    }
    let texts = env.iter().flat_map(|(name, value)| [Some(name), value.as_ref()]).flatten();
    if texts.chain(args.iter().flatten()).any(|text| text.contains('\0')) {
        return Err(ApiError::bad_request("Variables and arguments cannot have a NUL character."));
    }
    let env = env.into_iter().map(|(name, value)| (name.into(), value.map(Into::into))).collect();
    Ok(Change { env, args: args.map(|args| args.into_iter().map(Into::into).collect()) })
}

pub(super) async fn shutdown(app: &App, request: ShutdownRequest) -> Result<ShutdownResponse, ApiError> {
    let reason = request.reason.unwrap_or_else(|| "asked for through the API".into());
    // Looked at before: a program that ends at once does not take its last screen with it.
    let was_over = app.session.status().exit().is_some();
    app.session.shutdown(&reason).await.map_err(session_error)?;
    // Nothing is left to end but the server, which may be lingering.
    if was_over {
        app.stop.cancel();
    }
    Ok(ShutdownResponse { stopping: true })
}
