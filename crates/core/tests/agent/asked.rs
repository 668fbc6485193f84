//! What a dialog is about, when those who tell of it are heard in any order.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::agent::machine::{Effect, Machine};
use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext};
use serde_json::json;

use super::{IDLE, Told, WORKING, at, ended, failed, late, later, of, settings, some_dialog, started, tool_done, walk};
use Source::{Hook, Log, Registry, Report, Screen};

pub(crate) fn starts(id: &str, command: &str) -> Fact {
    let (name, input) = (Some("Bash".into()), Some(json!({ "command": command })));
    Fact::ToolStarted { id: Some(id.into()), name, input, agent: None }
}

pub(crate) fn permission(command: &str, agent: Option<&str>) -> PromptContext {
    PromptContext::Permission(PermissionPrompt {
        tool: Some("Bash".into()),
        input: Some(json!({ "command": command })),
        agent_id: agent.map(str::to_owned),
        ..PermissionPrompt::default()
    })
}

/// As a hook tells it, which does not know the call's id.
pub(crate) fn asks(command: &str) -> Fact {
    Fact::PromptShown { context: permission(command, None) }
}

fn plans(plan: &str) -> Fact {
    let input = Some(json!({ "command": plan }));
    Fact::PromptShown { context: PromptContext::Plan(PlanPrompt { input, ..PlanPrompt::default() }) }
}

fn seen(command: &str) -> Fact {
    let context = Some(Box::new(permission(command, None)));
    Fact::Looks(coop_core::agent::evidence::Look::Dialog { context })
}

/// After each row: the prompt and its command, or the state. `p1 ?` asks nobody knows what.
fn check(name: &str, rows: Vec<Told>) {
    walk(rows, |machine, now, number, fact, expect| {
        let is = machine.state().prompt().map_or_else(
            || machine.state().name().to_owned(),
            |prompt| format!("{} {}", prompt.id, command(&prompt.context).unwrap_or("?")),
        );
        assert_eq!(is, expect, "{name}, row {number}: {:#?}", machine.explain(now));
        if let Fact::PromptShown { context } = fact {
            let known = machine.prompt_for(context).is_some();
            let up = command(context).is_some_and(|command| expect.ends_with(command));
            assert_eq!(known, up, "{name}, row {number}: whether its hook waits for it");
        }
    });
}

pub(crate) fn command(context: &PromptContext) -> Option<&str> {
    context.input()?["command"].as_str()
}

