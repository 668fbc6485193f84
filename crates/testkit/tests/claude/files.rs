//! Tools that read and change files, a tool by its own name, a refusal, and a conversation that has become too long.

use coop_testkit::Options;
use coop_testkit::model::{Stop, What};

use super::Claude;

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
  edit new.txt: first => second
result
  say: Edited.
user: use a tool
  tool Agent: {\"description\": \"Look around\", \"prompt\": \"look in $PROJECT\", \"subagent_type\": \"general-purpose\"}
user: look in
  say: Looked.
result: Looked.
  say: Used.
user: refuse it
  refuse: I cannot help with that.
user again: stopped by a safety classifier
  refuse: I still cannot.
user: grow
  tokens: 185000
  say: Long by now.
user: summary
  say: <summary>We grew.</summary>
user: and now
  say: Compacted.
";

/// Only the newer version tells the model, and lets it try again.
const TOLD: &str = "user again: stopped by a safety classifier\n  refuse: I still cannot.\n";

pub(super) fn files(version: &str) {
    let scenario = if version == "2.1.197" { SCENARIO.replace(TOLD, "") } else { SCENARIO.to_owned() };
    // Its models have a million. In the background, where 2.1.325 has them, agents answer in any order.
    let env = [("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "200000"), ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let mut claude = Claude::started(version, &scenario, &Options { env, ..Options::default() });
    // What is in the project may be read without asking.
    let hooks = claude.hooks_of("Stop", |claude| claude.submit("read it"));
    assert_eq!(hooks, ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop"]);

    asks(&mut claude, "write it", ["Write", "Write"], "Do you want to create new.txt?");
    assert_eq!(text_of(&claude), "first line\n");
    asks(&mut claude, "edit it", ["Edit", "Update"], "Do you want to make this edit to new.txt?");
    assert_eq!(text_of(&claude), "second line\n");

    let hooks = claude.hooks_of("Stop", |claude| claude.submit("use a tool"));
    assert_eq!(hooks, ["UserPromptSubmit", "PreToolUse", "SubagentStop", "PostToolUse", "PostToolBatch", "Stop"]);

    refused(&mut claude);
    compacts_by_itself(&mut claude);
    claude.bench.finish();
}

fn text_of(claude: &Claude) -> String {
    std::fs::read_to_string(claude.agent.project.join("new.txt")).unwrap()
}

/// A tool, by its name and as a person sees it, that needs a permission, which is given.
fn asks(claude: &mut Claude, message: &str, [tool, shown]: [&str; 2], dialog: &str) {
    claude.idle();
    let before = claude.hooks_of("PermissionRequest", |claude| claude.submit(message));
    assert_eq!(before, ["UserPromptSubmit", "PreToolUse", "PermissionRequest"]);
    assert_eq!(claude.hook("PermissionRequest")["tool_name"], tool);
    if let Some(status) = claude.reported("blocked") {
        let report = format!("approve {shown}: {}", claude.agent.project.join("new.txt").display());
        assert_eq!((status.kind.as_deref(), status.message.as_deref()), (Some("permission"), Some(&*report)));
    }
    let after = claude.hooks_of("Stop", |claude| claude.answer("1", dialog));
    assert_eq!(after, ["PostToolUse", "PostToolBatch", "Stop"]);
}

/// An error to it, whatever the model has said before.
fn refused(claude: &mut Claude) {
    claude.idle();
    let hooks = claude.hooks_of("StopFailure", |claude| claude.submit("refuse it"));
    claude.model(&What::Finished(Stop::Refused), if claude.reports { 2 } else { 1 });
    assert_eq!(hooks, ["UserPromptSubmit", "StopFailure"]);
    assert_eq!(claude.hook("StopFailure")["error"], "invalid_request");
    claude.reported("error");
    claude.idle();
}

/// Before the next prompt is answered.
fn compacts_by_itself(claude: &mut Claude) {
    claude.hooks_of("Stop", |claude| claude.submit("grow"));
    claude.idle();
    let hooks = claude.hooks_of("Stop", |claude| claude.submit("and now"));
    assert_eq!(hooks, ["UserPromptSubmit", "PreCompact", "SubagentStop", "SessionStart", "PostCompact", "Stop"]);
    let compact = claude.hook("PreCompact");
    assert_eq!(compact["trigger"], "auto");
    claude.shows("Compacted.");
}
