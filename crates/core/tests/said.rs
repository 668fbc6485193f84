//! An agent that tells the end of a turn without its words, and without saying that it failed: its log has both.
#![allow(clippy::unwrap_used, reason = "helpers of tests may")]

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::machine::{Effect, Machine};
use coop_core::agent::resolve::Settings;
use coop_core::agent::state::Failure;

use Source::{Hook, Log, Report};

const STARTED: Fact = Fact::TurnStarted { text: None };
const ENDED: Fact = Fact::TurnEnded { last_message: None };

fn said(text: &str) -> Fact {
    Fact::Said { text: text.into() }
}

/// Each of them a second after the one before.
fn after(rows: &[(Source, Fact)]) -> (String, Option<String>) {
    let start = Instant::now() + Duration::from_secs(100);
    let mut machine = Machine::new(start, Settings::default());
    for (second, (source, fact)) in (1..).zip(rows) {
        let at = start + Duration::from_secs(second);
        machine.handle(at, Evidence { source: *source, at, turn: None, fact: fact.clone() });
    }
    (machine.state().name().to_owned(), machine.last_message().map(str::to_owned))
}

#[test]
fn the_last_words_are_those_of_the_turn() {
    let rows = [(Hook, STARTED), (Log, said("First.")), (Log, said("Last.")), (Hook, ENDED)];
    assert_eq!(after(&rows), ("idle".into(), Some("Last.".into())));
    assert_eq!(after(&rows[..3]).0, "working", "words end nothing");
    let next = [&rows[..], &[(Hook, STARTED)]].concat();
    assert_eq!(after(&next), ("working".into(), None));
}

#[test]
fn a_turn_that_failed_has_not_just_ended() {
    let failed =
        Fact::TurnFailed { failure: Failure { kind: "unknown".into(), detail: String::new(), resume_at_ms: None } };
    let rows = [(Hook, STARTED), (Log, failed), (Hook, ENDED), (Report, Fact::Looks(Look::Idle))];
    assert_eq!(after(&rows[..3]).0, "error");
    assert_eq!(after(&rows).0, "error");
    let next = [&rows[..], &[(Hook, STARTED), (Hook, ENDED)]].concat();
    assert_eq!(after(&next).0, "idle");
}

#[test]
fn limit_that_two_sources_name_differently_is_published_once() {
    let limit = |kind: &str| Fact::TurnFailed {
        failure: Failure { kind: kind.into(), detail: "429 usage limit".into(), resume_at_ms: Some(1_894_725_778_000) },
    };
    let start = Instant::now() + Duration::from_secs(100);
    let mut machine = Machine::new(start, Settings::default());
    let rows = [(Hook, STARTED), (Report, limit("rate_limit")), (Hook, limit("usage_limit"))];
    let published = (1..).zip(rows).flat_map(|(second, (source, fact))| {
        let at = start + Duration::from_secs(second);
        machine.handle(at, Evidence { source, at, turn: None, fact })
    });
    let states = published.filter_map(|effect| match effect {
        Effect::State { next, .. } => Some(next.name()),
        _ => None,
    });
    assert_eq!(states.collect::<Vec<_>>(), ["working", "parked"]);
}

/// When it is heard, when it happened, of which turn.
type Told = (u64, u64, &'static str, Source, Fact);

#[test]
fn words_of_an_end_that_is_not_believed_are_kept() {
    let with = |text: &str| Fact::TurnEnded { last_message: Some(text.into()) };
    let working = Fact::Looks(Look::Working);
    let rows: [(&str, Vec<Told>, &str, Option<&str>); 4] = [
        (
            "a report of work was heard before the hook that ran earlier",
            vec![
                (0, 0, "a", Hook, STARTED),
                (500, 500, "", Report, working.clone()),
                (600, 450, "a", Hook, with("Done.")),
                (700, 700, "", Report, ENDED),
            ],
            "idle",
            Some("Done."),
        ),
        (
            "the end was heard before the hook that tells the words",
            vec![(0, 0, "a", Hook, STARTED), (700, 700, "", Report, ENDED), (800, 690, "a", Hook, with("Done."))],
            "idle",
            Some("Done."),
        ),
        (
            "another turn is under way",
            vec![
                (0, 0, "a", Hook, STARTED),
                (700, 700, "", Report, ENDED),
                (1000, 1000, "b", Hook, STARTED),
                (1100, 705, "a", Hook, with("Old.")),
                (1101, 720, "a", Log, with("Old.")),
            ],
            "working",
            None,
        ),
        (
            "another turn has ended",
            vec![
                (0, 0, "a", Hook, STARTED),
                (700, 700, "", Report, ENDED),
                (1000, 1000, "b", Hook, STARTED),
                (1500, 1500, "b", Hook, with("New.")),
                (1600, 705, "a", Hook, with("Old.")),
            ],
            "idle",
            Some("New."),
        ),
    ];
    for (name, told, state, words) in rows {
        let start = Instant::now() + Duration::from_secs(100);
        let ms = |ms: u64| start + Duration::from_millis(ms);
        let mut machine = Machine::new(start, Settings::default());
        for (heard, at, turn, source, fact) in told {
            let turn = Some(turn.to_owned()).filter(|turn| !turn.is_empty());
            while let Some(due) = machine.deadline().filter(|due| *due <= ms(heard)) {
                machine.on_deadline(due);
            }
            machine.handle(ms(heard), Evidence { source, at: ms(at), turn, fact });
        }
        assert_eq!(
            (machine.state().name(), machine.last_message()),
            (state, words),
            "{name}: {:#?}",
            machine.explain(ms(9000))
        );
    }
}
