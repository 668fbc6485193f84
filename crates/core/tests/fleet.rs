//! Which reports are of the same agent, what wants a person first, and how text is shown.
#![allow(clippy::unwrap_used, reason = "helpers of tests may")]

use std::time::{Duration, Instant};

use coop_core::agent::conversation::Usage;
use coop_core::agent::evidence::{Evidence, Fact, Look, Source};
use coop_core::agent::prompt::{PermissionPrompt, PromptContext, QuestionPrompt};
use coop_core::agent::spent::{Context, Spent};
use coop_core::agent::state::{Failure, State};
use coop_core::fleet::text::shown;
use coop_core::fleet::{Control, Effect, EntryId, Fleet, Process, Rank, Sighting};
use proptest::prelude::*;

fn process(pid: u32, started: u64) -> Process {
    Process { host: None, pid, started }
}

fn sighting(control: Control, process: Option<Process>, conversation: &str) -> Sighting {
    Sighting {
        agent: "claude".into(),
        control: Some(control),
        process,
        conversation: Some(conversation.into()),
        cwd: Some("/srv/shop".into()),
        ..Sighting::default()
    }
}

struct World {
    fleet: Fleet,
    now: Instant,
    ms: u64,
}

impl World {
    fn new() -> Self {
        Self { fleet: Fleet::default(), now: Instant::now(), ms: 1_000_000 }
    }

    fn wait(&mut self, secs: u64) {
        let end = self.now + Duration::from_secs(secs);
        while let Some(at) = self.fleet.deadline().filter(|at| *at <= end) {
            self.ms += u64::try_from((at - self.now).as_millis()).unwrap();
            self.now = at;
            self.fleet.on_deadline(self.now, self.ms);
        }
        self.ms += u64::try_from((end - self.now).as_millis()).unwrap();
        self.now = end;
    }

    fn see(&mut self, sighting: Sighting) -> EntryId {
        self.fleet.see(self.now, self.ms, sighting).0
    }

    fn hear(&mut self, id: EntryId, source: Source, fact: Fact) -> Vec<Effect> {
        self.wait(1);
        let evidence = Evidence { source, at: self.now, turn: None, fact };
        self.fleet.hear(self.now, self.ms, id, evidence)
    }

    fn state(&self, id: EntryId) -> &'static str {
        self.fleet.get(id).unwrap().state.name()
    }
}

#[test]
fn reports_of_one_process_are_of_one_agent() {
    let mut world = World::new();
    let first = world.see(sighting(Control::Observed, Some(process(7, 1)), "a"));
    let twin = world.see(sighting(Control::Observed, Some(process(8, 1)), "b"));
    assert_ne!(first, twin, "two in one folder");
    assert_eq!(world.see(sighting(Control::Hooked, None, "a")), first, "a hook knows the conversation only");
    assert_eq!(world.see(sighting(Control::Owned, Some(process(7, 1)), "a")), first);
    assert_eq!(world.fleet.get(first).unwrap().control(), Control::Owned);
    // `/clear` begins another conversation in the same process.
    assert_eq!(world.see(sighting(Control::Observed, Some(process(7, 1)), "c")), first);
    assert_eq!(world.see(sighting(Control::Hooked, None, "c")), first);
    let entry = world.fleet.get(first).unwrap();
    assert_eq!((entry.conversation.as_deref(), &entry.earlier[..]), (Some("c"), &["a".to_owned()][..]));
    // A process that got the number of one that ended.
    assert_ne!(world.see(sighting(Control::Observed, Some(process(7, 2)), "d")), first);
    // The same conversation, opened twice.
    assert_ne!(world.see(sighting(Control::Observed, Some(process(9, 1)), "c")), first);
}

