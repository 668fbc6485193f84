//! Subagents in the background and calls that follow each other, with hooks that ask the hub.

use serde_json::json;

use crate::{Beside, VERSIONS};

/// The rule of the subagent is next: it is used once, and denied, so that it may answer again.
const SUBAGENT: &str = r#"
user again: SUBAGENT
  bash: rm -rf sub-dir
user: queue
  tool Agent: {"description": "helper", "prompt": "SUBAGENT", "subagent_type": "general-purpose", "run_in_background": true}
result: Async agent
  wait: end
  say: Done.
result again
  say: Over.
user again: task-notification
  say: Noted.
"#;

#[track_caller]
fn begin(version: &str, config: &str) -> Beside {
    let beside = Beside::configured(version, SUBAGENT, config);
    std::fs::create_dir(beside.bench.agent.project.join("sub-dir")).unwrap();
    beside.bench.submit("SUBAGENT");
    let asked = beside.asks("permission");
    beside.hub.does(&["answer", &asked["id"].to_string(), "deny"]);
    beside.state("idle");
    beside.bench.submit("queue");
    beside
}

#[test]
fn prompt_of_a_subagent_outlives_the_turn_of_its_master() {
    for version in VERSIONS {
        let beside = begin(version, "");
        let asked = beside.asks("permission");
        assert_eq!(asked["input"]["command"], "rm -rf sub-dir", "{asked:#}");
        beside.bench.agent.model.signal("end");
        beside.bench.shows("Done.");
        // What the board counts is what can be answered.
        let session = beside.state("prompt");
        assert_eq!(session["id"], asked["session"], "{session:#}");
        assert_eq!(beside.asks("permission")["id"], asked["id"]);
        let answer = json!({ "accept": true });
        let answered = beside.hub.post(&format!("/api/v1/prompts/{}/answer", asked["id"]), &answer).unwrap();
        assert_eq!(answered["delivered"], true, "{version}: {answered}");
        beside.bench.until("the command", |_| (!beside.has("sub-dir")).then_some(()));
        beside.state("idle");
    }
}

/// A hook that waits withholds the dialog, for as long as a person may wait at most.
#[test]
fn subagent_asks_at_the_terminal_when_the_hub_has_no_answer() {
    for version in VERSIONS {
        let beside = begin(version, "[permissions]\nwait = 4\n");
        let asked = beside.asks("permission");
        beside.bench.shows("from the general-purpose agent");
        let settled = beside.hub.settled(&asked["id"]);
        assert_eq!(settled["outcome"], "expired", "{version}: {settled:#}");
        beside.state("prompt");
        beside.bench.answer("1", "from the general-purpose agent");
        beside.bench.until("the command", |_| (!beside.has("sub-dir")).then_some(()));
        beside.bench.agent.model.signal("end");
        beside.state("idle");
    }
}

/// The second call is not the first one, though both name the same file.
#[test]
fn each_of_two_calls_for_one_file_is_asked() {
    let scenario = "user: twice\n  write same.txt: one\nresult\n  write same.txt: two\nresult\n  say: Twice.\n";
    for version in VERSIONS {
        let beside = Beside::launch(version, scenario, true, &[]);
        beside.bench.submit("twice");
        for content in ["one", "two"] {
            let is_it = |text: &str| text.trim_end() == content;
            let asked = beside.hub.prompt(content, |prompt| prompt["input"]["content"].as_str().is_some_and(is_it));
            beside.hub.does(&["answer", &asked["id"].to_string(), "allow"]);
            let file = beside.bench.agent.project.join("same.txt");
            let written = || std::fs::read_to_string(&file).unwrap_or_default();
            beside.bench.until("the file", |_| is_it(&written()).then_some(()));
        }
        beside.state("idle");
    }
}
