//! The agent machine in virtual time: what sources say, and what is made of it.
#![allow(clippy::unwrap_used, reason = "helpers of tests may")]

mod asked;
mod properties;
mod queued;
mod seen;

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::machine::{Effect, Machine};
use coop_core::agent::prompt::{PermissionPrompt, PromptContext, QuestionPrompt, SetupPrompt};
use coop_core::agent::resolve::{Settings, composite};
use coop_core::agent::state::{Failure, State};
use serde_json::json;

use Source::{Hook, Log, Registry, Report, Screen};

/// Evidence in a few words: when it happened, who says so, of which turn, and what.
struct Told {
    at: u64,
    heard: u64,
    source: Source,
    turn: Option<&'static str>,
    fact: Fact,
    expect: &'static str,
}

fn at(at: u64, source: Source, fact: Fact, expect: &'static str) -> Told {
    Told { at, heard: at, source, turn: None, fact, expect }
}

/// The same with the turn it belongs to.
fn of(turn: &'static str, told: Told) -> Told {
    Told { turn: Some(turn), ..told }
}

/// The same, heard only later.
fn late(heard: u64, told: Told) -> Told {
    Told { heard, ..told }
}

fn started() -> Fact {
    Fact::TurnStarted { text: Some("do it".into()) }
}

fn ended() -> Fact {
    Fact::TurnEnded { last_message: Some("done".into()) }
}

fn tool(id: &str) -> Fact {
    Fact::ToolStarted { id: Some(id.into()), name: Some("Bash".into()), input: None, agent: None }
}

fn tool_done(id: &str) -> Fact {
    Fact::ToolFinished { id: Some(id.into()), name: Some("Bash".into()), agent: None }
}

fn asks(id: &str, command: &str) -> Fact {
    let permission = PermissionPrompt {
        tool: Some("Bash".into()),
        tool_id: Some(id.into()),
        input: Some(json!({ "command": command })),
        ..PermissionPrompt::default()
    };
    Fact::PromptShown { context: PromptContext::Permission(permission) }
}

fn question() -> Fact {
    Fact::PromptShown { context: PromptContext::Question(QuestionPrompt::default()) }
}

fn some_dialog() -> Fact {
    Fact::Looks(Look::Dialog { context: None })
}

fn setup(subtype: &str) -> Fact {
    let setup = SetupPrompt { subtype: subtype.into(), ..SetupPrompt::default() };
    Fact::Looks(Look::Dialog { context: Some(Box::new(PromptContext::Setup(setup))) })
}

fn failed(kind: &str, resume_at_ms: Option<u64>) -> Fact {
    Fact::TurnFailed { failure: Failure { kind: kind.into(), detail: String::new(), resume_at_ms } }
}

const IDLE: Fact = Fact::Looks(Look::Idle);
const WORKING: Fact = Fact::Looks(Look::Working);

fn settings() -> Settings {
    Settings { idle_grace: Duration::from_secs(5), ..Settings::default() }
}

/// Lets deadlines come in time, as the owner does.
fn run_until(machine: &mut Machine, now: Instant) -> Vec<Effect> {
    let mut effects = Vec::new();
    while let Some(due) = machine.deadline().filter(|due| *due <= now) {
        effects.extend(machine.on_deadline(due));
    }
    effects
}

fn check(name: &str, rows: Vec<Told>) {
    walk(rows, |machine, now, number, _, expect| {
        assert_eq!(machine.state().name(), expect, "{name}, row {number}: {:#?}", machine.explain(now));
    });
}

/// Tells it all, and looks after each: when it is, the number of the row, what it said and what is expected.
fn walk(rows: Vec<Told>, mut look: impl FnMut(&Machine, Instant, usize, &Fact, &str)) {
    let start = Instant::now() + Duration::from_secs(100);
    let ms = |ms: u64| start + Duration::from_millis(ms);
    let mut machine = Machine::new(start, settings());
    for (number, row) in rows.into_iter().enumerate() {
        let now = ms(row.heard);
        run_until(&mut machine, now);
        let (source, turn, fact) = (row.source, row.turn.map(str::to_owned), row.fact.clone());
        machine.handle(now, Evidence { source, at: ms(row.at), turn, fact });
        look(&machine, now, number, &row.fact, row.expect);
    }
}