/// `/clear`: a hook tells of the new conversation before the agent's own files do.
#[test]
fn a_conversation_that_turns_out_to_be_of_a_known_process_is_one_with_it() {
    let mut world = World::new();
    let id = world.see(sighting(Control::Observed, Some(process(7, 1)), "a"));
    let early = world.see(sighting(Control::Hooked, None, "b"));
    assert_ne!(id, early);
    let (same, effects) = world.fleet.see(world.now, world.ms, sighting(Control::Observed, Some(process(7, 1)), "b"));
    assert_eq!(same, id);
    assert!(effects.contains(&Effect::Merged { gone: early, into: id }), "{effects:?}");
    assert!(world.fleet.get(early).is_none());
    assert_eq!(world.fleet.get(id).unwrap().control(), Control::Hooked);
    assert_eq!(world.see(sighting(Control::Hooked, None, "b")), id);
    // A conversation that lives in another process stays with it.
    let other = world.see(sighting(Control::Observed, Some(process(8, 1)), "c"));
    assert_eq!(world.see(sighting(Control::Observed, Some(process(7, 1)), "c")), id);
    assert!(world.fleet.get(other).is_some());
}

#[test]
fn an_agent_of_an_earlier_run_is_known_by_its_conversation() {
    let mut world = World::new();
    let mut old = coop_core::fleet::Entry::new(41, "claude", 5);
    old.conversation = Some("a".into());
    old.state = State::Exited;
    world.fleet.restore(world.now, old);
    assert_eq!(world.see(sighting(Control::Observed, Some(process(7, 1)), "a")), 41);
    assert_eq!(world.state(41), "starting");
    assert_eq!(world.see(sighting(Control::Observed, Some(process(8, 1)), "b")), 42);
}

#[test]
fn a_hook_that_comes_too_late_holds_nothing() {
    let mut world = World::new();
    let id = world.see(sighting(Control::Hooked, Some(process(7, 1)), "a"));
    let context = PromptContext::Permission(PermissionPrompt { tool: Some("Bash".into()), ..Default::default() });
    assert_eq!(world.fleet.hold(id, &context), None);
    world.hear(id, Source::Hook, Fact::PromptShown { context: context.clone() });
    let prompt = world.fleet.hold(id, &context).unwrap();
    let effects = world.hear(id, Source::Hook, Fact::TurnEnded { last_message: None });
    assert!(effects.contains(&Effect::PromptResolved { id, prompt, by: "terminal".into() }), "{effects:?}");
    assert_eq!(world.fleet.hold(id, &context), None);
}

#[test]
fn sessions_that_are_reported_over_the_network_are_bounded_and_displace_no_other() {
    let mut world = World::new();
    for pid in 0..1200 {
        world.see(sighting(Control::Observed, Some(process(pid, 1)), &format!("ran {pid}")));
        world.fleet.exited(world.now, world.ms, &process(pid, 1));
    }
    let running = world.see(sighting(Control::Observed, Some(process(5000, 1)), "runs"));
    let asking = world.see(sighting(Control::Hooked, None, "asks"));
    let context =
        PromptContext::Permission(PermissionPrompt { tool: Some("Bash".into()), ..PermissionPrompt::default() });
    world.hear(asking, Source::Hook, Fact::PromptShown { context });
    for number in 0..2500 {
        let mut reported = sighting(Control::Hooked, None, &format!("reported {number}"));
        reported.network = true;
        reported.last_message = Some("ä".repeat(200_000));
        let id = world.see(reported);
        assert!(world.fleet.get(id).unwrap().last_message.as_ref().unwrap().len() <= 64 << 10);
        // Its end makes it no more important.
        if number % 2 == 0 {
            world.fleet.close(world.ms, id);
        }
        world.ms += 1;
    }
    let ran = world.fleet.iter().filter(|entry| entry.conversation.as_ref().unwrap().starts_with("ran")).count();
    assert_eq!((ran, world.fleet.iter().count()), (1000, 1252), "those that ran, those of the network, and two more");
    assert!(world.fleet.get(running).is_some() && world.fleet.get(asking).is_some());
    let newest = world.fleet.find(None, Some("reported 2499"));
    assert!(newest.is_some() && world.fleet.find(None, Some("reported 0")).is_none());
}

