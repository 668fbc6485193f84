//! Long work: a stream to its end, one that is interrupted, a compression.

use coop_testkit::Options;
use coop_testkit::model::What;

use super::Gemini;

const SCENARIO: &str = "
user: count
  count 60 words/s: 120
  wait: seen
  say: That is all.
user: interrupt
  say: Going.
  count 20 words/s: 2000
user: and now
  say: Compacted.
";

#[test]
fn work() {
    let mut gemini = Gemini::started(SCENARIO, &Options::default());
    gemini.submit("count");
    gemini.shows("118 119");
    gemini.title("says Working", |title| title.contains("Working"));
    assert!(!gemini.sight().hook_names().contains(&"AfterAgent"), "there is more to come");
    gemini.agent.model.signal("seen");
    gemini.hook("AfterAgent");
    gemini.shows("That is all.");
    gemini.ready();

    gemini.submit("interrupt");
    gemini.answering("interrupt");
    gemini.title("says Working", |title| title.contains("Working"));
    let hooks = gemini.hooks_of("AfterAgent", |gemini| gemini.press("Escape"));
    assert_eq!(hooks, ["AfterAgent"]);
    gemini.model(&What::Disconnected, 1);
    gemini.shows("Request cancelled.");
    gemini.logged("the interrupt", |line| line["type"] == "info" && line["content"] == "Request cancelled.");
    gemini.ready();

    // It asks the model for a summary, and no hook tells.
    let before = gemini.sight().hooks.len();
    gemini.submit("/compress");
    gemini.shows("Compression was not beneficial");
    gemini.ready();
    assert_eq!(gemini.sight().hook_names()[before..], [] as [&str; 0]);
    gemini.hooks_of("AfterAgent", |gemini| gemini.submit("and now"));
    gemini.0.finish();
}
