//! The memory of the product stays small, whatever the program prints and whoever does not read it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use coop_e2e::http::Call;
use coop_e2e::{Address, Coop, Incoming, Sse, Ws, in_time};
use serde_json::json;

/// For a sidecar that may run next to each of many agents.
const MAX_KIB: u64 = 64 << 10;
const MEGABYTES: usize = 100;

/// Lines as a build or an agent prints them.
fn colourful(size: usize) -> Vec<u8> {
    let line = |n: usize| format!("\x1b[3{};1m{n:>8}\x1b[m compiling \x1b[4m漢字/{n}.rs\x1b[24m … ok\r\n", n % 8);
    let mut bytes = Vec::with_capacity(size + 100);
    for n in 0.. {
        if bytes.len() >= size {
            break;
        }
        bytes.extend_from_slice(line(n).as_bytes());
    }
    bytes
}

async fn enter(address: &Address) {
    let reply = Call::post("/api/v1/input", &json!({ "enter": true })).send(address).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

/// Reads, and keeps nothing, until it is told the end.
async fn read(mut ws: Ws) {
    loop {
        match ws.next().await {
            message if message.kind() == "exit" => return,
            end @ (Incoming::Closed { .. } | Incoming::Broken) => panic!("{end:?} before the exit"),
            _ => {}
        }
    }
}

/// With its default settings and this many WebSockets, of which every second never reads.
async fn check(clients: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (megabyte, socket) = (folder.path().join("megabyte"), folder.path().join("coop.sock"));
    std::fs::write(&megabyte, colourful(1_000_000)).unwrap();
    let script = format!(
        "stty -echo; read go; for i in $(seq {MEGABYTES}); do cat {}; done; printf '\\033]0;printed\\007'; read end",
        megabyte.display()
    );
    let coop = Coop::start(["--socket".as_ref(), socket.as_os_str()], &script);
    let address = Address::Unix(socket);
    let mut events = Sse::open(&address, "", &[]).await;
    let (mut deaf, mut readers) = (Vec::new(), Vec::new());
    for n in 0..clients {
        let query = ["", "?mode=raw&encoding=binary"][n / 2 % 2];
        let ws = Ws::greeted(&address, query).await;
        match n % 2 {
            0 => readers.push(tokio::spawn(read(ws))),
            _ => deaf.push(ws),
        }
    }
    enter(&address).await;
    events.next_of_type("title").await;
    let status = Call::get("/api/v1/status").send(&address).await.json();
    assert!(status["bytes_read"].as_u64().unwrap() >= MEGABYTES as u64 * 1_000_000, "{status}");
    assert_eq!(status["ws_clients"], clients);
    let peak = coop.peak_memory();
    assert!(peak < MAX_KIB, "{peak} KiB with {clients} clients");
    enter(&address).await;
    for reader in readers {
        in_time("a reader is told the end", reader).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_megabytes_and_up_to_fifty_clients() {
    for clients in [0, 1, 50] {
        check(clients).await;
    }
}