/// One tool was asked about and has run; the next is asked about before the log, which is the slowest, tells of it.
#[test]
fn a_dialog_is_not_about_the_tool_before() {
    let first = || {
        vec![
            of("t", at(0, Hook, started(), "working")),
            of("t", at(100, Hook, asks("mkdir"), "p1 mkdir")),
            late(160, of("t", at(90, Log, starts("a", "mkdir"), "p1 mkdir"))),
            late(200, at(190, Registry, WORKING, "working")),
        ]
    };
    let with = |rest: Vec<Told>| first().into_iter().chain(rest).collect();
    check(
        "the registry is heard before the hook, and the log last",
        with(vec![
            late(310, at(301, Registry, some_dialog(), "p2 ?")),
            late(330, of("t", at(300, Hook, asks("rmdir"), "p2 rmdir"))),
            late(400, of("t", at(160, Log, tool_done("a"), "p2 rmdir"))),
            late(400, of("t", at(290, Log, starts("b", "rmdir"), "p2 rmdir"))),
            late(900, of("t", at(800, Log, tool_done("b"), "working"))),
        ]),
    );
    check(
        "and the log before the hook",
        with(vec![
            late(310, at(301, Registry, some_dialog(), "p2 ?")),
            late(320, of("t", at(160, Log, tool_done("a"), "p2 ?"))),
            late(330, of("t", at(300, Hook, asks("rmdir"), "p2 rmdir"))),
            of("t", at(800, Hook, tool_done("a"), "p2 rmdir")),
            of("t", at(900, Hook, ended(), "idle")),
        ]),
    );
    check(
        "which asks otherwise",
        with(vec![
            late(310, at(301, Registry, some_dialog(), "p2 ?")),
            late(330, of("t", at(300, Hook, plans("# Plan"), "p2 # Plan"))),
            late(400, of("t", at(160, Log, tool_done("a"), "p2 # Plan"))),
        ]),
    );
    check(
        "nobody but the log tells of the tool before",
        vec![
            of("t", at(0, Log, started(), "working")),
            late(60, of("t", at(50, Log, starts("a", "ls"), "working"))),
            late(310, at(301, Registry, some_dialog(), "p1 ?")),
            late(400, of("t", at(160, Log, tool_done("a"), "p1 ?"))),
            late(400, of("t", at(290, Log, starts("b", "rmdir"), "p1 ?"))),
            // The only call that is not over may not be the one: a subagent's is in no log.
            later(5000, "p1 ?"),
            at(5100, Registry, WORKING, "working"),
        ],
    );
    check(
        "or the screen does",
        vec![
            of("t", at(0, Log, started(), "working")),
            late(60, of("t", at(50, Log, starts("a", "ls"), "working"))),
            late(310, at(301, Registry, some_dialog(), "p1 ?")),
            later(600, "p1 ?"),
            at(630, Screen, seen("rmdir"), "p1 rmdir"),
            late(700, of("t", at(160, Log, tool_done("a"), "p1 rmdir"))),
            late(900, of("t", at(800, Log, tool_done("a"), "p1 rmdir"))),
            at(950, Registry, WORKING, "working"),
        ],
    );
    check(
        "or the hook, whose first word this is",
        vec![
            of("t", at(0, Log, started(), "working")),
            late(60, of("t", at(50, Log, starts("a", "ls"), "working"))),
            late(310, at(301, Registry, some_dialog(), "p1 ?")),
            later(600, "p1 ?"),
            late(630, of("t", at(300, Hook, asks("rmdir"), "p1 rmdir"))),
        ],
    );
}

/// The same is asked twice, and the log tells of the first only when the second is up: its hook waits all the while.
#[test]
fn a_tool_that_is_like_the_one_before() {
    check(
        "it is another one",
        vec![
            of("t", at(0, Hook, started(), "working")),
            of("t", at(100, Hook, asks("make"), "p1 make")),
            late(160, of("t", at(90, Log, starts("a", "make"), "p1 make"))),
            late(200, at(190, Registry, WORKING, "working")),
            of("t", at(300, Hook, asks("make"), "p2 make")),
            late(400, of("t", at(180, Log, tool_done("a"), "p2 make"))),
            late(400, of("t", at(290, Log, starts("b", "make"), "p2 make"))),
            of("t", at(800, Log, tool_done("a"), "p2 make")),
            of("t", at(800, Log, tool_done("b"), "working")),
        ],
    );
}

/// What was asked before anybody has told of the work is asked amid it all the same.
#[test]
fn a_dialog_is_amid_work() {
    let start = Instant::now();
    let plan = || Fact::PromptShown { context: PromptContext::Plan(PlanPrompt::default()) };
    for (fact, expected) in [(asks("ls"), &["working", "prompt"][..]), (plan(), &["prompt"])] {
        let mut machine = Machine::new(start, settings());
        let mut say = |ms: u64, source, fact| {
            let at = start + Duration::from_millis(ms);
            let effects = machine.handle(at, Evidence { source, at, turn: None, fact });
            let states = effects.into_iter().filter_map(|effect| match effect {
                Effect::State { prev, next, .. } => Some((prev, next.name())),
                _ => None,
            });
            states.collect::<Vec<_>>()
        };
        say(0, Report, IDLE);
        let mut prev = "idle";
        let told = say(500, Source::Server, fact);
        for (told, next) in told.iter().zip(expected) {
            assert_eq!(*told, (prev, *next));
            prev = next;
        }
        assert_eq!(told.len(), expected.len());
        assert_eq!(say(600, Report, WORKING), [("prompt", "working")]);
    }
}

