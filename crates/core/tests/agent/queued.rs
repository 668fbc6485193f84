//! Dialogs that queue: each is a prompt of its own, with the input of its own call, and an answer reaches no other.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::machine::{Effect, Machine};
use coop_core::agent::prompt::{Choice, OPEN_DIALOG, PermissionPrompt, PromptContext, SetupPrompt};
use coop_core::agent::shown::Shown;
use serde_json::json;

use super::asked::{asks, command, permission, starts};
use super::{Told, WORKING, at, ended, late, later, of, settings, setup, some_dialog, started, tool_done, walk};
use Source::{Hook, Log, Registry, Report, Screen};

/// A dialog about a command, as the terminal shows it.
fn dialog(command: &str) -> PromptContext {
    let (tool, shown) = (Some("Bash".into()), Some(Shown::command(command)));
    PromptContext::Permission(PermissionPrompt { tool, shown: shown.map(Box::new), ..PermissionPrompt::default() })
}

fn reports(command: &str) -> Fact {
    Fact::PromptShown { context: dialog(command) }
}

fn sees(command: &str) -> Fact {
    Fact::Looks(Look::Dialog { context: Some(Box::new(dialog(command))) })
}

fn subagent_asks(command: &str) -> Fact {
    Fact::PromptShown { context: permission(command, Some("sub")) }
}

fn opens() -> Fact {
    let setup = SetupPrompt { subtype: OPEN_DIALOG.into(), ..SetupPrompt::default() };
    Fact::PromptShown { context: PromptContext::Setup(setup) }
}

fn is(machine: &Machine) -> String {
    let what = |context: &PromptContext| match context {
        PromptContext::Setup(setup) => setup.subtype.clone(),
        context => command(context).unwrap_or("?").to_owned(),
    };
    machine
        .state()
        .prompt()
        .map_or_else(|| machine.state().name().to_owned(), |prompt| format!("{} {}", prompt.id, what(&prompt.context)))
}

/// After each row: the prompt and its command, or the state. `?` is a dialog of which the call is not known.
fn check(name: &str, rows: Vec<Told>) {
    walk(rows, |machine, now, number, _, expect| {
        assert_eq!(is(machine), expect, "{name}, row {number}: {:#?}", machine.explain(now));
    });
}

#[test]
fn queued_dialogs_are_prompts_with_their_own_inputs() {
    let turn = || of("t", at(0, Hook, started(), "working"));
    check(
        "the subagent is first",
        vec![
            turn(),
            of("t", at(100, Hook, subagent_asks("rm"), "p1 rm")),
            at(105, Report, reports("rm"), "p1 rm"),
            late(1010, of("t", at(1000, Log, starts("a", "touch"), "p1 rm"))),
            of("t", at(1010, Hook, asks("touch"), "p1 rm")),
            at(1050, Screen, sees("rm"), "p1 rm"),
            // It is answered, and nothing but the terminal tells.
            at(2000, Report, reports("touch"), "p2 touch"),
            at(2020, Screen, sees("touch"), "p2 touch"),
            // The first is over, or has stepped back for the other: it is another prompt when it comes again.
            late(2200, of("t", at(2150, Log, tool_done("a"), "working"))),
            at(2210, Report, reports("rm"), "p3 rm"),
            at(2500, Report, WORKING, "working"),
        ],
    );
    check(
        "the main agent is first, and its log is late",
        vec![
            turn(),
            of("t", at(100, Hook, asks("touch"), "p1 touch")),
            at(105, Registry, some_dialog(), "p1 touch"),
            at(110, Screen, sees("touch"), "p1 touch"),
            late(200, of("t", at(90, Log, starts("a", "touch"), "p1 touch"))),
            of("t", at(300, Hook, subagent_asks("rm"), "p1 touch")),
            at(1000, Screen, sees("rm"), "p2 rm"),
            late(1200, of("t", at(1100, Log, tool_done("a"), "p2 rm"))),
            at(1500, Registry, WORKING, "working"),
        ],
    );
    check(
        "no hook tells of the second",
        vec![
            turn(),
            late(120, of("t", at(90, Log, starts("a", "touch"), "working"))),
            at(110, Report, reports("touch"), "p1 touch"),
            at(120, Screen, sees("touch"), "p1 touch"),
            // The call that is not over is not the one it shows.
            at(1000, Report, reports("rm"), "p2 ?"),
            at(1020, Screen, sees("rm"), "p2 ?"),
            late(1300, of("t", at(1050, Log, tool_done("a"), "p2 ?"))),
            late(1400, of("t", at(1060, Log, starts("b", "mkdir"), "p2 ?"))),
            later(9000, "p2 ?"),
        ],
    );
    check(
        "the hook of the second is gone when its dialog comes",
        vec![
            turn(),
            of("t", at(100, Hook, subagent_asks("rm"), "p1 rm")),
            of("t", at(500, Hook, asks("touch"), "p2 touch")),
            at(510, Report, reports("touch"), "p2 touch"),
            at(1000, Report, Fact::PromptGone, "working"),
            of("t", at(1500, Hook, ended(), "idle")),
            at(1600, Report, reports("rm"), "p3 rm"),
        ],
    );
    check(
        "the same command twice",
        vec![
            turn(),
            of("t", at(100, Hook, asks("make"), "p1 make")),
            of("t", at(110, Hook, subagent_asks("make"), "p1 make")),
            late(200, of("t", at(90, Log, starts("a", "make"), "p1 make"))),
            late(1000, of("t", at(900, Log, tool_done("a"), "p2 make"))),
        ],
    );
}

