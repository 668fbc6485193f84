//! What goes wrong at the API, and how a turn ends then.

use coop_testkit::Options;
use coop_testkit::model::What;

use super::Gemini;

const SCENARIO: &str = "
user again: case 400
  error: 400 scripted bad request
user again: case 401
  error: 401 scripted no key
user again: case 403
  error: 403 scripted not yours
user again: case broken
  say: Half of it
  error: 400 scripted break
user again: case cut
  say: Half of it
  cut
user again: case 429
  error: 429 scripted limit, retry after 1s
user again: case 500
  error: 500 scripted failure
user again: case quota
  error: 429 scripted quota, resets in 1h
user again: case 404
  error: 404 scripted no such model
user again: case hang
  say: Now wait
  hang
user: case fine
  say: Fine again.
";

#[test]
fn errors() {
    let mut gemini = Gemini::started(SCENARIO, &Options::default());
    // These look like success to a hook.
    for (case, text) in [
        ("400", "scripted bad request"),
        ("401", "scripted no key"),
        ("403", "scripted not yours"),
        ("broken", "Model stream ended without a finish reason."),
        ("cut", "terminated"),
    ] {
        let hooks = gemini.hooks_of("AfterAgent", |gemini| gemini.submit(&format!("case {case}")));
        assert_eq!(hooks, ["BeforeAgent", "AfterAgent"], "{case}");
        gemini.logged("the error", |line| {
            line["type"] == "error" && line["content"].as_str().is_some_and(|content| content.contains(text))
        });
        gemini.ready();
    }
    // These are tried again for minutes, and nothing tells.
    for case in ["429", "500"] {
        let before = gemini.sight().hooks.len();
        gemini.submit(&format!("case {case}"));
        gemini.model(&What::Failed(case.parse().unwrap()), 2);
        gemini.title("says Working", |title| title.contains("Working"));
        assert_eq!(gemini.sight().hook_names()[before..], ["BeforeAgent"], "{case}");
        let hooks = gemini.hooks_of("AfterAgent", |gemini| gemini.press("Escape"));
        assert_eq!(hooks, ["AfterAgent"], "{case}");
        gemini.ready();
    }
    // These ask on the screen, and nothing else tells.
    for (case, dialog) in [("quota", "Usage limit reached"), ("404", "was not found or is invalid")] {
        let before = gemini.sight().hooks.len();
        gemini.submit(&format!("case {case}"));
        gemini.shows(dialog);
        assert_eq!(gemini.sight().hook_names()[before..], ["BeforeAgent"], "{case}");
        assert!(gemini.sight().title().contains("Working"), "{case}");
        gemini.answer("2", dialog);
        gemini.ready();
    }

    gemini.submit("case hang");
    gemini.model(&What::Hanging, 1);
    gemini.hooks_of("AfterAgent", |gemini| gemini.press("Escape"));
    gemini.model(&What::Disconnected, 1);
    gemini.ready();
    gemini.hooks_of("AfterAgent", |gemini| gemini.submit("case fine"));
    gemini.0.finish();
}
