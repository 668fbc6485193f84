//! No wrong state is ever published: all of them, in their order, are the truth.

use coop_e2e::driven::moves::Move::{Accept, Choose, Interrupt, Own, Refuse, Say};
use coop_e2e::driven::moves::{Known, Move, Mover, play};

use crate::{launch, plan_mode};

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
    (Own(plan_mode), &[]),
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

const DIALOGS: &[Known] = &[
    Known { words: "Would you like to run", stays: true },
    Known { words: "Question 1/1", stays: false },
    Known { words: "Implement this plan?", stays: false },
];

#[test]
fn through_the_api() {
    play(launch(SCENARIO, &[], &[]), MOVES, Mover::Api);
}

#[test]
fn by_the_person_at_the_terminal() {
    play(launch(SCENARIO, &[], &[]), MOVES, Mover::Person { dialogs: DIALOGS });
}
