//! What a person does with Codex.

use super::Act::{Answer, Hook, Interrupt, Look, Press, Ready, Reported, Shows, Submit};
use super::Way::{Print, Terminal};
use super::*;

const COMMAND: &str = "Would you like to run the following command?";
const EDITS: &str = "Would you like to make the following edits?";
/// A plan is no tool, and to approve it is a message.
const CODEX_PLAN: &str = "user: hello\n  say: Hi there.\nuser: plan it\n  pause: 300ms\n  plan: # The plan\n      | 1. Do it\n\
                          user: Implement the plan\n  pause: 300ms\n  say: Done.\n";
/// Questions are for plan mode, and a mode that is chosen while it starts is forgotten.
const CODEX_QUESTIONS: &str = "user: hello\n  say: Hi there.\n\
    user: ask me\n  pause: 300ms\n  ask Database: Which database?\n    - SQLite: Small\n    - Postgres: Big\n  \
    ask Language: Which language?\n    - Rust: Fast\n    - Go: Plain\n\
    result: Rust\n  pause: 300ms\n  say: Chosen.\n";
const PLAN_MODE: &str = "Plan mode (shift+tab to cycle)";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "text",
        args: &[],
        scenario: TEXT,
        way: Terminal(&[Ready, Look("start"), Submit("hello"), Hook("Stop"), Reported("done"), Look("end")]),
    },
    Case {
        name: "permission-allowed",
        args: &[],
        scenario: ALLOWED,
        way: Terminal(&[
            Ready,
            Submit("make it"),
            Hook("PermissionRequest"),
            Reported("blocked"),
            Shows(COMMAND),
            Look("dialog"),
            Answer("y", COMMAND),
            Hook("Stop"),
            Reported("done"),
            Look("end"),
        ]),
    },
    Case {
        name: "permission-denied",
        args: &[],
        scenario: DENIED,
        way: Terminal(&[
            Ready,
            Submit("make it"),
            Hook("PermissionRequest"),
            Reported("blocked"),
            Shows(COMMAND),
            Look("dialog"),
            Answer("Escape", COMMAND),
            Hook("Interrupt"),
            Reported("idle"),
            Look("end"),
        ]),
    },
    Case {
        name: "permission-edit",
        args: &["--sandbox", "read-only", "--ask-for-approval", "on-request"],
        scenario: EDIT,
        way: Terminal(&[
            Ready,
            Submit("change it"),
            Hook("PermissionRequest"),
            Reported("blocked"),
            Shows(EDITS),
            Look("dialog"),
            Answer("y", EDITS),
            Hook("Stop"),
            Reported("done"),
            Look("end"),
        ]),
    },
    Case {
        name: "questions",
        args: &[],
        scenario: CODEX_QUESTIONS,
        way: Terminal(&[
            Ready,
            Submit("hello"),
            Hook("Stop"),
            Reported("done"),
            Press("BTab"),
            Shows(PLAN_MODE),
            Submit("ask me"),
            Reported("blocked"),
            Shows("Question 1/2"),
            Look("first"),
            Answer("2", "Question 1/2"),
            Shows("Question 2/2"),
            Look("second"),
            Answer("1", "Question 2/2"),
            Hook("Stop"),
            Reported("done"),
            Look("end"),
        ]),
    },
    Case {
        name: "plan",
        args: &[],
        scenario: CODEX_PLAN,
        way: Terminal(&[
            Ready,
            Submit("hello"),
            Hook("Stop"),
            Reported("done"),
            Press("BTab"),
            Shows(PLAN_MODE),
            Submit("plan it"),
            Hook("Stop"),
            Reported("done"),
            Shows("Implement this plan?"),
            Look("dialog"),
            Answer("1", "Implement this plan?"),
            Hook("Stop"),
            Reported("done"),
            Look("end"),
        ]),
    },
    Case {
        name: "interrupt",
        args: &[],
        scenario: INTERRUPT,
        way: Terminal(&[
            Ready,
            Submit("work"),
            Reported("working"),
            Shows("Going."),
            Interrupt("Escape"),
            Hook("Interrupt"),
            Reported("idle"),
            Look("end"),
        ]),
    },
    Case {
        name: "error",
        args: &[],
        scenario: BAD_REQUEST,
        way: Terminal(&[Ready, Submit("fail"), Reported("error"), Look("end")]),
    },
    Case {
        name: "limit",
        args: &[],
        scenario: LIMIT,
        way: Terminal(&[Ready, Submit("fail"), Reported("error"), Look("end")]),
    },
    Case {
        name: "compact",
        args: &[],
        scenario: COMPACT,
        way: Terminal(&[
            Ready,
            Submit("hello"),
            Hook("Stop"),
            Reported("done"),
            Submit("go on"),
            Hook("Stop"),
            Reported("done"),
            Submit("/compact"),
            Hook("PostCompact"),
            Reported("done"),
            Look("end"),
        ]),
    },
    // It asks nobody, so the tool is one that needs no leave.
    Case {
        name: "print",
        args: &["exec", "--json", "--skip-git-repo-check", "read it"],
        scenario: "user: read it\n  say: I will.\n  read: README.md\nresult: demo\n  say: Read.\n",
        way: Print,
    },
    Case {
        name: "print-error",
        args: &["exec", "--json", "--skip-git-repo-check", "fail"],
        scenario: BAD_REQUEST,
        way: Print,
    },
];
