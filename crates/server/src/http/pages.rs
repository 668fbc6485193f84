//! Probes and metrics.

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::metrics;

/// Whether coop itself is alive
#[utoipa::path(get, path = "/livez", tag = "probes", responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn livez() -> &'static str {
    "ok\n"
}

/// Whether the program runs and takes input
#[utoipa::path(get, path = "/ready", tag = "probes", responses((status = 200, body = String, content_type = "text/plain"), (status = 503, body = String, content_type = "text/plain")))]
pub(super) async fn ready(State(app): State<App>) -> (StatusCode, &'static str) {
    let running = app.session.status().exit().is_none() && !app.stop.is_cancelled();
    if running { (StatusCode::OK, "ok\n") } else { (StatusCode::SERVICE_UNAVAILABLE, "the program has exited\n") }
}

/// Numbers for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "probes", responses((status = 200, body = String, content_type = "application/openmetrics-text")))]
pub(super) async fn metrics(State(app): State<App>) -> Response {
    const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, KIND)], metrics::text(&app)).into_response()
}
