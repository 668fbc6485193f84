//! HTTP around a hub: the board, what is asked, the rules, and the way to every session.

mod access;
mod browser;
mod conversation;
mod convert;
mod devices;
mod follow;
mod hosts;
mod ingest;
mod notify;
mod proxy;
mod routes;
mod rpc;
mod sse;
mod start;
mod terminal;
mod ws;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::http::HeaderValue;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use coop_api::{ApiError, Code};
use coop_core::access::PairError;
use coop_hub::{Decision, HookCall, HubError, HubHandle};
use tokio_util::sync::CancellationToken;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;

use crate::app::Options;
use crate::auth::Access;
use crate::guard::Guard;
use crate::http::docs::Token;
use crate::http::{cors, docs, problem};
use crate::listen::Listener;
use crate::serve::{Acceptor, Pools, accept_all};
use crate::web;
use notify::routes as notices;

pub use convert::event as render;
pub use notify::Notify;
pub use start::Launcher;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "coop hub",
        description = "Every agent of a person on one board, what they ask, and a way to answer.",
        license(name = "Apache-2.0 OR MIT")
    ),
    tags(
        (name = "sessions", description = "The agents"),
        (name = "prompts", description = "What they ask"),
        (name = "rules", description = "What they may do without asking"),
        (name = "events", description = "What happens"),
        (name = "notify", description = "Telling people of it"),
        (name = "access", description = "Devices, and what they may do"),
        (name = "ingest", description = "For the agents' hooks, and for sidecars of other machines"),
    ),
    modifiers(&Token),
    security((), ("token" = []))
)]
struct Document;

/// What every request needs.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    pub(crate) handle: HubHandle,
    pub(crate) access: Access,
    /// Token of the sidecars whose sockets are in this folder, as a header.
    sidecar_token: Option<Arc<(PathBuf, HeaderValue)>>,
    /// Who is inside an agent's session, and may only report and look.
    pub(crate) guard: Option<Guard>,
    pub(crate) version: Arc<str>,
    pub(crate) notifier: Arc<notify::Notifier>,
    /// Without one, no session is started.
    pub(crate) launcher: Option<Arc<Launcher>>,
    /// Where sidecars of other machines have their sockets; without it, none are taken.
    pub(crate) hosts: Option<Arc<std::path::Path>>,
    /// Cancelled when streams should end.
    pub(crate) stop: CancellationToken,
}

impl Hub {
    /// Returns the token for the sidecar at `socket`. A sidecar that called from another machine gets none: it is
    /// authorised by its call, and its socket is in another folder.
    pub(crate) fn sidecar_token(&self, socket: &str) -> Option<HeaderValue> {
        let (folder, token) = &**self.sidecar_token.as_ref()?;
        (Path::new(socket).parent() == Some(folder)).then(|| token.clone())
    }

    /// What a hook is to be told. When the hub goes, nobody is kept: what they ask is for the next one.
    async fn ask(&self, call: HookCall) -> Result<Decision, HubError> {
        let going = async {
            self.stop.cancelled().await;
            // Before those who wait are dropped, who would be taken for those who left.
            self.handle.leave();
        };
        tokio::select! {
            decision = self.handle.hook(call) => decision,
            () = going => Err(HubError::Closed),
        }
    }
}

/// The description of the hub's API.
#[must_use]
pub fn openapi() -> OpenApi {
    described()
}

/// Serves until `stop`. Over a socket no token is needed: only its owner can open it.
pub async fn serve(handle: HubHandle, listeners: Vec<Listener>, options: Options, stop: CancellationToken) {
    let places = Pools::new(options.max_connections);
    let sidecar_token = options.sidecar_token.as_ref().and_then(|(folder, token)| {
        let mut token = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        token.set_sensitive(true);
        Some(Arc::new((folder.clone(), token)))
    });
    let access = Access::new(&options);
    let (leaving, ends) = (handle.clone(), stop.clone());
    tokio::spawn(async move {
        ends.cancelled().await;
        leaving.leave();
    });
    let version = options.version.as_str().into();
    let launcher = options.launcher.clone().map(Arc::new);
    let hosts = options.hosts.as_deref().map(Into::into);
    let notifier = Arc::new(notify::Notifier::new(options.notify.clone()));
    let guard = options.guard.clone();
    let hub = Hub { handle, access, sidecar_token, guard, version, notifier, launcher, hosts, stop: stop.clone() };
    notify::start(&hub);
    let router = router(&hub, &options);
    let acceptor = Acceptor { stop, router, places };
    accept_all(listeners.into_iter().map(|listener| (acceptor.clone(), listener))).await;
}

