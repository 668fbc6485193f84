//! What hooks, reports, the registry, the log and standard output say, over whole captured sessions.

use coop_core::agent::conversation::{EntryKind, Usage};
use coop_core::agent::prompt::PromptContext;
use coop_core::agent::shown::Shown;
use coop_core::agent::spent::Context;
use coop_core::agent::{Fact, Look, Meaning};
use coop_drivers::{Driver, Heard, RegistryStatus};
use serde_json::{Value, json};

use crate::{VERSIONS, claude, file};

fn jsonl(name: &str) -> Vec<Value> {
    file(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn hooks(driver: &mut dyn Driver, case: &str) -> Vec<Heard> {
    let calls = jsonl(&format!("{case}/hooks.jsonl"));
    calls.iter().map(|call| driver.hook(call["hook_event_name"].as_str().unwrap(), call)).collect()
}

fn names(heard: &[Heard]) -> Vec<&'static str> {
    let facts = heard.iter().flat_map(|heard| &heard.facts);
    facts.filter(|fact| !matches!(fact, Fact::Noted { .. })).map(Fact::name).collect()
}

fn log(driver: &mut dyn Driver, case: &str) -> Vec<Heard> {
    file(&format!("{case}/log.jsonl")).lines().map(|line| driver.log_line(line)).collect()
}

#[test]
fn hooks_tell_the_turn() {
    let rows: &[(&str, &[&str])] = &[
        ("text", &["session started", "turn started", "turn ended", "session ended"]),
        ("error", &["session started", "turn started", "turn failed", "session ended"]),
        ("interrupt", &["session started", "turn started", "session ended"]),
        (
            "permission-allowed",
            &[
                "session started",
                "turn started",
                "tool started",
                "prompt shown",
                "tool finished",
                "turn ended",
                "session ended",
            ],
        ),
        ("permission-denied", &["session started", "turn started", "tool started", "prompt shown", "session ended"]),
    ];
    for version in VERSIONS {
        for (case, expected) in rows {
            let heard = hooks(claude().as_mut(), &format!("{version}/{case}"));
            assert_eq!(&names(&heard), expected, "{version}/{case}");
            assert!(heard.iter().all(|heard| heard.session_id.is_some() && heard.transcript.is_some()));
            assert!(heard[1..].iter().all(|heard| heard.turn.is_some()), "{version}/{case}");
        }
    }
}

#[test]
fn compaction_and_clearing() {
    let version = "2.1.325";
    let compact = names(&hooks(claude().as_mut(), &format!("{version}/compact")));
    let from = compact.iter().position(|name| *name == "compacting").unwrap();
    assert_eq!(compact[from..from + 4], ["compacting", "subagent ended", "session started", "turn ended"]);
    let amid = json!({ "hook_event_name": "PostCompact", "trigger": "auto" });
    assert_eq!(claude().hook("PostCompact", &amid).facts, [Fact::Compacted], "the turn goes on");
    let clear = names(&hooks(claude().as_mut(), &format!("{version}/clear")));
    assert!(clear.windows(2).any(|pair| pair == ["session ended", "session started"]), "{clear:?}");
}

fn shown(version: &str, case: &str) -> PromptContext {
    let heard = hooks(claude().as_mut(), &format!("{version}/{case}"));
    let facts = heard.into_iter().flat_map(|heard| heard.facts);
    let context = facts.into_iter().find_map(|fact| match fact {
        Fact::PromptShown { context } => Some(context),
        _ => None,
    });
    context.unwrap()
}

#[test]
fn prompts_are_whole() {
    for version in VERSIONS {
        let PromptContext::Permission(permission) = shown(version, "permission-allowed") else { panic!() };
        assert_eq!(permission.tool.as_deref(), Some("Bash"));
        assert_eq!(permission.input.unwrap()["command"], "touch made.txt");
        assert!(permission.tool_id.unwrap().starts_with("toolu_"), "known from the call before it");
        assert_eq!(permission.suggestions.len(), 2);

        let PromptContext::Question(asked) = shown(version, "question") else { panic!() };
        assert_eq!(asked.questions[0].question, "Which database?");
        assert_eq!(asked.questions[0].header.as_deref(), Some("Database"));
        let options = &asked.questions[0].options;
        assert_eq!(options[1].description.as_deref(), Some("Big"));
        assert_eq!(options[2].meaning, Meaning::Text);
        assert_eq!(options[3].meaning, Meaning::Chat);
        assert!(asked.tool_id.is_some());

        let PromptContext::Question(asked) = shown(version, "questions") else { panic!() };
        assert_eq!(asked.questions.len(), 2);
        assert!(asked.questions[1].multi_select);

        let PromptContext::Plan(plan) = shown(version, "plan") else { panic!() };
        assert_eq!(plan.plan.as_deref(), Some("# The plan\n1. Do it"));
        assert!(plan.tool_id.is_some() && plan.input.is_some());
    }
}

#[test]
fn calls_that_are_the_same_are_asked_about_in_order() {
    let mut driver = claude();
    let call = |id: &str| json!({ "tool_name": "Bash", "tool_input": { "command": "x" }, "tool_use_id": id });
    let ask = json!({ "tool_name": "Bash", "tool_input": { "command": "x" }, "agent_id": "sub" });
    let asked = |driver: &mut dyn Driver| match driver.hook("PermissionRequest", &ask).facts.remove(0) {
        Fact::PromptShown { context } => context.tool_id().map(str::to_owned),
        other => panic!("{other:?}"),
    };
    assert_eq!(asked(driver.as_mut()), None);
    driver.hook("PreToolUse", &call("a"));
    driver.hook("PreToolUse", &call("b"));
    assert_eq!(asked(driver.as_mut()).as_deref(), Some("a"));
    driver.hook("PostToolUse", &call("a"));
    assert_eq!(asked(driver.as_mut()).as_deref(), Some("b"));
}

#[test]
fn notifications_and_what_is_new() {
    let mut driver = claude();
    let mut fact = |event: &str, payload: Value| driver.hook(event, &payload).facts.remove(0);
    let notify = |kind: &str| json!({ "notification_type": kind });
    assert_eq!(fact("Notification", notify("permission_prompt")), Fact::Looks(Look::Dialog { context: None }));
    assert_eq!(fact("Notification", notify("idle_prompt")), Fact::Looks(Look::Idle));
    assert!(matches!(fact("Notification", notify("auth_success")), Fact::Noted { .. }));
    assert!(matches!(fact("PostToolBatch", json!({})), Fact::Noted { .. }));
    assert!(matches!(fact("NewInTheNextVersion", json!([1])), Fact::Noted { .. }));
    let limit = json!({ "error": "rate_limit", "error_details": "usage limit reached|1794725778" });
    let Fact::TurnFailed { failure } = fact("StopFailure", limit) else { panic!() };
    assert_eq!((failure.kind.as_str(), failure.resume_at_ms), ("rate_limit", Some(1_794_725_778_000)));
    assert!(claude().stops_again(&json!({ "stop_hook_active": true })));
    assert!(!claude().stops_again(&json!({})));
}

#[test]
fn the_log_tells_the_same_turns() {
    let rows: &[(&str, &[&str])] = &[
        ("text", &["turn started", "turn ended"]),
        ("error", &["turn started", "turn failed"]),
        ("interrupt", &["turn started", "interrupted"]),
        ("permission-allowed", &["turn started", "tool started", "tool finished", "turn ended"]),
        ("permission-denied", &["turn started", "tool started", "interrupted", "interrupted"]),
        ("plan", &["turn started", "tool started", "tool started", "tool finished", "tool finished", "turn ended"]),
        ("question", &["turn started", "tool started", "tool finished", "turn ended"]),
    ];
    for version in VERSIONS {
        for (case, expected) in rows {
            let heard = log(claude().as_mut(), &format!("{version}/{case}"));
            assert_eq!(&names(&heard), expected, "{version}/{case}");
            let told: Vec<&Heard> = heard.iter().filter(|heard| !heard.facts.is_empty()).collect();
            assert!(told.iter().all(|heard| heard.turn == told[0].turn && heard.turn.is_some()), "{version}/{case}");
            assert!(told.iter().all(|heard| heard.at_ms == Some(946_684_800_000)));
        }
        let heard = log(claude().as_mut(), &format!("{version}/text"));
        let ends = |fact: &Fact| matches!(fact, Fact::TurnEnded { last_message: Some(said) } if said == "Hi there.");
        assert!(heard.iter().flat_map(|heard| &heard.facts).any(ends), "{version}");
    }
}

#[test]
fn lines_that_carry_no_state() {
    let line = |extra: Value| {
        let mut line = json!({ "type": "user", "promptId": "p", "message": { "role": "user", "content": "hello" } });
        for (key, value) in extra.as_object().unwrap() {
            line[key] = value.clone();
        }
        line.to_string()
    };
    let content = |text: &str| json!({ "message": { "content": text } });
    assert_eq!(claude().log_line(&line(json!({}))).facts.len(), 1);
    for silent in [
        line(json!({ "isMeta": true })),
        line(json!({ "isCompactSummary": true })),
        line(json!({ "isSidechain": true })),
        line(content("<command-name>/clear</command-name>")),
        line(content("<local-command-stdout></local-command-stdout>")),
        line(content("<bash-input>ls</bash-input>")),
        json!({ "type": "system", "subtype": "turn_duration" }).to_string(),
        json!({ "type": "file-history-snapshot", "user": "assistant" }).to_string(),
        "{\"type\":\"user\"".to_owned(),
        "[]".to_owned(),
    ] {
        assert_eq!(claude().log_line(&silent).facts, [], "{silent}");
    }
    assert_eq!(claude().log_line("{\"type\":\"ai-title\",\"aiTitle\":\"A name\"}").title.as_deref(), Some("A name"));
    let model = |line: &str| claude().log_line(line).model;
    let spoke = r#"{"type":"assistant","message":{"model":"claude-x","content":[]}}"#;
    assert_eq!(model(spoke).as_deref(), Some("claude-x"));
    assert_eq!(model(&spoke.replace("claude-x", "<synthetic>")), None);
    assert_eq!(model(&spoke.replace("{\"type\"", "{\"isSidechain\":true,\"type\"")), None);
}

#[test]
fn a_stop_that_a_hook_refuses_does_not_end_the_turn() {
    let mut driver = claude();
    let say = |value: Value| value.to_string();
    driver.log_line(&say(json!({ "type": "user", "promptId": "p", "message": { "content": "go" } })));
    let summary = |refused: bool| {
        let errors: &[&str] = if refused { &["go on"] } else { &[] };
        json!({ "type": "system", "subtype": "stop_hook_summary", "hookErrors": errors, "hasOutput": refused,
                "preventedContinuation": false })
    };
    assert_eq!(driver.log_line(&say(summary(true))).facts, []);
    let ended = driver.log_line(&say(summary(false)));
    assert_eq!((names(std::slice::from_ref(&ended)), ended.turn.as_deref()), (vec!["turn ended"], Some("p")));
    assert_eq!(driver.log_line(&say(json!({ "type": "system", "subtype": "turn_duration" }))).facts, []);
}

#[test]
fn an_answer_that_is_written_before_its_message_belongs_to_no_other_turn() {
    let mut driver = claude();
    let user = |id: &str| json!({ "type": "user", "promptId": id, "message": { "content": "go" } }).to_string();
    let answer = |text: &str| {
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": text }] } }).to_string()
    };
    let end = json!({ "type": "system", "subtype": "turn_duration" }).to_string();
    driver.log_line(&user("a"));
    assert_eq!(driver.log_line(&answer("one")).turn.as_deref(), Some("a"));
    assert_eq!(driver.log_line(&end).facts, [Fact::TurnEnded { last_message: Some("one".into()) }]);
    assert_eq!(driver.log_line(&answer("two")).turn, None);
    driver.log_line(&user("b"));
    let ended = driver.log_line(&end);
    assert_eq!(ended.turn.as_deref(), Some("b"));
    assert_eq!(ended.facts, [Fact::TurnEnded { last_message: Some("two".into()) }]);
    driver.log_line(&answer("of a shell command"));
    assert_eq!(names(&[driver.log_line(&end)]), ["turn ended"]);
}

/// Seen in 2.1.197, when the log is made for its first turn.
#[test]
fn a_turn_that_is_written_after_its_end_is_over() {
    let at = |second: u32| format!("2026-11-15T06:56:{second:02}.000Z");
    let end = |second| json!({ "type": "system", "subtype": "turn_duration", "timestamp": at(second) }).to_string();
    let user = |id: &str, second| {
        json!({ "type": "user", "promptId": id, "timestamp": at(second), "message": { "content": "go" } }).to_string()
    };
    let answer = |reason: &str, block: Value, second| {
        let message = json!({ "stop_reason": reason, "content": [block] });
        json!({ "type": "assistant", "timestamp": at(second), "message": message }).to_string()
    };
    let says = |text: &str| json!({ "type": "text", "text": text });
    let tool = json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": {} });
    let thinks = json!({ "type": "thinking", "thinking": "So." });
    let ended = |said: Option<&str>| Fact::TurnEnded { last_message: said.map(str::to_owned) };

    let mut driver = claude();
    assert_eq!(driver.log_line(&end(9)).facts, []);
    assert_eq!(names(&[driver.log_line(&user("a", 1))]), ["turn started"]);
    assert_eq!(names(&[driver.log_line(&answer("tool_use", tool, 2))]), ["tool started"]);
    let thought = driver.log_line(&answer("end_turn", thinks, 3));
    assert_eq!((thought.facts.last(), thought.turn.as_deref()), (Some(&ended(None)), Some("a")));
    let last = driver.log_line(&answer("end_turn", says("Done."), 4));
    assert_eq!((last.facts.last(), last.at_ms), (Some(&ended(Some("Done."))), thought.at_ms));

    assert_eq!(names(&[driver.log_line(&user("b", 20))]), ["turn started"], "one that begins later is another");
    assert_eq!(names(&[driver.log_line(&answer("end_turn", says("Hi."), 21))]).len(), 0);
    assert_eq!(driver.log_line(&end(22)).facts, [ended(Some("Hi."))]);
    assert_eq!(names(&[driver.log_line(&user("c", 21))]), ["turn started"]);
    let queued = driver.log_line(&answer("end_turn", says("Ho."), 22));
    assert_eq!(names(&[queued]).len(), 0, "the end before was that of a turn that was known");
}

#[test]
fn subagents_keep_their_name() {
    let line = json!({ "type": "assistant", "isSidechain": true, "agentId": "a1",
        "message": { "content": [{ "type": "tool_use", "id": "t", "name": "Bash", "input": {} }] } });
    let facts = claude().log_line(&line.to_string()).facts;
    assert!(matches!(&facts[..], [Fact::ToolStarted { agent: Some(agent), .. }] if agent == "a1"), "{facts:?}");
}

#[test]
fn reports() {
    let rows: &[(&str, &[&str])] = &[
        ("text", &["looks working", "turn ended", "session ended"]),
        ("error", &["looks working", "turn failed", "session ended"]),
        ("interrupt", &["looks working", "looks idle", "session ended"]),
        (
            "permission-allowed",
            &["looks working", "prompt shown", "prompt gone", "looks working", "turn ended", "session ended"],
        ),
        ("permission-denied", &["looks working", "prompt shown", "looks idle", "session ended"]),
    ];
    for (case, expected) in rows {
        let mut driver = claude();
        let said = jsonl(&format!("2.1.325/{case}/reports.jsonl"));
        let heard: Vec<Heard> = said
            .iter()
            .map(|report| {
                let text = |key: &str| report[key].as_str();
                driver.report(text("state").unwrap(), text("kind"), text("message"))
            })
            .collect();
        let mut found = names(&heard);
        found.dedup();
        // Some captures begin with the idle report of the start.
        if found.first() == Some(&"looks idle") {
            found.remove(0);
        }
        assert_eq!(&found, expected, "{case}");
    }
}

#[test]
fn what_a_report_says_is_asked() {
    let context =
        |kind: &str, message: &str| match claude().report("blocked", Some(kind), Some(message)).facts.remove(0) {
            Fact::PromptShown { context } => context,
            other => panic!("{other:?}"),
        };
    assert_eq!(context("permission", "approve Bash: touch x").tool(), Some("Bash"));
    assert_eq!(context("permission", "approve Update: notes.md").tool(), Some("Edit"), "what people are told");
    assert_eq!(context("permission", "approve Create: notes.md").tool(), None, "of two tools nobody knows which");
    let shown = |message: &str| context("permission", message).shown().cloned();
    assert_eq!(shown("approve Bash: touch x"), Some(Shown::command("touch x")));
    assert_eq!(shown("permission prompt"), None, "a command that is too long for a report");
    assert!(context("permission", "permission prompt").is_blank());
    // A notice is no permission.
    assert_eq!(context("", "dialog open").subtype(), Some("dialog"));
    assert!(matches!(context("permission", "approve plan"), PromptContext::Plan(_)));
    let PromptContext::Question(asked) = context("question", "answer: Which (of both)? (SQLite · Postgres)") else {
        panic!()
    };
    assert_eq!(asked.questions[0].question, "Which (of both)?");
    let labels: Vec<&str> = asked.questions[0].options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["SQLite", "Postgres"]);
    assert_eq!(context("auth", "").subtype(), Some("login_required"));
}

