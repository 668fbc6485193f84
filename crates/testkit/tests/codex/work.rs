//! Long work: a stream to its end, one that is interrupted, a compaction.

use coop_testkit::Options;
use coop_testkit::model::What;

use super::{Codex, is_event, is_spinner};

const SCENARIO: &str = "
user: count
  count 60 words/s: 120
  wait: seen
  say: That is all.
user: interrupt
  say: Going.
  count 20 words/s: 2000
user: summary
  say: We counted.
user: and now
  say: Compacted.
";

#[test]
fn work() {
    let mut codex = Codex::started(SCENARIO, &Options::default());
    codex.submit("count");
    codex.model(&What::Waiting("seen".into()), 1);
    codex.title("begins with a spinner", is_spinner);
    assert!(!codex.sight().hook_names().contains(&"Stop"), "there is more to come");
    codex.agent.model.signal("seen");
    codex.hook("Stop");
    codex.shows("119 120");
    codex.shows("That is all.");
    codex.status("done");

    codex.submit("interrupt");
    codex.status("working");
    codex.answering("interrupt");
    let hooks = codex.hooks_of("Interrupt", |codex| {
        codex.title("begins with a spinner", is_spinner);
        codex.press("Escape");
        codex.insist("the interrupt", "Escape", |sight| {
            sight.model.iter().any(|event| event.what == What::Disconnected)
        });
    });
    assert_eq!(hooks, ["Interrupt"]);
    codex.status("idle");
    codex.logged("the interrupt", |line| is_event(line, "turn_aborted"));
    codex.shows("Conversation interrupted");

    let hooks = codex.hooks_of("PostCompact", |codex| codex.submit("/compact"));
    assert_eq!(hooks, ["PreCompact", "PostCompact"]);
    codex.shows("Context compacted");
    codex.status("done");
    let hooks = codex.hooks_of("Stop", |codex| codex.submit("and now"));
    assert_eq!(hooks, ["SessionStart", "UserPromptSubmit", "Stop"]);
    let start = codex.sight().hooks.into_iter().rfind(|line| line.event == "SessionStart").unwrap();
    assert_eq!(start.payload["source"], "compact");
    codex.0.finish();
}
