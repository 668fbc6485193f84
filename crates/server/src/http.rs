//! HTTP: routes, their description, and how requests and replies look there.

pub(crate) mod agent;
pub(crate) mod docs;
pub(crate) mod extract;
mod pages;
pub(crate) mod problem;
mod routes;
pub(crate) mod sse;

use axum::Router;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::{App, Options};
use crate::{auth, grpc, ws};

/// A paste of a megabyte as base64 in JSON, and some room.
pub(crate) const MAX_BODY: usize = 2 << 20;

/// Names the lease for requests that have no field for it.
const LEASE_HEADER: HeaderName = HeaderName::from_static("coop-lease");
/// Where bytes of output belong that are sent as they are.
const OUTPUT_HEADERS: [HeaderName; 4] = [
    HeaderName::from_static("coop-offset"),
    HeaderName::from_static("coop-next-offset"),
    HeaderName::from_static("coop-generation"),
    HeaderName::from_static("coop-lost"),
];

/// The description of the API.
#[must_use]
pub fn openapi() -> OpenApi {
    described().split_for_parts().1
}

/// Everything, for those who may connect.
pub(crate) fn router(app: &App) -> Router {
    let (router, openapi) = described().split_for_parts();
    let router = router
        .route("/docs", get(docs::page))
        .route("/openapi.json", get(move || docs::document(openapi.clone())))
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

/// Only the probes: they say nothing but yes or no, so they need no token.
pub(crate) fn health_router(app: &App) -> Router {
    Router::new()
        .route("/livez", get(pages::livez))
        .route("/ready", get(pages::ready))
        .fallback(problem::not_found)
        .with_state(app.clone())
}

fn described() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(docs::Document::openapi())
        .routes(routes!(routes::health))
        .routes(routes!(routes::status))
        .routes(routes!(routes::screen))
        .routes(routes!(routes::screen_text))
        .routes(routes!(routes::screen_svg))
        .routes(routes!(routes::output))
        .routes(routes!(routes::resume))
        .routes(routes!(routes::input))
        .routes(routes!(routes::input_raw))
        .routes(routes!(routes::keys))
        .routes(routes!(routes::resize))
        .routes(routes!(routes::signal))
        .routes(routes!(routes::lease))
        .routes(routes!(routes::shutdown))
        .routes(routes!(routes::restart))
        .routes(routes!(routes::events_catchup))
        .routes(routes!(sse::events))
        .routes(routes!(agent::state))
        .routes(routes!(agent::explain))
        .routes(routes!(agent::nudge))
        .routes(routes!(agent::respond))
        .routes(routes!(agent::interrupt))
        .routes(routes!(agent::wait))
        .routes(routes!(agent::conversation))
        .routes(routes!(agent::hook))
        .routes(routes!(agent::stop_resolve))
        .routes(routes!(agent::stop_config, agent::put_stop_config))
        .routes(routes!(agent::start_config, agent::put_start_config))
        .routes(routes!(agent::groom_config, agent::put_groom_config))
        .routes(routes!(agent::lifted_config, agent::put_lifted_config))
        .routes(routes!(agent::transcripts))
        .routes(routes!(agent::transcripts_catchup))
        .routes(routes!(agent::transcript))
        .routes(routes!(pages::livez))
        .routes(routes!(pages::ready))
        .routes(routes!(pages::metrics))
        .routes(routes!(ws::connect))
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
