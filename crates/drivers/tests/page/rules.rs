//! Regions and signs.

use coop_core::agent::Look;
use coop_drivers::page::ScreenPatterns;
use std::sync::Arc;

use crate::{page, read};

/// A page with one region `r` and a rule that looks for `sign` in it.
fn found(region: &str, sign: &str, screen: &str) -> bool {
    let text = format!(
        "name = \"x\"\n[[region]]\nname = \"r\"\n{region}\n[[state]]\nrule = \"w\"\nstate = \"working\"\nregion = \"r\"\n{sign}\n"
    );
    read(&page(&text), screen, Some("the title")).look == Some(Look::Working)
}

#[test]
fn regions() {
    let screen = "alpha\n== mark\nbeta\n\n│ one\n│ two            beside\ngamma\n== mark\ndelta\n\nepsilon\n\n";
    for (region, phrase, there) in [
        ("", "alpha", true),
        ("last = 1", "epsilon", true),
        ("last = 1", "delta", false),
        ("last = 2", "delta", true),
        ("but_last = 1", "epsilon", false),
        ("but_last = 1", "delta", true),
        ("from = \"== mark\"", "== mark", true),
        ("from = \"== mark\"", "gamma", false),
        ("after = \"== mark\"", "== mark", false),
        ("after = \"== mark\"", "delta", true),
        ("after = \"nowhere\"", "delta", false),
        ("from = \"alpha\"\nbefore = \"== mark\"", "alpha", true),
        ("from = \"alpha\"\nbefore = \"== mark\"", "beta", false),
        ("before = \"nowhere\"", "alpha", false),
        ("block = \"│\"", "two", true),
        ("block = \"│\"", "gamma", false),
        ("block = \"┃\"", "two", false),
        ("block = \"│\"\ngap = 5", "beside", false),
        ("block = \"│\"\nframe = \"│\"", "│", false),
        ("block = \"│\"", "│", true),
    ] {
        let sign = format!("all = [{phrase:?}]");
        assert_eq!(found(region, &sign, screen), there, "{region:?} {phrase:?}");
    }
}

#[test]
fn signs() {
    let screen = "  ⠙ thinking\n> \n";
    for (sign, fits) in [
        ("all = [\"thinking\", \">\"]", true),
        ("all = [\"thinking\", \"done\"]", false),
        ("any = [\"done\", \">\"]", true),
        ("any = [\"done\"]", false),
        ("none = [\"done\"]", true),
        ("none = [\">\"]", false),
        ("spinner = \"⠋⠙\"", true),
        ("spinner = \"⠋\"", false),
        ("pattern = ['^>\\s*$']", true),
        ("pattern = ['^thinking']", false),
        ("title = [\"the t\"]", true),
        ("title = [\"another\"]", false),
        ("all = [\"thinking\"]\ntitle = [\"another\"]", false),
    ] {
        assert_eq!(found("", sign, screen), fits, "{sign}");
    }
}

#[test]
fn rules_are_tried_in_their_order_and_dialogs_first() {
    let page = page(
        r#"
name = "x"
pointer = ">"
[[state]]
rule = "works"
state = "working"
all = ["busy"]
[[state]]
rule = "failed"
state = "error"
all = ["Error:"]
[[state]]
rule = "stopped"
state = "idle"
interrupted = true
all = ["stopped"]
[[state]]
rule = "loads"
state = "starting"
all = ["loading"]
[[state]]
rule = "idle"
state = "idle"
all = ["ready"]
[[dialog]]
rule = "asks"
kind = "permission"
all = ["Sure?"]
"#,
    );
    let look = |screen: &str| read(&page, screen, None).look;
    assert_eq!(look("busy ready"), Some(Look::Working));
    assert_eq!(look("Error: no network\nready"), Some(Look::Failed { detail: "Error: no network".to_owned() }));
    assert_eq!(look("ready"), Some(Look::Idle));
    assert!(read(&page, "stopped ready", None).interrupted);
    assert_eq!(look("loading ready"), None);
    assert_eq!(look("anything else"), None);
    assert!(matches!(look("busy\nSure?\n> 1. Yes\n  2. No"), Some(Look::Dialog { .. })));
    assert_eq!(look("busy\nSure?\n"), Some(Look::Working), "its options are not there yet");
}

#[test]
fn a_box_holds_what_is_typed_and_no_placeholder() {
    let page = page(
        "name = \"x\"\n[input]\nbox = \"b\"\nsign = \">\"\nplaceholder = [\"Ask me\"]\n[[region]]\nname = \"b\"\nlast = 1\n\
         [[state]]\nrule = \"i\"\nstate = \"idle\"\nall = [\">\"]\n",
    );
    for (screen, draft) in [("> ", ""), ("> Ask me anything", ""), ("> half of", "half of")] {
        assert_eq!(read(&page, screen, None).draft.as_deref(), Some(draft), "{screen}");
    }
}

#[test]
fn three_patterns_make_a_page() {
    let patterns = r#"{"prompt_pattern": "^\\$$", "working": ["^\\.\\.\\."], "error": "^E: "}"#;
    let patterns: ScreenPatterns = serde_json::from_str(patterns).unwrap();
    let page = Arc::new(patterns.page("unknown").unwrap());
    let look = |screen: &str| read(&page, screen, None).look;
    assert_eq!(look("$ run\n... still\n"), Some(Look::Working));
    assert_eq!(look("done\n$ "), Some(Look::Idle));
    assert_eq!(look("E: no\n$ "), Some(Look::Failed { detail: "E: no".to_owned() }));
    assert_eq!(look("done"), None);
    assert!(serde_json::from_str::<ScreenPatterns>("{}").unwrap().page("unknown").is_none());
    assert!(serde_json::from_str::<ScreenPatterns>(r#"{"promt": "x"}"#).is_err());
    assert!(serde_json::from_str::<ScreenPatterns>(r#"{"prompt": "("}"#).is_err());
}