/// Time passes: nothing is said, which the process itself may note.
fn later(at: u64, expect: &'static str) -> Told {
    self::at(at, Source::Process, Fact::Noted { what: String::new() }, expect)
}

/// Seen of an agent on a busy machine: the hook of a message names the turn before, whose end its log tells only then.
#[test]
fn a_turn_that_is_called_by_the_name_of_the_one_before() {
    check(
        "it is another one",
        vec![
            of("a", at(0, Hook, started(), "working")),
            of("a", at(700, Hook, ended(), "idle")),
            of("a", at(960, Hook, started(), "working")),
            of("a", at(1010, Log, ended(), "working")),
            of("a", at(1020, Log, tool_done("t"), "working")),
            of("b", at(1100, Log, started(), "working")),
            of("b", at(1400, Hook, ended(), "idle")),
            of("b", at(1500, Log, ended(), "idle")),
        ],
    );
    check(
        "and does not end when the one before does",
        vec![
            of("a", at(0, Hook, started(), "working")),
            of("a", at(700, Hook, ended(), "idle")),
            of("a", at(960, Hook, started(), "working")),
            at(1100, Report, ended(), "working"),
            late(1300, at(1200, Registry, IDLE, "working")),
            late(1301, at(1217, Registry, WORKING, "working")),
            at(1320, Report, WORKING, "working"),
            later(9000, "working"),
            of("b", at(9100, Hook, asks("t", "ls"), "prompt")),
        ],
    );
    check(
        "whose end the terminal tells when the next one has begun, by its own name",
        vec![
            of("a", at(0, Hook, started(), "working")),
            at(20, Report, WORKING, "working"),
            of("a", at(700, Hook, ended(), "idle")),
            of("b", at(800, Hook, started(), "working")),
            at(1100, Report, ended(), "working"),
            at(1700, Report, WORKING, "working"),
            later(9000, "working"),
            at(9100, Report, ended(), "idle"),
        ],
    );
    check(
        "or tells in time, and then of this one",
        vec![
            of("a", at(0, Hook, started(), "working")),
            at(20, Report, WORKING, "working"),
            of("a", at(700, Hook, ended(), "idle")),
            at(710, Report, ended(), "idle"),
            of("b", at(800, Hook, started(), "working")),
            at(1100, Report, IDLE, "idle"),
        ],
    );
    check(
        "but may end at once",
        vec![
            of("a", at(0, Hook, started(), "working")),
            of("a", at(700, Hook, ended(), "idle")),
            of("a", at(960, Hook, started(), "working")),
            at(1200, Registry, IDLE, "working"),
            later(3100, "working"),
            later(3300, "idle"),
        ],
    );
    check(
        "the one before may be kept from stopping",
        vec![
            of("a", at(0, Hook, started(), "working")),
            of("a", at(700, Hook, ended(), "idle")),
            of("a", at(960, Hook, tool("t"), "working")),
            of("a", at(1010, Hook, ended(), "idle")),
        ],
    );
}

#[test]
fn a_turn_with_every_source() {
    check(
        "every source",
        vec![
            at(
                0,
                Hook,
                Fact::SessionStarted { id: None, cause: Some("startup".into()), model: None, log: None },
                "starting",
            ),
            late(40, at(0, Registry, IDLE, "idle")),
            at(310, Report, IDLE, "idle"),
            of("t1", at(1000, Hook, started(), "working")),
            at(1001, Report, WORKING, "working"),
            late(1010, at(1000, Registry, WORKING, "working")),
            of("t1", at(2000, Hook, tool("a"), "working")),
            of("t1", at(2100, Hook, asks("a", "ls"), "prompt")),
            at(
                2101,
                Report,
                Fact::PromptShown { context: PromptContext::Permission(PermissionPrompt::default()) },
                "prompt",
            ),
            late(2110, at(2099, Registry, some_dialog(), "prompt")),
            at(8100, Hook, some_dialog(), "prompt"),
            at(9000, Report, WORKING, "working"),
            of("t1", at(9500, Hook, tool_done("a"), "working")),
            of("t1", at(9900, Hook, ended(), "idle")),
            at(9905, Report, Fact::TurnEnded { last_message: None }, "idle"),
            late(9990, of("t1", at(9400, Log, tool_done("a"), "idle"))),
            late(9990, of("t1", at(9850, Log, ended(), "idle"))),
            at(9920, Registry, IDLE, "idle"),
        ],
    );
}

