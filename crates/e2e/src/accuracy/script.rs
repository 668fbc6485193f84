//! What the agent is made to do, and the states that follow from it.

use coop_testkit::TestSession;

pub(super) const SCENARIO: &str = "
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
user: one question
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Chosen.
user: interrupt me
  say: Words that
  wait: never
user again: fail
  error: 400 no such thing
user: last one
  say: Bye.
";

/// One thing done to the agent, and the states that follow.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    Submit(&'static str),
    /// A key that answers a dialog.
    Answer(&'static str, &'static str),
    /// A key while it works.
    Press(&'static str),
}

const MOVES: &[(Move, &[&str])] = &[
    (Move::Submit("hello"), &["working", "idle"]),
    (Move::Submit("allow it"), &["working", "prompt"]),
    (Move::Answer("1", "Do you want to proceed?"), &["working", "idle"]),
    (Move::Submit("deny it"), &["working", "prompt"]),
    (Move::Answer("Escape", "Do you want to proceed?"), &["idle"]),
    (Move::Submit("one question"), &["working", "prompt"]),
    (Move::Answer("2", "Enter to select"), &["working", "idle"]),
    (Move::Submit("interrupt me"), &["working"]),
    (Move::Press("Escape"), &["idle"]),
    (Move::Submit("fail"), &["working", "error"]),
    (Move::Submit("last one"), &["working", "idle"]),
];

/// Plays all of it by the keyboard, and returns the states that must have been published.
pub(super) fn play(session: &mut TestSession, tells_errors: bool) -> Vec<&'static str> {
    let mut expected = vec!["idle"];
    reaches(session, &expected, tells_errors);
    for (what, states) in MOVES {
        match what {
            Move::Submit(text) => session.submit(text),
            Move::Answer(key, dialog) => session.answer(key, dialog),
            Move::Press(key) => {
                session.shows("esc to interrupt");
                session.shows("Words that");
                session.press(key);
            }
        }
        let known = |state: &&'static str| if *state == "error" && !tells_errors { "idle" } else { *state };
        expected.extend(states.iter().map(known));
        reaches(session, &expected, tells_errors);
    }
    expected
}

/// Waits until as many states have been published, and the last is the one expected.
fn reaches(session: &TestSession, expected: &[&str], tells_errors: bool) {
    let last = expected.last().copied().unwrap_or_default();
    session.until(&format!("state {last} after {} changes", expected.len()), |session| {
        let events = session.timed_events();
        let states: Vec<_> = events.iter().filter(|(_, event)| event["type"] == "state_change").collect();
        // Without a source that says so, a failed turn is an idle agent.
        let fits = |next: &serde_json::Value| next == last || (last == "error" && next == "idle" && !tells_errors);
        let arrived = states.last().is_some_and(|(_, event)| fits(&event["next"]));
        (arrived && states.len() >= expected.len()).then_some(())
    });
}
