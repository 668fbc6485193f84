//! How right coop is about a real agent: what it published, held against what the agent did, and when.
//!
//! The script decides what happens. When it happened is the agent's own word: the file in which it keeps its status,
//! with the time of each change.

mod play;
mod registry;
mod scenes;
mod table;

use std::time::{Duration, SystemTime};

use coop_testkit::{Kind, Options, TestSession};

use play::{Expected, Stage, published};
use registry::Changes;
use scenes::{SITTINGS, Scene, Sitting};

/// What was published, held against the truth.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub version: String,
    /// Sources that were switched off.
    pub without: String,
    pub states: usize,
    /// Each change that the agent timed, and how much later coop said it.
    pub delays: Vec<Delay>,
    /// What is wrong, in words.
    pub wrong: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Delay {
    /// The state, or `interrupt`: idle because the person stopped the turn.
    pub kind: &'static str,
    pub scene: &'static str,
    pub by: Duration,
    /// It should have been told within this.
    pub bound: Duration,
}

/// What the sources that are left can know.
#[derive(Clone, Copy, Debug, Default)]
struct Tells {
    /// That a turn failed; the screen has no reliable sign of it.
    errors: bool,
    /// When a limit is lifted.
    limits: bool,
    /// Somebody but the screen tells of dialogs and of the end of a turn.
    all: bool,
}

impl Tells {
    fn new(version: &str, without: &str) -> Self {
        let on = |source: &str| !without.split(',').any(|off| off == source);
        // The older version does not report to its terminal.
        let reports = on("report") && version != "2.1.197";
        let words = on("hook") || on("log");
        Self { errors: words || reports, limits: words, all: on("hook") || reports || on("registry") }
    }

    /// As much of a state as can be known.
    fn known(self, state: &'static str) -> &'static str {
        match state {
            "error" if !self.errors => "idle",
            "parked" if !self.errors => "idle",
            "parked" if !self.limits => "error",
            state => state,
        }
    }

    fn bound(self, kind: &str) -> Duration {
        Duration::from_millis(if kind == "interrupt" || !self.all { 500 } else { 150 })
    }
}

/// Plays all scenes under coop, without some of its sources.
#[must_use]
pub fn measure(version: &str, without: &str) -> Measured {
    measure_some(version, without, "")
}

/// Only those whose name has this in it.
#[must_use]
pub fn measure_some(version: &str, without: &str, name: &str) -> Measured {
    let mut measured = Measured { version: version.into(), without: without.into(), ..Measured::default() };
    for sitting in SITTINGS {
        let scenes: Vec<&Scene> = sitting.scenes.iter().filter(|scene| scene.name.contains(name)).collect();
        if !scenes.is_empty() {
            sit(sitting, &scenes, &mut measured);
        }
    }
    measured
}

fn sit(sitting: &Sitting, scenes: &[&Scene], measured: &mut Measured) {
    let tells = Tells::new(&measured.version, &measured.without);
    let mut coop: Vec<String> = vec!["--idle-grace".into(), "1".into(), "--linger".into()];
    if !measured.without.is_empty() {
        coop.extend(["--without".into(), measured.without.clone()]);
    }
    let args = sitting.args.iter().map(ToString::to_string).collect();
    let env = sitting.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let script: String = scenes.iter().map(|scene| scene.script).collect();
    let options = Options { coop, args, env, ..Options::default() };
    let mut session = TestSession::launch(Kind::Claude, &measured.version, &script, &options);
    let changes = Changes::watch(session.agent.home.join(".claude/sessions"));
    let mut stage = Stage::new(&session, tells);
    for scene in scenes {
        stage.play(&mut session, scene);
    }
    let (published, changes) = (published(&session), changes.stop());
    measured.states += published.len();
    if let Some(wrong) = differences(&stage.expected, &published) {
        // All there is to see, for whoever reads it.
        let own: Vec<String> =
            changes.iter().map(|(at, name)| format!("{name} in “{}”", stage.scene_at(*at))).collect();
        measured.wrong.push(format!("{wrong}\n     the agent itself: {}\n{session}", own.join(", ")));
    }
    measured.delays.extend(delays(&stage, tells, &published, &changes));
}

/// What was not published as it should be, scene by scene. After one that differs the rest cannot be told apart.
fn differences(expected: &[(&str, Vec<Expected>)], published: &[(SystemTime, String)]) -> Option<String> {
    let mut rest: Vec<&str> = published.iter().map(|(_, name)| name.as_str()).collect();
    for (scene, expected) in expected {
        let Some(count) = fitting(expected, &rest) else {
            let words = expected
                .iter()
                .map(|Expected { state, optional }| format!("{state}{}", if *optional { "?" } else { "" }));
            let words: Vec<String> = words.collect();
            return Some(format!("{scene}: expected {}\n     got {}", words.join(" "), rest.join(" ")));
        };
        rest.drain(..count);
    }
    (!rest.is_empty()).then(|| format!("after all: {}", rest.join(" ")))
}

/// How many of the states published are those expected.
fn fitting(expected: &[Expected], published: &[&str]) -> Option<usize> {
    let mut count = 0;
    for Expected { state, optional } in expected {
        let says_why = matches!(*state, "error" | "parked");
        // Where no source tells of both at once, idle comes first and the reason follows.
        if says_why && published.get(count) == Some(&"idle") {
            count += 1;
        }
        match published.get(count) == Some(state) {
            true => count += 1,
            false if *optional => {}
            false => return None,
        }
    }
    Some(count)
}

/// For each change the agent timed, the state of that name that was published next, or after one more.
fn delays(
    stage: &Stage,
    tells: Tells,
    published: &[(SystemTime, String)],
    changes: &[(SystemTime, &'static str)],
) -> Vec<Delay> {
    let mut delays = Vec::new();
    let mut rest = published;
    let mut interrupts = stage.interrupts.iter().peekable();
    for (at, name) in changes {
        let fits = |said: &str| said == *name || (*name == "idle" && matches!(said, "error" | "parked"));
        let stopped = *name == "idle" && interrupts.next_if(|pressed| *pressed <= at).is_some();
        let Some(place) = rest.iter().take(2).position(|(_, said)| fits(said)) else { continue };
        let (said_at, _) = &rest[place];
        rest = &rest[place + 1..];
        let kind = if stopped { "interrupt" } else { name };
        let by = said_at.duration_since(*at).unwrap_or_default();
        delays.push(Delay { kind, scene: stage.scene_at(*said_at), by, bound: tells.bound(kind) });
    }
    // The agent times its first status long before it writes it anywhere.
    delays.retain(|delay| delay.scene != "start");
    delays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found() {
        let expected = |words: &'static str| {
            let state =
                |word: &'static str| Expected { state: word.trim_end_matches('?'), optional: word.ends_with('?') };
            words.split(' ').map(state).collect::<Vec<_>>()
        };
        let check = |words: &'static str, published: &[&str], count: Option<usize>| {
            assert_eq!(fitting(&expected(words), published), count, "{words}: {published:?}");
        };
        check("working idle", &["working", "idle", "working"], Some(2));
        check("working idle", &["working", "prompt", "idle"], None);
        check("working idle", &["working"], None);
        check("working? prompt", &["prompt"], Some(1));
        check("working? prompt", &["working", "prompt"], Some(2));
        check("working error", &["working", "idle", "error"], Some(3));
        check("working error", &["working", "idle"], None);
    }
}