#[test]
fn known_ways_to_be_wrong() {
    check(
        "Esc while working, told by the registry alone",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(700, Registry, IDLE, "idle"),
            late(800, of("t1", at(650, Log, tool("a"), "idle"))),
        ],
    );
    check(
        "Esc right after the message: the registry is close behind the hook",
        vec![of("t1", at(0, Hook, started(), "working")), at(20, Registry, IDLE, "working"), later(200, "idle")],
    );
    check(
        "an old idle of the registry comes after the message",
        vec![
            at(0, Registry, IDLE, "idle"),
            of("t1", at(1000, Hook, started(), "working")),
            late(1010, at(990, Registry, IDLE, "working")),
            later(3000, "working"),
        ],
    );
    check(
        "the registry has told of a whole turn before the log tells that it began",
        vec![
            at(0, Registry, IDLE, "idle"),
            at(1000, Registry, WORKING, "working"),
            at(1100, Registry, IDLE, "idle"),
            late(1150, of("t1", at(1010, Log, started(), "idle"))),
            // A message of the time in which another turn ran begins one of its own.
            of("t2", at(2000, Hook, started(), "working")),
            at(2500, Registry, IDLE, "idle"),
            late(2550, of("t3", at(2300, Log, started(), "working"))),
        ],
    );
    check(
        "Esc on a dialog",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(100, Hook, asks("a", "ls"), "prompt")),
            at(900, Report, IDLE, "idle"),
        ],
    );
    check(
        "a hook that starts late tells of a dialog that is gone",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(900, Report, WORKING, "working"),
            late(950, of("t1", at(800, Hook, asks("a", "ls"), "working"))),
        ],
    );
    check(
        "the log tells of the message when the dialog is up already",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(
                300,
                Report,
                Fact::PromptShown { context: PromptContext::Permission(PermissionPrompt::default()) },
                "prompt",
            ),
            late(320, of("t1", at(5, Log, started(), "prompt"))),
        ],
    );
    check(
        "a short turn is over before the terminal tells of it",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(80, Hook, ended(), "idle")),
            at(110, Report, WORKING, "idle"),
            later(200, "idle"),
            at(210, Report, Fact::TurnEnded { last_message: None }, "idle"),
            later(2000, "idle"),
        ],
    );
    check(
        "a subagent ends and the turn goes on",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(500, Hook, Fact::SubagentEnded, "working")),
            later(5000, "working"),
        ],
    );
    check(
        "a subagent in the background when the turn is over",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(500, Hook, ended(), "idle")),
            of(
                "t2",
                at(
                    900,
                    Hook,
                    Fact::ToolStarted { id: None, name: None, input: None, agent: Some("sub".into()) },
                    "idle",
                ),
            ),
        ],
    );
    check(
        "two tools ask one after the other",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(100, Hook, asks("a", "ls"), "prompt")),
            of("t1", at(900, Hook, tool_done("a"), "working")),
            of("t1", at(950, Hook, asks("b", "rm"), "prompt")),
            of("t1", at(1900, Hook, tool_done("b"), "working")),
        ],
    );
    check(
        "another tool ends while one asks",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(100, Hook, asks("a", "ls"), "prompt")),
            of("t1", at(200, Hook, tool_done("other"), "prompt")),
        ],
    );
    check(
        "errors, a limit with its time, and the next turn",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(500, Hook, failed("rate_limit", None), "error")),
            at(510, Registry, IDLE, "error"),
            of("t2", at(1000, Hook, started(), "working")),
            of("t2", at(1500, Hook, failed("rate_limit", Some(99)), "parked")),
            at(1501, Report, failed("unknown", None), "parked"),
            of("t3", at(2500, Hook, started(), "working")),
        ],
    );
    check(
        "the registry says that it is idle before the log says why",
        vec![
            of("t1", at(0, Log, started(), "working")),
            at(500, Registry, IDLE, "idle"),
            late(540, of("t1", at(490, Log, failed("server_error", None), "error"))),
        ],
    );
    check(
        "a hook in the background is heard long after the turn",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(100, Hook, tool("a"), "working")),
            of("t1", at(500, Hook, ended(), "idle")),
            late(900, of("t1", at(450, Hook, tool("b"), "idle"))),
            of("t1", at(1200, Hook, tool_done("b"), "idle")),
        ],
    );
    check(
        "somebody else's hook keeps it from stopping",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(500, Hook, ended(), "idle")),
            of("t1", at(900, Hook, tool("a"), "working")),
        ],
    );
    check(
        "clear and resume",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(
                500,
                Hook,
                Fact::SessionStarted { id: None, cause: Some("clear".into()), model: None, log: None },
                "idle",
            ),
            late(700, of("t1", at(400, Log, tool("a"), "idle"))),
        ],
    );
    check(
        "an answered dialog that is looked at once more before the log is read",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            of("t1", at(90, Log, asks("a", "ls"), "prompt")),
            at(250, Screen, some_dialog(), "prompt"),
            late(270, of("t1", at(200, Log, tool_done("a"), "working"))),
            of("t1", at(300, Log, asks("b", "ls"), "prompt")),
            at(450, Screen, some_dialog(), "prompt"),
            late(480, at(400, Registry, WORKING, "working")),
        ],
    );
    check(
        "minutes of thinking, with the input box on the screen all the while",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(1000, Screen, WORKING, "working"),
            later(300_000, "working"),
        ],
    );
    check(
        "killed",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            at(100, Source::Process, Fact::ProcessExited, "exited"),
            late(300, at(99, Registry, WORKING, "exited")),
        ],
    );
}

