//! Plans, and the answers that are more than yes, no or an option.

use coop_api::Code;
use coop_e2e::Transport;
use coop_e2e::driven::meanings;
use coop_testkit::Options;
use serde_json::{Value, json};

use crate::{VERSIONS, launch, launch_with, result};

const PLANS: &str = "
user: plan it
  plan: # Long plan
      | 1. Think
      | 2. Do
result: shorter, please
  plan: # Short plan
      | 1. Do
result: approved
  say: Implemented.
";

fn plans(version: &str, via: &str, coop: &[&str]) {
    let options = Options { args: ["--permission-mode", "plan"].map(str::to_owned).to_vec(), ..Options::default() };
    let mut driven = launch_with(version, PLANS, coop, options);
    driven.nudge(Transport::Http, "plan it");
    let by = |asked: &Value| asked["by_hook"] == (via == "hook");
    // Its text is in the log, and its options are on the screen.
    let asked = driven.session.wait_json("/api/v1/agent/state", "the first plan", |state| {
        let asked = &state["prompt"];
        let whole = asked["ready"] == true && asked["options_fallback"] == false;
        whole && by(asked) && asked["summary"].as_str().is_some_and(|plan| plan.contains("1. Think"))
    });
    let prompt = asked["prompt"].clone();
    assert!(prompt["options"].as_array().is_some_and(|options| options.len() >= 3), "{prompt}");
    let meanings = meanings(&prompt);
    assert!(meanings.contains(&"allow") && meanings.contains(&"deny_with_text"), "{prompt}");
    for unfit in [json!({ "accept": true, "scope": "session" }), json!({ "accept": true, "updated_input": {} })] {
        let mut request = unfit;
        request["type"] = "respond".into();
        assert_eq!(driven.ask(Transport::Http, &request).unwrap_err().code, Code::BadRequest, "{request}");
    }

    let reply = driven.respond(Transport::Ws, json!({ "accept": false, "text": "shorter, please" }));
    assert_eq!((&reply["via"], &reply["prompt_type"]), (&json!(via), &json!("plan")), "{reply}");
    let second = driven.session.wait_json("/api/v1/agent/state", "the second plan", |state| {
        let asked = &state["prompt"];
        let whole = asked["ready"] == true && by(asked);
        whole && asked["summary"].as_str().is_some_and(|plan| plan.contains("Short plan"))
    });
    assert_ne!(second["prompt"]["prompt_id"], prompt["prompt_id"]);

    let reply = driven.respond(Transport::Grpc, json!({ "accept": true }));
    assert_eq!(reply["via"], via, "{reply}");
    driven.state("idle");
    driven.session.shows("Implemented.");
    // By keys, 2.1.197 gives the model back what it had noted before the file was written, not what it showed.
    let shown = |result: &str| via == "keys" || !result.contains("Think");
    result(&driven, "that approves the plan", |result| result.contains("approved") && shown(result));
    driven.session.finish();
}

#[test]
fn plans_by_hook() {
    for version in VERSIONS {
        plans(version, "hook", &[]);
    }
}

#[test]
fn plans_by_keys() {
    for version in VERSIONS {
        plans(version, "keys", &["--groom", "pristine"]);
    }
}

const SCOPED: &str = "
user: first
  bash: touch first.txt
result
  say: First.
user: second
  bash: touch first.txt
result
  say: Second.
user: third
  bash: touch third.txt
result
  say: Third.
";

/// What was allowed for the session is not asked again; anything else is, however similar.
fn scoped(version: &str, via: &str, coop: &[&str], answer: &Value) {
    let mut driven = launch(version, SCOPED, coop);
    driven.nudge(Transport::Http, "first");
    driven.prompt_for("permission", via);
    let reply = driven.respond(Transport::Http, answer.clone());
    assert_eq!(reply["via"], via, "{reply}");
    driven.state("idle");
    let turn = json!({ "type": "nudge", "message": "second", "wait": "turn_end", "timeout_secs": 30 });
    let reply = driven.ask(Transport::Http, &turn).unwrap();
    assert_eq!((&reply["state_after"], &reply["last_message"]), (&json!("idle"), &json!("Second.")), "{reply}");
    let asked = driven.session.timed_events().into_iter().filter(|(_, event)| event["next"] == "prompt").count();
    assert_eq!(asked, 1, "{}", driven.session);
    driven.nudge(Transport::Http, "third");
    driven.prompt("permission");
    driven.respond(Transport::Http, json!({ "accept": true }));
    driven.state("idle");
    driven.session.finish();
}

