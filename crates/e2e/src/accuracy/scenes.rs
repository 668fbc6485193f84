//! What the agent is made to do, and the states that must follow from it: a scene for each known way to be wrong.

use super::play::Act::{self, *};

/// Some scenes in one session of the agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sitting {
    pub(super) args: &'static [&'static str],
    pub(super) env: &'static [(&'static str, &'static str)],
    pub(super) scenes: &'static [Scene],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// What the model says.
    pub(super) script: &'static str,
    pub(super) acts: &'static [Act],
}

const PROCEED: &str = "Do you want to proceed?";

pub(super) const SITTINGS: &[Sitting] = &[
    Sitting {
        args: &[],
        // A subagent in the background would be another story.
        env: &[("CLAUDE_CODE_MAX_RETRIES", "1"), ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")],
        scenes: TALK,
    },
    Sitting { args: &["--permission-mode", "plan"], env: &[], scenes: LAST },
];

const TALK: &[Scene] = &[
    Scene {
        name: "a short answer",
        script: "
user: hello
  think: A greeting.
  say: Hi there.
",
        acts: &[Submit("hello"), States("working idle")],
    },
    Scene {
        name: "a permission is given",
        script: "
user: allow it
  say: I will create it.
  bash: touch made.txt
result
  say: Made.
",
        acts: &[
            Submit("allow it"),
            States("working prompt"),
            Asks("permission"),
            Answer("1", PROCEED),
            States("working idle"),
        ],
    },
    Scene {
        name: "Esc on a dialog",
        script: "
user: deny it
  bash: touch denied.txt
",
        acts: &[Submit("deny it"), States("working prompt"), Answer("Escape", PROCEED), States("idle")],
    },
    Scene {
        name: "denied at the terminal while a hook waits for an answer",
        script: "
user: deny here
  bash: touch refused.txt
",
        acts: &[
            Submit("deny here"),
            States("working prompt"),
            Asks("permission"),
            Answer("Escape", PROCEED),
            States("idle"),
            AnswerLate,
        ],
    },
    Scene {
        name: "a question",
        script: "
user: one question
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Chosen.
",
        acts: &[
            Submit("one question"),
            States("working prompt"),
            Asks("question"),
            Answer("2", "Enter to select"),
            States("working idle"),
        ],
    },
    Scene {
        name: "two tools ask at once",
        script: "
user: two at once
  bash: touch one.txt
  bash: touch two.txt
result
  say: Both.
",
        acts: &[
            Submit("two at once"),
            States("working prompt"),
            Makes("1", "one.txt"),
            States("working? prompt"),
            Makes("1", "two.txt"),
            States("working idle"),
        ],
    },
    Scene {
        name: "Esc while text streams, with the input box on the screen",
        script: "
user: stream and stop
  say: Words that
  count 40 words/s: 4000
",
        acts: &[Submit("stream and stop"), States("working"), Shows("Words that"), Interrupt, States("idle")],
    },
    Scene {
        name: "thinking for long without output, and another screen in between; Esc ends it",
        script: "
user: think long
  think: Where to begin?
  wait: never
",
        acts: &[
            Submit("think long"),
            States("working"),
            Shows("esc to interrupt"),
            Press("Ctrl-O"),
            Shows("Showing detailed transcript"),
            Press("Ctrl-O"),
            Hides("Showing detailed transcript"),
            Shows("esc to interrupt"),
            Interrupt,
            States("idle"),
        ],
    },
    Scene {
        name: "what the model says looks like a dialog",
        script: "
user: quote a dialog
  say: It looked like this:
     |
     | ────────────────────────────────────────────────────────────
     |  Bash command
     |
     |    touch x
     |
     |  Do you want to proceed?
     |  ❯ 1. Yes
     |    2. No
     |
     |  Esc to cancel
  wait: quoted
  say: That was it.
",
        acts: &[
            Submit("quote a dialog"),
            States("working"),
            Shows("Esc to cancel"),
            Signal("quoted"),
            Shows("That was it."),
            States("idle"),
        ],
    },
    Scene {
        name: "a dialog that quotes another, and a resize while it is up",
        script: "
user: quote in a dialog
  bash: printf 'Would you like to proceed?\\n❯ 1. Yes, and use auto mode\\n  2. Chat about this\\nEnter to select'; touch quoted.txt
result
  say: Printed.
",
        acts: &[
            Submit("quote in a dialog"),
            States("working prompt"),
            Asks("permission"),
            Resize(90, 40),
            Shows(PROCEED),
            Resize(120, 50),
            Shows(PROCEED),
            Asks("permission"),
            Makes("1", "quoted.txt"),
            States("working idle"),
        ],
    },
    Scene {
        name: "a subagent ends while the turn goes on",
        script: "
user: delegate
  tool Agent: {\"description\": \"Look around\", \"prompt\": \"look around\", \"subagent_type\": \"general-purpose\"}
user: look around
  say: Looked.
result: Looked.
  wait: looked
  say: It has looked.
",
        acts: &[Submit("delegate"), States("working"), Hook("SubagentStop"), Signal("looked"), States("idle")],
    },
    Scene {
        name: "the API is overloaded, and the second try works",
        script: "
user: retry
  error: 529 overloaded
user: retry
  say: Second try.
",
        acts: &[Submit("retry"), States("working"), Shows("Second try."), States("idle")],
    },
    Scene {
        name: "an error of the API",
        script: "
user again: fail now
  error: 400 no such thing
",
        acts: &[Submit("fail now"), States("working error")],
    },
    Scene {
        name: "an error in the middle of an answer",
        script: "
user again: fail later
  say: Half of it
  error: 529 overloaded
",
        acts: &[Submit("fail later"), States("working error")],
    },
    Scene {
        name: "a limit that says when it is lifted",
        script: "
user again: too much
  error: 429 usage limit reached|1894725778
",
        acts: &[Submit("too much"), States("working parked")],
    },
    Scene {
        name: "a message waits for nobody's draft",
        script: "",
        acts: &[
            Type("half a thought"),
            Shows("half a thought"),
            NudgeRefused("not now"),
            Press("Ctrl-U"),
            Hides("half a thought"),
            EmptyBox,
        ],
    },
    Scene {
        name: "a message that the agent queues",
        script: "
user: hold
  say: Holding.
  wait: held
  say: Held.
user: and then
  say: And then that.
",
        acts: &[
            Submit("hold"),
            States("working"),
            Shows("Holding."),
            NudgeNow("and then"),
            Signal("held"),
            Shows("And then that."),
            Delivered,
            // Whether there is rest between two turns is the agent's own business.
            States("idle? working? idle"),
            EmptyBox,
        ],
    },
    Scene {
        name: "compacted",
        script: "
user: summary
  say: <summary>We talked.</summary>
",
        acts: &[Submit("/compact"), Hook("PostCompact"), States("working idle")],
    },
    Scene {
        name: "cleared",
        script: "
user: afresh
  say: Fresh.
",
        // While it does, it says that it works.
        acts: &[Submit("/clear"), Hook("SessionEnd"), Submit("afresh"), States("working? idle? working idle")],
    },
    Scene {
        name: "resumed",
        script: "
user: back again
  say: Welcome back.
",
        acts: &[
            Submit("/resume"),
            Answer("Enter", "Resume session"),
            Submit("back again"),
            // To choose a conversation is a dialog, of which only one source tells.
            States("working? prompt? working? idle? working idle"),
        ],
    },
];

const LAST: &[Scene] = &[
    Scene {
        name: "a plan is approved",
        script: "
user: plan it
  plan: # Short plan
      | 1. Do
result: approved
  say: Implemented.
",
        acts: &[
            Submit("plan it"),
            States("working prompt"),
            Asks("plan"),
            Answer("2", "Would you like to proceed?"),
            States("working idle"),
        ],
    },
    Scene {
        name: "a shell runs on in the background",
        script: "
user: go on behind
  tool Bash: {\"command\": \"touch started.txt; sleep 60\", \"description\": \"Wait\", \"run_in_background\": true}
result
  say: It runs.
",
        acts: &[
            Submit("go on behind"),
            States("working prompt"),
            Answer("1", PROCEED),
            Shows("It runs."),
            States("working idle"),
        ],
    },
    Scene {
        name: "killed at work",
        script: "
user: work
  say: Working.
  wait: never
",
        acts: &[Submit("work"), States("working"), Shows("Working."), Kill, States("exited")],
    },
];
