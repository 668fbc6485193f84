//! A whole conversation, move by move, and the states that follow from each.

use serde_json::json;

use super::Driven;
use super::talks::Talk;
use crate::Transport;

/// One thing done to the agent.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    Say(&'static str),
    /// Yes, no, or an option.
    Accept,
    Refuse,
    Choose(u32),
    /// When this is on the screen.
    Interrupt(&'static str),
    /// Something that only this agent has.
    Own(fn(&Driven)),
}

/// Who makes the moves.
#[derive(Clone, Copy, Debug)]
pub enum Mover {
    /// A program, over each transport in turn.
    Api,
    /// A person at the terminal, while nobody asks coop for anything.
    Person,
}

#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub words: &'static str,
    /// The words are still there when it is answered: the next dialog has the same.
    pub stays: bool,
}

/// Makes all moves, each when the states of the one before were published, and no others.
#[track_caller]
pub fn play(driven: &mut Driven, talk: &Talk, mover: Mover) {
    play_as_known(driven, talk, mover, |state| state);
}

/// The same where a state may be known less exactly than it is.
#[track_caller]
pub fn play_as_known(driven: &mut Driven, talk: &Talk, mover: Mover, known: impl Fn(&'static str) -> &'static str) {
    let mut expected = vec!["idle"];
    for ((what, states), transport) in talk.moves.iter().zip(Transport::ALL.into_iter().cycle()) {
        if matches!(what, Move::Accept | Move::Refuse | Move::Choose(_)) {
            driven.session.wait_json("/api/v1/agent/state", "a prompt to answer", |state| {
                state["state"] == "prompt" && state["prompt"]["ready"] == true
            });
        }
        match mover {
            Mover::Api => by_api(driven, *what, transport),
            Mover::Person => by_hand(driven, *what, talk.dialogs),
        }
        expected.extend(states.iter().map(|state| known(state)));
        driven.publishes(&expected);
    }
}

#[track_caller]
fn by_api(driven: &mut Driven, what: Move, transport: Transport) {
    let mut answer = |answer| drop(driven.respond_by_keys(transport, answer));
    match what {
        Move::Say(text) => drop(driven.nudge(transport, text)),
        Move::Accept => answer(json!({ "accept": true })),
        Move::Refuse => answer(json!({ "accept": false })),
        Move::Choose(option) => answer(json!({ "option": option })),
        Move::Interrupt(text) => {
            driven.session.shows(text);
            driven.ask(transport, &json!({ "type": "interrupt" })).unwrap();
        }
        Move::Own(act) => act(driven),
    }
}

#[track_caller]
fn by_hand(driven: &Driven, what: Move, dialogs: &[Known]) {
    let session = &driven.session;
    let answer = |key: &str| {
        let asked = session.until("a dialog", |session| {
            let screen = session.screen();
            dialogs.iter().find(|dialog| screen.contains(dialog.words))
        });
        if asked.stays { session.press(key) } else { session.answer(key, asked.words) }
    };
    match what {
        Move::Say(text) => session.submit(text),
        Move::Accept => answer("1"),
        Move::Refuse => answer("Escape"),
        Move::Choose(option) => answer(&option.to_string()),
        Move::Interrupt(text) => {
            session.shows(text);
            session.press("Escape");
        }
        Move::Own(act) => act(driven),
    }
}
