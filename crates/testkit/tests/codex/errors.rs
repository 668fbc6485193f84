//! What goes wrong at the API, and how a turn ends then.

use coop_testkit::Options;
use coop_testkit::model::What;

use super::{Codex, is_event};

const SCENARIO: &str = "
user again: case 400
  error: 400 scripted bad request
user again: case 401
  error: 401 scripted no key
user again: case 429
  error: 429 scripted limit
user again: case usage
  error: 429 scripted usage, resets in 1h
user again: case 403
  error: 403 scripted not yours
user again: case 404
  error: 404 scripted no such model
user again: case broken
  say: Half of it
  error: 529 scripted overload
user again: case 500
  error: 500 scripted failure
user again: case 503
  error: 503 scripted overload
user again: case cut
  say: Half of it
  cut
user again: case hang
  say: Now wait
  hang
user: case fine
  say: Fine again.
";

#[test]
fn errors() {
    let mut codex = Codex::started(SCENARIO, &Options::default());
    for (case, info, message) in [
        ("400", "other", "scripted bad request"),
        ("401", "http_connection_failed", "401"),
        ("429", "response_too_many_failed_attempts", "429"),
        ("usage", "usage_limit_exceeded", "usage limit"),
        ("403", "http_connection_failed", "403"),
        ("404", "http_connection_failed", "404"),
        ("broken", "server_overloaded", "at capacity"),
        ("500", "internal_server_error", "high demand"),
        ("503", "server_overloaded", "at capacity"),
        ("cut", "other", "stream disconnected"),
    ] {
        let before = codex.sight().hooks.len();
        codex.submit(&format!("case {case}"));
        codex.status("working");
        codex.status("error");
        codex.logged(&format!("{info}: {message}"), |line| {
            let error = &line["payload"]["error"];
            is_event(line, "task_complete")
                && error["codex_error_info"].to_string().contains(info)
                && error["message"].as_str().is_some_and(|said| said.contains(message))
        });
        let hooks = codex.sight().hook_names()[before..].join(" ");
        assert!(!hooks.contains("Stop"), "{case}: {hooks}");
    }
    codex.submit("case hang");
    codex.model(&What::Hanging, 1);
    codex.press("Escape");
    codex.hook("Interrupt");
    codex.model(&What::Disconnected, 1);
    codex.status("idle");
    codex.submit("case fine");
    codex.hook("Stop");
    codex.status("done");
    codex.0.finish();
}