/// The terminal tells of the work of a turn only when the log has told that it failed.
#[test]
fn a_turn_that_fails_at_once() {
    super::check(
        "its work is heard after that",
        vec![
            at(0, Report, IDLE, "idle"),
            of("t", at(1000, Log, started(), "working")),
            of("t", at(1080, Log, failed("bad", None), "error")),
            at(1087, Report, WORKING, "error"),
            later(1200, "error"),
            at(1222, Report, IDLE, "error"),
            at(1900, Report, WORKING, "working"),
        ],
    );
    super::check(
        "its work is heard before that, and is younger",
        vec![
            at(0, Report, IDLE, "idle"),
            of("t", at(1000, Log, started(), "working")),
            at(1080, Report, WORKING, "working"),
            late(1085, of("t", at(1065, Log, failed("bad", None), "error"))),
            at(1090, Report, IDLE, "error"),
        ],
    );
}

/// A hook that waits is waited for, however late it is heard: who says so must know that it was answered.
#[test]
fn what_happens_beside_a_dialog_does_not_answer_it() {
    let other = || {
        vec![
            of("t", at(0, Hook, started(), "working")),
            late(120, of("t", at(90, Log, starts("other", "ls"), "working"))),
            late(120, of("t", at(95, Log, starts("a", "rm"), "working"))),
        ]
    };
    let with = |rest: Vec<Told>| other().into_iter().chain(rest).collect();
    check(
        "another tool has come back since",
        with(vec![
            late(200, of("t", at(150, Log, tool_done("other"), "working"))),
            late(210, of("t", at(100, Hook, asks("rm"), "p1 rm"))),
            of("t", at(900, Log, tool_done("a"), "working")),
        ]),
    );
    check(
        "it has itself",
        with(vec![
            late(200, of("t", at(150, Log, tool_done("a"), "working"))),
            late(210, of("t", at(100, Hook, asks("rm"), "working"))),
        ]),
    );
    check(
        "the agent is at work again",
        with(vec![at(200, Registry, WORKING, "working"), late(210, of("t", at(100, Hook, asks("rm"), "working")))]),
    );
    check(
        "it says that it works, which may be late itself",
        with(vec![at(140, Report, WORKING, "working"), late(210, of("t", at(100, Hook, asks("rm"), "p1 rm")))]),
    );
    check(
        "its turn is over",
        with(vec![of("t", at(200, Hook, ended(), "idle")), late(210, of("t", at(100, Hook, asks("rm"), "idle")))]),
    );
    check(
        "a newer dialog is up",
        with(vec![
            of("t", at(200, Hook, asks("rmdir"), "p1 rmdir")),
            // It asks one thing at a time.
            late(210, of("t", at(100, Hook, asks("rm"), "p1 rmdir"))),
        ]),
    );
}

/// Those of subagents are up beside the main one, in whatever order they are heard.
#[test]
fn a_subagent_asks_beside_its_master() {
    let beside = permission("sub", Some("agent-1"));
    let told = beside.clone();
    let rows = vec![
        of("t", at(0, Hook, started(), "prompt")),
        of("t", at(200, Hook, asks("main"), "prompt")),
        late(210, of("t", at(100, Hook, Fact::PromptShown { context: told }, "prompt"))),
    ];
    walk(rows, |machine, _, number, _, _| {
        let shown = machine.state().prompt().and_then(|prompt| command(&prompt.context));
        assert_eq!(shown, (number > 0).then_some("main"), "row {number}");
        assert_eq!(machine.prompt_for(&beside).is_some(), number == 2, "row {number}");
    });
}
