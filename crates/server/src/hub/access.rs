//! Who may do what at the hub: one table of requests, and what is done about it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use coop_api::{ApiError, Code};
use coop_core::access::Reach;
use coop_core::fleet::Process;
use coop_core::inside::{self, Inside};
use coop_hub::Device;
use futures_util::StreamExt as _;
use hyper::body::Body as _;

use super::Hub;
use crate::app::{Caller, Peer};
use crate::auth::{self, QUERY_TOKEN_PATHS, query_token, unauthorized, unknown_connection};
use crate::guard::{self, Visitor};
use crate::http::problem;
use crate::web;

/// What each request needs. `{}` is one part of a path, `{**}` one or more. The first row that fits counts, HEAD counts as
/// GET, and what fits no row needs everything.
const REQUESTS: &[(&str, &str, Needs)] = &[
    // It brings a code instead.
    ("POST", "/api/v1/pair", Needs::Nothing),
    // Its token may come in its first message.
    ("GET", "/ws", Needs::Nothing),
    ("POST", "/api/v1/hooks/{}", Needs::Reach(Reach::Hooks)),
    ("POST", "/events", Needs::Reach(Reach::Hooks)),
    ("POST", "/api/v1/hosts/register", Needs::Reach(Reach::Hooks)),
    // Each call is looked at by itself: see `CALLS`.
    ("POST", "/rpc", Needs::Token),
    ("POST", "/api/v1/pair/codes", Needs::Reach(Reach::Admin)),
    ("GET", "/api/v1/devices", Needs::Reach(Reach::Admin)),
    ("DELETE", "/api/v1/devices/{}", Needs::Reach(Reach::Admin)),
    ("PUT", "/api/v1/rules", Needs::Reach(Reach::Admin)),
    ("DELETE", "/api/v1/rules/{}", Needs::Reach(Reach::Admin)),
    ("POST", "/api/v1/shutdown", Needs::Reach(Reach::Admin)),
    ("POST", "/api/v1/notify/test", Needs::Reach(Reach::Drive)),
    // Whoever may look may be told.
    ("GET", "/api/v1/push/key", Needs::Reach(Reach::View)),
    ("POST", "/api/v1/push/subscriptions", Needs::Reach(Reach::View)),
    ("DELETE", "/api/v1/push/subscriptions", Needs::Reach(Reach::View)),
    // It changes nothing.
    ("POST", "/api/v1/rules/test", Needs::Reach(Reach::View)),
    ("POST", "/api/v1/prompts/{}/answer", Needs::Reach(Reach::Answer)),
    ("POST", "/api/v1/sessions/{}/seen", Needs::Reach(Reach::Answer)),
    ("DELETE", "/api/v1/sessions/{}/permissions", Needs::Reach(Reach::Answer)),
    ("POST", "/api/v1/sessions/{}/agent/respond", Needs::Reach(Reach::Answer)),
    // Hooks of a session are its own; nobody else speaks for the agent inside.
    ("POST", "/api/v1/sessions/{}/hooks/{**}", Needs::Reach(Reach::Admin)),
    ("GET", "/api/v1/sessions/{}/{**}", Needs::Reach(Reach::View)),
    ("POST", "/api/v1/sessions/{}/{**}", Needs::Reach(Reach::Drive)),
    ("PUT", "/api/v1/sessions/{}/{**}", Needs::Reach(Reach::Drive)),
    ("DELETE", "/api/v1/sessions/{}/{**}", Needs::Reach(Reach::Drive)),
    ("GET", "/api/v1/health", Needs::Reach(Reach::View)),
    ("POST", "/api/v1/sessions", Needs::Reach(Reach::Drive)),
    ("DELETE", "/api/v1/sessions/{}", Needs::Reach(Reach::Drive)),
    ("GET", "/api/v1/sessions", Needs::Reach(Reach::View)),
    ("GET", "/api/v1/sessions/{}", Needs::Reach(Reach::View)),
    ("GET", "/api/v1/prompts", Needs::Reach(Reach::View)),
    ("GET", "/api/v1/rules", Needs::Reach(Reach::View)),
    ("GET", "/api/v1/history", Needs::Reach(Reach::View)),
    ("GET", "/api/v1/search", Needs::Reach(Reach::View)),
    ("GET", "/api/v1/events", Needs::Reach(Reach::View)),
    ("GET", "/docs", Needs::Reach(Reach::View)),
    ("GET", "/openapi.json", Needs::Reach(Reach::View)),
];

/// What each call of JSON-RPC needs.
const CALLS: &[(&str, Reach)] =
    &[("permission/pending", Reach::View), ("permission/respond", Reach::Answer), ("permission/request", Reach::Hooks)];

