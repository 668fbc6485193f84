//! Messages: each is confirmed once, or refused with a reason.

use coop_api::Code;
use coop_e2e::Transport;
use coop_testkit::model::{Event, What};
use serde_json::json;

use crate::{VERSIONS, launch};

fn texts() -> Vec<String> {
    let long: String = (0..2000).map(|n| format!("word{n} ")).collect();
    vec![
        "short".into(),
        "two\nlines".into(),
        "tab\tand emoji 🦀 and ünïcödé".into(),
        "a path /tmp/x y and @mention #tag".into(),
        long.trim().into(),
        format!("{}\n{}", "x".repeat(9000), "y".repeat(9000)),
    ]
}

fn scenario(count: usize) -> String {
    (0..count).map(|_| "user\n  say: Taken.\n").collect()
}

#[test]
fn each_message_arrives_once_and_whole() {
    for version in VERSIONS {
        let texts = texts();
        let mut driven = launch(version, &scenario(texts.len()), &[]);
        for (text, transport) in texts.iter().zip(Transport::ALL.into_iter().cycle()) {
            let reply = driven.nudge(transport, text);
            assert_eq!(reply["receipt"]["how"], "hook", "{reply}");
            assert_eq!(reply["state_before"], "idle");
            driven.state("idle");
        }
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let hooks = driven.session.agent.hook_lines();
        let taken: Vec<String> = hooks
            .iter()
            .filter(|line| line.event == "UserPromptSubmit")
            .map(|line| folded(line.payload["prompt"].as_str().unwrap()))
            .collect();
        assert_eq!(taken, texts.iter().map(|text| folded(text)).collect::<Vec<_>>());
        driven.session.finish();
    }
}

/// Characters that have no width, or reorder others: the agent drops some of them from what it quotes.
#[test]
fn message_with_invisible_characters_arrives_once() {
    let hidden = ['\u{200b}', '\u{feff}', '\u{ad}', '\u{2060}', '\u{202e}', '\u{2066}', '\u{200d}'];
    for version in VERSIONS {
        let mut driven = launch(version, &scenario(hidden.len()), &[]);
        for (character, transport) in hidden.into_iter().zip(Transport::ALL.into_iter().cycle()) {
            driven.nudge(transport, &format!("in{character}visible U+{:04X}", u32::from(character)));
            driven.state("idle");
        }
        let hooks = driven.session.agent.hook_lines();
        let taken = hooks.iter().filter(|line| line.event == "UserPromptSubmit");
        let taken: Vec<&str> = taken.filter_map(|line| line.payload["prompt"].as_str()).collect();
        assert_eq!(taken.len(), hidden.len(), "{version}: {taken:?}");
        driven.session.finish();
    }
}

#[test]
fn what_cannot_be_delivered_is_refused_and_changes_nothing() {
    let mut driven = launch("2.1.325", "user: hold\n  wait: go\n  say: Held.\n", &[]);
    for transport in Transport::ALL {
        for (message, code) in
            [("", Code::BadRequest), ("  ", Code::BadRequest), ("/clear", Code::BadRequest), ("!ls", Code::BadRequest)]
        {
            let refused = driven.ask(transport, &json!({ "type": "nudge", "message": message })).unwrap_err();
            assert_eq!(refused.code, code, "{message:?} over {transport:?}");
        }
    }
    driven.session.types("half a thought");
    driven.session.shows("half a thought");
    let refused = driven.ask(Transport::Http, &json!({ "type": "nudge", "message": "hold" })).unwrap_err();
    assert_eq!(refused.code, Code::DraftPresent);
    driven.session.press("Ctrl-U");
    driven.session.hides("half a thought");
    driven.nudge(Transport::Http, "hold");
    let busy = driven.ask(Transport::Ws, &json!({ "type": "nudge", "message": "more" })).unwrap_err();
    assert_eq!(busy.code, Code::AgentBusy);
    driven.session.agent.model.signal("go");
    driven.state("idle");
    driven.session.finish();
}

#[test]
fn a_message_and_its_turn_in_one_call() {
    let mut driven = launch("2.1.325", "user: sum\n  say: It is four.\n", &[]);
    let request = json!({ "type": "nudge", "message": "sum", "wait": "turn_end", "timeout_secs": 30 });
    let reply = driven.ask(Transport::Http, &request).unwrap();
    assert_eq!(reply["state_after"], "idle", "{reply}");
    assert_eq!(reply["last_message"], "It is four.", "{reply}");
    driven.session.finish();
}

/// An agent that is stopped before it has said anything puts the message back into its input box. What waits for its turn
/// must not be typed behind it.
#[test]
fn what_waits_is_not_typed_behind_a_message_that_came_back() {
    let rounds = 1..=4;
    let scenario: String =
        rounds.clone().map(|n| format!("user: stop {n}\n  wait: never\nuser: after {n}\n  say: There.\n")).collect();
    for version in VERSIONS {
        let mut driven = launch(version, &scenario, &[]);
        for round in rounds.clone() {
            let (stop, after) = (format!("stop {round}"), format!("after {round}"));
            driven.nudge(Transport::Http, &stop);
            let request = json!({ "type": "nudge", "message": after, "when": "idle", "wait": "turn_end" });
            let reply = driven.ask_while(Transport::Http, &request, |session| {
                session.wait_json("/api/v1/agent/state", "a queue", |state| state["queued"] == 1);
                session.until("the model's turn", |session| {
                    let asked = |event: &Event| matches!(&event.what, What::Request { user, .. } if *user == stop);
                    session.agent.model.events().iter().any(asked).then_some(())
                });
                session.ask(session.client.interrupt());
            });
            let reply = reply.unwrap_or_else(|problem| panic!("{version}: {problem:?}\n{}", driven.session));
            assert_eq!(reply["last_message"], "There.", "{version}: {reply}\n{}", driven.session);
        }
        let hooks = driven.session.agent.hook_lines();
        let taken = hooks.iter().filter(|line| line.event == "UserPromptSubmit");
        let taken: Vec<&str> = taken.filter_map(|line| line.payload["prompt"].as_str()).collect();
        let said: Vec<String> = rounds.clone().flat_map(|n| [format!("stop {n}"), format!("after {n}")]).collect();
        assert_eq!(taken, said, "{version}");
        driven.session.finish();
    }
}
