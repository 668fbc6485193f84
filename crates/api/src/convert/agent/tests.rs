//! Prompts, states and answers as they look on the wire.

use super::*;
use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, QuestionPrompt, SetupPrompt};
use serde_json::json;

fn asked(context: PromptContext) -> Value {
    let prompt = Prompt { id: PromptId("p7".into()), context, ready: true, by_hook: true };
    let wire = super::prompt(&prompt);
    let json = serde_json::to_value(&wire).unwrap();
    assert_eq!(serde_json::from_value::<v1::PromptContext>(json.clone()).unwrap(), wire, "and back");
    json
}

fn choice(label: &str, meaning: Meaning) -> Choice {
    Choice { label: label.into(), description: None, meaning }
}

#[test]
fn prompts() {
    let permission = asked(PromptContext::Permission(PermissionPrompt {
        tool: Some("Bash".into()),
        input: Some(json!({ "command": "npm install express", "timeout": 5 })),
        options: vec![choice("Yes", Meaning::Allow), choice("No", Meaning::Deny)],
        options_fallback: true,
        ..PermissionPrompt::default()
    }));
    assert_eq!(
        permission,
        json!({
            "type": "permission", "subtype": null, "tool": "Bash", "input": "npm install express",
            "input_full": { "command": "npm install express", "timeout": 5 },
            "options": ["Yes", "No"],
            "option_details": [
                { "label": "Yes", "description": null, "meaning": "allow" },
                { "label": "No", "description": null, "meaning": "deny" },
            ],
            "options_fallback": true, "input_seen": false, "digest": permission["digest"], "questions": [], "question_current": 0, "ready": true, "prompt_id": "p7",
            "by_hook": true, "question": null, "summary": null, "message": null,
        })
    );
    let plan = asked(PromptContext::Plan(PlanPrompt { plan: Some("first, …".into()), ..PlanPrompt::default() }));
    assert_eq!(
        (&plan["type"], &plan["summary"], &plan["input_full"]),
        (&json!("plan"), &json!("first, …"), &json!(null))
    );
    let which = |question: &str| Question {
        question: question.into(),
        multi_select: true,
        options: vec![choice("A", Meaning::Answer)],
        ..Question::default()
    };
    let questions = vec![which("Which?"), which("And which?")];
    let question =
        asked(PromptContext::Question(QuestionPrompt { questions, current: 1, ..QuestionPrompt::default() }));
    assert_eq!((&question["question"], &question["question_current"]), (&json!("And which?"), &json!(1)));
    assert_eq!(question["questions"][0]["options"], json!(["A"]));
    let setup = asked(PromptContext::Setup(SetupPrompt {
        subtype: "oauth_login".into(),
        url: Some("https://login.example".into()),
        ..SetupPrompt::default()
    }));
    assert_eq!((&setup["subtype"], &setup["input"]), (&json!("oauth_login"), &json!("https://login.example")));
}

#[test]
fn a_preview_is_short() {
    for (input, expected) in [
        (json!({ "file_path": "a.rs", "content": "x" }), "a.rs".to_owned()),
        (json!({ "b": 1 }), "{\"b\":1}".to_owned()),
        (json!("text"), "\"text\"".to_owned()),
        (json!({ "command": "ä".repeat(300) }), "ä".repeat(200) + "…"),
    ] {
        assert_eq!(preview(&input), expected);
    }
}

#[test]
fn states() {
    let failure = |at| Failure { kind: "rate_limit".into(), detail: "too much".into(), resume_at_ms: at };
    let parked = AgentStatus {
        source: Some(Source::Log),
        idle_grace: Some(Duration::from_millis(1500)),
        ..AgentStatus::new(State::Parked(failure(Some(9))))
    };
    let json = serde_json::to_value(state(&parked, "claude", 4)).unwrap();
    assert_eq!(json["parked"], json!({ "reason": "too much", "resume_at_epoch_ms": 9, "continues_at_epoch_ms": null }));
    assert_eq!((&json["state"], &json["error"]), (&json!("parked"), &json!(null)));
    assert_eq!((&json["detection_tier"], &json["source"]), (&json!("2-log"), &json!("log")));
    assert_eq!(json["idle_grace_remaining_secs"], 1.5);
    let json = serde_json::to_value(state(&AgentStatus::new(State::Error(failure(None))), "claude", 4)).unwrap();
    assert_eq!(json["error"], json!({ "kind": "rate_limit", "detail": "too much" }));
    for state in [State::Starting, State::Working, State::Idle, State::Restarting, State::Exited, State::Unknown] {
        assert!(STATES.contains(&state.name()));
    }
}

