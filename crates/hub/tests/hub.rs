//! The hub as a whole, with hooks that are called by hand: who waits, who answers, and what is left afterwards.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may")]

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use coop_core::agent::respond::{Respond, Scope};
use coop_core::permission::rules::{Effect, Hosts};
use coop_hub::{Board, Card, Config, Decision, EventPage, HookCall, HubError, HubEvent, HubHandle, NewRule};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// Nothing here takes longer unless it hangs.
const LIMIT: Duration = Duration::from_secs(30);

fn config(ledger: Option<&Path>) -> Config {
    Config { ledger: ledger.map(Into::into), ..Config::default() }
}

fn call(event: &str, session: &str, more: &Value) -> HookCall {
    let mut payload = json!({ "session_id": session, "cwd": "/srv/shop" });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    HookCall {
        event: event.into(),
        payload,
        age: Duration::ZERO,
        agent: None,
        pid: None,
        network: false,
        confirms: true,
    }
}

fn rule(pattern: &str, effect: Effect, project: Option<&str>) -> NewRule {
    NewRule { pattern: pattern.parse().unwrap(), effect, project: project.map(Into::into), hosts: Hosts::Here }
}

fn permission(session: &str, command: &str) -> HookCall {
    call("PermissionRequest", session, &json!({ "tool_name": "Bash", "tool_input": { "command": command } }))
}

fn spawn(hub: &HubHandle, call: HookCall) -> JoinHandle<Result<Decision, HubError>> {
    let hub = hub.clone();
    tokio::spawn(async move { hub.hook(call).await })
}