fn router(hub: &Hub, options: &Options) -> Router {
    let router = web::beside(routed())
        .route("/docs", get(docs::page))
        .route(web::ABOUT, get(browser::about))
        .route(web::LOGIN, post(browser::login))
        .route(web::LOGOUT, post(browser::logout))
        .route("/openapi.json", get(|| docs::document(described)))
        // A sidecar has one by that name too.
        .route("/api/v1/sessions/{id}/resume", get(proxy::forward_resume))
        .route("/api/v1/sessions/{id}/ws", get(terminal::forward))
        .route("/api/v1/sessions/{id}/{*path}", axum::routing::any(proxy::forward))
        .with_state(hub.clone())
        .fallback(problem::not_found)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(from_fn_with_state(hub.clone(), access::guard));
    match cors(options) {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

docs::requests! {
    Hub, Document::openapi();
    routes::health,
    routes::shutdown,
    routes::sessions,
    start::start,
    routes::session,
    start::end,
    start::resume,
    routes::seen,
    routes::clear_permissions,
    conversation::conversation,
    conversation::timeline,
    routes::prompts,
    routes::answer,
    routes::rules,
    routes::put_rule,
    routes::delete_rule,
    routes::test_rules,
    routes::history,
    routes::search,
    notices::key,
    notices::subscribe,
    notices::unsubscribe,
    notices::test,
    devices::new_code,
    devices::pair,
    devices::devices,
    devices::revoke,
    sse::events,
    ws::connect,
    ingest::hook,
    hosts::register,
    ingest::event,
    rpc::call,
}

#[allow(clippy::needless_pass_by_value, reason = "made for map_err")]
fn hub_error(error: HubError) -> ApiError {
    let detail = crate::app::sentence(&error.to_string());
    match error {
        HubError::Unknown | HubError::Answered { .. } => {
            ApiError::new(Code::NoPrompt, detail).with_hint("GET /api/v1/prompts lists what waits for an answer.")
        }
        HubError::Unfit(why) => ApiError::bad_request(why).with_hint("GET /api/v1/prompts shows what can be chosen."),
        HubError::Sidecar(problem) => {
            ApiError { hint: problem.hint.clone(), ..ApiError::new(problem.code, problem.detail.clone()) }
        }
        HubError::NoSession(_) => {
            ApiError::new(Code::NotFound, detail).with_hint("GET /api/v1/sessions lists those there are.")
        }
        HubError::Project(_) => ApiError::bad_request(detail),
        HubError::NoRule(_) => {
            ApiError::new(Code::NotFound, detail).with_hint("GET /api/v1/rules lists those there are.")
        }
        HubError::NoDevice(_) => {
            ApiError::new(Code::NotFound, detail).with_hint("GET /api/v1/devices lists those there are.")
        }
        HubError::Pair(PairError::Wrong) => ApiError::new(Code::Unauthorized, detail)
            .with_hint("`coop pair` on the machine of the hub makes a new one."),
        HubError::Pair(PairError::TooMany { wait }) => {
            ApiError { retry_after: Some(wait.as_secs() + 1), ..ApiError::new(Code::RateLimited, detail) }
        }
        HubError::NoRandom(_) => ApiError::new(Code::Internal, detail),
        HubError::Unreachable(_) | HubError::Closed => ApiError::new(Code::NotReady, detail),
        HubError::Ledger(_) => ApiError::new(Code::Internal, detail),
    }
}
