//! Tools that read and change files, a tool by its own name, a refusal, and a conversation that has become too long.

use coop_testkit::Options;
use coop_testkit::model::{Stop, What};

use super::Gemini;

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
  tool list_directory: {\"dir_path\": \"$PROJECT\"}
result: new.txt
  say: Used.
user: refuse it
  refuse: I cannot help with that.
user: grow
  tokens: 900000
  say: Long by now.
user: and now
  tokens: 800000
  say: Compacted.
user: the end
  say: Compacted twice.
";

#[test]
fn files() {
    let mut gemini = Gemini::started(SCENARIO, &Options::default());
    for message in ["read it", "use a tool"] {
        if message == "use a tool" {
            changes(&mut gemini, "write it");
            assert_eq!(text_of(&gemini), "first line\n");
            changes(&mut gemini, "edit it");
            assert_eq!(text_of(&gemini), "second line\n");
        }
        // What only looks is not asked about.
        let hooks = gemini.hooks_of("AfterAgent", |gemini| gemini.submit(message));
        assert_eq!(hooks, ["BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"]);
        gemini.ready();
    }

    let hooks = gemini.hooks_of("AfterAgent", |gemini| gemini.submit("refuse it"));
    gemini.model(&What::Finished(Stop::Refused), 1);
    gemini.shows("Response stopped due to safety reasons.");
    assert_eq!(hooks, ["BeforeAgent", "AfterAgent"]);
    gemini.ready();

    gemini.hooks_of("AfterAgent", |gemini| gemini.submit("grow"));
    gemini.ready();
    let hooks = gemini.hooks_of("AfterAgent", |gemini| gemini.submit("and now"));
    assert_eq!(hooks, ["BeforeAgent", "AfterAgent"]);
    gemini.shows("Context compressed from 86% to 0%.");
    gemini.ready();
    gemini.submit("/compress");
    gemini.shows("Chat history compressed from 800000 to");
    gemini.ready();
    gemini.hooks_of("AfterAgent", |gemini| gemini.submit("the end"));
    gemini.0.finish();
}

fn text_of(gemini: &Gemini) -> String {
    std::fs::read_to_string(gemini.agent.project.join("new.txt")).unwrap()
}

/// A change that needs a permission, which is given.
fn changes(gemini: &mut Gemini, message: &str) {
    let before = gemini.hooks_of("Notification", |gemini| gemini.submit(message));
    assert_eq!(before, ["BeforeAgent", "BeforeTool", "Notification"]);
    assert_eq!(gemini.hook("Notification")["details"]["type"], "edit");
    let after = gemini.hooks_of("AfterAgent", |gemini| gemini.answer("1", "Apply this change?"));
    assert_eq!(after, ["AfterTool", "AfterAgent"]);
    gemini.ready();
}
