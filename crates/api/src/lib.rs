//! The words on the wire: requests, replies, events and errors, once for all transports, and a client that speaks them.
//!
//! `proto/coop/v1/coop.proto` is the one definition. The types made from it are what gRPC sends and, as JSON, what HTTP
//! and WebSocket send. A wire type is never a domain type: [`convert`] is the one place where they meet.

pub mod catalog;
pub mod client;
pub mod convert;
pub mod error;
pub mod hook;
pub mod host;
pub mod hub;
pub mod json;
pub mod ws;

pub use error::{ApiError, Code, Problem};

/// Generated from the proto file.
#[allow(
    missing_debug_implementations,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::semicolon_if_nothing_returned,
    clippy::uninlined_format_args,
    reason = "generated"
)]
pub mod v1 {
    tonic::include_proto!("coop.v1");

    /// For reflection.
    pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/coop.bin"));
}
