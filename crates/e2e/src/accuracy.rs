//! How right coop is about a real agent: what it published, held against what the agent did, and when.
//!
//! The script decides what happens. When it happened is the agent's own word, where it has one: the file in which Claude
//! Code keeps its status, with the time of each change.

mod compare;
mod play;
mod registry;
mod scenes;
mod table;
mod talks;

use std::time::Duration;

use coop_testkit::{Kind, Options, TestSession};

use compare::{delays, differences};
use play::{Act, Stage, published};
use registry::Changes;
use scenes::{SITTINGS, Scene, Sitting};
pub use talks::measure_talk;

/// What rest that is only seen has to last here.
const IDLE_GRACE: Duration = Duration::from_secs(1);

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
    /// The state, or `interrupt`: idle because the person stopped the turn, or `answered`: working because they answered.
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
    /// Somebody tells at once of dialogs and of the end of a turn.
    soon: bool,
    /// How much later an agent shows a dialog than its model has called the tool, where only that tells of it.
    shown: Duration,
    /// Somebody tells at once that a dialog was answered. Hooks tell when its tool has come back.
    answers: bool,
    /// Somebody but the screen does.
    ends: bool,
}

impl Tells {
    fn new(version: &str, without: &str) -> Self {
        let on = |source: &str| !without.split(',').any(|off| off == source);
        // The older version does not report to its terminal.
        let reports = on("report") && version != "2.1.197";
        let words = on("hook") || on("log");
        let answers = reports || on("registry");
        let soon = on("hook") || answers;
        Self { errors: words || reports, limits: words, soon, answers, ends: soon || on("log"), ..Self::default() }
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
        let soon = match kind {
            "interrupt" => false,
            "answered" => self.answers,
            _ => self.soon,
        };
        let told = Duration::from_millis(if soon { 150 } else { 500 });
        match kind {
            // Rest that is only seen has to last.
            "idle" if !self.ends => told + IDLE_GRACE,
            "prompt" => told + self.shown,
            _ => told,
        }
    }
}

/// Where the agent runs already when coop comes. It has no hooks of coop's there, and its reports to its terminal do not get
/// through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Tmux,
    OldTmux,
    Screen,
}

impl Place {
    pub const ALL: [Self; 3] = [Self::Tmux, Self::OldTmux, Self::Screen];
    const WITHOUT: &str = "hook,report";

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tmux => "in tmux",
            Self::OldTmux => "in an old tmux",
            Self::Screen => "in screen",
        }
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
    play_all(version, (without, None), |scene| scene.name.contains(name))
}

/// Attached to an agent that somebody else started, and without what only its master may do.
#[must_use]
pub fn measure_in(version: &str, place: Place, name: &str) -> Measured {
    let masters = |scene: &Scene| scene.acts.iter().any(|act| matches!(act, Act::Resize(..) | Act::Kill));
    let measured =
        play_all(version, (Place::WITHOUT, Some(place)), |scene| scene.name.contains(name) && !masters(scene));
    Measured { without: place.name().into(), ..measured }
}

fn play_all(version: &str, (without, place): (&str, Option<Place>), wanted: impl Fn(&Scene) -> bool) -> Measured {
    let mut measured = Measured { version: version.into(), without: without.into(), ..Measured::default() };
    for sitting in SITTINGS {
        let scenes: Vec<&Scene> = sitting.scenes.iter().filter(|scene| wanted(scene)).collect();
        if !scenes.is_empty() {
            sit(sitting, &scenes, place, &mut measured);
        }
    }
    measured
}

fn sit(sitting: &Sitting, scenes: &[&Scene], place: Option<Place>, measured: &mut Measured) {
    let tells = Tells::new(&measured.version, &measured.without);
    let mut coop: Vec<String> = vec!["--idle-grace".into(), IDLE_GRACE.as_secs().to_string()];
    if place.is_none() {
        coop.push("--linger".into());
    }
    if !measured.without.is_empty() {
        coop.extend(["--without".into(), measured.without.clone()]);
    }
    let args = sitting.args.iter().map(ToString::to_string).collect();
    let env = sitting.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let script: String = scenes.iter().map(|scene| scene.script).collect();
    let (tmux, screen) = (matches!(place, Some(Place::Tmux | Place::OldTmux)), place == Some(Place::Screen));
    let old_tmux = place == Some(Place::OldTmux);
    let options = Options { coop, args, env, tmux, old_tmux, screen, ..Options::default() };
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
