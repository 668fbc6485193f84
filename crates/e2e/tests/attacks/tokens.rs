//! A sidecar of another machine, which has the `hooks` token and listens to all that the hub sends it.

use std::sync::{Arc, Mutex};

use coop_e2e::http::Call;
use coop_testkit::{Coop, coop};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::Stage;

/// Carries connections to the hub and keeps all that the hub sends. The streams of a sidecar are plain HTTP/1 in it.
async fn tap(listener: TcpListener, hub: u16, heard: Arc<Mutex<Vec<u8>>>) {
    while let Ok((sidecar, _)) = listener.accept().await {
        let heard = Arc::clone(&heard);
        tokio::spawn(async move {
            let hub = TcpStream::connect(("127.0.0.1", hub)).await.unwrap();
            let ((mut from_hub, mut to_hub), (mut from_sidecar, mut to_sidecar)) =
                (hub.into_split(), sidecar.into_split());
            tokio::spawn(async move { tokio::io::copy(&mut from_sidecar, &mut to_hub).await });
            let mut buffer = vec![0; 16 << 10];
            while let Ok(count @ 1..) = from_hub.read(&mut buffer).await {
                heard.lock().unwrap().extend(&buffer[..count]);
                if to_sidecar.write_all(&buffer[..count]).await.is_err() {
                    return;
                }
            }
        });
    }
}

#[test]
fn hub_sends_no_token_to_a_sidecar_that_called() {
    let stage = Stage::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = stage.runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    stage.runtime.spawn(tap(listener, stage.hub.port().unwrap(), Arc::clone(&heard)));
    let mut command = std::process::Command::new(coop::binary());
    command.env("COOP_HUB_URL", &url).env("COOP_HUB_TOKEN", &stage.tokens["hooks"]).env("COOP_HUB_HOST", "far");
    // It has a token of its own too, which the hub does not know: the call authorises the hub.
    command.env("COOP_AUTH_TOKEN", "of-the-sidecar").arg("--socket").arg(stage.home.path().join("far.sock"));
    command.args(["--name", "far", "--shutdown-timeout", "1", "--", "cat"]);
    let sidecar = Coop::run(command);
    let session = stage
        .hub
        .session("the session of another machine", |session| session["host"] == "far" && session["control"] == "owned");
    let path = |rest: &str| format!("/api/v1/sessions/{}{rest}", session["id"]);
    // All that a person, a device and the hub itself do with it.
    stage.hub.post(&path("/input"), &json!({ "text": "typed", "enter": true })).unwrap();
    stage.hub.until(&path("/screen"), "what was typed", |screen| {
        screen["lines"].to_string().contains("typed").then_some(())
    });
    for scope in ["view", "answer", "drive", "admin"] {
        let token = &stage.tokens[scope];
        assert_eq!(stage.send(scope, Call::get(path("/screen"))).status, 200, "{scope}");
        // A token in the address is the caller's mistake, and not for the sidecar.
        assert_eq!(stage.send(scope, Call::get(path(&format!("/status?token={token}")))).status, 200, "{scope}");
        let cookie = Call::get(path("/status")).header("cookie", format!("coop={token}"));
        assert_eq!(stage.send(scope, cookie).status, 200, "{scope}");
    }
    assert_eq!(stage.send("admin", Call::new("DELETE", path(""))).status, 200);
    stage.hub.session("its end", |ended| ended["id"] == session["id"] && ended["control"] == "cold");
    drop(sidecar);
    let heard = heard.lock().unwrap();
    let holds = |text: &str| heard.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("/api/v1/screen"), "what the hub sent was heard");
    for (scope, token) in &stage.tokens {
        assert!(!holds(token), "the hub sent the token `{scope}` away");
    }
}

#[test]
fn sessions_of_this_machine_have_a_token_of_their_own() {
    let stage = Stage::new();
    let own = stage.home.path().join("sidecars.token");
    std::fs::write(&own, "of-the-sessions\n").unwrap();
    let mut hub = stage.hub.command();
    let output = hub.args(["hub", "--socket", "other.sock", "--ledger", "other.db", "--auth-token-file"]).arg(&own);
    let output = output.arg("--sidecar-token-file").arg(&own).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("never leaves the hub"), "{said}");
}
