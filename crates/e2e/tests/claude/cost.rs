//! What a conversation used, and what that cost.

use coop_e2e::{Driven, Transport};
use coop_testkit::Options;
use serde_json::{Value, json};

use crate::{VERSIONS, begin, launch_with, log_lines};

/// A session with prices of its own: a dollar for a million tokens that go in, two for those that come out.
fn priced(version: &str, scenario: &str, model: &str) -> (Driven, tempfile::TempDir) {
    let config = tempfile::tempdir().unwrap();
    std::fs::create_dir(config.path().join("coop")).unwrap();
    let table = format!("[{model}]\ninput = 1\noutput = 2\n");
    std::fs::write(config.path().join("coop/prices.toml"), table).unwrap();
    let env = vec![("XDG_CONFIG_HOME".into(), config.path().to_str().unwrap().into())];
    (launch_with(version, scenario, &[], Options { env, ..Options::default() }), config)
}

fn dollars(usage: &Value) -> f64 {
    let tokens = |name: &str| usage[name].as_f64().unwrap();
    let input = tokens("input_tokens") + tokens("cache_read_tokens") + tokens("cache_write_tokens");
    (input + 2.0 * tokens("output_tokens")) / 1e6
}

#[test]
fn by_the_table_of_prices() {
    let scenario = "user: one\n  say: The first.\nuser: two\n  say: The second.\n";
    for version in VERSIONS {
        let (mut driven, _config) = priced(version, scenario, "claude");
        for message in ["one", "two"] {
            driven.nudge(Transport::Http, message);
            driven.state("idle");
        }
        driven.session.until("both answers in the log", |_| {
            let text: String = log_lines(&driven).iter().map(Value::to_string).collect();
            text.contains("The second.").then_some(())
        });
        for transport in Transport::ALL {
            let page = driven.ask(transport, &json!({ "type": "conversation_request" })).unwrap();
            let (cost, expected) = (&page["cost"], dollars(&page["usage"]));
            assert!(expected > 0.0 && (cost["usd"].as_f64().unwrap() - expected).abs() < 1e-12, "{page}");
            assert_eq!(cost["estimate"], true, "{page}");
            // The running total is the same, a moment later.
            let same = |state: &Value| state["usage"] == page["usage"] && state["cost"] == *cost;
            driven.session.wait_json("/api/v1/agent/state", "the same cost", same);
        }
        driven.session.finish();
    }
}

#[test]
fn in_its_own_words() {
    for version in VERSIONS {
        let args = ["-p", "--output-format", "stream-json", "--verbose", "hello"].map(str::to_owned).to_vec();
        let options = Options { args, ..Options::default() };
        let driven = begin(version, "user: hello\n  say: Hi there.\n", &["--linger"], options);
        let said = |state: &Value| state["state"] == "exited" && state["cost"]["estimate"] == false;
        let state = driven.session.wait_json("/api/v1/agent/state", "the agent's own word", said);
        assert!(state["cost"]["usd"].as_f64().is_some_and(|usd| usd >= 0.0), "{state}");
        driven.session.finish();
    }
}

/// The window is not told by this agent, so it is not said.
#[test]
fn how_full_the_context_is() {
    let scenario = "user: one\n  tokens: 84000\n  say: The first.\nuser: two\n  tokens: 91000\n  say: The second.\n";
    for version in VERSIONS {
        let mut driven = launch_with(version, scenario, &[], Options::default());
        for (message, tokens) in [("one", 84_000), ("two", 91_000)] {
            driven.nudge(Transport::Http, message);
            let filled = |state: &Value| state["context"] == json!({ "tokens": tokens, "window": null });
            driven.session.wait_json("/api/v1/agent/state", "how full it is", filled);
            driven.session.event("usage", |event| event["context"]["tokens"] == tokens);
            driven.state("idle");
        }
        driven.session.finish();
    }
}
