//! The log: neither the token nor what is typed is ever in it, whatever is logged, and nobody has to read it.
//!
//! The clients here are other programs: one in this process would write into the log of the server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::io::Read as _;
use std::process::Command;
use std::sync::{Arc, Mutex};

use coop_e2e::program::{client, run};
use coop_e2e::{Coop, TestServer, in_time};
use tracing_subscriber::util::SubscriberInitExt as _;

const TOKEN: &str = "hunter2-correct-horse";
const PASSWORD: &str = "battery-staple";

/// What curl prints as the status.
async fn curl(arguments: &[&str]) -> String {
    let mut command = Command::new("curl");
    command.args(["--silent", "--max-time", "20", "--output", "/dev/null", "--write-out", "%{http_code}"]);
    command.args(arguments);
    run(command).await
}

/// Comes with the token in each of its places, right and wrong, and types something secret.
async fn visit(host: &str) {
    let url = |path: &str| format!("http://{host}{path}");
    let bearer = format!("authorization: Bearer {TOKEN}");
    let in_query = url(&format!("/openapi.json?token={TOKEN}"));
    for (arguments, status) in [
        (vec!["--header", &bearer, &url("/api/v1/health")], "200"),
        (vec!["--http2-prior-knowledge", "--header", &bearer, &url("/api/v1/health")], "200"),
        (vec![in_query.as_str()], "200"),
        // Refused ones are logged in other places.
        (vec!["--header", &format!("{bearer}-wrong"), &url("/api/v1/health")], "401"),
        (vec![&format!("{in_query}-wrong")], "401"),
        (vec![&url(&format!("/nothing-here?token={TOKEN}"))], "401"),
    ] {
        assert_eq!(curl(&arguments).await, status, "{arguments:?}");
    }
    let mut in_first_message = client("ws.py");
    in_first_message.args([&format!("ws://{host}"), PASSWORD, TOKEN]);
    run(in_first_message).await;
}

fn assert_no_secrets(log: &str) {
    assert!(log.contains("TRACE"), "everything is logged");
    let leaks: Vec<_> = log.lines().filter(|line| line.contains(TOKEN) || line.contains(PASSWORD)).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// A place to log to.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_server_logs_no_secrets() {
    let captured = Captured::default();
    let writer = captured.clone();
    let log = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone());
    log.finish().init();
    let server = TestServer::with("cat", |setup| setup.server.token = Some(TOKEN.into()));
    visit(&server.tcp.host()).await;
    server.stop().await;
    assert_no_secrets(&String::from_utf8(captured.0.lock().unwrap().clone()).unwrap());
}

fn product(script: &str) -> Coop {
    let token = format!("--auth-token={TOKEN}");
    let arguments = ["--port", "0", "--socket", "none", "--log-level", "trace", "--log-format", "text"];
    Coop::start(arguments.into_iter().chain([token.as_str()]), script)
}

#[tokio::test]
async fn the_product_logs_no_secrets() {
    let mut coop = product("cat");
    let host = coop.log_so_far.split("http://").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
    let host = host.trim_matches('"').to_owned();
    // Read meanwhile: a full pipe would hold it up.
    let (mut rest, mut log) = (coop.log.take().unwrap(), std::mem::take(&mut coop.log_so_far));
    let log = tokio::task::spawn_blocking(move || rest.read_to_string(&mut log).map(|_| log).unwrap());
    visit(&host).await;
    coop.process.kill().unwrap();
    assert_no_secrets(&in_time("the end of the log", log).await.unwrap());
}

#[test]
fn a_log_that_nobody_reads_ends_nothing() {
    let mut coop = product("exec sleep 100");
    drop(coop.log.take());
    Command::new("kill").args(["-TERM", &coop.process.id().to_string()]).status().unwrap();
    assert_eq!(coop.process.wait().unwrap().code(), Some(129), "the program's, which a hang-up has ended");
}