/// Sessions around a shell are a person's, and no agent's.
const SHELL: &str = "shell";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// Any that is right.
    Token,
    Reach(Reach),
}

fn needs(method: &Method, path: &str) -> Needs {
    if web::is_open(method, path) {
        return Needs::Nothing;
    }
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    // `hook%73` is `hooks` to whoever serves it, and no row has a character that needs such.
    let plain = !path.contains('%');
    let row = REQUESTS.iter().find(|(own, pattern, _)| plain && *own == method && fits(pattern, path));
    row.map_or(Needs::Reach(Reach::Admin), |(.., needs)| *needs)
}

fn fits(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some("{**}"), Some(part)) => return !part.is_empty(),
            (Some("{}"), Some(part)) if !part.is_empty() => {}
            (Some(own), Some(part)) if own == part => {}
            _ => return false,
        }
    }
}

/// How far whoever asks may go, and which device it is, where it is one.
#[derive(Clone, Debug)]
pub(super) struct Granted {
    pub(super) reach: Reach,
    pub(super) device: Option<Arc<Device>>,
    /// The client is inside an agent's session, and may report and look whatever `reach` says.
    pub(super) inside: Option<Inside>,
}

impl Granted {
    /// Whether it is enough for a call of JSON-RPC. One that nobody knows is refused for that, and not for want of reach.
    pub(super) fn may_call(&self, method: &str) -> bool {
        let needed = CALLS.iter().find(|(own, _)| *own == method);
        needed.is_none_or(|(_, needed)| self.opens(*needed))
    }

    /// Whether it is enough for what needs `needed`.
    pub(super) fn opens(&self, needed: Reach) -> bool {
        self.reach.opens(needed) || self.inside.is_some() && inside::opens(needed)
    }

    /// Says why it is not enough.
    pub(super) fn beyond(&self, needed: Reach) -> ApiError {
        match &self.inside {
            Some(inside) => guard::refused(inside),
            None => beyond(self.reach, needed),
        }
    }

    /// Rejects an answer that replaces what the agent runs, unless the token may drive.
    pub(super) fn may_update(&self, updated_input: bool) -> Result<(), ApiError> {
        match updated_input && !self.opens(Reach::Drive) {
            true => Err(self.beyond(Reach::Drive)),
            false => Ok(()),
        }
    }

    /// Who it is, for those who read the history.
    pub(super) fn name(&self, caller: &Caller) -> String {
        self.device.as_ref().map_or_else(|| caller.peer.key.clone(), |device| device.name.clone())
    }
}

impl Hub {
    /// What somebody with this token is granted; nothing if it is wrong or missing.
    pub(super) fn grants(&self, token: Option<&str>) -> Option<Granted> {
        if let Some(reach) = self.access.reach(token) {
            return Some(Granted { reach, device: None, inside: None });
        }
        let device = self.device(token?)?;
        Some(Granted { reach: device.reach, device: Some(device), inside: None })
    }

    /// What is granted to whoever connects, if that can be said before it speaks.
    pub(super) fn grants_at_once(&self, peer: &Peer, token: Option<&str>) -> Option<Granted> {
        if peer.tcp {
            return self.grants(token);
        }
        let all = Granted { reach: Reach::Admin, device: None, inside: None };
        let Some(inside) = self.inside(peer.visitor.as_deref()) else { return Some(all) };
        // A device was let in by the operator. The tokens in files are no such sign: an agent can read them.
        let device = token.and_then(|token| self.device(token));
        let reach = device.as_ref().map_or(Reach::View, |device| device.reach);
        Some(Granted { reach, device, inside: Some(inside.clone()) })
    }

    /// Says whether a client of the socket is inside an agent's session.
    fn inside<'a>(&self, visitor: Option<&'a Visitor>) -> Option<&'a Inside> {
        let known = |pid, started| {
            let board = self.handle.board();
            let is_it = |process: &Process| process.host.is_none() && process.pid == pid && process.started == started;
            let mut agents = board.sessions.iter().filter(|entry| entry.agent != SHELL);
            agents.find(|entry| entry.process.as_ref().is_some_and(is_it)).map(|entry| entry.id.to_string())
        };
        self.guard.as_ref()?.inside(visitor, known)
    }

    /// Whether a client of a socket that leads to another machine may use it.
    pub(super) fn is_outside(&self, visitor: &Visitor) -> bool {
        self.inside(Some(visitor)).is_none()
    }

    fn device(&self, token: &str) -> Option<Arc<Device>> {
        let digest = coop_hub::digest(token);
        self.handle.devices().iter().find(|device| device.has(&digest)).cloned()
    }

    /// Returns when the token is taken back; never for one that is none of a device.
    pub(super) fn revoked(&self, granted: &Granted) -> impl Future<Output = ()> + Send + 'static {
        let device = granted.device.as_ref().map(|device| device.id);
        let handle = self.handle.clone();
        async move {
            match device {
                Some(device) => handle.revoked(device).await,
                None => std::future::pending().await,
            }
        }
    }
}

