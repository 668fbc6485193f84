//! Typing.

use coop_api::ApiError;
use coop_api::v1::{
    SendInputRawRequest, SendInputRawResponse, SendInputRequest, SendInputResponse, SendKeysRequest, SendKeysResponse,
};
use coop_core::lease::LeaseId;
use coop_session::{Input, InputKind};
use coop_terminal::keys::Key;

use crate::app::{App, Caller, session_error};

pub(super) async fn text(app: &App, caller: &Caller, request: SendInputRequest) -> Result<SendInputResponse, ApiError> {
    let SendInputRequest { text, enter, paste, lease } = request;
    if text.is_empty() && !enter {
        return Err(ApiError::bad_request("There is nothing to type: `text` is empty and `enter` is not set."));
    }
    let kind = if paste { InputKind::Paste { text, enter } } else { InputKind::Text { text, enter } };
    Ok(SendInputResponse { bytes_written: send(app, caller, kind, lease).await? })
}

pub(super) async fn raw(
    app: &App,
    caller: &Caller,
    request: SendInputRawRequest,
) -> Result<SendInputRawResponse, ApiError> {
    if request.data.is_empty() {
        return Err(ApiError::bad_request("There is nothing to write: `data` is empty."));
    }
    Ok(SendInputRawResponse { bytes_written: send(app, caller, InputKind::Raw(request.data), request.lease).await? })
}

pub(super) async fn keys(app: &App, caller: &Caller, request: SendKeysRequest) -> Result<SendKeysResponse, ApiError> {
    if request.keys.is_empty() {
        return Err(ApiError::bad_request("There is no key to press: `keys` is empty."));
    }
    let keys: Result<Vec<Key>, _> = request.keys.iter().map(|name| name.parse()).collect();
    let keys = keys.map_err(|error| ApiError::bad_request(format!("{error}")))?;
    Ok(SendKeysResponse { bytes_written: send(app, caller, InputKind::Keys(keys), request.lease).await? })
}

async fn send(app: &App, caller: &Caller, kind: InputKind, lease: Option<String>) -> Result<i32, ApiError> {
    app.limit_input(caller)?;
    let lease = lease.map(LeaseId).or_else(|| caller.lease.clone());
    let written = app.session.input(Input { kind, lease }).await.map_err(session_error)?;
    Ok(i32::try_from(written).unwrap_or(i32::MAX))
}
