//! No wrong state is ever published: all of them, in their order, are the truth.

use coop_e2e::driven::moves::{Mover, play};
use coop_e2e::driven::talks::CODEX;

use crate::launch;

fn plays(mover: Mover) {
    let mut driven = launch(CODEX.script, &[], &[]);
    play(&mut driven, &CODEX, mover);
    driven.session.finish();
}

#[test]
fn through_the_api() {
    plays(Mover::Api);
}

#[test]
fn by_the_person_at_the_terminal() {
    plays(Mover::Person);
}
