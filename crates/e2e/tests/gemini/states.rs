//! No wrong state is ever published: all of them, in their order, are the truth.

use coop_e2e::driven::moves::Move::{Accept, Choose, Interrupt, Refuse, Say};
use coop_e2e::driven::moves::{Known, Move, Mover, play};

use crate::{Told, launch};

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

const DIALOGS: &[Known] = &[
    Known { words: "? Shell  touch one", stays: false },
    Known { words: "? Shell  touch two", stays: false },
    Known { words: "? Shell  touch", stays: false },
    Known { words: "Apply this change?", stays: false },
    Known { words: "Answer Questions", stays: false },
];

fn plays(told: Told, mover: Mover) {
    play(launch(told, SCENARIO, &[]), MOVES, mover);
}

#[test]
fn through_the_api() {
    plays(Told::WithoutHooks, Mover::Api);
}

#[test]
fn through_the_api_with_hooks() {
    plays(Told::WithHooks, Mover::Api);
}

#[test]
fn by_the_person_at_the_terminal() {
    plays(Told::WithoutHooks, Mover::Person { dialogs: DIALOGS });
}

#[test]
fn by_the_person_at_the_terminal_with_hooks() {
    plays(Told::WithHooks, Mover::Person { dialogs: DIALOGS });
}
