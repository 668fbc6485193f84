//! HTTP around a hub: the board, what is asked, the rules, and the way to every session.

mod access;
mod convert;
mod devices;
mod follow;
mod ingest;
mod proxy;
mod routes;
mod rpc;
mod sse;
mod start;
mod ws;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderValue;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use coop_api::{ApiError, Code};
use coop_core::access::PairError;
use coop_hub::{Decision, HookCall, HubError, HubHandle};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::Options;
use crate::auth::Access;
use crate::http::docs::Token;
use crate::http::{cors, docs, problem};
use crate::listen::Listener;
use crate::serve::{Acceptor, accept_all};

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
        (name = "access", description = "Devices, and what they may do"),
        (name = "ingest", description = "For the agents' hooks"),
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
    /// What sidecars that need a token are sent, as a header.
    pub(crate) token: Option<HeaderValue>,
    pub(crate) version: Arc<str>,
    /// Without one, no session is started.
    pub(crate) launcher: Option<Arc<Launcher>>,
    /// Cancelled when streams should end.
    pub(crate) stop: CancellationToken,
}

impl Hub {
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
    described().split_for_parts().1
}

/// Serves until `stop`. Over a socket no token is needed: only its owner can open it.
pub async fn serve(handle: HubHandle, listeners: Vec<Listener>, options: Options, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(options.max_connections));
    let token = options.token.as_ref().and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    let token = token.map(|mut token| {
        token.set_sensitive(true);
        token
    });
    let access = Access::new(&options);
    let (leaving, ends) = (handle.clone(), stop.clone());
    tokio::spawn(async move {
        ends.cancelled().await;
        leaving.leave();
    });
    let version = options.version.as_str().into();
    let launcher = options.launcher.clone().map(Arc::new);
    let router = router(&Hub { handle, access, token, version, launcher, stop: stop.clone() }, &options);
    let acceptor = Acceptor { stop, router, places };
    accept_all(listeners.into_iter().map(|listener| (acceptor.clone(), listener))).await;
}

fn router(hub: &Hub, options: &Options) -> Router {
    let (router, openapi) = described().split_for_parts();
    let router = router
        .route("/docs", get(docs::page))
        .route("/pair", get(devices::page))
        .route("/openapi.json", get(move || docs::document(openapi.clone())))
        // A sidecar has one by that name too.
        .route("/api/v1/sessions/{id}/resume", get(proxy::forward_resume))
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

fn described() -> OpenApiRouter<Hub> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(routes::health))
        .routes(routes!(routes::shutdown))
        .routes(routes!(routes::sessions, start::start))
        .routes(routes!(routes::session, start::end))
        .routes(routes!(start::resume))
        .routes(routes!(routes::seen))
        .routes(routes!(routes::clear_permissions))
        .routes(routes!(routes::prompts))
        .routes(routes!(routes::answer))
        .routes(routes!(routes::rules, routes::put_rule))
        .routes(routes!(routes::delete_rule))
        .routes(routes!(routes::test_rules))
        .routes(routes!(routes::history))
        .routes(routes!(routes::search))
        .routes(routes!(devices::new_code))
        .routes(routes!(devices::pair))
        .routes(routes!(devices::devices))
        .routes(routes!(devices::revoke))
        .routes(routes!(sse::events))
        .routes(routes!(ws::connect))
        .routes(routes!(ingest::hook))
        .routes(routes!(ingest::event))
        .routes(routes!(rpc::call))
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
