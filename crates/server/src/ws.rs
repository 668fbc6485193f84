//! The WebSocket: requests and streams on one connection.
//!
//! One task per connection. While a request is under way, streams go on; the next message is read when it is done, so
//! replies come in the order of the requests. Those that wait for the agent or a person are answered when they are done,
//! and end when the client goes away.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::{HeaderMap, Method, Uri};
use axum::response::Response;
use coop_api::v1::{LeaseRequest, OutputChunk, ResumeRequest};
use coop_api::ws::{
    CLOSE_FORBIDDEN, CLOSE_UNAUTHORIZED, ClientBody, ClientMessage, Control, Reply, Request, ServerMessage, Tagged,
    Topic,
};
use coop_api::{ApiError, Problem, convert};
use coop_core::status::Status;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde::Deserialize;
use serde_json::Value;

use crate::app::{App, Caller, Peer};
use crate::auth::{self, hooks_only, query_token};
use crate::follow::{Follower, Frame};
use crate::handler;
use crate::http::MAX_BODY;
use crate::http::extract::Params;
use crate::http::problem::HttpError;
use crate::web::cookie::PROTOCOL;

/// How long a client may take to send its token.
const AUTH_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum size of the messages of a client that brings its token in its first message.
pub(crate) const MAX_UNPROVEN: usize = 256 << 10;
/// Requests of one connection that wait for the agent at the same time; it is not read from while there are more.
const MAX_WAITING: usize = 64;
/// How long a client may take to say goodbye. One that is cut off before may not hear why.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Query {
    /// `raw` (output), `screen`, `state` (events) or `all`. Default: `all`.
    mode: Option<String>,
    /// The same in detail, for example `output,state`.
    subscribe: Option<String>,
    /// Output goes on here; where it cannot, the screen is sent.
    offset: Option<u64>,
    generation: Option<u64>,
    /// Begin with the bytes that paint the screen.
    #[param(required = false)]
    snapshot: bool,
    /// Lines of history to paint above it.
    #[param(required = false)]
    scrollback: u32,
    /// `json` (default) or `binary`: output as binary frames, 8 bytes of offset (big-endian) and then the bytes.
    encoding: Option<String>,
    /// Works, but a header or the first message is better: addresses end up in histories.
    token: Option<String>,
}

/// Connect a WebSocket
///
/// Messages are JSON objects with a `type`. A client sends the requests of this document by their WebSocket names with
/// an optional `id`, which comes back in the reply.
#[utoipa::path(get, path = "/ws", tag = "events", params(Query), responses((status = 101, description = "Switched to WebSocket"), (status = "default", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn connect(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    uri: Uri,
    Params(query): Params<Query>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, HttpError> {
    let plan = Plan::new(&query)?;
    let upgrade =
        upgrade.map_err(|error| ApiError::bad_request(format!("This is a WebSocket: {}.", error.body_text())))?;
    let given = auth::given(&Method::GET, &headers).or_else(|| query_token(&uri));
    if app.access.is_hook_token(given.as_deref()) {
        return Err(hooks_only().into());
    }
    let authorized = caller.peer.authorized || app.access.accepts(given.as_deref());
    // A token that was sent and is wrong is not given a second chance.
    let refused = !authorized && given.is_some();
    let limit = if authorized { MAX_BODY } else { MAX_UNPROVEN };
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(limit).max_frame_size(limit);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _tracked = app.streams.token();
        app.ws_clients.fetch_add(1, Ordering::Relaxed);
        let mut connection = Connection { socket, binary: plan.binary };
        let end = if refused { Err(End::Unauthorized) } else { connection.run(&app, caller, &plan, authorized).await };
        connection.close(end).await;
        app.ws_clients.fetch_sub(1, Ordering::Relaxed);
    }))
}

/// What a client asked for when it connected.
#[derive(Debug)]
struct Plan {
    topics: Vec<Topic>,
    resume: Option<ResumeRequest>,
    binary: bool,
}