#[test]
fn allowed_for_the_session() {
    for version in VERSIONS {
        scoped(version, "hook", &[], &json!({ "accept": true, "scope": "session" }));
    }
}

/// By keys, as far as the dialog offers it: of edits it does.
#[test]
fn edits_allowed_for_the_session_by_keys() {
    let scenario = "
user: first
  write first.txt: one
result
  say: First.
user: second
  write second.txt: two
result
  say: Second.
";
    for version in VERSIONS {
        let mut driven = launch(version, scenario, &["--groom", "pristine"]);
        driven.nudge(Transport::Http, "first");
        driven.read_prompt("permission");
        let reply = driven.respond(Transport::Http, json!({ "accept": true, "scope": "session" }));
        assert_eq!(reply["via"], "keys", "{reply}");
        driven.state("idle");
        let turn = json!({ "type": "nudge", "message": "second", "wait": "turn_end", "timeout_secs": 30 });
        let reply = driven.ask(Transport::Http, &turn).unwrap();
        assert_eq!(reply["state_after"], "idle", "{reply}");
        assert!(driven.session.agent.project.join("second.txt").exists());
        driven.session.finish();
    }
}

#[test]
fn a_tool_runs_with_the_input_it_was_given() {
    for version in VERSIONS {
        let scenario = "user: go\n  bash: touch meant.txt\nresult\n  say: Done.\n";
        let mut driven = launch(version, scenario, &[]);
        driven.nudge(Transport::Http, "go");
        driven.hook_prompt("permission");
        let input = json!({ "command": "touch changed.txt", "description": "Run a command" });
        let reply = driven.respond(Transport::Http, json!({ "accept": true, "updated_input": input }));
        assert_eq!(reply["via"], "hook");
        driven.state("idle");
        let exists = |name: &str| driven.session.agent.project.join(name).exists();
        assert_eq!((exists("meant.txt"), exists("changed.txt")), (false, true), "{}", driven.session);
        driven.session.finish();
    }
}

const QUESTIONS: &str = "
user: one
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: CockroachDB, of course
  say: Noted.
user: two
  ask Database: Which of these?
    - SQLite: Small
    - Postgres: Big
  ask Features, several: Which features?
    - Auth
    - Search
result: a wiki
  say: Noted again.
";

fn own_words(version: &str, via: &str, coop: &[&str]) {
    let mut driven = launch(version, QUESTIONS, coop);
    driven.nudge(Transport::Http, "one");
    driven.prompt("question");
    // What is asked may be known before the hook waits for it; an answer then goes by keys.
    driven.session.wait_json("/api/v1/agent/state", "the hook", |state| state["prompt"]["by_hook"] == (via == "hook"));
    let reply = driven.respond(Transport::Http, json!({ "text": "CockroachDB, of course" }));
    assert_eq!(reply["via"], via, "{reply}");
    driven.state("idle");
    result(&driven, "in own words", |result| result.contains("CockroachDB, of course"));
    driven.nudge(Transport::Http, "two");
    driven.whole_prompt("question");
    let answers = json!([{ "text": "both" }, { "options": [2], "text": "a wiki" }]);
    driven.respond(Transport::Http, json!({ "answers": answers }));
    driven.state("idle");
    result(&driven, "with options and words", |result| {
        ["both", "Search", "a wiki"].iter().all(|word| result.contains(word)) && !result.contains("Auth")
    });
    driven.session.finish();
}

#[test]
fn questions_in_own_words_by_hook() {
    for version in VERSIONS {
        own_words(version, "hook", &[]);
    }
}

#[test]
fn questions_in_own_words_by_keys() {
    for version in VERSIONS {
        own_words(version, "keys", &["--groom", "pristine"]);
    }
}
