//! Attacks on a hub and its sessions by those whom docs/security.md names: devices, sidecars of other machines, pages and
//! strangers. Each is played as the attacker would, beside the same act by a caller that may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod browser;
mod places;
mod scopes;
mod tokens;
mod upgrade;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use coop_e2e::http::{Call, Reply};
use coop_e2e::{Address, Ws};
use coop_testkit::{Coop, Meeting, TestHub};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A hub with a port, and one session of it: a terminal that shows what is typed.
struct Stage {
    // The session ends first.
    _session: Coop,
    hub: TestHub,
    id: Value,
    tokens: BTreeMap<&'static str, String>,
    runtime: Runtime,
    home: TempDir,
}

impl Stage {
    #[track_caller]
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
        let mut command = hub.command();
        command.args(["--name", "target", "--shutdown-timeout", "1", "--", "cat"]);
        let session = Coop::run(command);
        let id = hub.session("the session", |session| session["control"] == "owned")["id"].clone();
        let tokens = ["hooks", "view", "answer", "drive", "admin"].map(|scope| {
            let name = if scope == "admin" { "hub.token".to_owned() } else { format!("hub.{scope}.token") };
            let token = std::fs::read_to_string(home.path().join(".local/state/coop").join(name)).unwrap();
            (scope, token.trim().to_owned())
        });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Self { _session: session, hub, id, tokens: tokens.into(), runtime, home }
    }

    fn tcp(&self) -> Address {
        Address::Tcp(SocketAddr::from(([127, 0, 0, 1], self.hub.port().unwrap())))
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/sessions/{}{rest}", self.id)
    }

    /// The WebSocket of the session, by way of the hub.
    async fn websocket(&self, headers: &[(&str, &str)]) -> Ws {
        let connected = Ws::try_connect_at(&self.tcp(), &self.path("/ws?mode=state"), headers).await;
        connected.unwrap_or_else(|reply| panic!("refused: {}", reply.text()))
    }

    fn send(&self, scope: &str, call: Call) -> Reply {
        self.runtime.block_on(call.token(Some(&self.tokens[scope])).send(&self.tcp()))
    }

    /// Types a line as the owner, waits until the terminal shows it, and returns all that the terminal shows. All that
    /// reached the terminal before is there too.
    #[track_caller]
    fn screen_after(&self, fence: &str) -> String {
        self.hub.post(&self.path("/input"), &json!({ "text": fence, "enter": true })).unwrap();
        self.hub.until(&self.path("/screen"), "the fence", |screen| {
            let lines = screen["lines"].to_string();
            lines.contains(fence).then_some(lines)
        })
    }
}