#[test]
fn the_registry() {
    for version in VERSIONS {
        let looks: Vec<_> = file(&format!("{version}/permission-allowed/registry.jsonl"))
            .lines()
            .map(|line| claude().registry(line).unwrap())
            .map(|entry| (entry.status.unwrap(), entry.look.unwrap()))
            .collect();
        use RegistryStatus::{Busy, Idle, Waiting};
        let asks = || Look::Dialog { context: None };
        let expected =
            [(Idle, Look::Idle), (Busy, Look::Working), (Waiting, asks()), (Busy, Look::Working), (Idle, Look::Idle)];
        assert_eq!(looks, expected, "{version}");
    }
    let entry = |value: Value| claude().registry(&value.to_string());
    let unknown = entry(json!({ "sessionId": "s", "procStart": 5 })).unwrap();
    assert_eq!((unknown.look, unknown.proc_start.as_deref()), (None, Some("5")), "no status is not idle");
    assert_eq!(entry(json!({ "sessionId": "s", "status": "shell" })).unwrap().look, Some(Look::Idle));
    let question = entry(json!({ "sessionId": "s", "status": "waiting", "waitingFor": "input needed" })).unwrap();
    assert!(matches!(question.look, Some(Look::Dialog { context: Some(context) }) if context.kind() == "question"));
    assert_eq!(entry(json!({ "a": 1 })), None);
    assert_eq!(claude().registry("{\"sessionId\":"), None);
}

