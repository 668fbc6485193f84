//! coop around the real Claude Code, as a client of coop sees it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use coop_testkit::{Kind, Options, TestSession};

const SCENARIO: &str = "
user: make it
  say: I will create it.
  bash: touch made.txt
result
  say: Made.
";

fn start() -> TestSession {
    let mut session = TestSession::launch(Kind::Claude, "2.1.325", SCENARIO, &Options::default());
    session.reported("idle");
    session
}

#[test]
fn a_turn_with_a_permission() {
    let mut session = start();
    session.submit("make it");
    session.reported("working");
    let asked = session.reported("blocked");
    assert_eq!((&asked["kind"], &asked["message"]), (&"permission".into(), &"approve Bash: touch made.txt".into()));
    assert_eq!(session.hook("PermissionRequest")["tool_input"]["command"], "touch made.txt");
    let made = session.agent.project.join("made.txt");
    assert!(!made.exists());
    session.answer("1", "Do you want to proceed?");
    session.reported("done");
    session.shows("Made.");
    assert!(made.exists());
    session.wait_json("/api/v1/health", "a program that runs", |health| health["status"] == "running");
    let (coop, home) = (session.pid(), session.agent.home.clone());
    let agent = session.wait_json("/api/v1/health", "its number", |health| health["pid"].is_i64())["pid"].clone();
    session.finish();
    for pid in [coop.to_string(), agent.to_string()] {
        assert!(!Path::new("/proc").join(&pid).exists(), "{pid} is left");
    }
    assert!(!home.exists());
}

/// Each kind of wait, in vain: what the person who reads the failure needs is in it.
#[test]
fn a_failure_shows_everything() {
    let mut session = start();
    session.submit("make it");
    session.reported("blocked");
    session.shows("Do you want to proceed?");
    session.hook("PermissionRequest");
    session.limit = Duration::from_millis(300);
    type Wait = fn(&mut TestSession);
    let waits: [(&str, Wait); 4] = [
        ("\"no such words\" on the screen", |session| session.shows("no such words")),
        ("an event program_status that fits", |session| drop(session.reported("done"))),
        ("hook Stop number 1", |session| drop(session.hook("Stop"))),
        ("no such answer at /api/v1/status, which says {", |session| {
            session.wait_json("/api/v1/status", "no such answer", |status| status["state"] == "none");
        }),
    ];
    for (what, wait) in waits {
        let failure = catch_unwind(AssertUnwindSafe(|| wait(&mut session))).unwrap_err();
        let message = failure.downcast_ref::<String>().unwrap();
        for part in [
            &format!("waited 300ms in vain for {what}"),
            // The screen, an event, a hook, what the model did, and the log.
            "Do you want to proceed?",
            r#""message":"approve Bash: touch made.txt""#,
            "PermissionRequest {",
            r#"Request { vendor: Anthropic"#,
            "Called(Called { name: \"Bash\"",
            "the program has started",
        ] {
            assert!(message.contains(part), "no {part:?} in:\n{message}");
        }
    }
}
