//! What holds whatever is said.

use std::time::{Duration, Instant};

use coop_core::agent::evidence::{Evidence, Fact, Source};
use coop_core::agent::machine::{Effect, Machine};
use coop_core::agent::record::{Recorded, replay};
use coop_core::agent::state::State;
use proptest::prelude::*;

use super::{IDLE, WORKING, asks, ended, failed, question, run_until, settings, some_dialog, started, tool, tool_done};
use Source::Registry;

fn any_fact() -> impl Strategy<Value = Fact> {
    prop_oneof![
        Just(started()),
        Just(ended()),
        Just(IDLE),
        Just(WORKING),
        Just(some_dialog()),
        Just(question()),
        Just(Fact::Interrupted),
        Just(Fact::SubagentEnded),
        Just(Fact::Compacting),
        Just(failed("rate_limit", None)),
        (0..4_u8).prop_map(|id| asks(&id.to_string(), "ls")),
        (0..4_u8).prop_map(|id| tool(&id.to_string())),
        (0..4_u8).prop_map(|id| tool_done(&id.to_string())),
    ]
}

type AnyTold = (u64, u64, usize, Option<u8>, Fact);

fn any_told() -> impl Strategy<Value = AnyTold> {
    (0..400_u64, 0..300_u64, 0..Source::ALL.len(), prop::option::of(0..3_u8), any_fact())
}

fn play(told: &[AnyTold]) -> (Machine, Instant, Vec<Effect>) {
    // A fixed beginning, so that two runs are the same.
    let start = *START.get_or_init(|| Instant::now() + Duration::from_secs(1000));
    let mut machine = Machine::new(start, settings());
    let mut effects = Vec::new();
    let mut now = start;
    for (pause, age, source, turn, fact) in told {
        now += Duration::from_millis(*pause);
        effects.extend(run_until(&mut machine, now));
        let at = now - Duration::from_millis(*age);
        let turn = turn.map(|turn| turn.to_string());
        effects.extend(machine.handle(now, Evidence { source: Source::ALL[*source], at, turn, fact: fact.clone() }));
    }
    (machine, now, effects)
}

static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();

proptest! {
    /// The same evidence gives the same effects.
    #[test]
    fn a_run_replays(told in prop::collection::vec(any_told(), 0..60)) {
        let (first, _, effects) = play(&told);
        let (second, _, again) = play(&told);
        prop_assert_eq!(effects, again);
        prop_assert_eq!(first.state(), second.state());
    }

    /// Written down and read again, it is decided the same.
    #[test]
    fn a_record_replays(told in prop::collection::vec(any_told(), 0..60)) {
        let (machine, _, effects) = play(&told);
        let start = *START.get_or_init(|| Instant::now() + Duration::from_secs(1000));
        let mut now = start;
        let recorded = told.iter().map(|(pause, age, source, turn, fact)| {
            now += Duration::from_millis(*pause);
            let at = now - Duration::from_millis(*age);
            let turn = turn.map(|turn| turn.to_string());
            let evidence = Evidence { source: Source::ALL[*source], at, turn, fact: fact.clone() };
            let line = serde_json::to_string(&Recorded::new(start, now, &evidence)).unwrap();
            serde_json::from_str::<Recorded>(&line).unwrap()
        });
        let steps = replay(start, settings(), recorded.collect::<Vec<_>>());
        let again: Vec<Effect> = steps.iter().flat_map(|step| step.effects.clone()).collect();
        prop_assert_eq!(effects, again);
        prop_assert_eq!(machine.state().name(), steps.last().map_or("starting", |step| step.state));
    }

    /// Whatever was said before: what the registry says last is the state within the bound, if nothing follows.
    #[test]
    fn the_registry_is_right_within_the_bound(mut told in prop::collection::vec(any_told(), 0..60), busy: bool) {
        told.retain(|(_, _, source, _, _)| Source::ALL[*source].is_structured());
        let (mut machine, mut now, _) = play(&told);
        now += Duration::from_millis(400);
        let look = if busy { WORKING } else { IDLE };
        machine.handle(now, Evidence { source: Registry, at: now, turn: None, fact: look });
        run_until(&mut machine, now + Duration::from_secs(2));
        let state = machine.state();
        let right = match state {
            State::Working => busy,
            State::Idle | State::Error(_) | State::Parked(_) => !busy,
            _ => false,
        };
        prop_assert!(right, "{} after {:?}", state, machine.explain(now));
    }

    /// A prompt that was told is either up, or was resolved: each exactly once.
    #[test]
    fn every_prompt_ends_once(told in prop::collection::vec(any_told(), 0..80)) {
        let (machine, _, effects) = play(&told);
        let mut over: Vec<_> = effects
            .iter()
            .filter_map(|effect| match effect { Effect::PromptResolved { id, .. } => Some(id.clone()), _ => None })
            .collect();
        let count = over.len();
        over.sort();
        over.dedup();
        prop_assert_eq!(count, over.len());
        if let Some(prompt) = machine.state().prompt() {
            prop_assert!(!over.contains(&prompt.id));
        }
    }
}
