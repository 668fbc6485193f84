//! The description of the API, for programs and for people.

use axum::handler::Handler;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use axum::{Json, Router};
use coop_api::ws;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::PathItemExt as _;

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

/// From one list of handlers: the routes, which every start needs, and the document, which is large and is made when
/// somebody asks for it.
macro_rules! requests {
    ($state:ty, $document:expr; $($module:ident::$handler:ident),* $(,)?) => {
        fn routed() -> ::axum::Router<$state> {
            let router = ::axum::Router::new();
            $(let router = ::utoipa_axum::paste! {
                $crate::http::docs::route::<$module::[<__path_ $handler>], _, _, _>(router, &$module::$handler)
            };)*
            router
        }

        fn described() -> ::utoipa::openapi::OpenApi {
            ::utoipa_axum::router::OpenApiRouter::<$state>::with_openapi($document)
                $(.routes(::utoipa_axum::routes!($module::$handler)))*
                .into_openapi()
        }
    };
}
pub(crate) use requests;

/// The handler where its description says.
pub(crate) fn route<P: utoipa::Path, T: 'static, S, H>(router: Router<S>, handler: &H) -> Router<S>
where
    H: Handler<T, S>,
    S: Clone + Send + Sync + 'static,
{
    let methods = P::methods()
        .iter()
        .fold(MethodRouter::new(), |methods, method| methods.on(method.to_method_filter(), handler.clone()));
    router.route(&P::path(), methods)
}

pub(crate) async fn document(openapi: fn() -> utoipa::openapi::OpenApi) -> Response {
    Json(openapi()).into_response()
}

pub(crate) async fn page() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (X_FRAME_OPTIONS, "DENY"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // The token may stand in the address.
        (REFERRER_POLICY, "no-referrer"),
    ];
    (headers, include_str!("docs.html")).into_response()
}
