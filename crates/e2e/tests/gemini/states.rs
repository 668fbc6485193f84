//! No wrong state is ever published: all of them, in their order, are the truth.

use coop_e2e::driven::moves::{Mover, play};
use coop_e2e::driven::talks::GEMINI;

use crate::{Told, launch};

fn plays(told: Told, mover: Mover) {
    let mut driven = launch(told, GEMINI.script, &[]);
    play(&mut driven, &GEMINI, mover);
    driven.session.finish();
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
    plays(Told::WithoutHooks, Mover::Person);
}

#[test]
fn by_the_person_at_the_terminal_with_hooks() {
    plays(Told::WithHooks, Mover::Person);
}
