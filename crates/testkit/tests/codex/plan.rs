//! Plan mode: questions, a plan that is sent back, and one approved.

use coop_testkit::Options;

use super::{Codex, is_event};

const SCENARIO: &str = "
user: hello
  say: Hi there.
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
  ask Language: Which language?
    - Rust: Fast
    - Go: Plain
result: Rust
  say: All chosen.
user: plan it
  plan: # Long plan
      | 1. Think
      | 2. Do
user: shorter
  plan: # Short plan
      | 1. Do
user: Implement the plan
  say: Implemented.
";

#[test]
fn plan() {
    let mut codex = Codex::started(SCENARIO, &Options::default());
    // A mode that is chosen while it still starts is forgotten.
    codex.submit("hello");
    codex.hook("Stop");
    codex.status("done");
    codex.press("BTab");
    codex.shows("Plan mode (shift+tab to cycle)");

    codex.submit("one question");
    assert_eq!(codex.status("blocked").kind.as_deref(), Some("question"));
    let asked = codex.hook("PreToolUse");
    assert_eq!(asked["tool_name"], "request_user_input");
    assert_eq!(asked["tool_input"]["questions"][0]["question"], "Which database?");
    codex.answer("2", "Question 1/1");
    codex.hook("Stop");
    codex.status("done");

    codex.submit("several questions");
    codex.status("blocked");
    codex.answer("1", "Question 1/2");
    codex.answer("1", "Question 2/2");
    codex.hook("Stop");
    codex.status("done");

    // Its report says done while the dialog is up.
    codex.submit("plan it");
    assert!(codex.hook("Stop")["last_assistant_message"].is_null());
    codex.status("done");
    codex.logged("the plan", |line| {
        line["payload"]["type"] == "item_completed" && line.to_string().contains("Long plan")
    });
    codex.answer("Escape", "Implement this plan?");
    codex.submit("shorter, please");
    codex.hook("Stop");
    codex.shows("Short plan");
    codex.answer("1", "Implement this plan?");
    assert_eq!(codex.hook("Stop")["last_assistant_message"], "Implemented.");
    codex.logged("the end", |line| is_event(line, "task_complete"));
    codex.0.finish();
}
