//! No wrong state is ever published: all of them, in their order, are the truth.

use coop_e2e::Transport;
use serde_json::json;

use crate::{Driven, Told};

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
user: change it
  edit README.md: # demo => # changed
result
  say: Changed.
user: interrupt me
  say: Words that
  wait: never
user again: fail
  error: 400 no such thing
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
}

use Move::{Accept, Choose, Interrupt, Refuse, Say};

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
    (Say("change it"), &["working", "prompt"]),
    (Accept, &["working", "idle"]),
    (Say("interrupt me"), &["working"]),
    (Interrupt("Words that"), &["idle"]),
    (Say("fail"), &["working", "error"]),
    (Say("long"), &["working", "idle"]),
    (Say("ask me"), &["working", "prompt"]),
    (Choose(2), &["working", "idle"]),
    (Say("drop it"), &["working", "prompt"]),
    (Refuse, &["idle"]),
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
    }
}

/// At the terminal, while nobody asks coop for anything.
fn by_hand(driven: &mut Driven, what: Move, _: Transport) {
    let answer = |key: &str| {
        let dialogs =
            ["? Shell  touch one", "? Shell  touch two", "? Shell  touch", "Apply this change?", "Answer Questions"];
        let asked = driven.session.until("a dialog", |session| {
            let screen = session.screen();
            dialogs.into_iter().find(|text| screen.contains(text))
        });
        driven.session.answer(key, asked);
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
    }
}

fn play(told: Told, act: fn(&mut Driven, Move, Transport)) {
    let mut driven = Driven::launch(told, SCENARIO, &[]);
    let mut expected = vec!["idle"];
    for ((what, states), transport) in MOVES.iter().zip(Transport::ALL.into_iter().cycle()) {
        if matches!(what, Accept | Refuse | Choose(_)) {
            driven.session.wait_json("/api/v1/agent/state", "a prompt to answer", |state| {
                state["state"] == "prompt" && state["prompt"]["ready"] == true
            });
        }
        act(&mut driven, *what, transport);
        expected.extend(*states);
        driven.session.until(&format!("{states:?} after {what:?}"), |_| {
            (driven.published().len() >= expected.len()).then_some(())
        });
        assert_eq!(driven.published(), expected, "after {what:?}\n{}", driven.session);
    }
    driven.session.finish();
}

#[test]
fn through_the_api() {
    play(Told::WithoutHooks, by_api);
}

#[test]
fn through_the_api_with_hooks() {
    play(Told::WithHooks, by_api);
}

#[test]
fn by_the_person_at_the_terminal() {
    play(Told::WithoutHooks, by_hand);
}

#[test]
fn by_the_person_at_the_terminal_with_hooks() {
    play(Told::WithHooks, by_hand);
}