impl Plan {
    fn new(query: &Query) -> Result<Self, ApiError> {
        let topics = match (&query.subscribe, query.mode.as_deref()) {
            (Some(names), _) => names.split(',').map(topic).collect::<Result<_, _>>()?,
            (None, None | Some("all")) => Topic::ALL.to_vec(),
            (None, Some("raw")) => vec![Topic::Output, Topic::State],
            (None, Some("screen")) => vec![Topic::Screen, Topic::State],
            (None, Some("state")) => vec![Topic::State],
            (None, Some(other)) => {
                let detail = format!("There is no mode `{other}`: it is raw, screen, state or all.");
                return Err(ApiError::bad_request(detail));
            }
        };
        let binary = match query.encoding.as_deref() {
            None | Some("json") => false,
            Some("binary") => true,
            Some(other) => {
                return Err(ApiError::bad_request(format!("There is no encoding `{other}`: it is json or binary.")));
            }
        };
        let place = ResumeRequest { offset: query.offset, generation: query.generation, scrollback: query.scrollback };
        let resume = (query.snapshot || query.offset.is_some()).then_some(place);
        Ok(Self { topics, resume, binary })
    }
}

fn topic(name: &str) -> Result<Topic, ApiError> {
    let known = Topic::ALL.into_iter().find(|topic| topic.name() == name.trim());
    known.ok_or_else(|| ApiError::bad_request(format!("There is no stream `{name}`: it is one of {}.", known_topics())))
}

fn known_topics() -> String {
    Topic::ALL.map(Topic::name).join(", ")
}

/// Why a connection ends.
#[derive(Debug)]
enum End {
    /// The session is over and everything has been told.
    Over,
    Unauthorized,
    /// The token is good for something else.
    Forbidden,
    /// The client says goodbye, or is gone.
    Gone,
    /// The client sent what cannot be read: too much, or not the protocol.
    Unreadable(axum::Error),
}

struct Connection {
    socket: WebSocket,
    binary: bool,
}

impl Connection {
    async fn run(&mut self, app: &App, mut caller: Caller, plan: &Plan, authorized: bool) -> Result<(), End> {
        if !authorized {
            self.authenticate(app, &caller.peer).await?;
        }
        caller.peer.admit().await;
        caller.lease = handler::random_id().ok();
        let mut follower = Follower::new(app);
        // Streams begin where the greeting says, even if there is more by the time it is sent.
        let status = app.session.status();
        follower.subscribe_at(&plan.topics, &status);
        self.hello(app, &status).await?;
        if let Some(place) = &plan.resume {
            match follower.resume(place).await {
                Ok(resume) => self.send(Tagged::Resume { id: None, resume }).await?,
                Err(error) => self.error(None, &error).await?,
            }
        }
        let result = self.talk(app, &caller, &mut follower).await;
        // Nobody else would give it back before it expires.
        if let Some(lease) = caller.lease {
            drop(app.session.release(lease).await);
        }
        result
    }

    async fn talk(&mut self, app: &App, caller: &Caller, follower: &mut Follower) -> Result<(), End> {
        let mut under_way: Option<UnderWay<'_>> = None;
        let mut waiting = FuturesUnordered::new();
        loop {
            tokio::select! {
                frame = follower.next() => match frame {
                    Ok(Some(frame)) => self.frame(frame).await?,
                    Ok(None) => return Err(End::Over),
                    Err(error) => {
                        self.error(None, &error).await?;
                        return Err(End::Over);
                    }
                },
                done = finish(&mut under_way) => {
                    under_way = None;
                    self.done(done).await?;
                }
                Some(done) = waiting.next(), if !waiting.is_empty() => self.done(done).await?,
                message = self.socket.recv(), if under_way.is_none() && waiting.len() < MAX_WAITING => {
                    let message = message.ok_or(End::Gone)?.map_err(End::Unreadable)?;
                    let text = match message {
                        Message::Text(text) => text,
                        Message::Close(_) => return Err(End::Gone),
                        Message::Ping(_) | Message::Pong(_) => continue,
                        Message::Binary(_) => {
                            self.error(None, &ApiError::bad_request("Messages to coop are text.")).await?;
                            continue;
                        }
                    };
                    match ClientMessage::parse(&text) {
                        Err((id, error)) => self.error(id, &error).await?,
                        Ok(ClientMessage { id, body: ClientBody::Control(control) }) => {
                            self.control(app, follower, id, control).await?;
                        }
                        Ok(ClientMessage { id, body: ClientBody::Request(Request::Resume(place)) }) => {
                            self.resume(follower, id, &place).await?;
                        }
                        // A connection has one lease, and it is the one that ends with it.
                        Ok(ClientMessage { id, body: ClientBody::Request(Request::Lock(lock)) }) => {
                            let request = Request::Lock(LeaseRequest { lease: None, ..lock });
                            under_way = Some(UnderWay::new(app, caller, id, request));
                        }
                        Ok(ClientMessage { id, body: ClientBody::Request(request) }) if request.may_wait() => {
                            waiting.push(UnderWay::new(app, caller, id, request).done());
                        }
                        Ok(ClientMessage { id, body: ClientBody::Request(request) }) => {
                            under_way = Some(UnderWay::new(app, caller, id, request));
                        }
                    }
                }
            }
        }
    }

