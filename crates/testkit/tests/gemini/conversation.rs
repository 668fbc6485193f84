//! Turns of one conversation: text, permissions, questions, `/clear`, and a conversation resumed.

use coop_terminal::pty::ExitStatus;
use coop_testkit::Options;
use coop_testkit::agent::Resume;
use coop_testkit::model::What;

use super::Gemini;

const SCENARIO: &str = "
user: hello
  think: A greeting.
  wait: seen
  say: Hi there.
user: allow it
  say: I will create it.
  bash: touch made.txt
result
  say: Made.
user: deny it
  bash: touch denied.txt
user: two at once
  bash: touch one.txt
  bash: touch two.txt
result
  say: Both.
user: one question
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Chosen.
user: several questions
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
  ask Features, several: Which features?
    - Auth
    - Search
    - Export
result: Auth
  say: All chosen.
user: after clear
  say: Fresh.
user: after resume
  say: Back again.
";

#[test]
fn conversation() {
    let mut gemini = Gemini::started(SCENARIO, &Options::default());
    text(&mut gemini);
    allowed(&mut gemini);
    denied(&mut gemini);
    two_at_once(&mut gemini);
    one_question(&mut gemini);
    several_questions(&mut gemini);
    clear(&mut gemini);
    resume(&mut gemini);
    gemini.0.finish();
}

fn text(gemini: &mut Gemini) {
    gemini.submit("hello");
    gemini.model(&What::Waiting("seen".into()), 1);
    assert_eq!(gemini.hook("BeforeAgent")["prompt"], "hello");
    gemini.title("says Working", |title| title.contains("Working"));
    let hooks = gemini.hooks_of("AfterAgent", |gemini| gemini.agent.model.signal("seen"));
    assert_eq!(hooks, ["AfterAgent"]);
    gemini.ready();
    gemini.shows("Hi there.");
    gemini.logged("the answer", |line| line["type"] == "gemini" && line["content"] == "Hi there.");
}

fn allowed(gemini: &mut Gemini) {
    let before = gemini.hooks_of("Notification", |gemini| gemini.submit("allow it"));
    assert_eq!(before, ["BeforeAgent", "BeforeTool", "Notification"]);
    let asked = gemini.hook("Notification");
    assert_eq!((&asked["notification_type"], &asked["details"]["type"]), (&"ToolPermission".into(), &"exec".into()));
    assert_eq!(asked["details"]["command"], "touch made.txt");
    gemini.title("asks for action", |title| title.contains("Action Required"));
    let after = gemini.hooks_of("AfterAgent", |gemini| gemini.answer("1", "Allow execution"));
    assert_eq!(after, ["AfterTool", "AfterAgent"]);
    gemini.ready();
    assert!(gemini.agent.project.join("made.txt").exists());
}

/// Escape at a dialog ends the turn, and no hook tells.
fn denied(gemini: &mut Gemini) {
    gemini.hooks_of("Notification", |gemini| gemini.submit("deny it"));
    gemini.shows("Allow execution");
    let before = gemini.sight().hooks.len();
    gemini.answer("Escape", "Allow execution");
    gemini.ready();
    gemini.logged("the denial", |line| line["type"] == "info" && line["content"] == "Request cancelled.");
    assert_eq!(gemini.sight().hook_names()[before..], [] as [&str; 0]);
    assert!(!gemini.agent.project.join("denied.txt").exists());
}

fn two_at_once(gemini: &mut Gemini) {
    let before = gemini.sight().hooks.len();
    gemini.submit("two at once");
    gemini.until("both to be announced", |sight| {
        let asked = sight.hook_names().iter().skip(before).filter(|name| **name == "Notification").count();
        (asked == 2).then_some(())
    });
    gemini.answer("1", "? Shell  touch one.txt");
    gemini.answer("1", "? Shell  touch two.txt");
    gemini.until("the end", |sight| (sight.hooks.last()?.event == "AfterAgent").then_some(()));
    // Both are announced before the first is answered. Their hooks run at the same time.
    let sight = gemini.sight();
    let mut hooks = sight.hook_names()[before..].to_vec();
    hooks[1..5].sort_unstable();
    let announced = ["BeforeAgent", "BeforeTool", "BeforeTool", "Notification", "Notification"];
    assert_eq!(hooks, [&announced[..], &["AfterTool", "AfterTool", "AfterAgent"]].concat());
    gemini.ready();
}

fn one_question(gemini: &mut Gemini) {
    let before = gemini.hooks_of("Notification", |gemini| gemini.submit("one question"));
    assert_eq!(before, ["BeforeAgent", "BeforeTool", "Notification"]);
    let asked = gemini.sight().hooks.into_iter().rfind(|line| line.event == "Notification").unwrap();
    assert_eq!(asked.payload["details"]["type"], "ask_user");
    gemini.title("asks for action", |title| title.contains("Action Required"));
    gemini.shows("Which database?");
    let after = gemini.hooks_of("AfterAgent", |gemini| gemini.answer("2", "Enter to select"));
    assert_eq!(after, ["AfterTool", "AfterAgent"]);
    gemini.ready();
}

fn several_questions(gemini: &mut Gemini) {
    gemini.submit("several questions");
    gemini.answer("1", "Which database?");
    gemini.shows("1. [ ] Auth");
    gemini.press("1");
    gemini.insist("Auth chosen", "1", |sight| sight.screen.contains("1. [x] Auth"));
    gemini.press("3");
    gemini.insist("Export chosen", "3", |sight| sight.screen.contains("3. [x] Export"));
    gemini.press("Right");
    gemini.insist("the review", "Right", |sight| sight.screen.contains("Review your answers"));
    gemini.answer("Enter", "Review your answers");
    gemini.until("the end", |sight| (sight.hooks.last()?.event == "AfterAgent").then_some(()));
    gemini.ready();
}

fn clear(gemini: &mut Gemini) {
    let before = gemini.sight().hooks.len();
    let old = gemini.sight().hooks.last().unwrap().payload["session_id"].clone();
    gemini.submit("/clear");
    gemini.hides("All chosen.");
    gemini.ready();
    gemini.submit("after clear");
    gemini.until("the end", |sight| {
        (sight.hooks.len() > before && sight.hooks.last()?.event == "AfterAgent").then_some(())
    });
    let sight = gemini.sight();
    assert_eq!(sight.hook_names()[before..], ["SessionEnd", "SessionStart", "BeforeAgent", "AfterAgent"]);
    assert_ne!(sight.hooks.last().unwrap().payload["session_id"], old);
    gemini.ready();
}

fn resume(gemini: &mut Gemini) {
    let before = gemini.sight().hooks.len();
    let id = gemini.sight().hooks.last().unwrap().payload["session_id"].clone();
    gemini.submit("/quit");
    assert_eq!(gemini.exit(), ExitStatus::Code(0));
    // More than once.
    gemini.until("its end", |sight| (*sight.hook_names().get(before)? == "SessionEnd").then_some(()));
    gemini.relaunch(&Options { resume: Resume::Latest, ..Options::default() });
    let start = gemini.until("the start", |sight| {
        sight.hooks.iter().rfind(|line| line.event == "SessionStart" && line.payload["source"] == "resume").cloned()
    });
    assert_eq!(start.payload["session_id"], id);
    gemini.ready();
    gemini.shows("Fresh.");
    gemini.hooks_of("AfterAgent", |gemini| gemini.submit("after resume"));
}
