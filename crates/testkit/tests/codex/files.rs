//! Patches and commands on files, a tool by its own name, a refusal, and a conversation that has become too long.

use coop_testkit::Options;
use coop_testkit::model::{Stop, What};

use super::Codex;

const SCENARIO: &str = "
user: read it
  read: README.md
result: demo
  say: Read.
user: write it
  write new.txt: first line
result
  say: Written.
user: edit it
  edit new.txt: first line => second line
result
  say: Edited.
user: use a tool
  tool update_plan: {\"plan\": [{\"step\": \"Look\", \"status\": \"in_progress\"}]}
result
  say: Used.
user: refuse it
  refuse: I cannot help with that.
user: grow
  tokens: 399000
  say: Long by now.
user: summary
  say: We grew.
user: and now
  say: Compacted.
";

#[test]
fn files() {
    let args = ["--sandbox", "read-only", "--ask-for-approval", "on-request"].map(str::to_owned).to_vec();
    let mut codex = Codex::started(SCENARIO, &Options { args, ..Options::default() });
    // What only reads runs in the sandbox without asking.
    let hooks = codex.hooks_of("Stop", |codex| codex.submit("read it"));
    assert_eq!(hooks, ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]);
    codex.status("done");

    patches(&mut codex, "write it");
    assert_eq!(text_of(&codex), "first line\n");
    patches(&mut codex, "edit it");
    assert_eq!(text_of(&codex), "second line\n");

    let hooks = codex.hooks_of("Stop", |codex| codex.submit("use a tool"));
    assert_eq!(hooks, ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"]);
    codex.shows("Updated Plan");
    codex.status("done");

    let hooks = codex.hooks_of("Stop", |codex| codex.submit("refuse it"));
    codex.model(&What::Finished(Stop::Refused), 1);
    assert_eq!(hooks, ["UserPromptSubmit", "Stop"]);
    codex.status("done");

    compacts_by_itself(&mut codex);
    codex.0.finish();
}

fn text_of(codex: &Codex) -> String {
    std::fs::read_to_string(codex.agent.project.join("new.txt")).unwrap()
}

/// A patch that needs a permission, which is given.
fn patches(codex: &mut Codex, message: &str) {
    let before = codex.hooks_of("PermissionRequest", |codex| codex.submit(message));
    assert_eq!(before, ["UserPromptSubmit", "PreToolUse", "PermissionRequest"]);
    let request = codex.hook("PermissionRequest");
    assert_eq!(request["tool_name"], "apply_patch");
    assert_eq!(codex.status("blocked").kind.as_deref(), Some("permission"));
    let after = codex.hooks_of("Stop", |codex| codex.answer("y", "Would you like to make the following edits?"));
    assert_eq!(after, ["PostToolUse", "Stop"]);
    codex.status("done");
}

fn compacts_by_itself(codex: &mut Codex) {
    codex.hooks_of("Stop", |codex| codex.submit("grow"));
    codex.status("done");
    let hooks = codex.hooks_of("Stop", |codex| codex.submit("and now"));
    assert_eq!(hooks, ["PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit", "Stop"]);
    let compact = codex.hook("PreCompact");
    assert_eq!(compact["trigger"], "auto");
    codex.shows("Compacted.");
}
