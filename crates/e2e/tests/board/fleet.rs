//! Agents that are only told of: what hooks would say, said by the test.

use std::thread;

use coop_api::client::{Client, Endpoint};
use coop_testkit::TestHub;
use serde_json::{Value, json};

/// Something happens to a session in `/srv/{project}`.
pub(crate) fn event(hub: &TestHub, project: &str, kind: &str, more: &Value) {
    let mut body = json!({ "event_type": kind, "session_id": project, "cwd": format!("/srv/{project}") });
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
    hub.post("/events", &body).unwrap();
}

pub(crate) fn works(hub: &TestHub, project: &str) {
    event(hub, project, "session_start", &json!({ "git_branch": "main" }));
    event(hub, project, "prompt_submit", &json!({}));
}

/// What is asked stays until it is answered. The thread ends with the reply, which it gives.
pub(crate) fn asks(hub: &TestHub, project: &str, tool: &str, input: &Value) -> thread::JoinHandle<Value> {
    works(hub, project);
    let params =
        json!({ "session_id": project, "tool_name": tool, "tool_input": input, "cwd": format!("/srv/{project}") });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    let client = Client::new(Endpoint::Unix(hub.meeting.socket()), None);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let limit = std::time::Duration::from_secs(300);
        // The hub may be killed meanwhile.
        runtime.block_on(client.hub_request(limit, true, "/rpc", &call)).unwrap_or_default()
    })
}

pub(crate) fn questions() -> Value {
    let option = |label: &str| json!({ "label": label, "description": format!("what {label} is") });
    json!({ "questions": [
        { "question": "Which colour?", "header": "Colour", "multiSelect": false, "options": [option("Red"), option("Blue")] },
        { "question": "Which parts?", "header": "Parts", "multiSelect": true, "options": [option("Top"), option("End")] },
    ] })
}
