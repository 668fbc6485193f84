//! The description of the API, for programs and for people.

use axum::Json;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::response::{IntoResponse, Response};
use coop_api::ws;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "coop",
        description = "A terminal program with an API: its screen, its output, its input. The same requests are offered over HTTP, WebSocket (`/ws`) and gRPC (package `coop.v1`).",
        license(name = "Apache-2.0 OR MIT")
    ),
    tags(
        (name = "terminal", description = "The screen, the output and the keyboard"),
        (name = "agent", description = "What the agent does, asks and is told"),
        (name = "transcripts", description = "Conversations, kept before they are shortened"),
        (name = "config", description = "What the agent is told at its start, and whether it may stop"),
        (name = "hooks", description = "For the agent inside"),
        (name = "events", description = "What happened"),
        (name = "lifecycle", description = "Ending the program"),
        (name = "probes", description = "For those who watch over it"),
    ),
    components(schemas(ws::Request, ws::Control, ws::Tagged, coop_api::v1::Event)),
    modifiers(&Token),
    // Without --auth-token none is needed.
    security((), ("token" = []))
)]
pub(super) struct Document;

pub(crate) struct Token;

impl utoipa::Modify for Token {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme =
            HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("The value of --auth-token.")).build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

pub(crate) async fn document(openapi: utoipa::openapi::OpenApi) -> Response {
    Json(openapi).into_response()
}

pub(crate) async fn page() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
        ),
        // The token may stand in the address.
        (REFERRER_POLICY, "no-referrer"),
    ];
    (headers, include_str!("docs.html")).into_response()
}
