//! Plan mode: a plan sent back with feedback, and one approved.

use coop_testkit::Options;

use super::Gemini;

const SCENARIO: &str = "
user: plan it
  plan: # Long plan
      | 1. Think
      | 2. Do
result: shorter
  plan: # Short plan
      | 1. Do
result
  say: Implemented.
";

#[test]
fn plan() {
    let options = Options { args: ["--approval-mode", "plan"].map(str::to_owned).to_vec(), ..Options::default() };
    let mut gemini = Gemini::started(SCENARIO, &options);
    gemini.submit("plan it");
    gemini.shows("Ready to start implementation?");
    gemini.title("asks for action", |title| title.contains("Action Required"));
    let asked = gemini.hook("Notification");
    assert_eq!(asked["details"]["type"], "exit_plan_mode");
    gemini.shows("Long plan");
    gemini.press("3");
    gemini.insist("the third option", "3", |sight| sight.screen.contains("● 3."));
    // What is typed before the field has the focus is lost.
    gemini.shows("Enter to submit");
    gemini.types("shorter, please");
    gemini.shows("3.  shorter, please");
    gemini.answer("Enter", "● 3.");
    gemini.shows("Short plan");
    gemini.hook("Notification");
    gemini.answer("2", "Ready to start implementation?");
    gemini.hook("AfterAgent");
    let round = ["BeforeTool", "AfterTool", "BeforeTool", "Notification", "AfterTool"];
    let expected = [&["SessionStart", "BeforeAgent"][..], &round, &round, &["AfterAgent"]].concat();
    assert_eq!(gemini.sight().hook_names(), expected);
    gemini.ready();
    gemini.0.finish();
}
