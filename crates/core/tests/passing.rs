//! An agent whose own words pass, whose plans wait when it rests, and whose dialogs follow each other.
#![allow(clippy::unwrap_used, reason = "helpers of tests may")]

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::machine::Machine;
use coop_core::agent::prompt::{PermissionPrompt, PlanPrompt, PromptContext};
use coop_core::agent::resolve::Settings;
use coop_core::agent::state::Failure;
use serde_json::json;

use Source::{Log, Report, Screen};

const IDLE: Fact = Fact::Looks(Look::Idle);
const WORKING: Fact = Fact::Looks(Look::Working);
const DONE: Fact = Fact::TurnEnded { last_message: None };
const STARTED: Fact = Fact::TurnStarted { text: None };

/// When it is heard, who says what, and the state then.
type Row = (u64, Source, Fact, &'static str);

fn settings() -> Settings {
    Settings {
        report_delay: Duration::from_millis(100),
        plan_at_rest: true,
        asks_in_turn: true,
        starts_busy: true,
        ..Settings::default()
    }
}

fn check(name: &str, rows: Vec<Row>) -> Machine {
    let start = Instant::now() + Duration::from_secs(100);
    let mut machine = Machine::new(start, settings());
    for (number, (ms, source, fact, expected)) in rows.into_iter().enumerate() {
        let now = start + Duration::from_millis(ms);
        while let Some(due) = machine.deadline().filter(|due| *due <= now) {
            machine.on_deadline(due);
        }
        machine.handle(now, Evidence { source, at: now, turn: None, fact });
        assert_eq!(machine.state().name(), expected, "{name}, row {number}: {:#?}", machine.explain(now));
    }
    machine
}

/// Time passes.
fn later(ms: u64, expected: &'static str) -> Row {
    (ms, Source::Process, Fact::Noted { what: String::new() }, expected)
}

fn asks() -> Fact {
    Fact::PromptShown { context: PromptContext::Permission(PermissionPrompt::default()) }
}

fn plan(text: Option<&str>) -> PromptContext {
    let input = text.map(|text| json!({ "plan": text }));
    PromptContext::Plan(PlanPrompt { plan: text.map(str::to_owned), input, ..PlanPrompt::default() })
}

fn seen(context: PromptContext) -> Fact {
    Fact::Looks(Look::Dialog { context: Some(Box::new(context)) })
}

fn gone(working: bool, dismissed: bool) -> Fact {
    Fact::Looks(Look::NoDialog { working, interrupted: false, dismissed })
}

fn command(text: &str) -> PromptContext {
    let input = Some(json!({ "command": text }));
    PromptContext::Permission(PermissionPrompt { tool: Some("Bash".into()), input, ..PermissionPrompt::default() })
}

/// A dialog that is refused shows work for a moment; one that is answered goes on to.
#[test]
fn work_in_passing_after_a_dialog_that_is_only_seen() {
    let interrupted = || Fact::Looks(Look::Interrupted);
    let asked = |rest: Vec<Row>| {
        let mut rows = vec![
            (0, Screen, IDLE, "starting"),
            later(600, "idle"),
            (1000, Screen, WORKING, "working"),
            (2000, Screen, seen(command("ls")), "working"),
            later(2300, "prompt"),
            (3000, Screen, gone(true, false), "prompt"),
            (3000, Screen, WORKING, "prompt"),
        ];
        rows.extend(rest);
        rows
    };
    check("refused", asked(vec![(3030, Screen, interrupted(), "prompt"), later(3200, "prompt"), later(3300, "idle")]));
    check(
        "answered",
        asked(vec![
            (3033, Screen, gone(true, false), "prompt"),
            (3033, Screen, WORKING, "prompt"),
            (3066, Screen, gone(true, false), "prompt"),
            (3066, Screen, WORKING, "prompt"),
            later(3110, "working"),
        ]),
    );
    check(
        "answered, and the next one is asked",
        asked(vec![
            (3033, Screen, seen(command("pwd")), "prompt"),
            later(3400, "prompt"),
            (3500, Screen, gone(true, false), "prompt"),
            later(3590, "prompt"),
            later(3610, "working"),
        ]),
    );
}

#[test]
fn words_in_passing_do_not_count() {
    check(
        "the start",
        vec![
            (0, Screen, WORKING, "starting"),
            (10, Report, IDLE, "starting"),
            (30, Report, WORKING, "starting"),
            (31, Report, IDLE, "starting"),
            later(140, "idle"),
        ],
    );
    check(
        "a dialog is refused",
        vec![
            (0, Log, STARTED, "working"),
            (10, Report, WORKING, "working"),
            (500, Report, asks(), "prompt"),
            (900, Report, WORKING, "prompt"),
            (925, Report, IDLE, "prompt"),
            (930, Log, Fact::Interrupted, "idle"),
            later(2000, "idle"),
        ],
    );
    check(
        "a dialog is answered",
        vec![
            (0, Log, STARTED, "working"),
            (500, Report, asks(), "prompt"),
            (900, Report, WORKING, "prompt"),
            later(1001, "working"),
        ],
    );
    check(
        "a dialog is refused, and the agent takes its time",
        vec![
            (0, Log, STARTED, "working"),
            (500, Report, asks(), "prompt"),
            (900, Report, WORKING, "prompt"),
            (990, Log, Fact::ToolStopped, "prompt"),
            later(1400, "prompt"),
            (1450, Log, Fact::Interrupted, "idle"),
            later(9000, "idle"),
        ],
    );
    check(
        "a tool is stopped, and the turn goes on all the same",
        vec![
            (0, Log, STARTED, "working"),
            (500, Report, asks(), "prompt"),
            (890, Log, Fact::ToolStopped, "prompt"),
            (900, Report, WORKING, "prompt"),
            later(2889, "prompt"),
            later(2891, "working"),
        ],
    );
    check(
        "nobody but the report tells",
        vec![
            (0, Report, IDLE, "starting"),
            (200, Report, WORKING, "idle"),
            later(301, "working"),
            (900, Report, DONE, "working"),
            later(1001, "idle"),
        ],
    );
    let failure = Failure { kind: "rate_limit".into(), detail: String::new(), resume_at_ms: None };
    let unknown = Failure { kind: "unknown".into(), detail: String::new(), resume_at_ms: None };
    check(
        "an error has one name",
        vec![
            (0, Log, STARTED, "working"),
            (500, Report, Fact::TurnFailed { failure: unknown }, "working"),
            (510, Log, Fact::TurnFailed { failure }, "error"),
            later(2000, "error"),
        ],
    );
}

/// The log is found only when all is over, and tells of it once more.
#[test]
fn a_turn_that_is_told_of_late_ends_too() {
    for (worked, began) in [(false, 510), (true, 510), (true, 575)] {
        let start = Instant::now() + Duration::from_secs(100);
        let ms = |ms: u64| start + Duration::from_millis(ms);
        let mut machine = Machine::new(start, settings());
        let mut say = |heard: u64, at: u64, source, fact| {
            let turn = (source == Log).then(|| "t".to_owned());
            machine.on_deadline(ms(heard));
            machine.handle(ms(heard), Evidence { source, at: ms(at), turn, fact });
            machine.state().name()
        };
        say(0, 0, Report, IDLE);
        if worked {
            say(500, 500, Report, WORKING);
        }
        say(580, 580, Report, DONE);
        assert_eq!(say(900, 900, Source::Process, Fact::Noted { what: String::new() }), "idle");
        // Where its work was seen, it does not begin again.
        assert_eq!(say(9000, began, Log, STARTED), if worked { "idle" } else { "working" });
        assert_eq!(say(9001, 579, Log, DONE), "idle");
        assert_eq!(say(9500, 9400, Log, Fact::TurnStarted { text: None }), "working", "the next line is news");
    }
}

#[test]
fn a_plan_waits_while_the_agent_says_that_it_rests() {
    let machine = check(
        "the log first",
        vec![
            (0, Log, STARTED, "working"),
            (500, Log, Fact::PromptShown { context: plan(Some("Do it")) }, "prompt"),
            (505, Report, DONE, "prompt"),
            (520, Screen, seen(plan(None)), "prompt"),
            (3000, Report, IDLE, "prompt"),
            later(9000, "prompt"),
            (9001, Screen, gone(false, false), "prompt"),
            (9002, Screen, gone(false, true), "idle"),
        ],
    );
    assert_eq!(machine.state().prompt(), None);
    let machine = check(
        "the screen first, and the log from before it",
        vec![
            (0, Log, STARTED, "working"),
            (500, Report, DONE, "working"),
            (520, Screen, seen(plan(None)), "prompt"),
            later(2000, "prompt"),
        ],
    );
    let mut machine = machine;
    let now = Instant::now() + Duration::from_secs(103);
    let fact = Fact::PromptShown { context: plan(Some("Do it")) };
    let at = Instant::now() + Duration::from_millis(100_400);
    machine.handle(now, Evidence { source: Log, at, turn: None, fact });
    let prompt = machine.state().prompt().unwrap();
    assert!(
        matches!(&prompt.context, PromptContext::Plan(plan) if plan.plan.as_deref() == Some("Do it")),
        "{prompt:?}"
    );
    assert_eq!(prompt.id.0, "p1");
    check(
        "accepted: the next turn begins",
        vec![
            (0, Log, STARTED, "working"),
            (500, Log, Fact::PromptShown { context: plan(Some("Do it")) }, "prompt"),
            (600, Screen, gone(false, false), "prompt"),
            (700, Log, STARTED, "working"),
        ],
    );
}

#[test]
fn another_dialog_is_another_prompt() {
    let machine = check(
        "two commands, one report",
        vec![
            (0, Log, STARTED, "working"),
            (100, Report, asks(), "prompt"),
            (500, Screen, seen(command("touch one")), "prompt"),
            (600, Screen, seen(command("touch one")), "prompt"),
        ],
    );
    assert_eq!(machine.state().prompt().unwrap().id.0, "p1");
    let machine = check(
        "two commands, one report",
        vec![
            (0, Log, STARTED, "working"),
            (100, Report, asks(), "prompt"),
            (500, Screen, seen(command("touch one")), "prompt"),
            (900, Screen, seen(command("touch two")), "prompt"),
        ],
    );
    let prompt = machine.state().prompt().unwrap();
    assert_eq!((prompt.id.0.as_str(), prompt.context.input()), ("p2", Some(&json!({ "command": "touch two" }))));
    assert_eq!(machine.answered_by(&coop_core::agent::PromptId("p1".into())), Some("terminal"));
}

/// Nobody but the screen tells: what it says of a failure counts when it lasts, and until it works again.
#[test]
fn a_failure_that_is_only_seen() {
    let failed = || Fact::Looks(Look::Failed { detail: "no network".to_owned() });
    let machine = check(
        "only seen",
        vec![
            (0, Screen, IDLE, "starting"),
            later(600, "idle"),
            (1000, Screen, WORKING, "working"),
            (2000, Screen, failed(), "working"),
            (2100, Screen, WORKING, "working"),
            (3000, Screen, failed(), "working"),
            later(3300, "error"),
            (4000, Screen, IDLE, "error"),
            (5000, Screen, WORKING, "working"),
        ],
    );
    assert_eq!(machine.state().name(), "working");
    let heard = vec![(0, Log, STARTED, "working"), (100, Screen, failed(), "working"), later(1000, "working")];
    check("somebody knows better", heard);
}