async fn until<T>(hub: &HubHandle, what: &str, find: impl Fn(&Board) -> Option<T>) -> T {
    let mut watch = hub.watch();
    let found = async {
        loop {
            let board = watch.borrow_and_update().clone();
            if let Some(found) = find(&board) {
                return found;
            }
            watch.changed().await.unwrap();
        }
    };
    tokio::time::timeout(LIMIT, found).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

async fn asked(hub: &HubHandle, command: &str) -> Arc<Card> {
    until(hub, command, |board| board.prompts.iter().find(|card| card.input["command"] == command).cloned()).await
}

fn allow(scope: Scope) -> Respond {
    Respond { accept: Some(true), scope, by: "me".into(), ..Respond::default() }
}

/// What a hook prints.
fn behavior(decision: &Decision) -> Option<&str> {
    decision.body.as_ref()?["hookSpecificOutput"]["decision"]["behavior"].as_str()
}

#[tokio::test]
async fn the_first_answer_is_the_only_one() {
    let hub = coop_hub::start(config(None)).unwrap();
    let hook = spawn(&hub, permission("a", "touch x"));
    let card = asked(&hub, "touch x").await;
    let answering = tokio::spawn({
        let (hub, id) = (hub.clone(), card.id);
        async move { hub.answer(id, allow(Scope::Once), "socket").await }
    });
    let decision = hook.await.unwrap().unwrap();
    assert_eq!(behavior(&decision), Some("allow"));
    let second = hub.answer(card.id, allow(Scope::Once), "tcp").await;
    assert!(matches!(&second, Err(HubError::Answered { by }) if by == "me"), "{second:?}");
    assert!(matches!(hub.answer(999, allow(Scope::Once), "tcp").await, Err(HubError::Unknown)));
    // Delivered when the agent goes on.
    let done = json!({ "tool_name": "Bash", "tool_use_id": "t1" });
    hub.hook(call("PostToolUse", "a", &done)).await.unwrap();
    hub.hook(call("Stop", "a", &json!({}))).await.unwrap();
    let answered = answering.await.unwrap().unwrap();
    assert!(answered.delivered, "{answered:?}");
    let history = hub.history(None, 10).await.unwrap();
    assert_eq!((history[0].outcome.as_str(), history[0].by.as_str()), ("allow", "me"));
    assert_eq!(history[0].from.as_deref(), Some("socket"));
}

#[tokio::test]
async fn each_of_many_gets_its_own_answer() {
    const MANY: usize = 60;
    let hub = coop_hub::start(config(None)).unwrap();
    let mut hooks = Vec::new();
    for n in 0..MANY {
        hooks.push(spawn(&hub, permission(&format!("s{n}"), &format!("touch {n}"))));
    }
    let cards = until(&hub, "all of them", |board| (board.prompts.len() == MANY).then(|| board.prompts.clone())).await;
    // In an order that has nothing to do with theirs; 7 and 60 have no divisor in common.
    for n in (0..MANY).map(|n| n * 7 % MANY) {
        let card = &cards[n];
        let even = card.input["command"].as_str().unwrap().ends_with(['0', '2', '4', '6', '8']);
        let (hub, id) = (hub.clone(), card.id);
        let respond = Respond { accept: Some(even), ..allow(Scope::Once) };
        tokio::spawn(async move { hub.answer(id, respond, "socket").await });
    }
    for (n, hook) in hooks.into_iter().enumerate() {
        let decision = tokio::time::timeout(LIMIT, hook).await.unwrap().unwrap().unwrap();
        assert_eq!(behavior(&decision), Some(if n.is_multiple_of(2) { "allow" } else { "deny" }), "{n}");
    }
    until(&hub, "nothing to answer", |board| board.prompts.is_empty().then_some(())).await;
}

#[tokio::test]
async fn a_hook_that_is_gone_asks_nothing_any_more() {
    let hub = coop_hub::start(config(None)).unwrap();
    let hook = spawn(&hub, permission("a", "touch x"));
    let card = asked(&hub, "touch x").await;
    hook.abort();
    until(&hub, "nothing to answer", |board| board.prompts.is_empty().then_some(())).await;
    assert_eq!(hub.history(None, 1).await.unwrap()[0].outcome, "gone");
    assert!(hub.answer(card.id, allow(Scope::Once), "tcp").await.is_err());
}

#[tokio::test]
async fn a_request_that_expires_is_left_to_the_terminal() {
    let hub = coop_hub::start(Config { wait: Duration::from_millis(50), ..config(None) }).unwrap();
    let decision = tokio::time::timeout(LIMIT, hub.hook(permission("a", "touch x"))).await.unwrap().unwrap();
    assert_eq!(decision, Decision::default(), "never a no");
    assert_eq!(hub.history(None, 1).await.unwrap()[0].outcome, "expired");
}

#[tokio::test]
async fn answered_at_the_terminal_first() {
    let hub = coop_hub::start(config(None)).unwrap();
    let hook = spawn(&hub, permission("a", "touch x"));
    asked(&hub, "touch x").await;
    hub.hook(call("Stop", "a", &json!({}))).await.unwrap();
    assert_eq!(hook.await.unwrap().unwrap(), Decision::default());
    let settled = hub.history(None, 1).await.unwrap().remove(0);
    assert_eq!((settled.outcome.as_str(), settled.by.as_str()), ("terminal", "terminal"));
}

#[tokio::test]
async fn rules_and_memory_answer_at_once_and_survive() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("hub.db");
    let hub = coop_hub::start(config(Some(&ledger))).unwrap();
    let rule = |pattern: &str, effect| rule(pattern, effect, None);
    hub.add_rule(rule("Bash(git status:*)", Effect::Allow)).await.unwrap();
    hub.add_rule(rule("Bash(rm:*)", Effect::Deny)).await.unwrap();
    let say = |decision: &Decision| behavior(decision).map(str::to_owned);
    let allowed = hub.hook(permission("a", "git status -s")).await.unwrap();
    assert_eq!(say(&allowed).as_deref(), Some("allow"));
    let denied = hub.hook(permission("a", "git status; rm x")).await.unwrap();
    assert_eq!(say(&denied).as_deref(), Some("deny"));

    // For the session: the next one is not asked, and what waits already is settled.
    let first = spawn(&hub, permission("b", "touch x"));
    let card = asked(&hub, "touch x").await;
    let respond = Respond { accept: Some(false), text: Some("no".into()), ..allow(Scope::Session) };
    let answering = hub.clone();
    tokio::spawn(async move { answering.answer(card.id, respond, "rpc").await });
    assert_eq!(say(&first.await.unwrap().unwrap()).as_deref(), Some("deny"));
    hub.hook(call("Stop", "b", &json!({}))).await.unwrap();
    assert_eq!(say(&hub.hook(permission("b", "touch x")).await.unwrap()).as_deref(), Some("deny"));
    let session = until(&hub, "b", |board| {
        board.sessions.iter().find(|entry| entry.conversation.as_deref() == Some("b")).map(|entry| entry.id)
    })
    .await;
    assert_eq!(hub.known().await.unwrap().memory[0].pattern, "Bash(touch x)");
    assert_eq!(hub.forget(session).await.unwrap(), 1);
    let number = hub.history(None, 1).await.unwrap()[0].id;

    // Another hub with the same ledger.
    drop(hub);
    let hub = coop_hub::start(config(Some(&ledger))).unwrap();
    assert_eq!(hub.known().await.unwrap().rules.len(), 2);
    assert_eq!(hub.history(None, 1).await.unwrap()[0].id, number);
    let again = spawn(&hub, permission("b", "touch z"));
    let card = asked(&hub, "touch z").await;
    assert_eq!(card.session, session, "known by the same number");
    assert!(card.id > number);
    drop(again);
    let rules = hub.known().await.unwrap().rules;
    hub.remove_rule(rules[0].id).await.unwrap();
    assert!(matches!(hub.remove_rule(rules[0].id).await, Err(HubError::NoRule(_))));
}

