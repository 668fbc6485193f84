//! The cases: what the model plays, and what the person does. Short, for each becomes files in the repository.

use coop_testkit::Kind;

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) args: &'static [&'static str],
    pub(crate) scenario: &'static str,
    pub(crate) acts: &'static [Act],
}

/// What the person does, or waits for. After the last, the agent is told to end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    Submit(&'static str),
    /// A key in answer to a dialog with this text.
    Answer(&'static str, &'static str),
    /// A key until the model is cut off.
    Interrupt(&'static str),
    Hook(&'static str),
    Shows(&'static str),
    /// The status in Claude's registry of sessions.
    Registered(&'static str),
    /// Keeps the screen under this name, once it stands still.
    Look(&'static str),
}

use Act::{Answer, Hook, Interrupt, Look, Registered, Shows, Submit};

pub(crate) fn of(kind: Kind) -> &'static [Case] {
    match kind {
        Kind::Claude => CLAUDE,
        Kind::Codex | Kind::Gemini => &[],
    }
}

/// A pause where an edge would else be too short to be seen in a file.
const CLAUDE: &[Case] = &[
    Case {
        name: "text",
        args: &[],
        scenario: "user: hello\n  think: A greeting.\n  pause: 300ms\n  say: Hi there.\n",
        acts: &[
            Hook("SessionStart"),
            Registered("idle"),
            Look("start"),
            Submit("hello"),
            Hook("Stop"),
            Registered("idle"),
            Look("end"),
        ],
    },
    Case {
        name: "permission-allowed",
        args: &[],
        scenario: "user: make it\n  pause: 300ms\n  say: I will.\n  bash: touch made.txt\nresult\n  pause: 300ms\n  say: Made.\n",
        acts: &[
            Registered("idle"),
            Submit("make it"),
            Hook("PermissionRequest"),
            Shows("Do you want to proceed?"),
            Registered("waiting"),
            Look("dialog"),
            Answer("1", "Do you want to proceed?"),
            Hook("Stop"),
            Registered("idle"),
            Look("end"),
        ],
    },
    Case {
        name: "permission-denied",
        args: &[],
        scenario: "user: make it\n  pause: 300ms\n  bash: touch made.txt\n",
        acts: &[
            Registered("idle"),
            Submit("make it"),
            Hook("PermissionRequest"),
            Shows("Do you want to proceed?"),
            Registered("waiting"),
            Look("dialog"),
            Answer("Escape", "Do you want to proceed?"),
            Registered("idle"),
            Look("end"),
        ],
    },
    Case {
        name: "question",
        args: &[],
        scenario: "user: ask me\n  pause: 300ms\n  ask Database: Which database?\n    - SQLite: Small\n    - Postgres: Big\n\
                   result: Postgres\n  pause: 300ms\n  say: Chosen.\n",
        acts: &[
            Registered("idle"),
            Submit("ask me"),
            Hook("PermissionRequest"),
            Shows("Type something"),
            Registered("waiting"),
            Look("dialog"),
            Answer("2", "Type something"),
            Hook("Stop"),
            Registered("idle"),
            Look("end"),
        ],
    },
    Case {
        name: "plan",
        args: &["--permission-mode", "plan"],
        scenario: "user: plan it\n  pause: 300ms\n  plan: # The plan\n      | 1. Do it\nresult: approved\n  pause: 300ms\n  say: Done.\n",
        acts: &[
            Registered("idle"),
            Submit("plan it"),
            Hook("PermissionRequest"),
            Shows("Would you like to proceed?"),
            Registered("waiting"),
            Look("dialog"),
            Answer("2", "Would you like to proceed?"),
            Hook("Stop"),
            Registered("idle"),
            Look("end"),
        ],
    },
    Case {
        name: "interrupt",
        args: &[],
        scenario: "user: work\n  say: Going.\n  hang\n",
        acts: &[
            Registered("idle"),
            Submit("work"),
            Shows("Going."),
            Registered("busy"),
            Interrupt("Escape"),
            Registered("idle"),
            Shows("Interrupted"),
            Look("end"),
        ],
    },
    Case {
        name: "error",
        args: &[],
        scenario: "user again: fail\n  pause: 300ms\n  error: 400 scripted bad request\n",
        acts: &[Registered("idle"), Submit("fail"), Hook("StopFailure"), Registered("idle"), Look("end")],
    },
];
