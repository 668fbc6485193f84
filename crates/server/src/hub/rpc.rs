//! JSON-RPC 2.0: permissions, in the words of the permission bridge.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use coop_api::hook::MAX_BODY;
use coop_core::agent::respond::{Respond, Scope};
use coop_hub::{Card, HookCall, HubError};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::access::Granted;
use super::{Hub, convert, hub_error};
use crate::app::Caller;
use crate::http::extract::bytes_up_to;
use crate::http::problem::HttpError;

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const NO_METHOD: i64 = -32601;
const PARAMS: i64 = -32602;
/// Our own: nothing waits for this answer any more.
const OVER: i64 = -32001;
/// Our own: the token is good for less.
const BEYOND: i64 = -32003;
const FAILED: i64 = -32000;
/// More in one batch are refused.
const MAX_BATCH: usize = 100;

/// Who calls, and how far they may go.
#[derive(Clone, Debug)]
pub(super) struct From {
    pub(super) caller: Caller,
    pub(super) granted: Granted,
}

struct Failure {
    code: i64,
    message: String,
}

fn failed(code: i64, message: impl Into<String>) -> Failure {
    Failure { code, message: message.into() }
}

/// JSON-RPC 2.0
///
/// `permission/request` asks, and is answered when somebody has decided; `permission/respond` decides;
/// `permission/pending` lists what waits.
#[utoipa::path(post, path = "/rpc", tag = "prompts", request_body = Value, responses((status = 200, body = Value), (status = 204, description = "Nothing but notifications")))]
pub(super) async fn call(
    State(hub): State<Hub>,
    caller: Caller,
    Extension(granted): Extension<Granted>,
    request: Request,
) -> Result<Response, HttpError> {
    let body = bytes_up_to(MAX_BODY, request).await?;
    let caller = From { caller, granted };
    Ok(match reply(&hub, &caller, &body).await {
        Some(reply) => Json(reply).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

/// What is answered to a call or a batch of them; nothing where there are only notifications.
pub(super) async fn reply(hub: &Hub, caller: &From, body: &[u8]) -> Option<Value> {
    match serde_json::from_slice(body) {
        Ok(Value::Array(calls)) if calls.is_empty() || calls.len() > MAX_BATCH => {
            Some(refused(&failed(INVALID, "A batch has 1 to 100 calls."), &Value::Null))
        }
        Ok(Value::Array(calls)) => {
            let replies = join_all(calls.into_iter().map(|call| one(hub, caller, call))).await;
            let replies: Vec<Value> = replies.into_iter().flatten().collect();
            (!replies.is_empty()).then_some(Value::Array(replies))
        }
        Ok(call) => one(hub, caller, call).await,
        Err(error) => Some(refused(&failed(PARSE, format!("This cannot be read: {error}.")), &Value::Null)),
    }
}

/// Nothing for a notification.
async fn one(hub: &Hub, caller: &From, call: Value) -> Option<Value> {
    let id = call.get("id").cloned();
    let params = call.get("params").cloned().unwrap_or_else(|| json!({}));
    let outcome = match (call.get("jsonrpc"), call.get("method").and_then(Value::as_str)) {
        (Some(version), Some(method)) if version == "2.0" => match method {
            method if !caller.granted.may_call(method) => {
                let reach = caller.granted.reach;
                let inside =
                    caller.granted.inside.as_ref().map(|inside| format!("{} {}", inside.detail(), inside.hint()));
                let why =
                    inside.unwrap_or_else(|| format!("This token is good for `{reach}`, and not for `{method}`."));
                Err(failed(BEYOND, why))
            }
            "permission/request" => request(hub, caller, params).await,
            "permission/respond" => respond(hub, caller, &params).await,
            "permission/pending" => Ok(pending(hub)),
            other => Err(failed(NO_METHOD, format!("There is no method `{other}`."))),
        },
        _ => return Some(refused(&failed(INVALID, "This is no call of JSON-RPC 2.0."), &id.unwrap_or_default())),
    };
    let id = id?;
    Some(match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "result": result, "id": id }),
        Err(failure) => refused(&failure, &id),
    })
}

