//! The cases: what the model plays, and what the person does. Short, for each becomes files in the repository.

mod claude;
mod codex;
mod gemini;

use coop_testkit::Kind;

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [&'static str],
    pub(crate) scenario: &'static str,
    pub(crate) way: Way,
}

/// How the agent is used.
pub(crate) enum Way {
    /// In a terminal, by a person who does this. After the last act, it is told to end.
    Terminal(&'static [Act]),
    /// By a program, which reads what it prints: lines of JSON.
    Print,
}

/// What the person does, or waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Waits until the agent is at its prompt, by all it says about itself.
    Ready,
    Submit(&'static str),
    Press(&'static str),
    /// A key in answer to a dialog with this text.
    Answer(&'static str, &'static str),
    /// A key until the model is cut off.
    Interrupt(&'static str),
    Hook(&'static str),
    Shows(&'static str),
    /// The status in Claude's registry of sessions.
    Registered(&'static str),
    /// The last state reported to the terminal.
    Reported(&'static str),
    /// A word in the title.
    Title(&'static str),
    /// Keeps the screen under this name, once it stands still.
    Look(&'static str),
}

pub(crate) fn of(kind: Kind) -> &'static [Case] {
    match kind {
        Kind::Claude => claude::CASES,
        Kind::Codex => codex::CASES,
        Kind::Gemini => gemini::CASES,
        // Its page is about screens alone, which were captured by hand.
        Kind::OpenCode => &[],
    }
}

// What more than one agent plays. A pause where an edge would else be too short to be seen in a file.
const TEXT: &str = "user: hello\n  think: A greeting.\n  pause: 300ms\n  say: Hi there.\n";
const ALLOWED: &str = "user: make it\n  pause: 300ms\n  say: I will.\n  bash: touch made.txt\n\
                       result\n  pause: 300ms\n  say: Made.\n";
const DENIED: &str = "user: make it\n  pause: 300ms\n  bash: touch made.txt\n";
const EDIT: &str = "user: change it\n  pause: 300ms\n  edit README.md: # demo => # changed\n\
                    result\n  pause: 300ms\n  say: Changed.\n";
const TWO_TOOLS: &str = "user: make two\n  pause: 300ms\n  bash: touch one.txt\n  bash: touch two.txt\n\
                         result\n  pause: 300ms\n  say: Made.\n";
const QUESTION: &str = "user: ask me\n  pause: 300ms\n  ask Database: Which database?\n    - SQLite: Small\n    - Postgres: Big\n\
                        result: Postgres\n  pause: 300ms\n  say: Chosen.\n";
const QUESTIONS: &str = "user: ask me\n  pause: 300ms\n  ask Database: Which database?\n    - SQLite: Small\n    - Postgres: Big\n  \
                         ask Features, several: Which features?\n    - Auth\n    - Search\n\
                         result: Auth\n  pause: 300ms\n  say: Chosen.\n";
const PLAN: &str = "user: plan it\n  pause: 300ms\n  plan: # The plan\n      | 1. Do it\n\
                    result\n  pause: 300ms\n  say: Done.\n";
const INTERRUPT: &str = "user: work\n  say: Going.\n  hang\n";
const BAD_REQUEST: &str = "user again: fail\n  pause: 300ms\n  error: 400 scripted bad request\n";
const LIMIT: &str = "user again: fail\n  pause: 300ms\n  error: 429 scripted limit, resets in 1h\n";
const COMPACT: &str = "user: hello\n  pause: 300ms\n  say: Hi there.\nuser: go on\n  pause: 300ms\n  say: Gladly.\n\
                       user: summary\n  pause: 300ms\n  say: <summary>A greeting.</summary>\n";