/// A repaint takes time: the dialog before may be seen when the next was told.
#[test]
fn dialog_that_is_still_on_the_screen_is_not_the_next_one() {
    let told = || {
        vec![
            of("t", at(0, Hook, started(), "working")),
            of("t", at(100, Hook, asks("touch"), "p1 touch")),
            at(110, Screen, sees("touch"), "p1 touch"),
            late(200, at(190, Registry, WORKING, "working")),
            of("t", at(300, Hook, asks("rm"), "p2 rm")),
        ]
    };
    let with = |rest: Vec<Told>| told().into_iter().chain(rest).collect();
    check(
        "it is painted over",
        with(vec![at(320, Screen, sees("touch"), "p2 rm"), at(400, Screen, sees("rm"), "p2 rm"), later(9000, "p2 rm")]),
    );
    check(
        "it stays: it was asked again, and no hook told",
        with(vec![
            at(320, Screen, sees("touch"), "p2 rm"),
            at(900, Screen, sees("touch"), "p2 rm"),
            later(2310, "p2 rm"),
            later(2330, "p3 ?"),
        ]),
    );
}

/// A subagent whose hook waits shows no dialog: what the terminal and the main turn do says nothing about its prompt.
#[test]
fn withheld_prompt_outlives_the_turn_and_every_look() {
    let start = Instant::now();
    let ms = |ms: u64| start + Duration::from_millis(ms);
    let looks = |look| Fact::Looks(look);
    for (held, expected) in [(true, "p1 rm"), (false, "idle")] {
        let mut machine = Machine::new(start, settings());
        hear(&mut machine, ms(0), Hook, started());
        hear(&mut machine, ms(100), Hook, subagent_asks("rm"));
        let id = machine.state().prompt().map(|prompt| prompt.id.clone()).unwrap();
        machine.set_by_hook(&id, held);
        assert_eq!(machine.is_withheld(&id), held);
        hear(&mut machine, ms(3000), Registry, looks(Look::Working));
        hear(&mut machine, ms(4000), Hook, ended());
        hear(&mut machine, ms(5000), Registry, looks(Look::Idle));
        assert_eq!(is(&machine), expected, "held: {held}");
    }
    // Its dialog comes when the hook has returned; the terminal tells when that is over.
    let mut machine = Machine::new(start, settings());
    hear(&mut machine, ms(0), Hook, started());
    hear(&mut machine, ms(100), Hook, subagent_asks("rm"));
    let id = machine.state().prompt().map(|prompt| prompt.id.clone()).unwrap();
    machine.set_by_hook(&id, true);
    machine.set_by_hook(&id, false);
    hear(&mut machine, ms(300), Report, reports("rm"));
    hear(&mut machine, ms(4000), Hook, ended());
    assert_eq!(is(&machine), "p1 rm", "the main turn has ended, and the dialog is up");
    hear(&mut machine, ms(5000), Report, looks(Look::Idle));
    assert_eq!(is(&machine), "idle");
    // An answer by the hook is all that the agent gets.
    let mut machine = Machine::new(start, settings());
    hear(&mut machine, ms(0), Hook, started());
    hear(&mut machine, ms(100), Hook, subagent_asks("rm"));
    let id = machine.state().prompt().map(|prompt| prompt.id.clone()).unwrap();
    machine.set_by_hook(&id, true);
    let effects = machine.taken(ms(200), &id);
    assert!(matches!(effects[..], [Effect::PromptResolved { .. }, Effect::State { .. }]), "{effects:?}");
    assert_eq!(is(&machine), "working");
}

