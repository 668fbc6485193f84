//! The real opencode under coop, known by its page alone, against a scripted model: what is published, and what is answered.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use coop_e2e::driven::meanings;
use coop_e2e::driven::moves::Move::{Accept, Interrupt, Say};
use coop_e2e::driven::moves::{Mover, play};
use coop_e2e::driven::talks::Talk;
use coop_e2e::{Driven, Transport};
use coop_testkit::agent::Hooks;
use coop_testkit::{Kind, Options};
use serde_json::json;

#[track_caller]
fn launch(scenario: &str) -> Driven {
    let options = Options { hooks: Hooks::None, ..Options::default() };
    let driven = Driven::begin(Kind::OpenCode, Kind::OpenCode.versions().last().unwrap(), scenario, &[], options);
    driven.state("idle");
    driven
}

/// What is done, and the states that follow from it.
const TALK: Talk = Talk {
    kind: Kind::OpenCode,
    script: "
user: hello
  pause: 2s
  say: Hi there.
user: allow it
  say: I will create it.
  tool bash: {\"command\": \"touch made.txt\", \"description\": \"Makes a file\"}
result
  pause: 2s
  say: Made.
user: interrupt me
  say: Words that
  wait: never
user: last one
  pause: 2s
  say: Bye.
",
    moves: &[
        (Say("hello"), &["working", "idle"]),
        (Say("allow it"), &["working", "prompt"]),
        (Accept, &["working", "idle"]),
        (Say("interrupt me"), &["working"]),
        (Interrupt("Words that"), &["idle"]),
        (Say("last one"), &["working", "idle"]),
    ],
    dialogs: &[],
};

/// No wrong state is ever published: all of them, in their order, are the truth.
#[test]
fn states() {
    let mut driven = launch(TALK.script);
    play(&mut driven, &TALK, Mover::Api);
    driven.session.finish();
}

#[test]
fn a_tool_is_allowed_for_the_session_and_its_prompt_says_what_it_does() {
    let scenario = "
user: first
  tool bash: {\"command\": \"touch one.txt\", \"description\": \"Makes a file\"}
result
  pause: 2s
  say: One.
user: second
  pause: 2s
  tool bash: {\"command\": \"touch two.txt\", \"description\": \"Makes a file\"}
result
  say: Two.
";
    let mut driven = launch(scenario);
    driven.nudge(Transport::Http, "first");
    let prompt = driven.read_prompt("permission");
    assert_eq!(
        (&prompt["tool"], &prompt["input_full"]["command"]),
        (&json!("bash"), &json!("touch one.txt")),
        "{prompt}"
    );
    assert_eq!(meanings(&prompt), ["allow", "allow_session", "deny"], "{prompt}");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true, "scope": "session" }));
    driven.session.shows("One.");
    driven.state("idle");
    driven.nudge(Transport::Http, "second");
    driven.session.shows("Two.");
    assert!(driven.session.agent.project.join("two.txt").exists(), "it was not asked about again");
    driven.session.finish();
}

/// It may be seen to work for a moment before it rests: it does.
#[test]
fn a_tool_is_refused() {
    let scenario = "
user: deny it
  pause: 2s
  tool bash: {\"command\": \"touch denied.txt\", \"description\": \"Makes a file\"}
";
    let mut driven = launch(scenario);
    driven.nudge(Transport::Ws, "deny it");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Ws, json!({ "accept": false }));
    driven.state("idle");
    let mut published = driven.published();
    if published.get(3).is_some_and(|state| state == "working") {
        published.remove(3);
    }
    assert_eq!(published, ["idle", "working", "prompt", "idle"], "{}", driven.session);
    assert!(!driven.session.agent.project.join("denied.txt").exists());
    driven.session.finish();
}

/// What it cannot do is said before it is tried.
#[test]
fn what_it_can() {
    let driven = launch("user: x\n  say: x\n");
    let state = driven.state("idle");
    assert_eq!(
        (&state["capabilities"]["nudge"], &state["capabilities"]["respond_by_keys"]),
        (&json!(true), &json!(true)),
        "{state}"
    );
    assert_eq!(
        (&state["capabilities"]["respond_by_hook"], &state["capabilities"]["conversation"]),
        (&json!(false), &json!(false)),
        "{state}"
    );
}
