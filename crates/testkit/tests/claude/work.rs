//! Long work: a stream to its end, one that is interrupted, a compaction.

use coop_testkit::Options;
use coop_testkit::model::What;

use super::Claude;

const SCENARIO: &str = "
user: count
  count 60 words/s: 120
  wait: seen
  say: That is all.
user: interrupt
  say: Going.
  count 20 words/s: 2000
user: summary
  say: <summary>We counted.</summary>
user: and now
  say: Compacted.
";

pub(super) fn work(version: &str) {
    let mut claude = Claude::started(version, SCENARIO, &Options::default());
    let hooks = claude.hooks_of("Stop", |claude| {
        claude.submit("count");
        claude.shows("119 120");
        claude.registered("busy");
        assert_eq!(claude.sight().hook_names().last(), Some(&"UserPromptSubmit"), "there is more to come");
        claude.agent.model.signal("seen");
    });
    assert_eq!(hooks, ["UserPromptSubmit", "Stop"]);
    claude.shows("That is all.");
    claude.reported("done");
    claude.idle();

    interrupt(&mut claude);

    let hooks = claude.hooks_of("PostCompact", |claude| claude.submit("/compact"));
    // The summary is written by a subagent.
    assert_eq!(hooks, ["PreCompact", "SubagentStop", "SessionStart", "PostCompact"]);
    let start = claude.sight().hooks.into_iter().rfind(|line| line.event == "SessionStart").unwrap();
    assert_eq!(start.payload["source"], "compact");
    claude.idle();
    claude.hooks_of("Stop", |claude| claude.submit("and now"));
    claude.bench.finish();
}

/// Escape while text streams ends the turn, and no hook tells.
fn interrupt(claude: &mut Claude) {
    claude.submit("interrupt");
    claude.shows("Going.");
    claude.reported("working");
    let before = claude.sight().hooks.len();
    claude.press("Escape");
    claude.insist("the interrupt", "Escape", |sight| sight.model.iter().any(|event| event.what == What::Disconnected));
    claude.idle();
    claude.reported("idle");
    claude.shows("Interrupted · What should Claude do instead?");
    claude.logged("the interrupt", |line| line.to_string().contains("[Request interrupted by user]"));
    assert_eq!(claude.sight().hook_names()[before..], [] as [&str; 0]);
}