#[test]
fn standard_output() {
    for version in VERSIONS {
        for (case, last) in [("print", "turn ended"), ("print-error", "turn failed")] {
            let mut driver = claude();
            let text = file(&format!("{version}/{case}/stdout.jsonl"));
            let heard: Vec<Heard> = text.lines().map(|line| driver.stdout_line(line)).collect();
            let names = names(&heard);
            assert_eq!(names[..2], ["session started", "turn started"], "{version}/{case}");
            assert_eq!(names.last(), Some(&last), "{version}/{case}: {names:?}");
        }
    }
}

#[test]
fn the_conversation_and_its_tokens() {
    for version in VERSIONS {
        let mut driver = claude();
        let mut used = Usage::default();
        let mut kinds = Vec::new();
        for (number, line) in (0..).zip(file(&format!("{version}/permission-allowed/log.jsonl")).lines()) {
            let (entries, usage) = driver.conversation(number, line);
            used += usage;
            kinds.extend(entries.into_iter().map(|entry| entry.kind));
        }
        assert!(matches!(&kinds[0], EntryKind::User { text } if text == "make it"));
        assert!(matches!(&kinds[1], EntryKind::Assistant { text } if text == "I will."));
        assert!(matches!(&kinds[2], EntryKind::ToolCall { tool, .. } if tool == "Bash"));
        assert!(matches!(&kinds[3], EntryKind::ToolResult { is_error: false, .. }));
        assert!(matches!(&kinds[4], EntryKind::Assistant { text } if text == "Made."));
        assert_eq!(kinds.len(), 5, "{kinds:?}");
        assert_eq!((used.input_tokens, used.output_tokens), (2400, 40), "{version}: two messages, three lines");
    }
    let command = json!({ "type": "user", "message": { "content":
        "<command-message>x</command-message>\n<command-name>/review</command-name>\n<command-args>now</command-args>" } });
    let (entries, _) = claude().conversation(0, &command.to_string());
    assert!(matches!(&entries[0].kind, EntryKind::User { text } if text == "/review now"));
}