    /// Nothing is sent before the token has come.
    async fn authenticate(&mut self, app: &App, peer: &Peer) -> Result<(), End> {
        let first = tokio::select! {
            first = tokio::time::timeout(AUTH_TIMEOUT, self.socket.recv()) => first,
            () = peer.over() => return Err(End::Unauthorized),
        };
        let Ok(Some(Ok(Message::Text(text)))) = first else { return Err(End::Unauthorized) };
        match ClientMessage::parse(&text).map(|message| message.body) {
            Ok(ClientBody::Control(Control::Auth { token })) if app.access.is_hook_token(Some(&token)) => {
                self.forbidden(None).await
            }
            Ok(ClientBody::Control(Control::Auth { token })) if app.access.accepts(Some(&token)) => Ok(()),
            _ => {
                drop(app.access.wrong_token(peer).await);
                Err(End::Unauthorized)
            }
        }
    }

    async fn forbidden(&mut self, id: Option<Value>) -> Result<(), End> {
        self.error(id, &hooks_only()).await?;
        Err(End::Forbidden)
    }

    async fn hello(&mut self, app: &App, status: &Status) -> Result<(), End> {
        self.send(Tagged::Hello {
            session: app.options.name.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            generation: status.generation,
            offset: status.output_end,
            event_seq: status.event_seq,
            cols: status.cols,
            rows: status.rows,
        })
        .await
    }

    async fn control(
        &mut self,
        app: &App,
        follower: &mut Follower,
        id: Option<Value>,
        control: Control,
    ) -> Result<(), End> {
        match control {
            Control::Ping => self.send(Tagged::Pong { id }).await,
            Control::Auth { token } if app.access.is_hook_token(Some(&token)) => self.forbidden(id).await,
            Control::Auth { token } if app.access.accepts(Some(&token)) => Ok(()),
            Control::Auth { .. } => Err(End::Unauthorized),
            Control::Subscribe { streams } => {
                follower.subscribe(&streams);
                Ok(())
            }
            Control::Replay { offset } => {
                let place = ResumeRequest { offset: Some(offset), ..ResumeRequest::default() };
                self.resume(follower, id, &place).await
            }
        }
    }

    async fn resume(&mut self, follower: &mut Follower, id: Option<Value>, place: &ResumeRequest) -> Result<(), End> {
        match follower.resume(place).await {
            Ok(resume) => self.send(Tagged::Resume { id, resume }).await,
            Err(error) => self.error(id, &error).await,
        }
    }

    async fn frame(&mut self, frame: Frame) -> Result<(), End> {
        match frame {
            Frame::Output(chunk) if self.binary => self.message(Message::Binary(binary(&chunk).into())).await,
            Frame::Output(chunk) => self.send(Tagged::Output(chunk)).await,
            Frame::Resume(resume) => self.send(Tagged::Resume { id: None, resume }).await,
            Frame::Screen(screen) => self.send(Tagged::Screen { seq: screen.sequence, screen }).await,
            Frame::Event(event) => self.json(&ServerMessage::Event(event)).await,
        }
    }