#[test]
fn a_process_that_is_replaced() {
    let process = |ms, fact, expect| at(ms, Source::Process, fact, expect);
    check(
        "nothing of the old one counts any more, and the new one is heard",
        vec![
            of("t1", at(0, Hook, started(), "working")),
            process(100, Fact::ProcessReplacing, "restarting"),
            of("t1", at(150, Hook, ended(), "restarting")),
            at(160, Registry, IDLE, "restarting"),
            process(200, Fact::ProcessStarted, "starting"),
            of("t1", late(250, at(190, Hook, ended(), "starting"))),
            late(260, at(140, Registry, WORKING, "starting")),
            at(400, Registry, IDLE, "idle"),
            of("t1", at(600, Hook, started(), "working")),
        ],
    );
    check(
        "one that had exited",
        vec![
            process(0, Fact::ProcessExited, "exited"),
            process(100, Fact::ProcessReplacing, "restarting"),
            process(110, Fact::ProcessStarted, "starting"),
            at(300, Registry, IDLE, "idle"),
        ],
    );
    let mut machine = Machine::new(Instant::now(), Settings::default());
    let now = Instant::now();
    let mut hear = |source, fact| {
        (machine.handle(now, Evidence { source, at: now, turn: None, fact }), machine.reason().to_owned())
    };
    hear(Hook, asks("a", "ls"));
    let (effects, _) = hear(Source::Process, Fact::ProcessReplacing);
    let names: Vec<bool> = effects.iter().map(|effect| matches!(effect, Effect::PromptResolved { .. })).collect();
    assert_eq!(names, [true, false], "its prompt is over: {effects:?}");
    let why = "`claude` was not found".to_owned();
    let (_, reason) = hear(Source::Process, Fact::ProcessFailed { why: why.clone() });
    assert_eq!(reason, why, "the state says why");
}

#[test]
fn words_about_one_dialog_are_one_prompt() {
    let start = Instant::now();
    let mut machine = Machine::new(start, settings());
    let mut say = |ms: u64, source, fact| {
        let at = start + Duration::from_millis(ms);
        machine.handle(at, Evidence { source, at, turn: None, fact })
    };
    say(0, Hook, started());
    let shown = say(100, Report, Fact::PromptShown { context: PromptContext::Permission(PermissionPrompt::default()) });
    assert!(matches!(shown[..], [Effect::State { .. }]));
    let told = say(120, Hook, asks("a", "ls"));
    assert!(matches!(&told[..], [Effect::Prompt { prompt }] if prompt.id.0 == "p1"), "{told:?}");
    let next = say(500, Hook, question());
    assert!(
        matches!(&next[..], [Effect::PromptResolved { id, by }, Effect::State { prev: "prompt", .. }] if id.0 == "p1" && by == "terminal"),
        "{next:?}"
    );
    let generic = say(510, Hook, some_dialog());
    assert_eq!(generic, [], "it says less than is known");
}

