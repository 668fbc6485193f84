//! How right coop is about a real agent: what it published, held against what the agent did, and when.
//!
//! The script decides what happens. When it happened is the agent's own word: the file in which it keeps its status,
//! with the time of each change.

mod registry;
mod script;

use std::fmt;
use std::time::{Duration, SystemTime};

use coop_testkit::{Kind, Options, TestSession};

use registry::Changes;
pub use script::Move;

/// A change that is told later than this is shown by itself.
const SLOW: Duration = Duration::from_millis(150);

/// What was published, held against the truth.
#[derive(Clone, Debug)]
pub struct Measured {
    pub version: String,
    /// Sources that were switched off.
    pub without: String,
    pub expected: Vec<&'static str>,
    pub published: Vec<String>,
    /// Each change that the agent timed, and how much later coop said it.
    pub delays: Vec<(&'static str, Duration)>,
    /// What is wrong, in words.
    pub wrong: Vec<String>,
}

/// Plays the whole script under coop, without some of its sources.
#[must_use]
pub fn measure(version: &str, without: &str) -> Measured {
    let mut coop: Vec<String> = vec!["--idle-grace".into(), "1".into()];
    if !without.is_empty() {
        coop.extend(["--without".into(), without.into()]);
    }
    let options = Options { coop, ..Options::default() };
    let mut session = TestSession::launch(Kind::Claude, version, script::SCENARIO, &options);
    let changes = Changes::watch(session.agent.home.join(".claude/sessions"));
    // That a turn failed is told by hooks, reports and the log; the screen has no reliable sign of it.
    let tells_errors = !["hook", "report", "log"].iter().all(|source| without.contains(source));
    let expected = script::play(&mut session, tells_errors);
    let published = published(&session);
    let changes = changes.stop();
    compare(version, without, expected, &published, &changes)
}

/// Every state that was published, with the time it was heard.
fn published(session: &TestSession) -> Vec<(SystemTime, String)> {
    let changes = session.timed_events().into_iter().filter(|(_, event)| event["type"] == "state_change");
    changes.map(|(at, event)| (at, event["next"].as_str().unwrap_or_default().to_owned())).collect()
}

fn compare(
    version: &str,
    without: &str,
    expected: Vec<&'static str>,
    published: &[(SystemTime, String)],
    changes: &[(SystemTime, &'static str)],
) -> Measured {
    let names: Vec<String> = published.iter().map(|(_, name)| name.clone()).collect();
    // Where no source tells of both at once, idle comes first and the reason follows.
    let told = names
        .iter()
        .enumerate()
        .filter(|(n, name)| *name != "idle" || names.get(n + 1).is_none_or(|next| next != "error"));
    let told: Vec<&str> = told.map(|(_, name)| name.as_str()).collect();
    let mut wrong = Vec::new();
    if told != expected {
        wrong.push(format!("expected {}\n     got {}", expected.join(" "), names.join(" ")));
    }
    Measured {
        version: version.into(),
        without: without.into(),
        delays: delays(published, changes),
        published: names,
        expected,
        wrong,
    }
}

/// For each change the agent timed, the first state of that name that was published after the one before it.
fn delays(published: &[(SystemTime, String)], changes: &[(SystemTime, &'static str)]) -> Vec<(&'static str, Duration)> {
    let mut delays = Vec::new();
    let mut rest = published;
    for (at, name) in changes {
        let fits = |said: &str| said == *name || (*name == "idle" && matches!(said, "error" | "parked"));
        let Some(place) = rest.iter().position(|(_, said)| fits(said)) else { continue };
        let (said_at, _) = &rest[place];
        rest = &rest[place + 1..];
        delays.push((*name, said_at.duration_since(*at).unwrap_or_default()));
    }
    delays
}

impl Measured {
    /// Of the delays of one kind of change, how long and how many.
    #[must_use]
    pub fn percentile(&self, name: &str, percent: usize) -> Option<Duration> {
        let mut all: Vec<Duration> = self.delays.iter().filter(|(n, _)| *n == name).map(|(_, d)| *d).collect();
        all.sort();
        let last = all.len().checked_sub(1)?;
        all.get((all.len() * percent / 100).min(last)).copied()
    }

    #[must_use]
    pub fn count(&self, name: &str) -> usize {
        self.delays.iter().filter(|(n, _)| *n == name).count()
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = if self.without.is_empty() { "–" } else { &self.without };
        let verdict = if self.wrong.is_empty() { "right".to_owned() } else { format!("{} wrong", self.wrong.len()) };
        write!(f, "{:<9} {without:<28} {:>3} {verdict:<8}", self.version, self.published.len())?;
        for name in ["working", "prompt", "idle"] {
            let ms = |p| self.percentile(name, p).map_or("–".into(), |d| format!("{}", d.as_millis()));
            write!(f, "  {name} n={} p50={} p99={}", self.count(name), ms(50), ms(99))?;
        }
        for (number, (name, delay)) in self.delays.iter().enumerate().filter(|(_, (_, delay))| *delay > SLOW) {
            write!(f, "\n     change {number}, {name}, came after {} ms", delay.as_millis())?;
        }
        for wrong in &self.wrong {
            write!(f, "\n     {wrong}")?;
        }
        Ok(())
    }
}