#[test]
fn events_of_their_own_streams() {
    let prompt = Prompt {
        id: PromptId("p7".into()),
        context: PromptContext::Setup(SetupPrompt::default()),
        ready: false,
        by_hook: false,
    };
    let wire = |event| crate::convert::event(coop_core::event::Numbered { seq: 12, generation: 1, event });
    let change = wire(coop_core::event::Event::State {
        prev: "working",
        next: Box::new(State::Prompt(prompt)),
        seq: 3,
        source: None,
        reason: "it asks".into(),
    });
    let json = serde_json::to_value(&change).unwrap();
    assert_eq!((&json["type"], &json["seq"], &json["state_seq"]), (&json!("state_change"), &json!(12), &json!(3)));
    let event = state_event(change.clone()).unwrap();
    assert_eq!((event.prev.as_str(), event.next.as_str(), event.seq), ("working", "prompt", 12));
    assert_eq!(event.prompt.unwrap().prompt_id, "p7");
    assert_eq!(transcript_event(change), None);
    let saved = wire(coop_core::event::Event::Transcript { number: 2, lines: 9, at_ms: 5 });
    assert_eq!(transcript_event(saved.clone()).map(|event| (event.number, event.seq)), Some((2, 12)));
    assert_eq!(state_event(saved), None);
}

#[test]
fn messages_that_make_no_sense() {
    let nudge = |json: Value| super::nudge(serde_json::from_value(json).unwrap());
    assert_eq!(nudge(json!({ "message": "x", "when": "idle", "wait": "turn_end" })).unwrap().when, When::Idle);
    for bad in [
        json!({}),
        json!({ "message": " \n" }),
        json!({ "message": "x", "when": "later" }),
        json!({ "message": "x", "wait": "for ever" }),
    ] {
        assert!(nudge(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn answers_that_make_no_sense() {
    let respond = |json: Value| super::respond(serde_json::from_value(json).unwrap(), "me".into());
    let edited = respond(json!({ "accept": true, "updated_input": { "command": "ls" } })).unwrap();
    assert_eq!(edited.updated_input, Some(json!({ "command": "ls" })));
    let several = respond(json!({ "answers": [{ "options": [1, 3] }, { "text": "neither" }] })).unwrap();
    assert_eq!(several.answers[0].options, [1, 3]);
    for bad in [
        json!({}),
        json!({ "option": 0 }),
        json!({ "answers": [{ "options": [0] }] }),
        json!({ "accept": true, "scope": "galaxy" }),
    ] {
        assert!(respond(bad.clone()).is_err(), "{bad}");
    }
    let broken = v1::RespondRequest { accept: Some(true), updated_input: Some("{".into()), ..Default::default() };
    assert!(super::respond(broken, String::new()).is_err());
}

#[test]
fn settings_there_and_back() {
    for mode in ["allow", "auto", "gate"] {
        let wire = v1::StopConfig { mode: mode.into(), prompt: Some("not yet".into()) };
        assert_eq!(stop_config_reply(stop_config(wire.clone()).unwrap()), wire);
    }
    assert!(stop_config(v1::StopConfig { mode: "never".into(), prompt: None }).is_err());
    let wire: v1::StartConfig =
        serde_json::from_value(json!({ "text": "hello", "event": { "clear": { "shell": ["date"] } } })).unwrap();
    assert_eq!(start_config_reply(start_config(wire.clone()).unwrap()), wire);
    let other: v1::StartConfig = serde_json::from_value(json!({ "event": { "monday": {} } })).unwrap();
    assert!(start_config(other).is_err());
    for level in ["auto", "manual", "pristine"] {
        let wire = v1::GroomConfig { level: level.into() };
        assert_eq!(groom_reply(groom(&wire).unwrap()), wire);
    }
    assert!(groom(&v1::GroomConfig::default()).is_err());
}

#[test]
fn what_was_said_and_done() {
    let check = |kind: EntryKind, expected: Value| {
        let entry = Entry { line: 3, index: 0, id: None, timestamp: None, agent: None, kind };
        let json = serde_json::to_value(super::entry(entry)).unwrap();
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&json[field], value, "{field} of {json}");
        }
    };
    check(EntryKind::User { text: "hi".into() }, json!({ "kind": "user", "text": "hi", "line": 3 }));
    let input = json!({ "command": "ls" });
    check(
        EntryKind::ToolCall { tool_id: Some("t".into()), tool: "Bash".into(), input: input.clone() },
        json!({ "kind": "tool_call", "tool": "Bash", "tool_id": "t", "input": input }),
    );
    let image =
        EntryKind::Image { tool_id: Some("t".into()), media_type: "image/png".into(), data: Some("AAAA".into()) };
    let wire = json!({ "kind": "image", "tool_id": "t", "media_type": "image/png", "data": "AAAA", "text": null });
    check(image.clone(), wire);
    let entry = Entry { line: 3, index: 0, id: None, timestamp: None, agent: None, kind: image };
    for (wanted, data) in [(true, Some("AAAA")), (false, None)] {
        assert_eq!(super::entries(vec![entry.clone()], wanted)[0].data.as_deref(), data);
    }
    check(EntryKind::Unknown { value: json!([1]) }, json!({ "kind": "unknown", "value": [1], "text": null }));
}
