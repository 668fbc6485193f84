//! Hooks that stop working while their agent runs: the board is right again within 12 s, by the agent's own files.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use coop_testkit::agent::Hooks;
use coop_testkit::{Bench, Kind, Meeting, Options, TestHub, coop};

use crate::{Beside, VERSIONS};

/// What is told of a state that is past may be believed for so long.
const RECOVERY: Duration = Duration::from_secs(12);

const SCENARIO: &str = "
user: first
  say: Heard.
user: ask
  bash: touch made.txt
result
  say: Made.
user: last
  say: Still here.
";

#[test]
fn the_board_recovers_when_hooks_are_gone_half_way() {
    for version in VERSIONS {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("coop");
        std::fs::copy(coop::binary(), &program).unwrap();
        let beside = hooked_by(&program, version);
        beside.bench.submit("first");
        beside.hub.session("a turn that hooks told of", |session| {
            session["control"] == "hooked" && session["state"] == "idle" && session["last_message"] == "Heard."
        });

        beside.bench.submit("ask");
        let asked = beside.asks("permission");
        std::fs::remove_file(&program).unwrap();
        end_all(&program);
        beside.hub.settled(&asked["id"]);
        beside.bench.answer("1", "Do you want to proceed?");
        ends_in_time(&beside, "Made.");
        beside.bench.submit("last");
        ends_in_time(&beside, "Still here.");
        beside.bench.finish();
    }
}

/// With hooks that are run by this coop.
fn hooked_by(program: &Path, version: &str) -> Beside {
    let meeting = Meeting::default();
    let options = Options { hooks: Hooks::None, env: vec![meeting.env()], ..Options::default() };
    let (bench, hub) = Bench::launch_beside(Kind::Claude, version, SCENARIO, &options, |agent| {
        let hub = TestHub::start(meeting, &agent.home, &[]);
        let own = hub.command();
        let env = own.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut install = Command::new(program);
        install.args(["hooks", "install", "--yes"]).env_clear().envs(env).stdin(Stdio::null());
        let done = install.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        hub
    });
    let beside = Beside { bench, hub };
    beside.state("idle");
    beside
}

/// Ends every process of a program, as it is when that is taken away in an upgrade that went wrong.
fn end_all(program: &Path) {
    let gone = format!("{} (deleted)", program.display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let exe = std::fs::read_link(entry.path().join("exe")).ok()?;
        (exe == Path::new(&gone)).then(|| entry.file_name().into_string().ok()).flatten()
    });
    for pid in processes {
        // It may have ended by itself.
        drop(Command::new("kill").args(["-9", &pid]).output());
    }
}

#[track_caller]
fn ends_in_time(beside: &Beside, words: &str) {
    beside.bench.shows(words);
    let shown = Instant::now();
    beside.hub.session(words, |session| session["state"] == "idle" && session["last_message"] == words);
    assert!(shown.elapsed() < RECOVERY, "{words} took {:?}", shown.elapsed());
}
