//! One route per request about the fleet.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use coop_api::convert::agent as agent_convert;
use coop_api::hub::{
    Answered, Cleared, History, HistoryQuery, NewRule, Prompts, Rule, RuleTest, RuleVerdict, Rules, SearchQuery,
    SearchResults, Session, SessionFilter, Sessions,
};
use coop_api::v1::RespondRequest;
use coop_api::{ApiError, Problem};
use coop_core::fleet::{Control, Entry};
use coop_core::permission::rules::{Effect, Hosts, project_folder};
use coop_hub::{Board, HubError, Tested};
use serde_json::{Value, json};
use std::sync::Arc;

use super::access::Granted;
use super::{Hub, convert, hub_error};
use crate::app::Caller;
use crate::http::extract::{Body, Params};
use crate::http::problem::HttpError;

type Answer<T> = Result<Json<T>, HttpError>;

/// The most rows of history at once.
const MAX_HISTORY: u32 = 1000;
/// The most places at once.
const MAX_HITS: u32 = 500;

/// Whether the hub is well
#[utoipa::path(get, path = "/api/v1/health", tag = "sessions", responses((status = 200, body = Value)))]
pub(super) async fn health(State(hub): State<Hub>) -> Json<Value> {
    let board = hub.handle.board();
    let running = board.sessions.iter().filter(|entry| entry.control() != Control::Cold).count();
    Json(json!({
        "status": "running", "version": &*hub.version, "sessions": running, "prompts": board.prompts.len(),
    }))
}

/// End the hub
///
/// Agents go on as if it had never been. Hooks that wait ask the next hub, if one comes within 30 seconds.
#[utoipa::path(post, path = "/api/v1/shutdown", tag = "sessions", responses((status = 200, body = Value), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn shutdown(State(hub): State<Hub>) -> Json<Value> {
    hub.stop.cancel();
    Json(json!({ "ends": true }))
}

/// The agents, who needs a person first
#[utoipa::path(get, path = "/api/v1/sessions", tag = "sessions", params(SessionFilter), responses((status = 200, body = Sessions), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn sessions(State(hub): State<Hub>, Params(filter): Params<SessionFilter>) -> Answer<Sessions> {
    if let Some(states) = &filter.state
        && let Some(wrong) = states.split(',').find(|state| !agent_convert::STATES.contains(state))
    {
        let known = agent_convert::STATES.join(", ");
        return Err(ApiError::bad_request(format!("There is no state `{wrong}`: it is one of {known}.")).into());
    }
    let board = hub.handle.board();
    let fits = board.sessions.iter().filter(|entry| fits(&filter, entry));
    Ok(Json(Sessions { sessions: fits.map(|entry| convert::session(entry)).collect() }))
}

fn fits(filter: &SessionFilter, entry: &Entry) -> bool {
    let state = filter.state.as_ref().map(|states| states.split(',').any(|state| state == entry.state.name()));
    let runs = filter.all || entry.control() != Control::Cold;
    let agent = filter.agent.as_ref().is_none_or(|agent| *agent == entry.agent);
    let project = filter.project.as_deref().is_none_or(|project| match project.strip_prefix('/') {
        None => entry.project() == Some(project),
        Some(_) => entry.cwd.as_deref().is_some_and(|cwd| {
            let rest = cwd.strip_prefix(project.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }),
    });
    state.unwrap_or(runs) && agent && project
}

/// One of them, by its `id` or by the agent's own id of the conversation
#[utoipa::path(get, path = "/api/v1/sessions/{id}", tag = "sessions", params(("id" = String, Path)), responses((status = 200, body = Session), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn session(State(hub): State<Hub>, Path(id): Path<String>) -> Answer<Session> {
    Ok(Json(convert::session(&*find(&hub.handle.board(), &id)?)))
}

pub(super) fn find(board: &Board, id: &str) -> Result<Arc<Entry>, ApiError> {
    // A number is the hub's own: an agent chooses the id of its conversation, and could choose the number of another.
    let number: Option<u64> = id.parse().ok();
    let is_it = |entry: &&Arc<Entry>| match number {
        Some(number) => entry.id == number,
        None => entry.conversation.as_deref() == Some(id),
    };
    board.sessions.iter().find(is_it).cloned().ok_or_else(|| hub_error(HubError::NoSession(id.to_owned())))
}

/// A person has looked at it
#[utoipa::path(post, path = "/api/v1/sessions/{id}/seen", tag = "sessions", params(("id" = String, Path)), responses((status = 200, body = Session), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn seen(State(hub): State<Hub>, Path(id): Path<String>) -> Answer<Session> {
    let entry = find(&hub.handle.board(), &id)?;
    hub.handle.looked_at(entry.id).await.map_err(hub_error)?;
    Ok(Json(convert::session(&*find(&hub.handle.board(), &id)?)))
}

/// Forget what a session remembers of a person's answers
#[utoipa::path(delete, path = "/api/v1/sessions/{id}/permissions", tag = "rules", params(("id" = String, Path)), responses((status = 200, body = Cleared), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn clear_permissions(State(hub): State<Hub>, Path(id): Path<String>) -> Answer<Cleared> {
    let entry = find(&hub.handle.board(), &id)?;
    let cleared = hub.handle.forget(entry.id).await.map_err(hub_error)?;
    Ok(Json(Cleared { cleared: cleared as u64 }))
}

/// Everything that waits for an answer, oldest first
#[utoipa::path(get, path = "/api/v1/prompts", tag = "prompts", responses((status = 200, body = Prompts), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn prompts(State(hub): State<Hub>) -> Json<Prompts> {
    let board = hub.handle.board();
    Json(Prompts { prompts: board.prompts.iter().map(|card| convert::prompt(card)).collect() })
}

