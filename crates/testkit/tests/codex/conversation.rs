//! Turns of one conversation: text, permissions, a patch, a new conversation, and one resumed.

use coop_terminal::pty::ExitStatus;
use coop_testkit::Options;
use coop_testkit::agent::Resume;
use coop_testkit::model::What;

use super::{Codex, is_event, is_spinner};

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
user: after clear
  say: Fresh.
user: after resume
  say: Back again.
";

#[test]
fn conversation() {
    let mut codex = Codex::started(SCENARIO, &Options::default());
    text(&mut codex);
    allowed(&mut codex);
    denied(&mut codex);
    two_at_once(&mut codex);
    clear(&mut codex);
    resume(&mut codex);
    codex.0.finish();
}

fn text(codex: &mut Codex) {
    assert!(codex.sight().hooks.is_empty(), "the first hook comes with the first prompt");
    codex.submit("hello");
    codex.model(&What::Waiting("seen".into()), 1);
    assert_eq!(codex.hook("SessionStart")["source"], "startup");
    assert_eq!(codex.hook("UserPromptSubmit")["prompt"], "hello");
    codex.status("working");
    codex.title("begins with a spinner", is_spinner);
    codex.logged("the start", |line| is_event(line, "task_started"));
    let hooks = codex.hooks_of("Stop", |codex| codex.agent.model.signal("seen"));
    assert_eq!(hooks, ["Stop"]);
    assert_eq!(codex.hook("Stop")["last_assistant_message"], "Hi there.");
    codex.status("done");
    codex.title("has no spinner", |title| !is_spinner(title));
    codex.shows("Hi there.");
    codex.logged("the end", |line| is_event(line, "task_complete"));
}

fn allowed(codex: &mut Codex) {
    let before = codex.hooks_of("PermissionRequest", |codex| codex.submit("allow it"));
    assert_eq!(before, ["UserPromptSubmit", "PreToolUse", "PermissionRequest"]);
    let request = codex.hook("PermissionRequest");
    assert_eq!((&request["tool_name"], &request["tool_input"]["command"]), (&"Bash".into(), &"touch made.txt".into()));
    assert_eq!(codex.status("blocked").kind.as_deref(), Some("permission"));
    codex.title("asks for action", |title| title.contains("Action Required"));
    let after = codex.hooks_of("Stop", |codex| codex.answer("y", "Would you like to run the following command?"));
    assert_eq!(after, ["PostToolUse", "Stop"]);
    codex.status("done");
    assert!(codex.agent.project.join("made.txt").exists());
}

/// Escape at a dialog ends the turn.
fn denied(codex: &mut Codex) {
    codex.submit("deny it");
    codex.status("blocked");
    let hooks =
        codex.hooks_of("Interrupt", |codex| codex.answer("Escape", "Would you like to run the following command?"));
    assert_eq!(hooks.last().unwrap(), "Interrupt");
    codex.status("idle");
    codex.shows("Conversation interrupted");
    codex.logged("the interrupt", |line| is_event(line, "turn_aborted") && line["payload"]["reason"] == "interrupted");
    assert!(!codex.agent.project.join("denied.txt").exists());
}

fn two_at_once(codex: &mut Codex) {
    let before = codex.sight().hooks.len();
    codex.submit("two at once");
    // The dialogs come one after the other, in any order.
    let mut files = vec!["one.txt", "two.txt"];
    while !files.is_empty() {
        let asked = codex.until("a dialog", |sight| {
            let (_, dialog) = sight.screen.rsplit_once("Would you like to run")?;
            files.iter().position(|file| dialog.contains(&format!("$ touch {file}")))
        });
        let path = codex.agent.project.join(files.remove(asked));
        codex.press("y");
        codex.insist("the file", "y", |_| path.exists());
    }
    codex.status("done");
    let sight = codex.sight();
    let tools: Vec<_> =
        sight.hook_names().split_off(before).into_iter().filter(|name| !name.contains("Model")).collect();
    // The second is announced before or after the first is asked for.
    let position = |name: &str| tools.iter().position(|tool| *tool == name);
    assert!(position("PreToolUse") < position("PermissionRequest"), "{tools:?}");
    let mut asked = tools[1..5].to_vec();
    asked.sort_unstable();
    assert_eq!(asked, ["PermissionRequest", "PermissionRequest", "PreToolUse", "PreToolUse"]);
    assert_eq!([&tools[..1], &tools[5..]].concat(), ["UserPromptSubmit", "PostToolUse", "PostToolUse", "Stop"]);
}

fn clear(codex: &mut Codex) {
    let old = codex.sight().hooks.last().unwrap().payload["session_id"].clone();
    let before = codex.sight().hooks.len();
    codex.submit("/clear");
    codex.hides("Both.");
    codex.submit("after clear");
    codex
        .until("the answer", |sight| (sight.hooks.last()?.event == "Stop" && sight.hooks.len() > before).then_some(()));
    let sight = codex.sight();
    let start = sight.hooks.iter().rfind(|line| line.event == "SessionStart").unwrap();
    assert_eq!(start.payload["source"], "clear");
    assert_ne!(sight.hooks.last().unwrap().payload["session_id"], old);
    codex.shows("Fresh.");
}

fn resume(codex: &mut Codex) {
    let id = codex.sight().hooks.last().unwrap().payload["session_id"].clone();
    let before = codex.sight().hooks.len();
    codex.submit("/quit");
    assert_eq!(codex.exit(), ExitStatus::Code(0));
    // Once for each conversation of the process.
    codex.until("the ends", |sight| (sight.hook_names()[before..] == ["SessionEnd", "SessionEnd"]).then_some(()));
    codex.until("its last word", |sight| (sight.states().last()? == "clear").then_some(()));
    codex.relaunch(&Options { resume: Resume::Latest, ..Options::default() });
    codex.ready();
    codex.shows("Fresh.");
    codex.submit("after resume");
    let start = codex.until("the start", |sight| {
        sight.hooks.iter().rfind(|line| line.event == "SessionStart" && line.payload["source"] == "resume").cloned()
    });
    assert_eq!(start.payload["session_id"], id);
    codex.status("done");
}