#[test]
fn a_session_that_ended_can_go_on() {
    let mut world = World::new();
    let id = world.see(sighting(Control::Observed, Some(process(7, 1)), "a"));
    world.hear(id, Source::Registry, Fact::Looks(Look::Working));
    world.fleet.exited(world.now, world.ms, &process(7, 1));
    let entry = world.fleet.get(id).unwrap();
    assert_eq!((entry.control(), entry.state.name(), entry.rank()), (Control::Cold, "exited", Rank::Over));
    assert_eq!(world.fleet.exited(world.now, world.ms, &process(7, 1)), [], "told once");
    // Resumed in another process.
    assert_eq!(world.see(sighting(Control::Observed, Some(process(30, 5)), "a")), id);
    assert_eq!((world.state(id), world.fleet.get(id).unwrap().control()), ("starting", Control::Observed));
    world.hear(id, Source::Registry, Fact::Looks(Look::Idle));
    assert_eq!(world.state(id), "idle");
}

#[test]
fn a_sidecar_knows_better() {
    let mut world = World::new();
    let id = world.see(sighting(Control::Owned, Some(process(7, 1)), "a"));
    world.fleet.told(world.ms, id, State::Idle, Some(Source::Hook), "it said so");
    assert_eq!(world.hear(id, Source::Registry, Fact::Looks(Look::Working)), []);
    assert_eq!(world.state(id), "idle");
    world.see(sighting(Control::Observed, Some(process(7, 1)), "a"));
    world.fleet.lose(id, Control::Owned);
    world.hear(id, Source::Registry, Fact::Looks(Look::Working));
    assert_eq!(world.state(id), "working", "the sidecar is gone, the agent is not");
}

#[test]
fn who_needs_a_person_comes_first() {
    let mut world = World::new();
    let ids: Vec<EntryId> =
        (1..=6).map(|pid| world.see(sighting(Control::Owned, Some(process(pid, 1)), &pid.to_string()))).collect();
    let failure = || Failure { kind: "x".into(), detail: String::new(), resume_at_ms: None };
    world.fleet.told(1, ids[0], State::Working, None, "");
    world.fleet.told(2, ids[1], State::Idle, None, "");
    world.fleet.told(3, ids[2], State::Error(failure()), None, "");
    world.fleet.told(4, ids[3], State::Working, None, "");
    world.fleet.told(5, ids[3], State::Idle, None, "");
    world.fleet.told(7, ids[4], State::Parked(failure()), None, "");
    world.fleet.told(6, ids[5], State::Error(failure()), None, "");
    let mut entries: Vec<_> = world.fleet.iter().collect();
    entries.sort_by_key(|entry| entry.urgency());
    let order: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    assert_eq!(order, [ids[2], ids[5], ids[3], ids[4], ids[1], ids[0]]);
    world.fleet.looked_at(ids[3]);
    assert_eq!(world.fleet.get(ids[3]).unwrap().rank(), Rank::Rests, "somebody has looked");
}

/// The events of hooks alone, as the first specification has them, and the state each leads to from any other.
#[test]
fn hooks_alone_tell_the_state() {
    let tool =
        |name: &str| Fact::ToolStarted { id: Some("t".into()), name: Some(name.into()), input: None, agent: None };
    let asked = || Fact::PromptShown { context: PromptContext::Question(QuestionPrompt::default()) };
    let done = || Fact::ToolFinished { id: Some("t".into()), name: None, agent: None };
    let failed =
        || Fact::TurnFailed { failure: Failure { kind: "x".into(), detail: String::new(), resume_at_ms: None } };
    type Event<'a> = (&'a str, Vec<Fact>, &'a str);
    let events: Vec<Event<'_>> = vec![
        ("prompt_submit", vec![Fact::TurnStarted { text: None }], "working"),
        ("tool_start", vec![Fact::TurnStarted { text: None }, tool("Bash")], "working"),
        (
            "tool_start of a question",
            vec![Fact::TurnStarted { text: None }, tool("AskUserQuestion"), asked()],
            "prompt",
        ),
        ("tool_call", vec![Fact::TurnStarted { text: None }, tool("Bash"), done()], "working"),
        // With its last words, as a Stop hook has them: an end without any may be that of the turn that failed.
        ("stop", vec![Fact::TurnEnded { last_message: Some("Done.".into()) }], "idle"),
        ("stop with an error", vec![Fact::TurnStarted { text: None }, failed()], "error"),
    ];
    for (before, first, _) in &events {
        for (after, then, state) in &events {
            let mut world = World::new();
            let id = world.see(sighting(Control::Hooked, Some(process(7, 1)), "a"));
            for fact in first.iter().chain(then) {
                world.hear(id, Source::Hook, fact.clone());
            }
            assert_eq!(world.state(id), *state, "{before}, then {after}");
        }
    }
}

