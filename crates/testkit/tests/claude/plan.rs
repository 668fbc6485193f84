//! Plan mode: a plan sent back with feedback, and one approved.

use coop_testkit::Options;

use super::Claude;

const SCENARIO: &str = "
user: plan it
  plan: # Long plan
      | 1. Think
      | 2. Do
result: shorter
  plan: # Short plan
      | 1. Do
result: approved
  say: Implemented.
";

pub(super) fn plan(version: &str) {
    let options = Options { args: ["--permission-mode", "plan"].map(str::to_owned).to_vec(), ..Options::default() };
    let mut claude = Claude::started(version, SCENARIO, &options);
    claude.submit("plan it");
    let request = claude.hook("PermissionRequest");
    assert_eq!(request["tool_name"], "ExitPlanMode");
    claude.registered("waiting");
    if let Some(status) = claude.reported("blocked") {
        assert_eq!(status.kind.as_deref(), Some("permission"));
        assert_eq!(status.message.as_deref(), Some("approve plan"));
    }
    claude.shows("Would you like to proceed?");
    claude.shows("Long plan");
    claude.press("3");
    claude.insist("the third option", "3", |sight| sight.screen.contains("❯ 3."));
    claude.types("shorter, please");
    claude.answer("Enter", "3. shorter, please");
    let request = claude.hook("PermissionRequest");
    assert_eq!(request["tool_name"], "ExitPlanMode");
    claude.shows("Short plan");
    let hooks = claude.hooks_of("Stop", |claude| claude.answer("2", "Would you like to proceed?"));
    assert_eq!(hooks, ["PostToolUse", "PostToolBatch", "Stop"]);
    claude.reported("done");
    claude.idle();
    claude.bench.finish();
}