/// Answer one
///
/// The first answer wins; whoever comes second is told who was first. `delivered` means that the agent goes on with it.
#[utoipa::path(post, path = "/api/v1/prompts/{id}/answer", tag = "prompts", params(("id" = u64, Path)), request_body = RespondRequest, responses((status = 200, body = Answered), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn answer(
    State(hub): State<Hub>,
    caller: Caller,
    Extension(granted): Extension<Granted>,
    Path(id): Path<String>,
    Body(request): Body<RespondRequest>,
) -> Answer<Answered> {
    let id = id.parse().map_err(|_| hub_error(HubError::Unknown))?;
    granted.may_update(request.updated_input.is_some())?;
    let respond = agent_convert::respond(request, granted.name(&caller))?;
    let from = if caller.peer.tcp { "tcp" } else { "socket" };
    let answered = hub.handle.answer(id, respond, from).await.map_err(hub_error)?;
    Ok(Json(convert::answered(answered)))
}

/// Standing rules, and what sessions remember
#[utoipa::path(get, path = "/api/v1/rules", tag = "rules", responses((status = 200, body = Rules), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn rules(State(hub): State<Hub>) -> Answer<Rules> {
    Ok(Json(convert::rules(&hub.handle.known().await.map_err(hub_error)?)))
}

/// Add a standing rule; one that is there already stays
#[utoipa::path(put, path = "/api/v1/rules", tag = "rules", request_body = NewRule, responses((status = 200, body = Rule), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn put_rule(State(hub): State<Hub>, Body(rule): Body<NewRule>) -> Answer<Rule> {
    let effect = match rule.effect.as_str() {
        "allow" => Effect::Allow,
        "deny" => Effect::Deny,
        "ask" => Effect::Ask,
        other => {
            let detail = format!("There is no `effect` called `{other}`: it is allow, deny or ask.");
            return Err(ApiError::bad_request(detail).into());
        }
    };
    let pattern = rule.pattern.parse().map_err(|error: coop_core::permission::pattern::PatternError| {
        ApiError::bad_request(crate::app::sentence(&error.to_string()))
    })?;
    let project = rule.project.as_deref().map(project_folder).transpose();
    let project = project.map_err(|error| ApiError::bad_request(crate::app::sentence(&error.to_string())))?;
    let rule = coop_hub::NewRule { pattern, effect, project, hosts: Hosts::from_name(rule.host.as_deref()) };
    Ok(Json(convert::rule(&hub.handle.add_rule(rule).await.map_err(hub_error)?)))
}

/// Remove one
#[utoipa::path(delete, path = "/api/v1/rules/{id}", tag = "rules", params(("id" = u64, Path)), responses((status = 200, body = Cleared), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn delete_rule(State(hub): State<Hub>, Path(id): Path<String>) -> Answer<Cleared> {
    let id = id.parse().map_err(|_| ApiError::bad_request(format!("`{id}` is not the number of a rule.")))?;
    hub.handle.remove_rule(id).await.map_err(hub_error)?;
    Ok(Json(Cleared { cleared: 1 }))
}

/// Would this be allowed, and by which rule
#[utoipa::path(post, path = "/api/v1/rules/test", tag = "rules", request_body = RuleTest, responses((status = 200, body = RuleVerdict), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn test_rules(State(hub): State<Hub>, Body(test): Body<RuleTest>) -> Answer<RuleVerdict> {
    if test.tool.is_empty() {
        return Err(ApiError::bad_request("`tool` is missing, for example `Bash`.").into());
    }
    let entry = test.session.as_deref().map(|id| find(&hub.handle.board(), id)).transpose()?;
    let conversation = entry.as_ref().and_then(|entry| entry.conversation.clone());
    let host = test.host.or_else(|| entry.as_ref()?.host().map(str::to_owned)).filter(|host| !host.is_empty());
    let cwd = match (test.cwd.is_empty(), entry.and_then(|entry| entry.cwd.clone())) {
        (true, Some(cwd)) => cwd,
        _ => test.cwd,
    };
    let input = match test.input {
        Value::String(command) => json!({ "command": command }),
        input => input,
    };
    let verdict =
        hub.handle.test(Tested { conversation, host, cwd, tool: test.tool, input }).await.map_err(hub_error)?;
    Ok(Json(convert::verdict(verdict)))
}

/// Who answered what, when, and from where
#[utoipa::path(get, path = "/api/v1/history", tag = "prompts", params(HistoryQuery), responses((status = 200, body = History), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn history(State(hub): State<Hub>, Params(query): Params<HistoryQuery>) -> Answer<History> {
    let limit = query.limit.unwrap_or(100).min(MAX_HISTORY) as usize;
    let history = hub.handle.history(query.before, limit).await.map_err(hub_error)?;
    Ok(Json(History { history: history.iter().map(convert::settled).collect() }))
}

/// Where something was said or done
///
/// In sessions that run or have ended, in what they asked, and in their conversations, as far as their agents keep them in
/// files that the hub knows of.
#[utoipa::path(get, path = "/api/v1/search", tag = "sessions", params(SearchQuery), responses((status = 200, body = SearchResults), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn search(State(hub): State<Hub>, Params(query): Params<SearchQuery>) -> Answer<SearchResults> {
    if query.q.trim().is_empty() {
        return Err(ApiError::bad_request("`q` is missing: the words to look for.").into());
    }
    let limit = query.limit.unwrap_or(50).min(MAX_HITS) as usize;
    let found = hub.handle.search(&query.q, limit).await.map_err(hub_error)?;
    let board = hub.handle.board();
    let hits = found.hits.iter().map(|hit| convert::hit(hit, &board)).collect();
    Ok(Json(SearchResults { hits, complete: found.complete }))
}
