//! A megabyte typed at once arrives whole, while the program prints as much.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coop_e2e::http::Call;
use coop_e2e::{Address, TestServer};
use serde_json::json;

const READY: &str = "ready";
const MEGABYTE: usize = 1_000_000;

/// Everything printed after `ready`, page by page.
async fn printed(server: &TestServer, size: usize) -> Vec<u8> {
    server.printed((READY.len() + size) as u64).await;
    let mut all = Vec::new();
    while all.len() < size {
        let page = Call::get(format!("/api/v1/output?limit=300000&offset={}", READY.len() + all.len()))
            .header("accept", "application/octet-stream")
            .send(&server.tcp)
            .await;
        assert_eq!(page.status, 200);
        all.extend(page.body);
    }
    all
}

/// Types with `call` into a program that prints what it reads, which must be `expected`.
async fn check(what: &str, modes: &str, over: fn(&TestServer) -> &Address, call: Call, expected: &[u8]) {
    let script = format!("stty raw -echo; printf '{modes}{READY}'; cat");
    let server = TestServer::with(&script, |setup| setup.session.log_size = 2 << 20);
    server.shows(READY).await;
    let before = server.session.status().output_end as usize - READY.len();
    let written = call.send(over(&server)).await.json();
    assert_eq!(written["bytes_written"], expected.len(), "{what}");
    let arrived = printed(&server, before + expected.len()).await.split_off(before);
    let first_difference = arrived.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!((arrived.len(), first_difference), (expected.len(), None), "{what}");
}

#[tokio::test]
async fn a_megabyte_arrives_whole() {
    let letters: Vec<u8> = (0..MEGABYTE).map(|i| b'a' + (i % 26) as u8).collect();
    let bytes: Vec<u8> = (0..MEGABYTE).map(|i| (i % 251) as u8).collect();
    let raw = || Call::new("POST", "/api/v1/input/raw");
    let octets = raw().header("content-type", "application/octet-stream").body(letters.clone());
    check("bytes", "", |server| &server.tcp, octets.clone(), &letters).await;
    check("bytes through the socket file", "", |server| &server.unix, octets, &letters).await;
    let in_json = raw().body(json!({ "data": STANDARD.encode(&bytes) }).to_string());
    check("bytes in JSON", "", |server| &server.tcp, in_json, &bytes).await;

    let lines = "the quick brown fox, 漢字\n".repeat(MEGABYTE / 30);
    let paste = Call::post("/api/v1/input", &json!({ "text": lines, "paste": true, "enter": true }));
    let typed = lines.replace('\n', "\r");
    check("a paste", "", |server| &server.tcp, paste.clone(), format!("{typed}\r").as_bytes()).await;
    let marked = format!("\x1b[200~{typed}\x1b[201~\r");
    check("a paste between marks", "\\033[?2004h", |server| &server.tcp, paste, marked.as_bytes()).await;
}