#[tokio::test]
async fn events_are_numbered_and_old_ones_are_missed_with_a_word() {
    let hub = coop_hub::start(Config { event_limit: 3, ..config(None) }).unwrap();
    for number in 0..5 {
        hub.hook(call("UserPromptSubmit", &format!("s{number}"), &json!({}))).await.unwrap();
    }
    let page = hub.events(0, 100).await.unwrap();
    assert_eq!(page.events.len(), 3);
    let newest = page.events.last().unwrap().seq;
    assert_eq!(newest, hub.board().seq);
    assert_eq!(page.gap.map(|gap| gap.lost), Some(newest - 3));
    assert!(hub.events(newest, 100).await.unwrap().events.is_empty());
}

/// As short as it can be told.
fn render(event: &HubEvent) -> (Cow<'static, str>, Value) {
    match event {
        HubEvent::Session(entry) => ("session".into(), json!([entry.id, entry.state.name()])),
        HubEvent::State { session, .. } => ("state".into(), json!([session.id, session.state.name()])),
        HubEvent::Forgotten(id) => ("forgotten".into(), json!(id)),
        HubEvent::Asked(card) => ("asked".into(), json!(card.id)),
        HubEvent::Settled(over) => ("settled".into(), json!([over.id, over.outcome])),
        HubEvent::Rules => ("rules".into(), Value::Null),
        HubEvent::Earlier { name, data } => (name.clone().into(), data.clone()),
    }
}

#[tokio::test]
async fn whoever_follows_goes_on_with_the_next_hub() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("hub.db");
    let start = || coop_hub::start(Config { render: Some(render), ..config(Some(&ledger)) }).unwrap();
    let told = |page: &EventPage| page.events.iter().map(|event| render(&event.event)).collect::<Vec<_>>();
    let hub = start();
    let waiting = spawn(&hub, permission("a", "touch x"));
    let card = asked(&hub, "touch x").await;
    let before = hub.events(0, 100).await.unwrap();
    assert!(told(&before).contains(&("asked".into(), json!(card.id))), "{before:?}");
    // It dies, and nobody is told that the hook which waits has gone.
    hub.leave();
    waiting.abort();
    assert!(waiting.await.is_err());
    drop(hub);

    let hub = start();
    let after = hub.events(0, 100).await.unwrap();
    assert_eq!((after.generation, after.gap), (before.generation, None));
    let mut expected = told(&before);
    expected.push(("settled".into(), json!([card.id, "hub ended"])));
    assert_eq!(told(&after), expected);
    // Nobody has seen the agent since, which those who follow take for alive.
    let seq = hub.board().seq;
    until(&hub, "a word of it", |board| (board.seq > seq).then_some(())).await;
    assert_eq!(told(&hub.events(seq, 100).await.unwrap()), [("session".into(), json!([card.session, "exited"]))]);
    drop(hub);
    let seq = start().board().seq;
    assert_eq!(seq, after.events.len() as u64 + 1, "each is kept once");
}

