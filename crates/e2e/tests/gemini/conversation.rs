//! What was said and done, in the form that all agents share.

use coop_e2e::Transport;
use serde_json::{Value, json};

use crate::{Told, launch};

const SCENARIO: &str = "
user: hello
  think: A greeting.
  say: Hi there.
user: look
  say: I will look.
  bash: touch seen.txt; cat README.md
result
  say: I have seen it.
user: not that
  bash: touch denied.txt
user: stop me
  say: Words that
  wait: never
user again: fail
  error: 400 no such thing
";

#[test]
fn all_kinds_of_entries_each_once() {
    let mut driven = launch(Told::WithoutHooks, SCENARIO, &[]);
    driven.turn(Transport::Http, "hello");
    driven.nudge(Transport::Http, "look");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true }));
    driven.state("idle");
    // After this the whole history is in the log once more.
    driven.nudge(Transport::Http, "not that");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Http, json!({ "accept": false }));
    driven.state("idle");
    driven.nudge(Transport::Http, "stop me");
    driven.session.shows("Words that");
    driven.ask(Transport::Http, &json!({ "type": "interrupt" })).unwrap();
    driven.nudge(Transport::Http, "fail");
    let state = driven.state("error");
    assert!(state.to_string().contains("no such thing"), "{state}");
    let mut page = Value::Null;
    for transport in Transport::ALL {
        page = driven.ask(transport, &json!({ "type": "conversation_request", "limit": 1000 })).unwrap();
        let entries = page["entries"].as_array().unwrap();
        let kinds: Vec<&str> = entries.iter().filter_map(|entry| entry["kind"].as_str()).collect();
        #[rustfmt::skip]
        let expected = [
            "user", "thinking", "assistant", "user", "assistant", "tool_call", "tool_result", "assistant",
            "user", "tool_call", "tool_result", "interrupted", "user", "interrupted", "user", "error",
        ];
        assert_eq!(kinds, expected, "{page:#}");
    }
    let of = |kind: &str| page["entries"].as_array().unwrap().iter().find(|entry| entry["kind"] == kind).unwrap();
    assert_eq!(of("tool_call")["tool"], "run_shell_command", "{page:#}");
    assert!(of("tool_result")["text"].as_str().is_some_and(|text| text.contains("# demo")), "{page:#}");
    assert_eq!(of("tool_call")["tool_id"], of("tool_result")["tool_id"]);
    // Four replies of the model, each of 100 and 20.
    assert_eq!(
        (&page["usage"]["input_tokens"], &page["usage"]["output_tokens"]),
        (&json!(400), &json!(80)),
        "{page:#}"
    );
    driven.session.finish();
}
