//! Too much, too often, too slowly: who asks for it is told, and nobody else notices.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::time::Instant;

use coop_api::Code;
use coop_api::v1::{GetHealthRequest, SendInputRawRequest};
use coop_core::rate::Rate;
use coop_e2e::http::Call;
use coop_e2e::{Address, Clock, Everywhere, TestServer, Transport, Ws, grpc, in_time};
use futures_util::future::join_all;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn assert_well(address: &Address) {
    assert_eq!(Call::get("/api/v1/health").send(address).await.json()["status"], "running");
}

#[tokio::test]
async fn a_body_that_is_too_large() {
    let server = TestServer::start("stty raw -echo; printf ready; cat >/dev/null");
    server.shows("ready").await;
    let raw = |size| Call::new("POST", "/api/v1/input/raw").body(vec![b'x'; size]);
    let as_bytes = |size| raw(size).header("content-type", "application/octet-stream");
    let as_json = |size| Call::post("/api/v1/input", &json!({ "text": "x".repeat(size) }));
    for address in server.addresses() {
        for (call, status) in [
            (as_bytes(1 << 20), 200),
            (as_bytes(2 << 20), 200),
            (as_bytes((2 << 20) + 1), 413),
            (as_bytes(8 << 20), 413),
            (as_json(1 << 20), 200),
            (as_json(2 << 20), 413),
        ] {
            let reply = call.send(address).await;
            assert_eq!(reply.status, status, "{}", reply.text());
            if status == 413 {
                assert_eq!(reply.problem().code, Code::TooLarge);
            }
        }
        assert_well(address).await;
    }
    let mut client = grpc::client(&server.grpc);
    let status = client.send_input_raw(SendInputRawRequest { data: vec![0; 3 << 20], lease: None }).await.unwrap_err();
    // The library refuses it before we see it.
    assert_eq!(status.code(), tonic::Code::OutOfRange);
    client.get_health(GetHealthRequest {}).await.unwrap();
}

#[tokio::test]
async fn input_that_comes_too_often() {
    let server = TestServer::with("stty raw -echo; printf ready; cat >/dev/null", |setup| {
        setup.server.input_rate = Rate { per_second: 1, burst: 3 };
    });
    server.shows("ready").await;
    let mut clients = Everywhere::new(&server).await;
    let inputs = [
        json!({ "type": "input", "text": "x" }),
        json!({ "type": "input_raw", "data": "eA==" }),
        json!({ "type": "keys", "keys": ["x"] }),
    ];
    // All that come from one address are one client.
    let begun = Instant::now();
    for (input, transport) in inputs.iter().zip(Transport::ALL) {
        clients.ask(transport, input).await.unwrap();
    }
    // Each second allows one more, however long this takes.
    let mut more = 0;
    for transport in Transport::ALL {
        let mut refused = 0;
        for input in &inputs {
            match clients.ask(transport, input).await {
                Ok(_) => more += 1,
                Err(problem) => {
                    assert_eq!(problem.code, Code::RateLimited, "{transport:?} {input}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0, "{transport:?}");
        clients.ask(transport, &json!({ "type": "screen_request" })).await.unwrap();
    }
    let type_x = |address| async move { Call::post("/api/v1/input", &json!({ "text": "x" })).send(address).await };
    let refused = loop {
        let reply = type_x(&server.tcp).await;
        if reply.status != 200 {
            break reply;
        }
        more += 1;
    };
    assert!(more <= begun.elapsed().as_secs(), "{more} more");
    assert_eq!((refused.status, refused.header("retry-after")), (429, "1"));
    assert_eq!(type_x(&server.unix).await.status, 200, "others are not held up");
    assert_eq!(server.session.status().bytes_written, 4 + more, "what was refused was not typed");
}

/// Some of them send nothing, some half of a request.
async fn dawdlers(address: &Address, count: usize) -> Vec<Box<dyn coop_e2e::server::Io>> {
    let halves: [&[u8]; 4] = [
        b"",
        b"GET /api/v1/health HTTP/1.1\r\nHost: loc",
        b"POST /api/v1/input HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"text\":",
        b"PRI * HTTP/2.0\r\n",
    ];
    let mut all = Vec::new();
    for half in halves.iter().cycle().take(count) {
        let mut stream = address.connect().await.unwrap();
        stream.write_all(half).await.unwrap();
        all.push(stream);
    }
    all
}

#[tokio::test]
async fn slow_clients_hold_up_nobody() {
    let server = TestServer::start("cat");
    let mut slow = Vec::new();
    for address in [&server.tcp, &server.unix, &server.grpc, &server.health] {
        slow.extend(dawdlers(address, 20).await);
    }
    for address in server.addresses() {
        assert_well(address).await;
        Ws::greeted(address, "").await;
    }
    grpc::client(&server.grpc).get_health(GetHealthRequest {}).await.unwrap();
    assert_eq!(Call::get("/livez").send(&server.health).await.status, 200);
}

/// Those who never say what they want are let go after a while.
#[tokio::test]
async fn slow_clients_are_let_go() {
    let server = TestServer::with("cat", |setup| setup.clock = Clock::Skippable);
    let mut slow = Vec::new();
    for address in [&server.tcp, &server.unix, &server.grpc, &server.health] {
        for half in [&b""[..], b"GET /api/v1/health HTTP/1.1\r\nHost: loc", b"PRI * HTTP/2.0\r\n"] {
            let mut stream = address.connect().await.unwrap();
            stream.write_all(half).await.unwrap();
            slow.push((format!("{address:?} {half:?}"), stream));
        }
    }
    server.skip_time();
    for (what, mut stream) in slow {
        // An end or a reset: it is over.
        drop(in_time(&format!("a slow client stays: {what}"), stream.read_to_end(&mut Vec::new())).await);
    }
}

#[tokio::test]
async fn many_at_once() {
    for (max_connections, count) in [(512, 300), (50, 300)] {
        let server = TestServer::with("cat", |setup| setup.server.max_connections = max_connections);
        let paths = ["/api/v1/health", "/api/v1/screen", "/api/v1/status", "/livez"];
        let calls = (0..count).map(|n| Call::get(paths[n % paths.len()]).send(server.addresses()[n % 2]));
        for reply in join_all(calls).await {
            assert_eq!(reply.status, 200, "{max_connections} connections");
        }
    }
}

/// Connections that stay count too; those who would be too many wait, but for the probes.
#[tokio::test]
async fn connections_are_bounded() {
    let server = TestServer::with("cat", |setup| setup.server.max_connections = 3);
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(Ws::greeted(&server.tcp, "?mode=state").await);
    }
    let waiting = tokio::spawn({
        let tcp = server.tcp.clone();
        async move { Call::get("/api/v1/health").send(&tcp).await.status }
    });
    for _ in 0..20 {
        for ws in &mut held {
            ws.ask(&json!({ "type": "ping" })).await;
        }
        assert_eq!(Call::get("/livez").send(&server.health).await.status, 200, "probes have their own");
    }
    assert!(!waiting.is_finished(), "a fourth was accepted");
    drop(held);
    assert_eq!(waiting.await.unwrap(), 200);
}