#[tokio::test]
async fn a_new_rule_settles_what_waits() {
    let hub = coop_hub::start(config(None)).unwrap();
    let waiting = spawn(&hub, permission("a", "touch x"));
    let other = spawn(&hub, permission("b", "touch x; curl y"));
    asked(&hub, "touch x").await;
    asked(&hub, "touch x; curl y").await;
    hub.add_rule(rule("Bash(touch:*)", Effect::Allow, None)).await.unwrap();
    assert_eq!(behavior(&waiting.await.unwrap().unwrap()), Some("allow"));
    assert_eq!(hub.history(None, 1).await.unwrap()[0].by, "rule");
    asked(&hub, "touch x; curl y").await;
    other.abort();
}

fn write(session: &str, path: &str) -> HookCall {
    call(
        "PermissionRequest",
        session,
        &json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": "" } }),
    )
}

async fn writes(hub: &HubHandle, path: &str) -> Arc<Card> {
    until(hub, path, |board| board.prompts.iter().find(|card| card.input["file_path"] == path).cloned()).await
}

/// Answers without waiting for what the agent makes of it.
fn answer(hub: &HubHandle, card: &Card, respond: Respond) {
    let (hub, id) = (hub.clone(), card.id);
    tokio::spawn(async move { hub.answer(id, respond, "socket").await });
}

#[tokio::test]
async fn what_is_shown_is_what_is_allowed() {
    let hub = coop_hub::start(config(None)).unwrap();
    let first = spawn(&hub, write("a", "/srv/shop/a.py"));
    let card = writes(&hub, "/srv/shop/a.py").await;
    assert_eq!(card.suggestion.as_deref(), Some("Write(/srv/shop/a.py)"));
    answer(&hub, &card, allow(Scope::Session));
    let body = first.await.unwrap().unwrap().body.unwrap();
    let decision = &body["hookSpecificOutput"]["decision"];
    assert_eq!(*decision, json!({ "behavior": "allow" }), "the agent has no rule that says the same");
    let second = hub.hook(write("a", "/srv/shop/a.py")).await.unwrap();
    assert_eq!(behavior(&second), Some("allow"), "so it is remembered here");
    let other = spawn(&hub, write("a", "/srv/shop/c.rs"));
    let card = writes(&hub, "/srv/shop/c.rs").await;

    // For the project.
    answer(&hub, &card, allow(Scope::Path));
    assert_eq!(behavior(&other.await.unwrap().unwrap()), Some("allow"));
    let rules = hub.known().await.unwrap().rules;
    let said = (rules[0].pattern.to_string(), rules[0].effect, rules[0].project.as_deref());
    assert_eq!(said, ("Write(/srv/shop/c.rs)".into(), Effect::Allow, Some("/srv/shop")));
    assert_eq!(rules[0].hosts, Hosts::Here);
    assert_eq!(hub.history(None, 1).await.unwrap()[0].remembered.as_deref(), Some("Write(/srv/shop/c.rs)"));
    assert_eq!(behavior(&hub.hook(write("b", "c.rs")).await.unwrap()), Some("allow"), "another session, there");

    // The agent's own rule, where it is the same.
    let command = spawn(&hub, permission("c", "git status -s"));
    let card = asked(&hub, "git status -s").await;
    answer(&hub, &card, allow(Scope::Path));
    let body = command.await.unwrap().unwrap().body.unwrap();
    let told = &body["hookSpecificOutput"]["decision"]["updatedPermissions"][0];
    assert_eq!(
        (&told["rules"][0]["ruleContent"], &told["destination"]),
        (&json!("git status:*"), &json!("localSettings"))
    );
    assert_eq!(hub.known().await.unwrap().rules.len(), 1, "and not twice");

    // What no pattern says is for once.
    let two = spawn(&hub, permission("d", "touch x; curl y"));
    let card = asked(&hub, "touch x; curl y").await;
    assert!(card.suggestion.is_none() && card.choices.len() == 2, "{card:?}");
    let answered = hub.answer(card.id, allow(Scope::Session), "socket").await;
    assert!(matches!(answered, Err(HubError::Unfit(_))), "{answered:?}");
    two.abort();
}

