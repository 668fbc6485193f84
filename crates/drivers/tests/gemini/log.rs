//! What the chat log says: about the state, and of the conversation.

use coop_core::agent::Fact;
use coop_core::agent::conversation::{EntryKind, Usage};
use coop_core::agent::spent::Context;

use serde_json::{Value, json};

use crate::{file, gemini};

fn facts(name: &str) -> Vec<Fact> {
    let mut driver = gemini();
    file(name).lines().flat_map(|line| driver.log_line(line).facts).collect()
}

fn short(fact: &Fact) -> String {
    match fact {
        Fact::TurnStarted { text } => format!("> {}", text.as_deref().unwrap_or_default()),
        Fact::Said { text } => format!("said {}", text.chars().take(12).collect::<String>()),
        fact => fact.name().to_owned(),
    }
}

#[test]
fn the_log_of_a_turn() {
    let told: Vec<String> = facts("0.61.0/permission-allowed/log.jsonl").iter().map(short).collect();
    assert_eq!(told, ["> make it", "said I will.", "said I will.", "tool finished", "prompt gone", "said Made."]);
}

/// Requests are cancelled in it, after which all of the history is written again.
#[test]
fn history_that_is_written_again_says_nothing() {
    let told: Vec<String> = facts("0.61.0/history.jsonl").iter().map(short).collect();
    let turns: Vec<&str> = told.iter().map(String::as_str).filter(|fact| !fact.starts_with("said")).collect();
    assert_eq!(
        turns,
        [
            "> hello #text",
            "> run #shell touch sess1",
            "tool finished",
            "prompt gone",
            "> run #shell touch sess2",
            "interrupted",
            "> two #two touch two",
            "tool finished",
            "tool finished",
            "prompt gone",
            "> q #ask",
            "tool finished",
            "prompt gone",
            "> bad #e400",
            "turn failed",
            "> stream #long",
            "interrupted",
        ]
    );
}

#[test]
fn what_hooks_add_is_no_message() {
    let line = |parts: serde_json::Value| {
        json!({ "id": "1", "timestamp": "2026-11-15T01:43:43.306Z", "type": "user", "content": parts }).to_string()
    };
    let hook = json!({ "text": "<hook_context>Be kind.</hook_context>" });
    assert_eq!(gemini().log_line(&line(json!([hook]))).facts, []);
    let both = gemini().log_line(&line(json!([{ "text": "hello" }, hook])));
    assert_eq!(both.facts, [Fact::TurnStarted { text: Some("hello".into()) }]);
}

#[test]
fn lines_have_a_time_and_a_turn() {
    let mut driver = gemini();
    let heard: Vec<_> = file("0.61.0/history.jsonl").lines().map(|line| driver.log_line(line)).collect();
    let told = heard.iter().filter(|heard| !heard.facts.is_empty());
    assert!(told.clone().count() > 10 && told.clone().all(|heard| heard.at_ms.is_some() && heard.turn.is_some()));
    assert_eq!(heard[0].session_id.as_deref(), Some("11111111-2222-4333-8444-555555555555"));
}

#[test]
fn its_name_and_its_first_line() {
    let driver = gemini();
    assert_eq!(driver.log_id("session-2026-11-15T01-43-11111111.jsonl").as_deref(), Some("11111111"));
    assert_eq!(driver.log_id("logs.json"), None);
    let text = file("0.61.0/history.jsonl");
    let head = driver.log_head(text.lines().next().unwrap()).unwrap();
    assert_eq!(head.session_id, "11111111-2222-4333-8444-555555555555");
    assert!(head.of_person && head.started_ms.is_some());
    assert_eq!(driver.log_head(text.lines().nth(2).unwrap()), None);
}

fn kind(kind: &EntryKind) -> String {
    match kind {
        EntryKind::User { text } => format!("> {text}"),
        EntryKind::Assistant { text } => format!("said {}", text.chars().take(10).collect::<String>()),
        EntryKind::ToolCall { tool, .. } => format!("call {tool}"),
        EntryKind::ToolResult { is_error, .. } => format!("result {}", if *is_error { "failed" } else { "ok" }),
        EntryKind::Thinking { text } => format!("thought {text}"),
        EntryKind::Error { .. } => "error".to_owned(),
        EntryKind::Interrupted => "interrupted".to_owned(),
        other => format!("{other:?}"),
    }
}

fn conversation(name: &str) -> (Vec<String>, Usage) {
    let mut driver = gemini();
    let mut usage = Usage::default();
    let mut kinds = Vec::new();
    for (line, number) in file(name).lines().zip(0..) {
        let (entries, more) = driver.conversation(number, line);
        usage += more;
        kinds.extend(entries.iter().map(|entry| kind(&entry.kind)));
    }
    (kinds, usage)
}

#[test]
fn a_message_that_is_written_again_adds_what_is_new() {
    let (kinds, usage) = conversation("0.61.0/permission-allowed/log.jsonl");
    assert_eq!(kinds, ["> make it", "said I will.", "call run_shell_command", "result ok", "said Made."]);
    assert_eq!((usage.input_tokens, usage.output_tokens), (200, 40));
    let (kinds, _) = conversation("0.61.0/text/log.jsonl");
    assert_eq!(kinds, ["> hello", "thought A greeting.", "said Hi there."]);
}

#[test]
fn the_conversation_has_everything_once() {
    let (kinds, usage) = conversation("0.61.0/history.jsonl");
    let count = |text: &str| kinds.iter().filter(|kind| kind.contains(text)).count();
    assert_eq!((count("> hello"), count("call run_shell"), count("call ask_user")), (1, 4, 1), "{kinds:#?}");
    assert_eq!((count("result failed"), count("interrupted"), count("error")), (1, 2, 1), "{kinds:#?}");
    assert_eq!(usage.input_tokens, 800, "eight replies of the model");
}

#[test]
fn how_full_the_context_is_and_whose_tokens_are_counted() {
    let mut driver = gemini();
    let said = |model: &str, tokens: Value| json!({ "type": "gemini", "model": model, "tokens": tokens }).to_string();
    let line = said("gemini-2.5-flash", json!({ "input": 400_000, "cached": 300_000, "output": 20 }));
    assert_eq!(driver.context(&line, None), Some(Context { tokens: 400_000, window: Some(1_048_576) }));
    assert_eq!(driver.priced(&line).model.as_deref(), Some("gemini-2.5-flash"));
    let before = Some(Context { tokens: 7, window: None });
    assert_eq!(
        driver.context(&said("other", json!({ "input": 5 })), before),
        Some(Context { tokens: 5, window: None })
    );
    for line in [said("gemini-2.5-pro", json!({ "input": 0 })), said("gemini-2.5-pro", Value::Null), "{}".to_owned()] {
        assert_eq!(driver.context(&line, before), before, "{line}");
    }
}
