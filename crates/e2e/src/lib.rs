//! A served session, and clients to look at it with, for the tests of the whole in `tests/`.
//!
//! The clients are not the product's own: what both sides get wrong in the same way would go unseen.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

pub mod accuracy;
pub mod driven;
pub mod grpc;
pub mod http;
pub mod painter;
pub mod program;
pub mod server;
pub mod soak;
pub mod sse;
pub mod transport;
pub mod ws;

pub use coop_testkit::Coop;
pub use driven::Driven;
pub use painter::Painter;
pub use server::{Address, Clock, TestServer};
pub use sse::Sse;
pub use transport::{Everywhere, Transport};
pub use ws::{Incoming, Ws};

use std::time::Duration;

/// Nothing here takes longer unless it hangs.
pub const LIMIT: Duration = Duration::from_secs(30);

/// The result of `work`, or the end of the test with what did not happen.
pub async fn in_time<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, work).await {
        Ok(result) => result,
        Err(_) => panic!("it took too long: {what}"),
    }
}