/// A rule for a project is for a folder: a prompt without one, or in the root, cannot make a rule for everything.
#[tokio::test]
async fn answer_for_a_project_needs_a_folder() {
    let hub = coop_hub::start(config(None)).unwrap();
    for cwd in ["", "/", "/..", "//", "/.", "shop", "/srv/.."] {
        let mut call = permission("p", "touch x");
        call.payload["cwd"] = json!(cwd);
        let waiting = spawn(&hub, call);
        let card = asked(&hub, "touch x").await;
        assert_eq!(card.cwd, cwd);
        let answered = hub.answer(card.id, allow(Scope::Path), "socket").await;
        assert!(matches!(&answered, Err(HubError::Unfit(why)) if why.contains("folder")), "{cwd:?}: {answered:?}");
        assert!(hub.known().await.unwrap().rules.is_empty(), "{cwd:?}");
        assert!(hub.board().prompts.iter().any(|prompt| prompt.id == card.id), "{cwd:?}: it still waits");
        waiting.abort();
        until(&hub, "it is gone", |board| board.prompts.is_empty().then_some(())).await;
        let added = hub.add_rule(rule("Bash(ls:*)", Effect::Allow, Some(cwd))).await;
        assert!(matches!(added, Err(HubError::Project(_))), "{cwd:?}: {added:?}");
        assert!(hub.known().await.unwrap().rules.is_empty(), "{cwd:?}");
    }
}

/// A call over the network does not prove its machine: rules for this machine allow it nothing, and deny it what they deny.
#[tokio::test]
async fn rules_for_this_host_do_not_allow_a_call_over_the_network() {
    let hub = coop_hub::start(config(None)).unwrap();
    hub.add_rule(rule("Bash(touch:*)", Effect::Allow, None)).await.unwrap();
    hub.add_rule(rule("Bash(rm:*)", Effect::Deny, None)).await.unwrap();
    let far = |command: &str| HookCall { network: true, ..permission("n", command) };
    assert_eq!(behavior(&hub.hook(far("rm x")).await.unwrap()), Some("deny"));
    let waiting = spawn(&hub, far("touch x"));
    let card = asked(&hub, "touch x").await;
    let answered = hub.answer(card.id, allow(Scope::Path), "socket").await;
    assert!(matches!(&answered, Err(HubError::Unfit(why)) if why.contains("machine")), "{answered:?}");
    waiting.abort();
    assert_eq!(behavior(&hub.hook(permission("h", "touch x")).await.unwrap()), Some("allow"));
}

fn of(agent: &str, call: HookCall) -> HookCall {
    HookCall { agent: Some(agent.into()), ..call }
}

#[tokio::test]
async fn an_agent_that_withholds_its_dialog_asks_at_the_terminal_when_nobody_answers() {
    let hub = coop_hub::start(Config { wait: Duration::from_millis(1), ..config(None) }).unwrap();
    let decision = hub.hook(of("codex", permission("a", "touch x"))).await.unwrap();
    assert_eq!(decision, Decision::default());
    // It is only now that it shows its dialog.
    until(&hub, "a session that asks", |board| {
        (board.prompts.is_empty() && board.sessions.iter().any(|entry| entry.state.prompt().is_some())).then_some(())
    })
    .await;
    assert_eq!(hub.history(None, 1).await.unwrap()[0].outcome, "expired");
}

#[tokio::test]
async fn an_agent_that_cannot_be_answered_is_not_kept_waiting() {
    let hub = coop_hub::start(config(None)).unwrap();
    let details = json!({ "type": "exec", "command": "touch x" });
    let asks = json!({ "notification_type": "ToolPermission", "message": "?", "details": details });
    let told = tokio::time::timeout(LIMIT, hub.hook(of("gemini", call("Notification", "a", &asks)))).await;
    assert_eq!(told.unwrap().unwrap(), Decision::default());
    let asking = until(&hub, "a session that asks", |board| {
        board.sessions.iter().find(|entry| entry.state.prompt().is_some()).cloned()
    })
    .await;
    assert_eq!(asking.agent, "gemini");
    assert!(hub.board().prompts.is_empty());
    assert!(!coop_hub::answers_by_hook("gemini") && coop_hub::answers_by_hook("codex"));
}
