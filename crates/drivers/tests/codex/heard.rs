//! What hooks, reports, the rollout and standard output say, over whole captured sessions.

use coop_core::agent::conversation::{EntryKind, Usage};
use coop_core::agent::prompt::PromptContext;
use coop_core::agent::spent::Context;
use coop_core::agent::{Fact, Look};
use coop_drivers::{Driver, Heard};
use serde_json::{Value, json};

use crate::{codex, file};

fn jsonl(name: &str) -> Vec<Value> {
    file(&format!("0.166.0/{name}")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(heard: &[Heard]) -> Vec<&'static str> {
    let facts = heard.iter().flat_map(|heard| &heard.facts);
    facts.filter(|fact| !matches!(fact, Fact::Noted { .. })).map(Fact::name).collect()
}

fn log(driver: &mut dyn Driver, case: &str) -> Vec<Heard> {
    file(&format!("0.166.0/{case}/log.jsonl")).lines().map(|line| driver.log_line(line)).collect()
}

#[test]
fn the_rollout_tells_the_turn() {
    const TEXT: [&str; 3] = ["turn started", "turn started", "turn ended"];
    const TOOL: [&str; 5] = ["turn started", "turn started", "tool started", "tool finished", "turn ended"];
    let rows: &[(&str, Vec<&str>)] = &[
        ("text", TEXT.to_vec()),
        ("permission-allowed", TOOL.to_vec()),
        ("permission-edit", TOOL.to_vec()),
        ("permission-denied", vec!["turn started", "turn started", "tool started", "tool stopped", "interrupted"]),
        ("interrupt", vec!["turn started", "turn started", "interrupted"]),
        ("error", vec!["turn started", "turn started", "turn failed"]),
        ("limit", vec!["turn started", "turn started", "turn failed"]),
        ("plan", [&TEXT[..], &["turn started", "turn started", "prompt shown"], &TEXT].concat()),
        ("questions", [&TEXT[..], &TOOL].concat()),
        ("print", TOOL.to_vec()),
    ];
    for (case, expected) in rows {
        let heard = log(codex().as_mut(), case);
        assert_eq!(&names(&heard), expected, "{case}");
        for heard in heard.iter().filter(|heard| !heard.facts.is_empty()) {
            assert!(heard.turn.is_some() && heard.at_ms.is_some(), "{case}: {heard:?}");
        }
    }
    let compact = log(codex().as_mut(), "compact");
    assert!(names(&compact).contains(&"compacted"));
    assert_eq!(names(&compact).last(), Some(&"turn ended"));
}

fn facts(case: &str) -> Vec<Fact> {
    log(codex().as_mut(), case).into_iter().flat_map(|heard| heard.facts).collect()
}

#[test]
fn what_is_told_is_whole() {
    let said = facts("text").into_iter().find_map(|fact| match fact {
        Fact::TurnStarted { text: Some(text) } => Some(text),
        _ => None,
    });
    assert_eq!(said.as_deref(), Some("hello"));
    assert!(facts("text").contains(&Fact::TurnEnded { last_message: Some("Hi there.".into()) }));
    let tool = |case| facts(case).into_iter().find(|fact| matches!(fact, Fact::ToolStarted { .. })).unwrap();
    let Fact::ToolStarted { id, name, input, .. } = tool("permission-allowed") else { panic!() };
    assert_eq!((id.as_deref(), name.as_deref()), (Some("call_resp_0001_3"), Some("Bash")));
    assert_eq!(
        input.unwrap(),
        json!({ "command": "touch made.txt", "description": "May I run this outside the sandbox?" })
    );
    let Fact::ToolStarted { name, input, .. } = tool("permission-edit") else { panic!() };
    assert_eq!(name.as_deref(), Some("apply_patch"));
    assert!(input.unwrap()["command"].as_str().unwrap().contains("+# changed"));
    let Fact::ToolStarted { id, name, input, .. } = tool("questions") else { panic!() };
    let asked = codex().own_dialog(&name.unwrap(), &input.unwrap(), id.as_deref()).unwrap();
    let PromptContext::Question(asked) = asked else { panic!() };
    assert_eq!(asked.questions.len(), 2);
    assert_eq!(asked.questions[0].question, "Which database?");
    let labels: Vec<&str> = asked.questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["SQLite", "Postgres", "None of the above"]);
    let plan = facts("plan").into_iter().find_map(|fact| match fact {
        Fact::PromptShown { context: PromptContext::Plan(plan) } => plan.plan,
        _ => None,
    });
    assert_eq!(plan.as_deref(), Some("# The plan\n1. Do it\n"));
}

