//! Coop as a client of the app-server: what it says, when it asks, and what it makes of an answer.

use coop_core::agent::prompt::{Prompt, PromptContext, PromptId};
use coop_core::agent::respond::{Answer, Respond, Scope};
use coop_core::agent::{Fact, Meaning};
use coop_drivers::{AnswerError, Driver, LaunchRequest, ServerAct, ServerProtocol};
use serde_json::{Value, json};

fn codex() -> Box<dyn Driver> {
    coop_drivers::driver("codex").unwrap()
}

fn protocol() -> Box<dyn ServerProtocol> {
    codex().server().unwrap()
}

fn notified(method: &str, params: &Value) -> Value {
    json!({ "method": method, "params": params, "emittedAtMs": 1 })
}

fn approval(id: u64, command: &str) -> Value {
    let amendment = json!({ "acceptWithExecpolicyAmendment": { "execpolicy_amendment": [command] } });
    json!({ "method": "item/commandExecution/requestApproval", "id": id, "params": {
        "threadId": "t", "turnId": "turn", "itemId": format!("call_{id}"), "reason": "need it",
        "command": format!("/bin/bash -lc '{command}'"), "commandActions": [{ "type": "unknown", "command": command }],
        "availableDecisions": ["accept", amendment, "cancel"],
    } })
}

fn asks(acts: &[ServerAct]) -> Vec<u64> {
    let id = |act: &ServerAct| if let ServerAct::Ask { id, .. } = act { id.as_u64() } else { None };
    acts.iter().filter_map(id).collect()
}

#[test]
fn a_conversation_is_subscribed_to_once_with_its_first_turn() {
    let mut server = protocol();
    assert_eq!(server.greet().len(), 2);
    let title = json!({ "thread": { "id": "title", "ephemeral": true } });
    assert_eq!(server.hear(&notified("thread/started", &title)), []);
    let active =
        |id: &str| notified("thread/status/changed", &json!({ "threadId": id, "status": { "type": "active" } }));
    assert_eq!(server.hear(&active("title")), [], "it makes up the title");
    let acts = server.hear(&active("t"));
    let [ServerAct::Send(request)] = &acts[..] else { panic!("{acts:?}") };
    assert_eq!((&request["method"], &request["params"]["threadId"]), (&json!("thread/resume"), &json!("t")));
    assert_eq!(server.hear(&active("t")), []);
    assert_eq!(server.hear(&json!({ "id": 2, "error": { "code": -32600 } })), []);
    assert_eq!(
        server.hear(&json!({ "id": 7, "method": "item/new/request", "params": {} })),
        [],
        "left to the terminal"
    );
}

/// It asks for all tools of a reply at once; the terminal shows one after the other.
#[test]
fn one_question_at_a_time() {
    let mut server = protocol();
    assert_eq!(asks(&server.hear(&approval(0, "one"))), [0]);
    assert_eq!(asks(&server.hear(&approval(1, "two"))), [] as [u64; 0]);
    assert_eq!(asks(&server.hear(&approval(2, "three"))), [] as [u64; 0]);
    let resolved = |id: u64| notified("serverRequest/resolved", &json!({ "threadId": "t", "requestId": id }));
    let acts = server.hear(&resolved(1));
    assert_eq!(acts, [ServerAct::LetGo { id: json!(1) }], "at the terminal, and not the one coop was asked about");

    assert_eq!(
        server.answer(json!(0), json!({ "decision": "accept" })),
        json!({ "id": 0, "result": { "decision": "accept" } })
    );
    let acts = server.hear(&resolved(0));
    assert_eq!((acts.len(), asks(&acts)), (2, vec![2]), "the turn does not go on: it asks the next");
    server.answer(json!(2), json!({ "decision": "cancel" }));
    assert_eq!(server.hear(&resolved(2)), [ServerAct::LetGo { id: json!(2) }], "the end of the turn tells of a no");
    server.hear(&approval(3, "four"));
    server.answer(json!(3), json!({ "decision": "accept" }));
    let acts = server.hear(&resolved(3));
    assert!(matches!(&acts[1], ServerAct::Tell { event, .. } if event == "serverRequest/resolved"), "{acts:?}");
}

fn prompt(message: &Value) -> Prompt {
    let heard = codex().server_event(message["method"].as_str().unwrap(), &message["params"]);
    let [Fact::PromptShown { context }] = &heard.facts[..] else { panic!("{heard:?}") };
    Prompt { id: PromptId("p1".into()), ready: true, context: context.clone(), by_hook: true }
}

