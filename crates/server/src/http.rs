//! HTTP: routes, their description, and how requests and replies look there.

pub(crate) mod agent;
pub(crate) mod browser;
pub(crate) mod docs;
pub(crate) mod extract;
mod pages;
pub(crate) mod problem;
mod recording;
mod routes;
pub(crate) mod sse;

use axum::Router;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;

use crate::app::{App, Options};
use crate::{auth, grpc, web, ws};

/// A paste of a megabyte as base64 in JSON, and some room.
pub(crate) const MAX_BODY: usize = 2 << 20;

/// Names the lease for requests that have no field for it.
pub(crate) const LEASE_HEADER: HeaderName = HeaderName::from_static("coop-lease");
/// Limits a request to a scope. A hub sets it to the scope of the token that its caller has.
pub(crate) const SCOPE_HEADER: HeaderName = HeaderName::from_static("coop-scope");
/// Offsets of output that is sent as bytes.
pub(crate) const OUTPUT_HEADERS: [HeaderName; 4] = [
    HeaderName::from_static("coop-offset"),
    HeaderName::from_static("coop-next-offset"),
    HeaderName::from_static("coop-generation"),
    HeaderName::from_static("coop-lost"),
];

/// The description of the API.
#[must_use]
pub fn openapi() -> OpenApi {
    described()
}

/// Everything, for those who may connect.
pub(crate) fn router(app: &App) -> Router {
    let router = web::beside(routed())
        .route("/docs", get(docs::page))
        .route(web::ABOUT, get(browser::about))
        .route(web::LOGIN, post(browser::login))
        .route(web::LOGOUT, post(browser::logout))
        .route("/openapi.json", get(|| docs::document(described)))
        .with_state(app.clone())
        .merge(grpc::router(app))
        .fallback(problem::not_found)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(from_fn_with_state(app.access.clone(), auth::guard));
    match cors(&app.options) {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

/// Only gRPC, for a port of its own.
pub(crate) fn grpc_router(app: &App) -> Router {
    grpc::router(app).layer(from_fn_with_state(app.access.clone(), auth::guard))
}

/// Only what the agent inside reports.
pub(crate) fn hooks_router(app: &App) -> Router {
    router(app).layer(axum::middleware::from_fn(auth::only_hooks))
}

/// Only the probes: they say nothing but yes or no, so they need no token.
pub(crate) fn health_router(app: &App) -> Router {
    Router::new()
        .route("/livez", get(pages::livez))
        .route("/ready", get(pages::ready))
        .fallback(problem::not_found)
        .with_state(app.clone())
}

docs::requests! {
    App, docs::Document::openapi();
    routes::health,
    routes::status,
    routes::screen,
    routes::screen_text,
    routes::screen_svg,
    routes::output,
    routes::resume,
    recording::recording,
    routes::input,
    routes::input_raw,
    routes::keys,
    routes::resize,
    routes::signal,
    routes::lease,
    routes::shutdown,
    routes::restart,
    routes::events_catchup,
    sse::events,
    agent::state,
    agent::explain,
    agent::nudge,
    agent::respond,
    agent::interrupt,
    agent::wait,
    agent::conversation,
    agent::hook,
    agent::stop_resolve,
    agent::stop_config,
    agent::put_stop_config,
    agent::start_config,
    agent::put_start_config,
    agent::groom_config,
    agent::put_groom_config,
    agent::lifted_config,
    agent::put_lifted_config,
    agent::recording_config,
    agent::put_recording_config,
    agent::transcripts,
    agent::transcripts_catchup,
    agent::transcript,
    pages::livez,
    pages::ready,
    pages::metrics,
    ws::connect,
}

/// Pages of the origins the owner named may read replies.
pub(crate) fn cors(options: &Options) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = options.allowed_origins.iter().filter_map(|o| o.parse().ok()).collect();
    (!origins.is_empty()).then(|| {
        CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_headers([AUTHORIZATION, CONTENT_TYPE, LEASE_HEADER])
            .expose_headers(OUTPUT_HEADERS)
            .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
    })
}
