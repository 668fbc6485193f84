//! No wrong state is ever published: all of them, in their order, are the truth.

use coop_e2e::Transport;
use serde_json::json;

use crate::Driven;

const SCENARIO: &str = "
user: hello
  think: A greeting.
  say: Hi there.
user: allow it
  say: I will create it.
  bash: touch made.txt
result
  say: Made.
user: deny it
  bash: touch denied.txt
user: two at once
  bash: touch one.txt
  bash: touch two.txt
result
  say: Both.
user: read it
  read: README.md
result: demo
  say: Read.
user: interrupt me
  say: Words that
  wait: never
user again: fail
  error: 400 no such thing
user again: limited
  error: 429 too much, resets in 1h
user: long
  count 200 words/s: 200
  say: Counted.
user: ask me
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Chosen.
user: drop it
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
user: plan it
  plan: # Long plan
      | 1. Think
      | 2. Do
user: talk
  say: Still planning.
user: plan again
  plan: # Short plan
      | 1. Do
user: Implement the plan
  say: Implemented.
user: last one
  say: Bye.
";

/// One thing done to the agent.
#[derive(Clone, Copy, Debug)]
enum Move {
    Say(&'static str),
    /// Yes, no, or an option.
    Accept,
    Refuse,
    Choose(u32),
    /// When this is on the screen.
    Interrupt(&'static str),
    PlanMode,
}

use Move::{Accept, Choose, Interrupt, PlanMode, Refuse, Say};

/// What is done, and the states that follow from it.
const MOVES: &[(Move, &[&str])] = &[
    (Say("hello"), &["working", "idle"]),
    (Say("allow it"), &["working", "prompt"]),
    (Accept, &["working", "idle"]),
    (Say("deny it"), &["working", "prompt"]),
    (Refuse, &["idle"]),
    (Say("two at once"), &["working", "prompt"]),
    (Accept, &["prompt"]),
    (Accept, &["working", "idle"]),
    (Say("read it"), &["working", "idle"]),
    (Say("interrupt me"), &["working"]),
    (Interrupt("Words that"), &["idle"]),
    (Say("fail"), &["working", "error"]),
    (Say("limited"), &["working", "error"]),
    (Say("long"), &["working", "idle"]),
    (PlanMode, &[]),
    (Say("ask me"), &["working", "prompt"]),
    (Choose(2), &["working", "idle"]),
    (Say("drop it"), &["working", "prompt"]),
    (Refuse, &["idle"]),
    (Say("plan it"), &["working", "prompt"]),
    (Refuse, &["idle"]),
    (Say("talk"), &["working", "idle"]),
    (Say("plan again"), &["working", "prompt"]),
    (Accept, &["working", "idle"]),
    (Say("last one"), &["working", "idle"]),
];

/// Through the API.
fn by_api(driven: &mut Driven, what: Move, transport: Transport) {
    match what {
        Say(text) => drop(driven.nudge(transport, text)),
        Accept => drop(driven.respond(transport, json!({ "accept": true }))),
        Refuse => drop(driven.respond(transport, json!({ "accept": false }))),
        Choose(option) => drop(driven.respond(transport, json!({ "option": option }))),
        Interrupt(text) => {
            driven.session.shows(text);
            driven.ask(transport, &json!({ "type": "interrupt" })).unwrap();
        }
        PlanMode => driven.plan_mode(),
    }
}

/// At the terminal, while nobody asks coop for anything.
fn by_hand(driven: &mut Driven, what: Move, _: Transport) {
    let dialog = |driven: &Driven| {
        let screen = driven.session.screen();
        ["Would you like to run", "Question 1/1", "Implement this plan?"].into_iter().find(|text| screen.contains(text))
    };
    let answer = |key: &str| {
        let asked = driven.session.until("a dialog", |_| dialog(driven));
        // The next dialog has the same words.
        if asked.starts_with("Would") { driven.session.press(key) } else { driven.session.answer(key, asked) }
    };
    match what {
        Say(text) => driven.session.submit(text),
        Accept => answer("1"),
        Refuse => answer("Escape"),
        Choose(option) => answer(&option.to_string()),
        Interrupt(text) => {
            driven.session.shows(text);
            driven.session.press("Escape");
        }
        PlanMode => driven.plan_mode(),
    }
}

fn play(coop: &[&str], act: fn(&mut Driven, Move, Transport)) {
    let mut driven = Driven::launch(SCENARIO, &[], coop);
    let mut expected = vec!["idle"];
    for ((what, states), transport) in MOVES.iter().zip(Transport::ALL.into_iter().cycle()) {
        if matches!(what, Accept | Refuse | Choose(_)) {
            driven.session.wait_json("/api/v1/agent/state", "a prompt to answer", |state| {
                state["state"] == "prompt" && state["prompt"]["ready"] == true
            });
        }
        act(&mut driven, *what, transport);
        expected.extend(*states);
        driven.publishes(&expected);
    }
    driven.session.finish();
}

#[test]
fn through_the_api() {
    play(&[], by_api);
}

#[test]
fn by_the_person_at_the_terminal() {
    play(&[], by_hand);
}