#[test]
fn what_hides_is_shown() {
    for (text, seen) in [
        ("plain ü 日本 👩‍👩", "plain ü 日本 👩<U+200D>👩"),
        ("a\n\tb", "a\n\tb"),
        ("rm \u{202e}txt.exe", "rm <U+202E>txt.exe"),
        ("a\u{1b}[2Jb\r\u{7f}", "a␛[2Jb␍␡"),
        ("git\u{200b}status\u{feff}", "git<U+200B>status<U+FEFF>"),
        ("\u{85}\u{2028}\u{e0041}", "<U+0085><U+2028><U+E0041>"),
    ] {
        assert_eq!(shown(text), seen);
    }
}

proptest! {
    /// What is shown has nothing left that hides, and says all of the rest.
    #[test]
    fn nothing_hides(text in any::<String>()) {
        let seen = shown(&text).into_owned();
        prop_assert_eq!(shown(&seen), seen.clone());
        prop_assert!(seen.chars().count() >= text.chars().count());
    }

    /// An attention state that the agent's own files have moved past is corrected within 12 s, whatever came before.
    #[test]
    fn a_state_that_is_past_is_corrected(kind in 0..3_u8, noise in prop::collection::vec(0..4_u8, 0..6)) {
        let mut world = World::new();
        let id = world.see(sighting(Control::Hooked, Some(process(7, 1)), "a"));
        for step in noise {
            let fact = match step {
                0 => Fact::TurnStarted { text: None },
                1 => Fact::TurnEnded { last_message: None },
                2 => Fact::ToolStarted { id: None, name: Some("Bash".into()), input: None, agent: None },
                _ => Fact::ToolFinished { id: None, name: Some("Bash".into()), agent: None },
            };
            world.hear(id, Source::Hook, fact);
        }
        world.hear(id, Source::Hook, Fact::TurnStarted { text: None });
        let fact = match kind {
            0 => Fact::PromptShown { context: PromptContext::Question(QuestionPrompt::default()) },
            1 => Fact::PromptShown { context: PromptContext::Permission(PermissionPrompt::default()) },
            _ => Fact::TurnFailed { failure: Failure { kind: "x".into(), detail: String::new(), resume_at_ms: None } },
        };
        world.hear(id, Source::Hook, fact);
        // From now on hooks are silent; the registry says once that it is idle.
        world.wait(3);
        world.hear(id, Source::Registry, Fact::Looks(Look::Idle));
        world.wait(12);
        let state = world.state(id);
        prop_assert!(state == "idle" || (kind == 2 && state == "error"), "{}", state);
    }
}

#[test]
fn where_a_sidecar_counts_its_word_is_the_whole_of_it() {
    let mut world = World::new();
    let spent = |input_tokens, tokens| {
        let usage = Usage { input_tokens, ..Usage::default() };
        Some(Spent { usage, cost: None, context: Some(Context { tokens, window: None }) })
    };
    let tell = |world: &mut World, control, conversation: &str, spent| {
        let of = process(7, 1);
        let id = world.see(Sighting { spent, ..sighting(control, Some(of), conversation) });
        let known = world.fleet.get(id).unwrap().spent;
        (known.usage.input_tokens, known.context.map(|context| context.tokens))
    };
    // A log of which not everything was read has no sums.
    assert_eq!(tell(&mut world, Control::Observed, "a", spent(0, 5)), (0, Some(5)));
    assert_eq!(tell(&mut world, Control::Observed, "a", spent(9, 6)), (9, Some(6)));
    assert_eq!(tell(&mut world, Control::Observed, "a", spent(0, 7)), (9, Some(7)));
    assert_eq!(tell(&mut world, Control::Owned, "a", spent(20, 8)), (20, Some(8)));
    assert_eq!(tell(&mut world, Control::Observed, "a", spent(15, 6)), (20, Some(8)));
    assert_eq!(tell(&mut world, Control::Owned, "a", None), (20, Some(8)));
    assert_eq!(tell(&mut world, Control::Owned, "b", None), (0, None), "another conversation has used nothing");
}
