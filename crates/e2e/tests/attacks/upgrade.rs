//! A device that may look, and tries to type through the WebSocket of a session.

use coop_e2e::in_time;
use coop_e2e::server::Io;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::Stage;

/// One message of a client, as the bytes of a masked frame.
fn frame(message: &Value) -> Vec<u8> {
    let payload = message.to_string().into_bytes();
    assert!(payload.len() < 126);
    let mask = [1, 2, 3, 4];
    let head = [0x81, 0x80 | u8::try_from(payload.len()).unwrap()];
    let masked = payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
    head.into_iter().chain(mask).chain(masked).collect()
}

async fn head(stream: &mut Box<dyn Io>) -> String {
    let mut head = Vec::new();
    in_time("the head of the reply", async {
        while !head.ends_with(b"\r\n\r\n") {
            let byte = stream.read_u8().await;
            let Ok(byte) = byte else { break };
            head.push(byte);
        }
    })
    .await;
    String::from_utf8(head).unwrap()
}

impl Stage {
    /// Asks for the WebSocket with more headers, waits for the reply, sends `after` and closes. Returns the status.
    fn upgrade(&self, scope: &str, headers: &str, after: &[u8]) -> u16 {
        self.runtime.block_on(async {
            let mut stream = self.tcp().connect().await.unwrap();
            let request = format!(
                "GET {}?mode=state HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n",
                self.path("/ws"),
                self.tcp().host(),
                self.tokens[scope],
            );
            stream.write_all(request.as_bytes()).await.unwrap();
            let reply = head(&mut stream).await;
            let status = reply.split(' ').nth(1).and_then(|status| status.parse().ok());
            let status = status.unwrap_or_else(|| panic!("{reply}"));
            // A server that has refused may have closed already.
            drop(stream.write_all(after).await);
            drop(stream.shutdown().await);
            drop(in_time("the end of the connection", stream.read_to_end(&mut Vec::new())).await);
            status
        })
    }
}

/// How a client may announce a body, and how the frame is sent as that body.
fn smuggled(frame: &[u8]) -> Vec<(&'static str, String, Vec<u8>)> {
    let length = frame.len();
    let chunk = [format!("{length:x}\r\n").as_bytes(), frame, b"\r\n0\r\n\r\n"].concat();
    vec![
        ("a length", format!("Content-Length: {length}\r\n"), frame.to_vec()),
        ("chunks", "Transfer-Encoding: chunked\r\n".into(), chunk.clone()),
        ("both", format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"), chunk),
        ("a length that is expected", format!("Content-Length: {length}\r\nExpect: 100-continue\r\n"), frame.to_vec()),
        ("trailers", "TE: trailers\r\nTrailer: x\r\n".into(), frame.to_vec()),
    ]
}

#[test]
fn upgrade_with_a_body_types_nothing() {
    let stage = Stage::new();
    let typed = frame(&json!({ "type": "input", "text": "smuggled", "enter": true }));
    for scope in ["view", "answer", "drive"] {
        for (how, headers, body) in smuggled(&typed) {
            let status = stage.upgrade(scope, &headers, &body);
            assert_eq!(status, 400, "{scope} with {how}");
        }
    }
    let screen = stage.screen_after("fence");
    assert!(!screen.contains("smuggled"), "{screen}");
}

#[test]
fn message_of_a_viewer_types_nothing() {
    let stage = Stage::new();
    for scope in ["view", "answer"] {
        let typed = frame(&json!({ "type": "input", "text": "smuggled", "enter": true }));
        assert_eq!(stage.upgrade(scope, "", &typed), 101, "{scope} may look");
        assert_eq!(stage.upgrade("hooks", "", &typed), 403);
    }
    let screen = stage.screen_after("fence");
    assert!(!screen.contains("smuggled"), "{screen}");
    // The same frame of a device that may type does.
    let typed = frame(&json!({ "type": "input", "text": "allowed", "enter": true }));
    assert_eq!(stage.upgrade("drive", "", &typed), 101);
    stage.hub.until(&stage.path("/screen"), "what a driver typed", |screen| {
        screen["lines"].to_string().contains("allowed").then_some(())
    });
}

#[test]
fn request_with_an_upgrade_stays_a_request() {
    let stage = Stage::new();
    let typed = frame(&json!({ "type": "input", "text": "smuggled", "enter": true }));
    let length = typed.len();
    stage.runtime.block_on(async {
        for headers in [String::new(), format!("Content-Length: {length}\r\n")] {
            let mut stream = stage.tcp().connect().await.unwrap();
            // Every GET of the sidecar is reached by the same proxy, its WebSocket under another path too.
            for path in ["/screen", "/../ws", "/%2e%2e/ws"] {
                let request = format!(
                    "GET {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                     Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n",
                    stage.path(path),
                    stage.tcp().host(),
                    stage.tokens["view"],
                );
                let mut bytes = request.into_bytes();
                if !headers.is_empty() {
                    bytes.extend(&typed);
                }
                stream.write_all(&bytes).await.unwrap();
                let reply = head(&mut stream).await;
                assert!(!reply.contains(" 101 "), "{path}: {reply}");
                stream = stage.tcp().connect().await.unwrap();
            }
        }
    });
    let screen = stage.screen_after("fence");
    assert!(!screen.contains("smuggled"), "{screen}");
}
