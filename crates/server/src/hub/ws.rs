//! The board over a WebSocket: what happens, and JSON-RPC on the same connection.
//!
//! One task per connection, and no queue: a client that does not read is not read from either, and hears of what it has
//! missed when it does again.

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use coop_api::hook::MAX_BODY;
use coop_api::ws::CLOSE_UNAUTHORIZED;
use coop_api::{ApiError, Problem};
use coop_core::access::Reach;
use futures_util::stream::FuturesUnordered;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::access::Granted;
use super::follow::{Follower, Told};
use super::rpc::{self, From};
use super::{Hub, hub_error};
use crate::app::{Caller, Peer};
use crate::auth::{self, query_token};
use crate::http::extract::Params;
use crate::http::problem::HttpError;
use crate::http::sse::{HEARTBEAT, Seen, event_id};
use crate::web::cookie::PROTOCOL;
use crate::ws::MAX_UNPROVEN;

/// How long a client may take to send its token.
const AUTH_TIMEOUT: Duration = Duration::from_secs(5);
/// Calls of one connection that wait for a person at the same time; it is not read from while there are more.
const MAX_WAITING: usize = 64;
/// What a first message with a token may have.
const LONGEST_TOKEN: usize = 4096;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Query {
    /// The `id` of the last event seen. Without it the stream begins now.
    last_event_id: Option<String>,
    /// Works, but a header or the first message is better: addresses end up in histories.
    token: Option<String>,
}

/// Follow the board, and answer (WebSocket)
///
/// The first message is `hello`, with the `generation` and `seq` that events are counted by; then come the events of
/// `/api/v1/events`, each with its `id`. With `last_event_id` the stream goes on after that event, and `resume` says
/// whether it can. What the client sends are calls of `/rpc`; their replies have no `type`. Where a token is needed and
/// was not sent otherwise, the first message of the client is `{"type": "auth", "token": "…"}`. Calls for which the
/// token is not good enough are refused one by one. When it is taken back, the connection is closed with 4401.
#[utoipa::path(get, path = "/ws", tag = "events", params(Query), responses((status = 101, description = "Switched to WebSocket"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn connect(
    State(hub): State<Hub>,
    caller: Caller,
    headers: HeaderMap,
    uri: Uri,
    Params(query): Params<Query>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, HttpError> {
    // The address has it.
    drop(query.token);
    let seen = query.last_event_id.as_deref().map(event_id).transpose()?;
    let upgrade =
        upgrade.map_err(|error| ApiError::bad_request(format!("This is a WebSocket: {}.", error.body_text())))?;
    let given = auth::given(&Method::GET, &headers).or_else(|| query_token(&uri));
    let granted = hub.grants_at_once(&caller.peer, given.as_deref());
    // A token that was sent and is wrong is not given a second chance.
    let refused = granted.is_none() && given.is_some();
    let limit = if granted.is_some() { MAX_BODY } else { MAX_UNPROVEN };
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(limit).max_frame_size(limit);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let mut connection = Connection { socket };
        let granted = match granted {
            None if !refused => connection.authenticate(&hub, &caller.peer).await,
            known => known,
        };
        let close = match granted.filter(|granted| granted.opens(Reach::View)) {
            Some(granted) => {
                let revoked = hub.revoked(&granted);
                let from = From { caller, granted };
                tokio::select! {
                    close = connection.run(&hub, &from, seen) => close,
                    () = revoked => Some((CLOSE_UNAUTHORIZED, "the token was taken back")),
                }
            }
            None => Some((CLOSE_UNAUTHORIZED, "")),
        };
        connection.close(close).await;
    }))
}

struct Connection {
    socket: WebSocket,
}

/// With what the connection is closed, if there is somebody to hear it.
type Close = Option<(u16, &'static str)>;

impl Connection {
    /// Nothing is sent before the token has come.
    async fn authenticate(&mut self, hub: &Hub, peer: &Peer) -> Option<Granted> {
        let first = tokio::select! {
            first = tokio::time::timeout(AUTH_TIMEOUT, self.socket.recv()) => first,
            () = peer.over() => return None,
        };
        let Ok(Some(Ok(Message::Text(text)))) = first else { return None };
        let told = (text.len() <= LONGEST_TOKEN).then(|| serde_json::from_str::<Value>(&text).ok()).flatten();
        let token = told.as_ref().filter(|told| told["type"] == "auth").and_then(|told| told["token"].as_str());
        let granted = token.and_then(|token| hub.grants(Some(token)));
        match granted {
            Some(_) => peer.admit().await,
            None => drop(hub.access.wrong_token(peer).await),
        }
        granted
    }

    async fn run(&mut self, hub: &Hub, from: &From, seen: Option<Seen>) -> Close {
        let mut follower = match Follower::new(hub.handle.clone(), seen).await {
            Ok(follower) => follower,
            Err(error) => {
                tracing::debug!(error = hub_error(error).detail, "nobody can be followed");
                return Some((close_code::AWAY, "the hub is going away"));
            }
        };
        let (generation, seq) = (follower.board().generation, follower.board().seq);
        let version = &*hub.version;
        let hello = json!({ "type": "hello", "generation": generation, "seq": seq, "version": version });
        self.send(&hello).await?;
        let mut waiting = FuturesUnordered::new();
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        loop {
            tokio::select! {
                told = follower.next() => match told {
                    Some(told) => {
                        // What happened at once is sent at once.
                        self.feed(&message(told)).await?;
                        while let Some(told) = follower.more() {
                            self.feed(&message(told)).await?;
                        }
                        self.socket.flush().await.ok()?;
                    }
                    None => return Some((close_code::AWAY, "the hub is going away")),
                },
                Some(reply) = waiting.next(), if !waiting.is_empty() => {
                    if let Some(reply) = reply {
                        self.send(&reply).await?;
                    }
                }
                received = self.socket.recv(), if waiting.len() < MAX_WAITING => match received {
                    Some(Ok(Message::Text(text))) => waiting.push(async move {
                        rpc::reply(hub, from, text.as_bytes()).await
                    }),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Binary(_))) => return Some((close_code::UNSUPPORTED, "messages are text")),
                    Some(Err(_)) => return Some((close_code::SIZE, "a message cannot be read, or is too long")),
                    Some(Ok(Message::Close(_))) | None => return None,
                },
                // One that is gone without a word is noticed when it cannot be written to.
                _ = heartbeat.tick() => self.socket.send(Message::Ping(Vec::new().into())).await.ok()?,
                () = hub.stop.cancelled() => return Some((close_code::AWAY, "the hub is going away")),
            }
        }
    }

    /// To be sent with what follows.
    async fn feed(&mut self, what: &Value) -> Option<()> {
        self.socket.feed(Message::Text(what.to_string().into())).await.ok()
    }

    /// Nothing if nobody is there any more.
    async fn send(&mut self, what: &Value) -> Option<()> {
        self.socket.send(Message::Text(what.to_string().into())).await.ok()
    }

    async fn close(mut self, close: Close) {
        if let Some((code, reason)) = close {
            // They may be gone.
            drop(self.socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await);
        }
    }
}

fn message(told: Told) -> Value {
    let mut data = told.data;
    data["type"] = told.name.into();
    if let Some(id) = told.id {
        data["id"] = id.into();
    }
    data
}
