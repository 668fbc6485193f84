//! Clients that others wrote, in other languages, against one server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use coop_e2e::program::{client, run};
use coop_e2e::{Address, TestServer, in_time};
use serde_json::{Value, json};

/// Answers each line with the line in brackets.
const SCRIPT: &str = "stty -echo; printf ready; while read line; do printf \"<$line>\"; done";

async fn curl(arguments: &[&str]) -> String {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--max-time", "20"]).args(arguments);
    run(command).await
}

/// What a person types from the manual.
#[tokio::test]
async fn curl_without_any_headers() {
    let server = TestServer::start(SCRIPT);
    server.shows("ready").await;
    let url = |path: &str| format!("http://{}/api/v1/{path}", server.tcp.host());
    let json = |text: String| serde_json::from_str::<Value>(&text).unwrap_or_else(|_| panic!("{text}"));

    assert_eq!(json(curl(&[&url("health")]).await)["status"], "running");
    let typed = curl(&["-d", r#"{"text":"hello","enter":true}"#, &url("input")]).await;
    assert_eq!(json(typed), json!({ "bytes_written": 6 }));
    server.shows("<hello>").await;
    let keys = curl(&["-X", "POST", "-d", r#"{"keys":["a","Ctrl-H","b","Enter"]}"#, &url("input/keys")]).await;
    assert_eq!(json(keys)["bytes_written"], 4);
    server.shows("<hello><b>").await;
    let text = curl(&[&url("screen/text")]).await;
    assert_eq!(text.lines().next(), Some("ready<hello><b>"));
    assert_eq!(text.lines().count(), 24, "one line for each row");

    let octets = ["-H", "accept: application/octet-stream", "-D", "-"];
    let output = curl(&[&octets[..], &[&url("output?offset=5&limit=7")]].concat()).await;
    let (headers, body) = output.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, "<hello>");
    assert!(headers.contains("content-type: application/octet-stream"), "{headers}");
    assert!(headers.contains("coop-offset: 5") && headers.contains("coop-next-offset: 12"), "{headers}");
    let raw = ["-H", "content-type: application/octet-stream", "--data-binary", "raw\r", &url("input/raw")];
    assert_eq!(json(curl(&raw).await)["bytes_written"], 4);
    server.shows("<raw>").await;

    assert_eq!(
        json(curl(&["-d", r#"{"cols":100,"rows":30}"#, &url("resize")]).await),
        json!({ "cols": 100, "rows": 30 })
    );
    assert_eq!(json(curl(&["-d", r#"{"signal":"SIGWINCH"}"#, &url("signal")]).await)["delivered"], true);
    let refused = json(curl(&["-d", r#"{"signal":"SIGNOTHING"}"#, &url("signal")]).await);
    assert_eq!(refused["code"], "BAD_REQUEST");
}

#[tokio::test]
async fn curl_through_the_socket_file_and_over_http_2() {
    let server = TestServer::start(SCRIPT);
    server.shows("ready").await;
    let Address::Unix(path) = &server.unix else { panic!("a socket file") };
    let path = path.to_str().unwrap();
    for version in ["--http1.1", "--http2-prior-knowledge"] {
        let text = curl(&[version, "--unix-socket", path, "http://localhost/api/v1/screen/text"]).await;
        assert!(text.starts_with("ready"), "{version}: {text}");
    }
}

/// Line by line, as they happen: nothing waits in a buffer.
#[tokio::test]
async fn curl_follows_events() {
    let server = TestServer::start("printf '\\033]0;a title\\007'; exit 3");
    let url = format!("http://{}/api/v1/events?since=0", server.tcp.host());
    let mut command = Command::new("curl");
    command.args(["--silent", "--no-buffer", "--max-time", "20", &url]).stdout(Stdio::piped());
    let names = tokio::task::spawn_blocking(move || {
        let mut curl = command.spawn().unwrap();
        let lines = BufReader::new(curl.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut names = Vec::new();
        for name in lines.filter_map(|line| line.strip_prefix("event: ").map(str::to_owned)) {
            names.push(name);
            if names.ends_with(&["exit".into()]) {
                break;
            }
        }
        curl.kill().unwrap();
        curl.wait().unwrap();
        names
    });
    assert_eq!(in_time("the events", names).await.unwrap(), ["resume", "start", "title", "exit"]);
}

#[tokio::test]
async fn python_over_a_websocket() {
    let server = TestServer::start(SCRIPT);
    server.shows("ready").await;
    let mut python = client("ws.py");
    python.args([&format!("ws://{}", server.tcp.host()), "from python"]);
    assert_eq!(run(python).await, "<from python>");
}

/// It learns everything it needs from the server, as grpcurl does.
#[tokio::test]
async fn python_over_grpc_that_knows_only_the_address() {
    let server = TestServer::start(SCRIPT);
    server.shows("ready").await;
    let names = coop_api::catalog::REQUESTS.iter().map(|entry| entry.rpc);
    let mut methods: Vec<_> = names.chain(coop_api::catalog::STREAMS.iter().map(|stream| stream.rpc)).collect();
    methods.sort_unstable();
    methods.dedup();
    for (address, text) in [(&server.grpc, "own port"), (&server.tcp, "same port")] {
        let mut python = client("reflection.py");
        python.args([&address.host(), text]);
        let report: Value = serde_json::from_str(&run(python).await).unwrap();
        let services = ["coop.v1.Coop", "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"];
        for service in services {
            assert!(report["services"].as_array().unwrap().contains(&json!(service)), "{report}");
        }
        assert_eq!(report["methods"], json!(methods));
        assert_eq!(report["health_takes"], "grpc.health.v1.HealthCheckRequest");
        assert_eq!(report["written"], text.len() + 1);
        assert!(report["screen"][0].as_str().unwrap().contains(&format!("<{text}>")), "{report}");
    }
}
