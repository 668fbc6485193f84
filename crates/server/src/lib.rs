//! HTTP, WebSocket and gRPC around a session, and HTTP around a hub.
//!
//! One handler per request, in [`handler`]; the transports only translate. Nothing here holds state of the session:
//! it is asked for, or pulled by whoever is connected.

mod app;
mod auth;
mod dial;
mod follow;
mod grpc;
mod guard;
mod handler;
mod http;
mod hub;
mod listen;
mod metrics;
mod places;
mod recording;
mod serve;
mod tls;
mod web;
mod ws;

pub use app::Options;
pub use dial::Dial;
pub use guard::Guard;
pub use http::openapi;
pub use hub::{Launcher, Notify, openapi as hub_openapi, render as render_hub_event, serve as serve_hub};
pub use listen::{BindError, Listener};
pub use serve::{Listeners, serve};
pub use tls::{OWN as OWN_CERTIFICATE, Tls, TlsError};
