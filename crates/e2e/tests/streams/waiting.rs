//! Requests that wait for the agent: they hold up nobody, and end with the client that made them.

use coop_e2e::http::Call;
use coop_e2e::{Incoming, TestServer, Ws, in_time};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

#[tokio::test]
async fn a_connection_goes_on_while_a_request_waits() {
    let server = TestServer::start("printf ready; cat");
    let mut ws = Ws::greeted(&server.tcp, "?mode=state").await;
    ws.send(&json!({ "type": "wait", "state": "idle", "timeout": 3600, "id": "slow" })).await;
    assert_eq!(ws.ask(&json!({ "type": "ping" })).await["type"], "pong");
    assert_eq!(ws.ask(&json!({ "type": "state_request" })).await["result"]["state"], "unknown");
    ws.send(&json!({ "type": "wait", "state": "idle", "timeout": 0, "id": "quick" })).await;
    let Incoming::Json(reply) = ws.next().await else { panic!("no reply") };
    assert_eq!((&reply["id"], &reply["result"]["timed_out"]), (&json!("quick"), &json!(true)));
}

/// There is one place, which whoever waits has taken. The next is served when it is free again.
#[tokio::test]
async fn who_goes_away_waits_no_longer() {
    let server = TestServer::with("printf ready; cat", |setup| setup.server.max_connections = 1);
    for address in server.addresses() {
        let mut waiting = address.connect().await.unwrap();
        let head = "GET /api/v1/agent/wait?state=idle&timeout=3600 HTTP/1.1\r\nhost: localhost\r\n\r\n";
        waiting.write_all(head.as_bytes()).await.unwrap();
        drop(waiting);
        assert_eq!(Call::get("/api/v1/agent/state").send(address).await.status, 200);

        let mut waiting = Ws::greeted(address, "?mode=state").await;
        waiting.send(&json!({ "type": "wait", "state": "idle", "timeout": 3600 })).await;
        drop(waiting);
        assert_eq!(Call::get("/api/v1/agent/state").send(address).await.status, 200);
    }
}

#[tokio::test]
async fn the_end_of_the_server_ends_waiting() {
    let server = TestServer::start("printf ready; cat");
    let waiting = Call::get("/api/v1/agent/wait?state=idle&timeout=3600").send(&server.tcp);
    let mut agent = Box::pin(waiting);
    // Until it is under way, which another request tells.
    tokio::select! {
        _ = &mut agent => panic!("nobody is idle"),
        _ = Call::get("/api/v1/agent/wait?state=idle&timeout=0").send(&server.tcp) => {}
    }
    let (reply, ()) = in_time("the end", async { tokio::join!(agent, server.stop()) }).await;
    assert_eq!(reply.problem().code, coop_api::Code::NotReady);
}
