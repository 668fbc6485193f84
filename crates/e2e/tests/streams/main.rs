//! What clients follow: output, screens and events, over WebSocket, server-sent events and gRPC.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod events;
mod grpc;
mod join;
mod lease;
mod messages;
mod resume;
mod slow;
mod waiting;

use coop_e2e::TestServer;
use coop_session::{Input, InputKind};

/// Presses Enter, which the scripts here wait for.
async fn enter(server: &TestServer) {
    type_line(server, "").await;
}

async fn type_line(server: &TestServer, text: &str) {
    let kind = InputKind::Text { text: text.into(), enter: true };
    server.session.input(Input { kind, lease: None }).await.unwrap();
}
