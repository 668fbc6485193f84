//! One conversation for each agent with everything in it, and the states that follow from each move.

use coop_testkit::Kind;
use serde_json::{Map, Value, json};

use super::Driven;
use super::moves::Known;
use super::moves::Move::{self, Accept, Choose, Interrupt, Own, Refuse, Say};

#[derive(Clone, Copy, Debug)]
pub struct Talk {
    pub kind: Kind,
    /// What the model says.
    pub script: &'static str,
    /// What is done, and the states that follow from it.
    pub moves: &'static [(Move, &'static [&'static str])],
    /// What a person knows the dialogs by, the most telling first.
    pub dialogs: &'static [Known],
}

/// The line that shows Codex's mode.
pub const CODEX_PLAN_MODE: &str = "Plan mode (shift+tab to cycle)";

/// Shift-Tab, once Codex takes it: a mode chosen while it starts is forgotten, and while it works it cannot be.
#[track_caller]
pub fn codex_plan_mode(driven: &Driven) {
    driven.session.until("its own word that it rests", |session| {
        let events = session.timed_events();
        let last = events.iter().rfind(|(_, event)| event["type"] == "program_status");
        last.filter(|(_, event)| event["state"] != "working").map(|_| ())
    });
    driven.session.press("BTab");
    driven.session.shows(CODEX_PLAN_MODE);
}

pub const CODEX: Talk = Talk {
    kind: Kind::Codex,
    script: "
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
",
    moves: &[
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
        (Own(codex_plan_mode), &[]),
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
    ],
    dialogs: &[
        Known { words: "Would you like to run", stays: true },
        Known { words: "Question 1/1", stays: false },
        Known { words: "Implement this plan?", stays: false },
    ],
};

/// Not two tools at once: which it asks about first depends on whose hooks are through first.
pub const GEMINI: Talk = Talk {
    kind: Kind::Gemini,
    script: "
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
",
    moves: &[
        (Say("hello"), &["working", "idle"]),
        (Say("allow it"), &["working", "prompt"]),
        (Accept, &["working", "idle"]),
        (Say("deny it"), &["working", "prompt"]),
        (Refuse, &["idle"]),
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
    ],
    dialogs: &[
        Known { words: "? Shell  touch", stays: false },
        Known { words: "Apply this change?", stays: false },
        Known { words: "Answer Questions", stays: false },
    ],
};

/// As docs/agents/gemini.md says that they are put into the settings.
#[must_use]
pub fn gemini_hooks() -> Value {
    let coop = coop_testkit::coop::binary().to_string_lossy();
    let events = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "Notification", "AfterAgent", "SessionEnd"];
    let entry = |event: &str| {
        let hook = json!({ "type": "command", "command": format!("'{coop}' hook {event}"), "timeout": 60_000 });
        (event.to_owned(), json!([{ "hooks": [hook] }]))
    };
    Value::Object(events.into_iter().map(entry).collect::<Map<_, _>>())
}
