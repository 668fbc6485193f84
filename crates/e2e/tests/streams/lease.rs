//! The right to type over WebSocket: it belongs to the connection.

use coop_e2e::{TestServer, Ws};
use serde_json::{Value, json};

async fn lock(ws: &mut Ws, action: &str, holder: &str, take_over: bool) -> Value {
    ws.ask(&json!({ "type": "lock", "action": action, "holder": holder, "take_over": take_over })).await
}

async fn type_text(ws: &mut Ws, text: &str) -> Value {
    ws.ask(&json!({ "type": "input", "text": text, "enter": true })).await
}

fn assert_busy(reply: &Value, holder: &str) {
    assert_eq!(reply["code"], "WRITER_BUSY", "{reply}");
    assert!(reply["message"].as_str().unwrap().contains(holder), "{reply}");
}

#[tokio::test]
async fn one_types_at_a_time_and_another_may_take_over() {
    let server = TestServer::start("stty -echo; printf ready; while read line; do printf \"<$line>\"; done");
    server.shows("ready").await;
    let mut watcher = Ws::greeted(&server.tcp, "?mode=state").await;
    let mut ada = Ws::greeted(&server.tcp, "?mode=state").await;
    let mut bob = Ws::greeted(&server.unix, "?mode=state").await;

    let held = lock(&mut ada, "acquire", "Ada", false).await;
    assert_eq!((&held["result"]["held"], &held["result"]["expires_in_secs"]), (&json!(true), &json!(30)));
    assert_eq!(watcher.next_of_type("lease").await["holder"], "Ada");
    assert_busy(&type_text(&mut bob, "from bob").await, "Ada");
    assert_busy(&lock(&mut bob, "acquire", "Bob", false).await, "Ada");
    type_text(&mut ada, "from ada").await;
    server.shows("<from ada>").await;

    lock(&mut bob, "acquire", "Bob", true).await;
    assert_eq!(watcher.next_of_type("lease").await["holder"], "Bob");
    assert_busy(&type_text(&mut ada, "from ada").await, "Bob");
    assert_eq!(lock(&mut ada, "release", "", false).await["code"], "BAD_REQUEST", "it is not hers any more");
    type_text(&mut bob, "from bob").await;
    server.shows("<from bob>").await;

    assert_eq!(lock(&mut bob, "release", "", false).await["result"]["held"], false);
    assert_eq!(watcher.next_of_type("lease").await["holder"], json!(null));
    type_text(&mut ada, "all may").await;
    server.shows("<all may>").await;
}

#[tokio::test]
async fn it_ends_with_the_connection() {
    let server = TestServer::start("stty -echo; printf ready; while read line; do printf \"<$line>\"; done");
    server.shows("ready").await;
    let mut watcher = Ws::greeted(&server.tcp, "?mode=state").await;
    for (said_goodbye, own_name) in [(true, None), (false, None), (true, Some("mine")), (false, Some("mine"))] {
        let mut holder = Ws::greeted(&server.tcp, "?mode=state").await;
        let request = json!({ "type": "lock", "action": "acquire", "holder": "Ada", "lease": own_name });
        assert_eq!(holder.ask(&request).await["result"]["held"], true);
        assert_eq!(watcher.next_of_type("lease").await["holder"], "Ada");
        // The connection's own is meant, whatever it is called.
        assert_eq!(type_text(&mut holder, "mine").await["type"], "reply", "{own_name:?}");
        if said_goodbye {
            holder.close().await;
        } else {
            drop(holder);
        }
        assert_eq!(watcher.next_of_type("lease").await["holder"], json!(null), "{said_goodbye} {own_name:?}");
    }
    type_text(&mut watcher, "free again").await;
    server.shows("<free again>").await;
}

/// Over HTTP whoever knows the lease has it; the header is for requests that have no field for it.
#[tokio::test]
async fn over_http_it_is_named_with_each_request() {
    use coop_e2e::http::Call;
    let server = TestServer::start("stty -echo; printf ready; while read line; do printf \"<$line>\"; done");
    server.shows("ready").await;
    let acquire = json!({ "action": "acquire", "holder": "Ada" });
    let lease = Call::post("/api/v1/lease", &acquire).send(&server.tcp).await.json()["lease"].take();
    let lease = lease.as_str().unwrap();
    for (call, status) in [
        (Call::post("/api/v1/input", &json!({ "text": "x" })), 409),
        (Call::post("/api/v1/input", &json!({ "text": "a", "lease": lease })), 200),
        (Call::post("/api/v1/input", &json!({ "text": "b" })).header("coop-lease", lease), 200),
        (Call::new("POST", "/api/v1/input/raw").header("content-type", "application/octet-stream").body("c\r"), 409),
        (
            Call::new("POST", "/api/v1/input/raw")
                .header("content-type", "application/octet-stream")
                .header("coop-lease", lease)
                .body("c\r"),
            200,
        ),
    ] {
        assert_eq!(call.clone().send(&server.tcp).await.status, status, "{call:?}");
    }
    server.shows("<abc>").await;
    let release = json!({ "action": "release", "lease": lease });
    assert_eq!(Call::post("/api/v1/lease", &release).send(&server.unix).await.status, 200);
    assert_eq!(Call::post("/api/v1/input", &json!({ "text": "d" })).send(&server.tcp).await.status, 200);
}