#[test]
fn what_it_says_about_its_cost() {
    let mut driver = claude();
    let line = json!({ "type": "assistant", "costUSD": 0.25, "message": { "id": "m", "model": "claude-opus-4-5" } });
    let priced = driver.priced(&line.to_string());
    assert_eq!((priced.model.as_deref(), priced.said), (Some("claude-opus-4-5"), Some(250_000_000_000)));
    let line = json!({ "type": "user", "message": { "content": "hello" } });
    assert_eq!(driver.priced(&line.to_string()), coop_core::agent::cost::Priced::default());
    let result = json!({ "type": "result", "subtype": "success", "total_cost_usd": 0.0123 });
    assert_eq!(driver.stdout_cost(&result.to_string()), Some(12_300_000_000));
    for other in [json!({ "type": "assistant", "total_cost_usd": 1 }), json!({ "type": "result" })] {
        assert_eq!(driver.stdout_cost(&other.to_string()), None, "{other}");
    }
    assert_eq!(driver.stdout_cost("{ torn"), None);
}

#[test]
fn how_full_the_context_is() {
    let driver = claude();
    let said = |model: &str, usage: Value| json!({ "type": "assistant", "message": { "id": "m", "model": model, "usage": usage } });
    let cached = json!({ "input_tokens": 3, "cache_read_input_tokens": 80_000, "cache_creation_input_tokens": 4_000,
        "output_tokens": 900, "iterations": [] });
    let several = json!({ "input_tokens": 300, "iterations": [{ "input_tokens": 100 }, { "input_tokens": 190 }] });
    let before = Some(Context { tokens: 7, window: None });
    let mut aside = said("claude-opus-4-5", cached.clone());
    aside["isSidechain"] = json!(true);
    for (line, expected) in [
        (said("claude-opus-4-5", cached.clone()), Some(84_003)),
        (said("claude-opus-4-5", several), Some(190)),
        // What no model said, what a subagent said, what says nothing.
        (said("<synthetic>", cached), Some(7)),
        (aside, Some(7)),
        (said("claude-opus-4-5", json!({ "input_tokens": 0 })), Some(7)),
        (said("claude-opus-4-5", json!("usage")), Some(7)),
        (json!({ "type": "user", "message": { "content": "\"usage\"" } }), Some(7)),
        (
            json!({ "type": "system", "subtype": "compact_boundary", "compactMetadata": { "postTokens": 725 } }),
            Some(725),
        ),
        // How much is left is not known until it is said.
        (json!({ "type": "system", "subtype": "compact_boundary" }), None),
    ] {
        let found = driver.context(&line.to_string(), before);
        assert_eq!(found, expected.map(|tokens| Context { tokens, window: None }), "{line}");
    }
    for version in VERSIONS {
        let text = file(&format!("{version}/compact/log.jsonl"));
        let told: Vec<_> = text.lines().filter_map(|line| driver.context(line, None)).map(|it| it.tokens).collect();
        assert_eq!(told[..2], [1200, 1200], "{version}: two messages of the model");
        assert!(told.len() > 2, "{version}: and what was left of them");
    }
}
