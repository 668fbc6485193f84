//! Turns of one conversation: text, permissions, questions, `/clear`, and the conversation resumed.

use coop_terminal::pty::ExitStatus;
use coop_testkit::Options;
use coop_testkit::agent::Resume;
use coop_testkit::model::What;

use super::Claude;

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

pub(super) fn conversation(version: &str) {
    let mut claude = Claude::started(version, SCENARIO, &Options::default());
    text(&mut claude);
    allowed(&mut claude);
    denied(&mut claude);
    two_at_once(&mut claude);
    one_question(&mut claude);
    several_questions(&mut claude);
    clear(&mut claude);
    resume(&mut claude);
    claude.bench.finish();
}

fn text(claude: &mut Claude) {
    claude.submit("hello");
    claude.model(&What::Waiting("seen".into()), 1);
    assert_eq!(claude.hook("UserPromptSubmit")["prompt"], "hello");
    claude.registered("busy");
    claude.spins();
    claude.reported("working");
    claude.shows("esc to interrupt");
    let hooks = claude.hooks_of("Stop", |claude| claude.agent.model.signal("seen"));
    assert_eq!(hooks, ["Stop"]);
    assert_eq!(claude.hook("Stop")["last_assistant_message"], "Hi there.");
    claude.reported("done");
    claude.idle();
    claude.shows("Hi there.");
    claude.logged("the answer", |line| {
        line["type"] == "assistant" && line["message"]["content"][0]["text"] == "Hi there."
    });
}

fn allowed(claude: &mut Claude) {
    let before = claude.hooks_of("PermissionRequest", |claude| claude.submit("allow it"));
    assert_eq!(before, ["UserPromptSubmit", "PreToolUse", "PermissionRequest"]);
    let request = claude.hook("PermissionRequest");
    assert_eq!((&request["tool_name"], &request["tool_input"]["command"]), (&"Bash".into(), &"touch made.txt".into()));
    assert!(request["tool_use_id"].is_null(), "{request}");
    claude.registered("waiting");
    if let Some(status) = claude.reported("blocked") {
        assert_eq!(status.kind.as_deref(), Some("permission"));
        assert_eq!(status.message.as_deref(), Some("approve Bash: touch made.txt"));
    }
    let after = claude.hooks_of("Stop", |claude| claude.answer("1", "Do you want to proceed?"));
    assert_eq!(after, ["PostToolUse", "PostToolBatch", "Stop"]);
    claude.reported("done");
    claude.idle();
    assert!(claude.agent.project.join("made.txt").exists());
}

/// Escape at a dialog ends the turn, and no hook tells.
fn denied(claude: &mut Claude) {
    claude.hooks_of("PermissionRequest", |claude| claude.submit("deny it"));
    claude.hook("PermissionRequest");
    claude.reported("blocked");
    claude.shows("touch denied.txt");
    let before = claude.sight().hooks.len();
    claude.answer("Escape", "Do you want to proceed?");
    claude.idle();
    claude.reported("idle");
    claude.logged("the interrupt", |line| line.to_string().contains("[Request interrupted by user for tool use]"));
    assert_eq!(claude.sight().hook_names()[before..], [] as [&str; 0]);
    assert!(!claude.agent.project.join("denied.txt").exists());
}

/// One dialog after the other; the second stands when the first is answered.
fn two_at_once(claude: &mut Claude) {
    claude.hooks_of("PermissionRequest", |claude| claude.submit("two at once"));
    for file in ["one.txt", "two.txt"] {
        let request = claude.hook("PermissionRequest");
        assert_eq!(request["tool_input"]["command"], format!("touch {file}"));
        claude.reported("blocked");
        claude.until("its dialog", |sight| {
            let dialog = sight.screen.rsplit("Bash command").next()?;
            (sight.screen.contains("Do you want to proceed?") && dialog.contains(file)).then_some(())
        });
        // The two dialogs look the same, so the file tells that the first was answered.
        let path = claude.agent.project.join(file);
        claude.press("1");
        claude.insist("the file", "1", |_| path.exists());
    }
    claude.until("the end", |sight| (sight.hooks.last()?.event == "Stop").then_some(()));
    let sight = claude.sight();
    let turn = sight.hook_names().into_iter().rev().take_while(|name| *name != "UserPromptSubmit").collect::<Vec<_>>();
    let tool = ["PostToolUse", "PermissionRequest", "PreToolUse"];
    assert_eq!(turn, [&["Stop", "PostToolBatch"][..], &tool, &tool].concat());
}

fn one_question(claude: &mut Claude) {
    claude.idle();
    let before = claude.hooks_of("PermissionRequest", |claude| claude.submit("one question"));
    assert_eq!(before, ["UserPromptSubmit", "PreToolUse", "PermissionRequest"]);
    let request = claude.hook("PermissionRequest");
    assert_eq!(request["tool_name"], "AskUserQuestion");
    assert_eq!(request["tool_input"]["questions"][0]["question"], "Which database?");
    claude.registered("waiting");
    if let Some(status) = claude.reported("blocked") {
        assert_eq!(status.kind.as_deref(), Some("question"));
        assert_eq!(status.message.as_deref(), Some("answer: Which database? (SQLite · Postgres)"));
    }
    let after = claude.hooks_of("Stop", |claude| claude.answer("2", "Type something"));
    assert_eq!(after, ["PostToolUse", "PostToolBatch", "Stop"]);
    claude.idle();
}

fn several_questions(claude: &mut Claude) {
    claude.hooks_of("PermissionRequest", |claude| claude.submit("several questions"));
    claude.hook("PermissionRequest");
    claude.answer("1", "1. SQLite");
    claude.shows("[ ] Auth");
    claude.press("1");
    claude.insist("Auth chosen", "1", |sight| sight.screen.contains("[✔] Auth"));
    claude.press("3");
    claude.insist("Export chosen", "3", |sight| sight.screen.contains("[✔] Export"));
    claude.press("Right");
    claude.insist("the review", "Right", |sight| sight.screen.contains("Review your answers"));
    let after = claude.hooks_of("Stop", |claude| claude.answer("1", "Review your answers"));
    assert_eq!(after, ["PostToolUse", "PostToolBatch", "Stop"]);
    claude.shows("Auth, Export");
    claude.idle();
}

fn clear(claude: &mut Claude) {
    let old = claude.registry()["sessionId"].clone();
    let hooks = claude.hooks_of("SessionStart", |claude| claude.submit("/clear"));
    assert_eq!(hooks, ["SessionEnd", "SessionStart"]);
    assert_eq!(claude.hook("SessionStart")["source"], "clear");
    let new = claude.until("another session in the registry", |_| {
        Some(claude.registry()["sessionId"].clone()).filter(|id| *id != old)
    });
    claude.hooks_of("Stop", |claude| claude.submit("after clear"));
    let stop = claude.sight().hooks.last().unwrap().payload.clone();
    assert_eq!(stop["session_id"], new);
    claude.idle();
}

fn resume(claude: &mut Claude) {
    let id = claude.registry()["sessionId"].clone();
    let hooks = claude.hooks_of("SessionEnd", |claude| claude.submit("/exit"));
    assert_eq!(hooks, ["SessionEnd"]);
    assert_eq!(claude.exit(), ExitStatus::Code(0));
    claude.reported("clear");
    claude.relaunch(&Options { resume: Resume::Latest, ..Options::default() });
    let start = claude.hook("SessionStart");
    assert_eq!((&start["source"], &start["session_id"]), (&"resume".into(), &id));
    claude.shows("Fresh.");
    claude.idle();
    claude.hooks_of("Stop", |claude| claude.submit("after resume"));
}
