//! What was said and done, in the form that all agents share.

use coop_e2e::Transport;
use serde_json::{Value, json};

use crate::launch;

const SCENARIO: &str = "
user: hello
  think: A greeting.
  say: Hi there.
user: look
  say: I will look.
  bash: cat README.md missing.txt
result
  say: One of them is missing.
user: stop me
  say: Words that
  wait: never
user again: fail
  error: 400 no such thing
";

#[test]
fn all_kinds_of_entries() {
    let mut driven = launch(SCENARIO, &[], &[]);
    driven.turn(Transport::Http, "hello");
    driven.nudge(Transport::Http, "look");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true }));
    driven.state("idle");
    driven.nudge(Transport::Http, "stop me");
    driven.session.shows("Words that");
    driven.ask(Transport::Http, &json!({ "type": "interrupt" })).unwrap();
    driven.nudge(Transport::Http, "fail");
    let state = driven.state("error");
    assert!(
        state["error"]["detail"].as_str().is_some_and(|text| text.contains("no such thing"))
            || state.to_string().contains("no such thing"),
        "{state}"
    );
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request", "limit": 1000 })).unwrap();
    let entries = page["entries"].as_array().unwrap();
    let kinds: Vec<&str> = entries.iter().filter_map(|entry| entry["kind"].as_str()).collect();
    let expected = [
        "user",
        "thinking",
        "assistant",
        "user",
        "assistant",
        "tool_call",
        "tool_result",
        "assistant",
        "user",
        "assistant",
        "interrupted",
        "user",
        "error",
    ];
    assert_eq!(kinds, expected, "{page:#}");
    let of = |kind: &str| entries.iter().find(|entry| entry["kind"] == kind).unwrap_or(&Value::Null);
    assert_eq!(of("tool_call")["tool"], "Bash", "{page:#}");
    assert_eq!(of("tool_result")["is_error"], true, "{page:#}");
    assert_eq!(of("tool_call")["tool_id"], of("tool_result")["tool_id"]);
    assert!(page["usage"]["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{page:#}");
    driven.session.finish();
}

#[test]
fn how_full_the_context_is_and_what_it_costs() {
    let config = tempfile::tempdir().unwrap();
    std::fs::create_dir(config.path().join("coop")).unwrap();
    std::fs::write(config.path().join("coop/prices.toml"), "[gpt]\ninput = 1\noutput = 2\n").unwrap();
    let mut options = crate::options(&[]);
    options.env.push(("XDG_CONFIG_HOME".into(), config.path().to_str().unwrap().into()));
    let mut driven = crate::begin("user: one\n  tokens: 84000\n  say: The first.\n", &[], options);
    driven.state("idle");
    driven.nudge(Transport::Http, "one");
    let state = driven.session.wait_json("/api/v1/agent/state", "how full it is", |state: &Value| {
        state["context"]["tokens"] == 84_020 && state["cost"].is_object()
    });
    assert!(state["context"]["window"].as_u64().is_some_and(|window| window > 84_020), "{state}");
    assert_eq!(state["cost"], json!({ "usd": 0.08404, "estimate": true }), "{state}");
    driven.session.finish();
}
