//! Strangers on the network, who hold connections, guess tokens and guess codes.

use coop_e2e::http::Call;
use coop_e2e::server::Io;
use coop_e2e::{Address, Incoming, TestServer, Ws, in_time};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::Message;

use crate::Stage;

/// Connections of strangers to one port. Both ends are in this process, which usually may have 1024 descriptors.
const CROWD: usize = 100;

/// Connections that are held without a token.
async fn crowd(address: &Address, count: usize, first: &[u8]) -> Vec<Box<dyn Io>> {
    let mut all = Vec::new();
    for _ in 0..count {
        let mut stream = address.connect().await.unwrap();
        // One that had to give way may be closed already.
        drop(stream.write_all(first).await);
        all.push(stream);
    }
    all
}

#[tokio::test]
async fn strangers_do_not_lock_the_owner_out() {
    let login = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"token\":";
    let http2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
    let head = b"GET /api/v1/health HTTP/1.1\r\nHost: loc";
    let page = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let websocket = b"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    for first in [&login[..], http2, head, page, websocket, b""] {
        let server = TestServer::with("cat", |setup| {
            setup.server.token = Some("right".into());
            setup.server.max_connections = CROWD / 3;
        });
        let mut held = Vec::new();
        for address in [&server.tcp, &server.grpc, &server.health] {
            held.push(crowd(address, CROWD, first).await);
        }
        let what = String::from_utf8_lossy(first).into_owned();
        for address in server.addresses() {
            let status = Call::get("/api/v1/health").token(Some("right")).send(address).await.status;
            assert_eq!(status, 200, "{address:?} beside {what:?}");
        }
        assert_eq!(Call::get("/livez").send(&server.health).await.status, 200, "probes beside {what:?}");
    }
}

#[tokio::test]
async fn request_without_a_token_has_a_small_body() {
    let server = TestServer::with("cat", |setup| setup.server.token = Some("right".into()));
    let padded = json!({ "token": "x".repeat(100 << 10) });
    assert_eq!(Call::post("/login", &padded).send(&server.tcp).await.status, 413);
    let mut ws = Ws::connect(&server.tcp, "").await;
    // A message of this size needs the token first. The server may close while it is sent.
    let message = Message::text(json!({ "type": "auth", "token": "x".repeat(1 << 20) }).to_string());
    drop(ws.send_message(message).await);
    let end = ws.next().await;
    assert!(matches!(end, Incoming::Closed { .. } | Incoming::Broken), "{end:?}");
}

#[tokio::test]
async fn oldest_stranger_gives_way_to_the_newest() {
    let server = TestServer::with("cat", |setup| setup.server.token = Some("right".into()));
    let mut first = server.tcp.connect().await.unwrap();
    let _crowd = crowd(&server.tcp, 3 * CROWD, b"GET / HT").await;
    let ended = in_time("the end of the oldest", first.read(&mut [0; 1])).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
}

#[tokio::test]
async fn wrong_tokens_are_slowed_down_and_the_right_one_is_not() {
    let server = TestServer::with("cat", |setup| setup.server.token = Some("right".into()));
    let login = |token: &str| {
        Call::post("/login", &json!({ "token": token }))
            .header("origin", "http://localhost")
            .header("host", "localhost")
    };
    let mut slowed = 0;
    for _ in 0..12 {
        let replies = [
            login("wrong").send(&server.tcp).await,
            Call::get("/api/v1/health").token(Some("wrong")).send(&server.tcp).await,
        ];
        for reply in replies {
            assert!([401, 429].contains(&reply.status), "{}", reply.text());
            slowed += usize::from(reply.status == 429 && !reply.header("retry-after").is_empty());
        }
    }
    assert!(slowed > 0, "no guess was slowed down");
    assert_eq!(login("right").send(&server.tcp).await.status, 200);
    assert_eq!(Call::get("/api/v1/health").token(Some("right")).send(&server.tcp).await.status, 200);
}

#[test]
fn wrong_codes_do_not_cancel_the_right_one() {
    let stage = Stage::new();
    let shown = stage.hub.does(&["pair", "--json", "--scope", "view"]);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    stage.runtime.block_on(async {
        let guess = |code: &str| Call::post("/api/v1/pair", &json!({ "code": code }));
        let to = stage.tcp();
        let guesses = (0..40).map(|_| guess("AAAA-AAAA").send(&to));
        let replies = futures_util::future::join_all(guesses).await;
        assert!(replies.iter().all(|reply| [401, 429].contains(&reply.status)));
        assert!(replies.iter().any(|reply| reply.status == 429), "guesses are counted");
        assert_eq!(guess(shown["code"].as_str().unwrap()).send(&to).await.status, 200);
    });
}