#[test]
fn what_it_asks_and_what_it_is_answered() {
    let asked = prompt(&approval(0, "touch a"));
    let PromptContext::Permission(permission) = &asked.context else { panic!("{asked:?}") };
    assert_eq!(permission.input, Some(json!({ "command": "touch a", "description": "need it" })));
    assert_eq!(permission.tool_id.as_deref(), Some("call_0"));
    let meanings: Vec<Meaning> = permission.options.iter().map(|option| option.meaning).collect();
    assert_eq!(meanings, [Meaning::Allow, Meaning::AllowProject, Meaning::Deny]);

    let amendment = json!({ "acceptWithExecpolicyAmendment": { "execpolicy_amendment": ["touch a"] } });
    let rows = [
        (Respond { accept: Some(true), ..Respond::default() }, Some(json!("accept"))),
        (Respond { option: Some(1), ..Respond::default() }, Some(json!("accept"))),
        (Respond { option: Some(2), ..Respond::default() }, Some(amendment)),
        (Respond { accept: Some(false), ..Respond::default() }, Some(json!("cancel"))),
        (Respond { accept: Some(false), text: Some("why".into()), ..Respond::default() }, None),
        (Respond { accept: Some(true), scope: Scope::Session, ..Respond::default() }, None),
    ];
    for (respond, decision) in rows {
        match (codex().answer_server(&asked, &respond), decision) {
            (Ok(body), Some(decision)) => assert_eq!(body, json!({ "decision": decision }), "{respond:?}"),
            (Err(AnswerError::OnlyByKeys(_)), None) => {}
            other => panic!("{respond:?}: {other:?}"),
        }
    }
}

#[test]
fn questions_are_answered_by_their_ids() {
    let asked = prompt(&json!({ "method": "item/tool/requestUserInput", "id": 3, "params": {
        "threadId": "t", "turnId": "turn", "itemId": "call_3", "questions": [{ "id": "db", "header": "Database",
            "question": "Which database?", "options": [{ "label": "SQLite" }, { "label": "Postgres" }] }],
    } }));
    let answer = |options: Vec<u32>, text: Option<&str>| {
        let answers = vec![Answer { options, text: text.map(str::to_owned) }];
        codex().answer_server(&asked, &Respond { answers, ..Respond::default() })
    };
    assert_eq!(answer(vec![2], None), Ok(json!({ "answers": { "db": { "answers": ["Postgres"] } } })));
    assert!(matches!(answer(vec![], Some("CouchDB")), Err(AnswerError::OnlyByKeys(_))));
    assert!(matches!(answer(vec![9], None), Err(AnswerError::Unfit(_))));
}

#[test]
fn turns_end_as_the_rollout_tells_it() {
    let end = |turn: Value| codex().server_event("turn/completed", &json!({ "threadId": "t", "turn": turn })).facts;
    let said = json!([{ "type": "agentMessage", "text": "Done." }]);
    assert_eq!(
        end(json!({ "id": "a", "status": "completed", "items": said })),
        [Fact::TurnEnded { last_message: Some("Done.".into()) }]
    );
    assert_eq!(end(json!({ "id": "a", "status": "interrupted" })), [Fact::Interrupted]);
    let error =
        json!({ "message": "too much", "codexErrorInfo": { "httpConnectionFailed": { "httpStatusCode": 429 } } });
    let failed = end(json!({ "id": "a", "status": "failed", "error": error }));
    assert!(matches!(&failed[..], [Fact::TurnFailed { failure }] if failure.kind == "rate_limit"), "{failed:?}");
    let error = json!({ "message": "x", "codexErrorInfo": "usageLimitExceeded" });
    let failed = end(json!({ "id": "a", "status": "failed", "error": error }));
    assert!(
        matches!(&failed[..], [Fact::TurnFailed { failure }] if failure.kind == "usage_limit_exceeded"),
        "{failed:?}"
    );
}

#[test]
fn it_is_started_with_the_settings_and_the_terminal_beside_it() {
    let request = |args: &[&str], config: Value| LaunchRequest {
        args: args.iter().map(ToString::to_string).collect(),
        agent_config: Some(config),
        session_dir: "/run/s".into(),
        ..LaunchRequest::default()
    };
    let config = json!({ "app_server": true, "settings": { "model": "m" } });
    let launch = codex().launch(&request(&["--no-daemon", "-c", "a=1", "--model", "x"], config.clone())).unwrap();
    let remote = ["--remote", "unix:///run/s/codex.sock", "-c", "model=\"m\"", "-c", "a=1", "--model", "x"];
    assert_eq!(launch.args, remote);
    let server = launch.companion.unwrap();
    assert_eq!(server.args, ["app-server", "--listen", remote[1], "-c", "model=\"m\"", "-c", "a=1"]);
    for args in [&["exec", "hi"][..], &["--remote", "unix:///x"]] {
        let error = codex().launch(&request(args, config.clone())).unwrap_err();
        assert!(error.to_string().starts_with("app_server has to be"), "{error}");
    }
}