#[test]
fn errors_have_names() {
    let failed = |info: Value, limits: Value| {
        let mut driver = codex();
        let count = json!({ "type": "event_msg", "payload": { "type": "token_count", "rate_limits": limits } });
        driver.log_line(&count.to_string());
        let error = json!({ "message": "no", "codex_error_info": info });
        let end = json!({ "type": "event_msg", "payload": { "type": "task_complete", "error": error } });
        match driver.log_line(&end.to_string()).facts.pop() {
            Some(Fact::TurnFailed { failure }) => (failure.kind, failure.resume_at_ms),
            other => panic!("{other:?}"),
        }
    };
    let status = |name: &str, status: u16| json!({ name: { "http_status_code": status } });
    let full = json!({ "primary": { "used_percent": 100.0, "resets_at": 1_794_725_778_u64 }, "secondary": null });
    let half = json!({ "primary": { "used_percent": 50.0, "resets_at": 1_794_725_778_u64 } });
    for (info, limits, kind, at) in [
        (json!("other"), Value::Null, "other", None),
        (status("http_connection_failed", 401), Value::Null, "authentication_failed", None),
        (status("http_connection_failed", 404), Value::Null, "http_connection_failed", None),
        (status("response_too_many_failed_attempts", 429), full.clone(), "rate_limit", Some(1_794_725_778_000)),
        (json!("usage_limit_exceeded"), full.clone(), "usage_limit_exceeded", Some(1_794_725_778_000)),
        (json!("usage_limit_exceeded"), half, "usage_limit_exceeded", None),
        (json!("server_overloaded"), full, "server_overloaded", None),
        (Value::Null, Value::Null, "unknown", None),
    ] {
        assert_eq!(failed(info.clone(), limits), (kind.to_owned(), at), "{info}");
    }
}

#[test]
fn reports() {
    let mut driver = codex();
    let mut say = |state: &str, kind| driver.report(state, kind, None).facts.remove(0);
    assert_eq!(say("idle", None), Fact::Looks(Look::Idle));
    assert_eq!(say("working", None), Fact::Looks(Look::Working));
    assert!(matches!(say("blocked", Some("permission")), Fact::PromptShown { context } if context.is_generic()));
    assert!(matches!(say("blocked", Some("question")), Fact::PromptShown { context: PromptContext::Question(_) }));
    assert_eq!(say("working", None), Fact::Looks(Look::Working));
    assert_eq!(say("done", None), Fact::TurnEnded { last_message: None });
    assert!(matches!(say("idle", None), Fact::Noted { .. }), "a key was pressed");
    assert_eq!(say("idle", None), Fact::Looks(Look::Idle));
    assert!(matches!(say("error", None), Fact::TurnFailed { .. }));
    assert!(matches!(say("clear", None), Fact::SessionEnded { .. }));
    assert!(matches!(say("new", None), Fact::Noted { .. }));
}

#[test]
fn hooks_tell_the_turn_where_they_run() {
    let rows: &[(&str, &[&str])] = &[
        ("text", &["session started", "turn started", "turn ended"]),
        ("interrupt", &["session started", "turn started", "interrupted"]),
        ("error", &["session started", "turn started"]),
        (
            "permission-allowed",
            &["session started", "turn started", "tool started", "prompt shown", "tool finished", "turn ended"],
        ),
    ];
    for (case, expected) in rows {
        let mut driver = codex();
        let calls = jsonl(&format!("{case}/hooks.jsonl"));
        let hear = |call: &Value| driver.hook(call["hook_event_name"].as_str().unwrap(), call);
        let heard: Vec<Heard> = calls.iter().map(hear).collect();
        let mut told = names(&heard);
        told.retain(|name| *name != "session ended");
        assert_eq!(&told, expected, "{case}");
        let asked = heard.iter().flat_map(|heard| &heard.facts).find_map(|fact| match fact {
            Fact::PromptShown { context } => Some(context.clone()),
            _ => None,
        });
        assert_eq!(asked.is_some(), case.starts_with("permission"));
        assert!(asked.is_none_or(|asked| asked.tool_id().is_some()), "known from the call before it");
    }
    // It stops without a message when it asks about its plan.
    let stop = json!({ "last_assistant_message": null });
    assert!(matches!(codex().hook("Stop", &stop).facts[..], [Fact::Noted { .. }]));
    assert!(codex().stops_again(&json!({ "stop_hook_active": true })));
}

#[test]
fn standard_output() {
    let tell = |case: &str| {
        let mut driver = codex();
        let heard: Vec<Heard> =
            file(&format!("0.166.0/{case}/stdout.jsonl")).lines().map(|line| driver.stdout_line(line)).collect();
        heard
    };
    let print = tell("print");
    let expected = ["session started", "turn started", "tool started", "tool finished", "turn ended"];
    assert_eq!(names(&print), expected);
    assert!(print[0].session_id.is_some());
    let end = Fact::TurnEnded { last_message: Some("Read.".into()) };
    assert!(print.iter().any(|heard| heard.facts.contains(&end)));
    // An `error` comes with every attempt; only `turn.failed` ends the turn.
    assert_eq!(names(&tell("print-error")), ["session started", "turn started", "turn failed"]);
}