fn refused(failure: &Failure, id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "error": { "code": failure.code, "message": failure.message }, "id": id })
}

/// Waits for as long as a person does.
async fn request(hub: &Hub, caller: &From, params: Value) -> Result<Value, Failure> {
    for field in ["session_id", "tool_name"] {
        if params.get(field).and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(failed(PARAMS, format!("`{field}` is missing.")));
        }
    }
    let call = HookCall {
        event: "PermissionRequest".into(),
        payload: params,
        age: Duration::ZERO,
        agent: None,
        pid: caller.caller.peer.pid,
        network: caller.caller.peer.tcp,
        confirms: false,
    };
    let decision = hub.ask(call).await.map_err(wrong)?;
    let word = match decision.allow {
        Some(true) => "allow",
        Some(false) => "deny",
        None if decision.body.is_some() => "allow",
        // Left to the terminal.
        None => "ask",
    };
    let mut result = json!({ "decision": word, "scope": convert::scope_name(decision.scope) });
    if let Some(pattern) = decision.pattern {
        result["pattern"] = pattern.into();
    }
    if let Some(text) = decision.text {
        result["message"] = text.into();
    }
    // What the agent's own hook is to print, where the decision is more than yes or no.
    result["output"] = decision.body.unwrap_or_default();
    Ok(result)
}

async fn respond(hub: &Hub, caller: &From, params: &Value) -> Result<Value, Failure> {
    let text = |key: &str| params.get(key).and_then(Value::as_str);
    let updated_input = params.get("updated_input").filter(|input| !input.is_null()).cloned();
    caller.granted.may_update(updated_input.is_some()).map_err(|error| failed(BEYOND, error.detail))?;
    let id = match (params.get("id").and_then(Value::as_u64), text("tool_use_id")) {
        (Some(id), _) => id,
        (None, Some(tool)) => by_tool(hub, tool).ok_or_else(|| failed(OVER, "Nothing waits for this answer."))?,
        (None, None) => return Err(failed(PARAMS, "`tool_use_id` is missing.")),
    };
    let accept = match text("decision") {
        Some("allow") => Some(true),
        Some("deny") => Some(false),
        Some(other) => return Err(failed(PARAMS, format!("There is no decision `{other}`: it is allow or deny."))),
        None => None,
    };
    let scope = match text("scope") {
        None | Some("once") => Scope::Once,
        Some("session") => Scope::Session,
        Some("path") => Scope::Path,
        Some(other) => {
            return Err(failed(PARAMS, format!("There is no scope `{other}`: it is once, session or path.")));
        }
    };
    let option = params.get("option").and_then(Value::as_u64).and_then(|option| u32::try_from(option).ok());
    let words = text("message").or_else(|| text("text")).map(str::to_owned);
    if accept.is_none() && option.is_none() && words.is_none() {
        return Err(failed(PARAMS, "`decision` is missing."));
    }
    let respond = Respond {
        accept,
        option,
        text: words,
        scope,
        updated_input,
        by: caller.granted.name(&caller.caller),
        ..Respond::default()
    };
    let answered = hub.handle.answer(id, respond, "rpc").await.map_err(wrong)?;
    Ok(json!(convert::answered(answered)))
}

/// By the agent's id of the call, or by ours where it gave none.
fn by_tool(hub: &Hub, tool: &str) -> Option<u64> {
    let board = hub.handle.board();
    let is_ours = |card: &&std::sync::Arc<Card>| card.tool_use_id.is_none() && card.id.to_string() == tool;
    // Ours first: an agent chooses its own ids, and could choose the number of another prompt.
    let ours = board.prompts.iter().find(is_ours);
    ours.or_else(|| board.prompts.iter().find(|card| card.tool_use_id.as_deref() == Some(tool))).map(|card| card.id)
}

fn pending(hub: &Hub) -> Value {
    hub.handle.board().prompts.iter().map(|card| convert::permission(card)).collect()
}

fn wrong(error: HubError) -> Failure {
    let code = match &error {
        HubError::Unknown | HubError::Answered { .. } => OVER,
        HubError::Unfit(_) => PARAMS,
        _ => FAILED,
    };
    failed(code, hub_error(error).detail)
}