/// The hook of the second call is heard before the log has told of it and of the end of the first.
#[test]
fn call_for_the_same_file_has_its_own_input() {
    let write = |content: &str| json!({ "file_path": "/srv/a.txt", "content": content });
    let asks = |content: &str| {
        let (tool, input) = (Some("Write".into()), Some(write(content)));
        let asked = PermissionPrompt { tool, input, ..PermissionPrompt::default() };
        Fact::PromptShown { context: PromptContext::Permission(asked) }
    };
    let start = Instant::now();
    let ms = |ms: u64| start + Duration::from_millis(ms);
    let mut machine = Machine::new(start, settings());
    let content = |machine: &Machine| {
        let prompt = machine.state().prompt().cloned();
        prompt.and_then(|prompt| prompt.context.input().map(|input| input["content"].clone()))
    };
    hear(&mut machine, ms(0), Hook, started());
    let (id, name, input) = (Some("a".into()), Some("Write".into()), Some(write("one")));
    hear(&mut machine, ms(90), Log, Fact::ToolStarted { id, name, input, agent: None });
    hear(&mut machine, ms(100), Hook, asks("one"));
    assert_eq!(content(&machine), Some(json!("one")));
    hear(&mut machine, ms(400), Registry, WORKING);
    hear(&mut machine, ms(500), Hook, asks("two"));
    assert_eq!(content(&machine), Some(json!("two")));
}

#[test]
fn unrecognised_dialog_is_another_prompt_than_the_one_that_follows() {
    let turn = || of("t", at(0, Hook, started(), "working"));
    check(
        "a notice, then the permission",
        vec![
            turn(),
            at(100, Report, opens(), "p1 dialog"),
            late(160, at(105, Registry, setup(OPEN_DIALOG), "p1 dialog")),
            at(170, Screen, setup("auto_mode_notice"), "p1 auto_mode_notice"),
            late(4060, at(4000, Registry, some_dialog(), "p2 ?")),
            at(4070, Report, reports("curl"), "p2 ?"),
            late(4100, of("t", at(90, Log, starts("a", "curl"), "p2 curl"))),
        ],
    );
    check(
        "one of which sources tell one after the other",
        vec![turn(), at(100, Registry, some_dialog(), "p1 ?"), of("t", at(4500, Hook, asks("curl"), "p1 curl"))],
    );
}

fn hear(machine: &mut Machine, at: Instant, source: Source, fact: Fact) -> Vec<Effect> {
    machine.handle(at, Evidence { source, at, turn: None, fact })
}

/// An answer is on its way to a dialog of which nothing is known: it must not reach what is known then.
#[test]
fn claimed_prompt_does_not_become_another_dialog() {
    let start = Instant::now();
    let ms = |ms: u64| start + Duration::from_millis(ms);
    for (claimed, expected) in [(false, "p1 curl"), (true, "p2 curl")] {
        let mut machine = Machine::new(start, settings());
        hear(&mut machine, ms(0), Hook, started());
        hear(&mut machine, ms(100), Registry, some_dialog());
        let id = machine.state().prompt().map(|prompt| prompt.id.clone()).unwrap();
        if claimed {
            machine.claim(&id, "person").unwrap();
        }
        let effects = hear(&mut machine, ms(300), Hook, asks("curl"));
        assert_eq!(is(&machine), expected);
        let over =
            effects.iter().any(|effect| matches!(effect, Effect::PromptResolved { id: over, .. } if *over == id));
        assert_eq!(over, claimed);
    }
}

#[test]
fn options_are_invented_for_a_hook_alone() {
    let options = [Choice { label: "Yes".into(), ..Choice::default() }];
    let start = Instant::now();
    for (source, fact, by_hook, ready) in [
        (Registry, some_dialog(), false, false),
        (Report, reports("rm"), false, false),
        (Report, opens(), false, false),
        (Hook, asks("rm"), false, false),
        (Hook, asks("rm"), true, true),
    ] {
        let mut machine = Machine::new(start, settings());
        hear(&mut machine, start, Hook, started());
        hear(&mut machine, start + Duration::from_millis(100), source, fact.clone());
        let id = machine.state().prompt().map(|prompt| prompt.id.clone()).unwrap();
        machine.set_by_hook(&id, by_hook);
        machine.fall_back(&id, &options);
        let prompt = machine.state().prompt().unwrap();
        assert_eq!((prompt.ready, prompt.context.options().is_empty()), (ready, !ready), "{fact:?} {by_hook}");
    }
}
