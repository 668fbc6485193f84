//! What was said and done, found again: in a session that runs, in one that has ended, and by another hub.

use coop_testkit::{Meeting, TestHub};
use serde_json::{Value, json};

use crate::wire::happens;
use crate::{Beside, VERSIONS};

const SCENARIO: &str = "
user: where is the Needle
  bash: echo in the haystack
result
  say: It is in the barn.
";

fn found(hub: &TestHub, words: &str) -> Vec<Value> {
    let said = hub.does(&["search", "--json", words]);
    let said: Value = serde_json::from_str(&said).unwrap();
    said["hits"].as_array().unwrap().clone()
}

fn kinds(hits: &[Value]) -> Vec<&str> {
    hits.iter().filter_map(|hit| hit["kind"].as_str()).collect()
}

#[test]
fn what_a_real_agent_said_is_found() {
    for version in VERSIONS {
        let mut beside = Beside::launch(version, SCENARIO, false, &["--allowedTools", "Bash"]);
        beside.bench.submit("where is the Needle");
        let session = beside.hub.session("the end of the turn", |session| {
            session["state"] == "idle" && session["last_message"] == "It is in the barn."
        });
        let check = |hub: &TestHub| {
            let needle = found(hub, "needle WHERE");
            assert!(kinds(&needle).contains(&"user"), "{needle:#?}");
            assert!(needle.iter().all(|hit| hit["session"] == session["id"]), "{needle:#?}");
            assert!(kinds(&found(hub, "haystack")).contains(&"tool_call"));
            let barn = found(hub, "barn");
            let said = barn.iter().find(|hit| hit["kind"] == "assistant").unwrap_or_else(|| panic!("{barn:#?}"));
            assert_eq!((&said["text"], &said["project"]), (&json!("It is in the barn."), &json!("project")));
            assert!(said["line"].is_u64() && said["at"].is_string(), "{said}");
            assert_eq!(found(hub, "needle elsewhere"), Vec::<Value>::new());
            let shown = hub.does(&["search", "needle"]);
            assert!(shown.contains("SESSION") && shown.contains("user:"), "{shown}");
        };
        check(&beside.hub);
        beside.bench.submit("/exit");
        beside.state("exited");
        check(&beside.hub);
        beside.hub.crash();
        check(&beside.hub);
        beside.bench.finish();
    }
}

#[test]
fn what_was_asked_is_found_and_other_files_are_not_read() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let secret = home.path().join("secret.jsonl");
    let line = json!({ "type": "user", "message": { "role": "user", "content": "the secret word" } });
    std::fs::write(&secret, format!("{line}\n")).unwrap();
    happens(&hub, "session_start");
    let named =
        json!({ "event_type": "prompt_submit", "session_id": "s1", "transcript_path": secret, "cwd": "/srv/shop" });
    hub.post("/events", &named).unwrap();
    hub.does(&["rules", "add", "deny", "Bash(rm:*)"]);
    let params =
        json!({ "session_id": "s1", "tool_name": "Bash", "tool_input": { "command": "rm -r \u{202e}precious" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    hub.post("/rpc", &call).unwrap();
    let asked = found(&hub, "precious");
    assert_eq!(kinds(&asked), ["prompt"], "{asked:#?}");
    assert!(asked[0]["text"].as_str().unwrap().contains("<U+202E>"), "shown harmlessly: {asked:#?}");
    assert_eq!(kinds(&found(&hub, "SHOP")), ["session"]);
    assert_eq!(found(&hub, "secret word"), Vec::<Value>::new(), "whoever may call a hook may name any file");
    let nothing = hub.json("/api/v1/search?q=%20");
    assert!(nothing["error"].as_str().unwrap().contains("`q` is missing"), "{nothing}");
    assert!(hub.does(&["search", "nowhere"]).contains("Nothing was found"));
}