/// Lets a request pass, or says why not. What a device has asked for ends when its token is taken back.
pub(super) async fn guard(State(hub): State<Hub>, mut request: Request, next: Next) -> Response {
    let Some(peer) = request.extensions().get::<Peer>().cloned() else {
        return problem::response(&unknown_connection());
    };
    let granted = match check(&hub, &request, &peer) {
        Ok(granted) => granted,
        Err(error) if error.code == Code::Unauthorized && auth::brings_token(&request) => {
            return problem::response(&hub.access.wrong_token(&peer).await);
        }
        Err(error) => return problem::response(&error),
    };
    let Some(granted) = granted else { return next.run(request).await };
    peer.admit().await;
    request.extensions_mut().insert(granted.clone());
    request.extensions_mut().insert(granted.reach);
    // A device that logs out revokes itself, and is told that it has.
    if granted.device.is_none() || request.uri().path() == web::LOGOUT {
        return next.run(request).await;
    }
    let response = tokio::select! {
        response = next.run(request) => response,
        () = hub.revoked(&granted) => return problem::response(&unauthorized()),
    };
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    let revoked = hub.revoked(&granted);
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(revoked)))
}

fn check(hub: &Hub, request: &Request, peer: &Peer) -> Result<Option<Granted>, ApiError> {
    let (headers, uri) = (request.headers(), request.uri());
    hub.access.check_browser(headers, uri, peer)?;
    let by_query = || query_token(uri).filter(|_| QUERY_TOKEN_PATHS.contains(&uri.path()));
    let token = auth::given(request.method(), headers).or_else(by_query);
    let needs = needs(request.method(), uri.path());
    if needs == Needs::Reach(Reach::Hooks) && !peer.tcp {
        // Every process of the account may report, and an agent waits for it.
        return Ok(Some(Granted { reach: Reach::Hooks, device: None, inside: None }));
    }
    let granted = hub.grants_at_once(peer, token.as_deref());
    match (needs, granted) {
        (Needs::Nothing, granted) => Ok(granted),
        (_, None) => Err(unauthorized()),
        (Needs::Reach(needed), Some(granted)) if !granted.opens(needed) => Err(granted.beyond(needed)),
        (_, granted) => Ok(granted),
    }
}

fn beyond(reach: Reach, needed: Reach) -> ApiError {
    let detail = format!("This token is good for `{reach}`, and this needs `{needed}`.");
    ApiError::new(Code::Forbidden, detail)
        .with_hint(format!("`coop pair --scope {needed}` on the machine of the hub gives one that is."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_rows() {
        for (pattern, path, expected) in [
            ("/rpc", "/rpc", true),
            ("/rpc", "//rpc", false),
            ("/rpc", "/rpc/", false),
            ("/a/{}/b", "/a/1/b", true),
            ("/a/{}/b", "/a//b", false),
            ("/a/{}/b", "/a/1/2/b", false),
            ("/a/{}/{**}", "/a/1/b", true),
            ("/a/{}/{**}", "/a/1/b/c", true),
            ("/a/{}/{**}", "/a/1/", false),
            ("/a/{}/{**}", "/a/1", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }

    /// A request that is added without a row here needs everything, which is safe; but somebody should have decided it.
    #[test]
    fn every_request_has_a_row() {
        let document = super::super::openapi();
        for (path, item) in &document.paths.paths {
            let methods = [("GET", &item.get), ("PUT", &item.put), ("POST", &item.post), ("DELETE", &item.delete)];
            for (method, _) in methods.iter().filter(|(_, operation)| operation.is_some()) {
                let path = path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
                let path = path.collect::<Vec<_>>().join("/");
                let row = REQUESTS.iter().find(|(own, pattern, _)| own == method && fits(pattern, &path));
                assert!(row.is_some(), "{method} {path} is in no row of REQUESTS");
            }
        }
        assert_eq!(needs(&Method::PATCH, "/api/v1/sessions/1/x"), Needs::Reach(Reach::Admin));
        assert_eq!(needs(&Method::HEAD, "/api/v1/sessions"), Needs::Reach(Reach::View));
        assert_eq!(needs(&Method::POST, "/api/v1/sessions/1/hook%73/Stop"), Needs::Reach(Reach::Admin));
    }
}