/// The work between an answer and the end of a turn may be told after that end, or by nobody.
#[test]
fn a_turn_that_ends_by_itself_went_on_after_its_dialog() {
    let rows = [
        (true, ended(), &["working", "idle"][..]),
        (true, Fact::Interrupted, &["idle"]),
        (true, failed("overloaded", None), &["error"]),
        (false, ended(), &["idle"]),
    ];
    for (asks_amid_work, end, expected) in rows {
        let start = Instant::now();
        let mut machine = Machine::new(start, Settings { asks_amid_work, ..settings() });
        let mut say = |ms: u64, fact| {
            let at = start + Duration::from_millis(ms);
            machine.handle(at, Evidence { source: Hook, at, turn: Some("t".into()), fact })
        };
        say(0, started());
        say(100, asks("a", "ls"));
        let effects = say(900, end);
        let mut last = "prompt";
        let mut states = Vec::new();
        for effect in &effects {
            if let Effect::State { prev, next, .. } = effect {
                assert_eq!(*prev, last, "each begins where the one before ended");
                last = next.name();
                states.push(last);
            }
        }
        assert_eq!(states, expected, "{effects:?}");
        assert!(matches!(effects.first(), Some(Effect::PromptResolved { .. })), "{effects:?}");
        assert_eq!(machine.state().name(), last);
        let late = Evidence {
            source: Log,
            at: start + Duration::from_millis(800),
            turn: Some("t".into()),
            fact: tool_done("a"),
        };
        assert_eq!(machine.handle(start + Duration::from_millis(950), late), [], "told late");
    }
}

#[test]
fn one_prompt_has_one_winner() {
    let now = Instant::now();
    let mut machine = Machine::new(now, settings());
    machine.handle(now, Evidence { source: Hook, at: now, turn: None, fact: asks("a", "ls") });
    let id = machine.state().prompt().unwrap().id.clone();
    assert_eq!(machine.claim(&id, "ann"), Ok(()));
    assert_eq!(machine.claim(&id, "bob"), Err(Some("ann".into())));
    let after = now + Duration::from_secs(1);
    let over = machine.handle(after, Evidence { source: Hook, at: after, turn: None, fact: tool_done("a") });
    assert!(over.contains(&Effect::PromptResolved { id: id.clone(), by: "ann".into() }));
    assert_eq!(machine.claim(&id, "bob"), Err(Some("ann".into())));
    assert_eq!(machine.answered_by(&id), Some("ann"));
}

#[test]
fn the_older_rules_for_what_cannot_be_ordered() {
    let prompt = |fact: Fact| {
        let now = Instant::now();
        let mut machine = Machine::new(now, settings());
        machine.handle(now, Evidence { source: Hook, at: now, turn: None, fact });
        machine.state().clone()
    };
    let (generic, specific) = (prompt(some_dialog()), prompt(question()));
    for (current, new, accepted) in [
        ((&State::Working, 1), (&State::Exited, 5), true),
        ((&State::Working, 1), (&State::Working, 1), false),
        ((&State::Working, 2), (&State::Idle, 2), true),
        ((&State::Working, 2), (&State::Idle, 1), true),
        ((&State::Working, 1), (&State::Idle, 5), false),
        ((&State::Idle, 1), (&State::Working, 5), true),
        ((&State::Working, 1), (&generic, 5), true),
        ((&specific, 1), (&generic, 1), false),
        ((&generic, 1), (&specific, 1), true),
        ((&State::Starting, 5), (&State::Idle, 5), true),
    ] {
        assert_eq!(composite(current, new), accepted, "{} {} → {} {}", current.0, current.1, new.0, new.1);
    }
}