    async fn done(&mut self, (id, kind, result): Done) -> Result<(), End> {
        match result {
            Ok(reply) => self.reply(id, kind, reply).await,
            Err(error) => self.error(id, &error).await,
        }
    }

    async fn reply(&mut self, id: Option<Value>, kind: &'static str, reply: Reply) -> Result<(), End> {
        // 003 answers a screen request with a screen; those who sent an id want it back.
        if let (Reply::Screen(screen), None) = (&reply, &id)
            && screen.cells.is_empty()
        {
            let screen = convert::snapshot(screen.clone());
            return self.send(Tagged::Screen { seq: screen.sequence, screen }).await;
        }
        let result = serde_json::to_value(reply).unwrap_or_default();
        self.send(Tagged::Reply { id, request: kind.into(), result }).await
    }

    async fn error(&mut self, id: Option<Value>, error: &ApiError) -> Result<(), End> {
        let ApiError { code, detail, hint, .. } = error.clone();
        self.send(Tagged::Error { id, message: detail, code, hint }).await
    }

    async fn send(&mut self, message: Tagged) -> Result<(), End> {
        self.json(&ServerMessage::Tagged(message)).await
    }

    async fn json(&mut self, message: &ServerMessage) -> Result<(), End> {
        // Messages are made of strings and numbers; they always become JSON.
        let Ok(text) = serde_json::to_string(message) else { return Err(End::Gone) };
        self.message(Message::Text(text.into())).await
    }

    async fn message(&mut self, message: Message) -> Result<(), End> {
        self.socket.send(message).await.map_err(|_| End::Gone)
    }

    /// Says goodbye, and waits a moment for the other side to do so too.
    async fn close(mut self, end: Result<(), End>) {
        let close = |code, reason: &str| Some(CloseFrame { code, reason: reason.into() });
        let frame = match end {
            Ok(()) | Err(End::Over) => close(close_code::AWAY, "the session is over"),
            Err(End::Unauthorized) => close(CLOSE_UNAUTHORIZED, "the token is missing or wrong"),
            Err(End::Forbidden) => close(CLOSE_FORBIDDEN, "the token is for hooks only"),
            // The library knows what the client said, and answers with the same.
            Err(End::Gone) => None,
            // axum hides the kind of the error, so its words must do.
            Err(End::Unreadable(error)) if error.to_string().contains("too long") => {
                close(close_code::SIZE, "the message is too large")
            }
            Err(End::Unreadable(_)) => close(close_code::PROTOCOL, "the message cannot be read"),
        };
        let goodbye = async {
            // The client may have gone first.
            drop(self.socket.send(Message::Close(frame)).await);
            while let Some(Ok(_)) = self.socket.recv().await {}
        };
        // One that does not read is not waited for.
        drop(tokio::time::timeout(CLOSE_TIMEOUT, goodbye).await);
    }
}

/// A request that is being handled, with what its reply needs.
struct UnderWay<'a> {
    id: Option<Value>,
    kind: &'static str,
    work: std::pin::Pin<Box<dyn Future<Output = Result<Reply, ApiError>> + Send + 'a>>,
}

impl<'a> UnderWay<'a> {
    fn new(app: &'a App, caller: &'a Caller, id: Option<Value>, request: Request) -> Self {
        let kind = request.name();
        Self { id, kind, work: Box::pin(handler::handle(app, caller, request)) }
    }

    async fn done(self) -> Done {
        (self.id, self.kind, self.work.await)
    }
}

/// A request that has been handled.
type Done = (Option<Value>, &'static str, Result<Reply, ApiError>);

async fn finish(under_way: &mut Option<UnderWay<'_>>) -> Done {
    match under_way {
        Some(request) => {
            let result = request.work.as_mut().await;
            (request.id.take(), request.kind, result)
        }
        None => std::future::pending().await,
    }
}

fn binary(chunk: &OutputChunk) -> Vec<u8> {
    let mut frame = Vec::with_capacity(8 + chunk.data.len());
    frame.extend_from_slice(&chunk.offset.to_be_bytes());
    frame.extend_from_slice(&chunk.data);
    frame
}