#[test]
fn the_conversation() {
    let read = |case: &str| {
        let mut driver = codex();
        let mut usage = Usage::default();
        let mut kinds = Vec::new();
        for (number, line) in file(&format!("0.166.0/{case}/log.jsonl")).lines().enumerate() {
            let (entries, used) = driver.conversation(number as u64, line);
            kinds.extend(entries.into_iter().map(|entry| entry.kind));
            usage += used;
        }
        kinds
    };
    let kinds = read("text");
    assert_eq!(kinds[0], EntryKind::User { text: "hello".into() });
    assert_eq!(kinds[1], EntryKind::Thinking { text: "A greeting.".into() });
    assert_eq!(kinds[2], EntryKind::Assistant { text: "Hi there.".into() });
    assert_eq!(kinds.len(), 3);
    let kinds = read("permission-allowed");
    let EntryKind::ToolCall { tool, tool_id, .. } = &kinds[2] else { panic!("{kinds:?}") };
    assert_eq!((tool.as_str(), tool_id.as_deref()), ("Bash", Some("call_resp_0001_3")));
    assert!(matches!(&kinds[3], EntryKind::ToolResult { is_error: false, .. }), "{kinds:?}");
    assert!(matches!(&read("permission-denied")[2], EntryKind::ToolResult { is_error: true, .. }));
    assert_eq!(read("interrupt").last(), Some(&EntryKind::Interrupted));
    assert!(matches!(read("error").last(), Some(EntryKind::Error { text }) if text.contains("scripted bad request")));
    assert!(read("compact").iter().any(|kind| matches!(kind, EntryKind::Compaction { .. })));
    let record = json!({ "type": "token_usage_record", "payload": { "usage": {
        "input_tokens": 100, "cached_input_tokens": 30, "cache_write_input_tokens": 5, "output_tokens": 20 } } });
    let (_, used) = codex().conversation(0, &record.to_string());
    let expected = Usage { input_tokens: 70, output_tokens: 20, cache_read_tokens: 30, cache_write_tokens: 5 };
    assert_eq!(used, expected);
}

#[test]
fn logs_by_name_and_first_line() {
    let driver = codex();
    let id = "01a1deac-887c-7042-a077-4ef7231b9b01";
    let name = format!("rollout-2026-11-15T10-06-51-{id}.jsonl");
    assert_eq!(driver.log_id(&name).as_deref(), Some(id));
    for other in ["history.jsonl", "rollout-.jsonl", "rollout-2026.jsonl", "rollout-ä.jsonl", ""] {
        assert_eq!(driver.log_id(other), None, "{other}");
    }
    let meta = |source: &str| {
        json!({ "type": "session_meta", "payload": {
            "id": id, "cwd": "/srv/project", "timestamp": "2026-11-15T06:56:18.123Z", "thread_source": source } })
    };
    let head = driver.log_head(&meta("user").to_string()).unwrap();
    assert_eq!((head.session_id.as_str(), head.cwd.as_deref()), (id, Some("/srv/project")));
    assert_eq!((head.started_ms, head.of_person), (Some(1_794_725_778_123), true));
    assert!(!driver.log_head(&meta("subagent").to_string()).unwrap().of_person);
    assert_eq!(driver.log_head("{}"), None);
}

#[test]
fn how_full_the_context_is_and_whose_tokens_are_counted() {
    let mut driver = codex();
    let told = |info: Value| json!({ "type": "event_msg", "payload": { "type": "token_count", "info": info } });
    let last = json!({ "last_token_usage": { "total_tokens": 120 }, "model_context_window": 258_400 });
    let before = Some(Context { tokens: 7, window: Some(9) });
    for (line, expected) in [
        (told(last), Some(Context { tokens: 120, window: Some(258_400) })),
        (told(json!({ "last_token_usage": { "total_tokens": 120 } })), Some(Context { tokens: 120, window: None })),
        // The first of a turn knows of limits only.
        (told(Value::Null), before),
        (told(json!({ "last_token_usage": { "total_tokens": 0 } })), before),
        (json!({ "type": "event_msg", "payload": { "type": "token_count" } }), before),
        (json!({ "type": "compacted", "payload": {} }), None),
    ] {
        assert_eq!(driver.context(&line.to_string(), before), expected, "{line}");
    }
    assert_eq!(driver.priced(r#"{"type":"token_usage_record"}"#).model, None);
    let turn = json!({ "type": "turn_context", "payload": { "model": "gpt-5-codex" } });
    driver.priced(&turn.to_string());
    assert_eq!(driver.priced(r#"{"type":"token_usage_record"}"#).model.as_deref(), Some("gpt-5-codex"));
}
