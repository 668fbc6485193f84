//! Every kind of prompt, answered over every transport, with the result as the model was told it.

use coop_api::Code;
use coop_e2e::Transport;
use coop_e2e::driven::talks::codex_plan_mode;
use coop_e2e::driven::{meanings, rounds};
use serde_json::json;

use crate::{launch, result};

const ROUND: &str = "
user: allow N
  bash: touch allowed-N.txt
result
  say: Allowed.
user: deny N
  bash: touch denied-N.txt
user: explain N
  bash: touch explained-N.txt
user: because N
  say: Understood.
";

#[test]
fn commands() {
    let scenario: String = (0..Transport::ALL.len()).map(|n| ROUND.replace('N', &n.to_string())).collect();
    let mut driven = launch(&scenario, &[], &[]);
    for (n, transport) in Transport::ALL.into_iter().enumerate() {
        rounds::allow(&mut driven, n, transport, "keys", |driven, prompt| {
            let command = json!(format!("touch allowed-{n}.txt"));
            assert_eq!((&prompt["tool"], &prompt["input_full"]["command"]), (&json!("Bash"), &command), "{prompt}");
            assert_eq!(meanings(prompt), ["allow", "allow_project", "deny"], "{prompt}");
            let unfit =
                [json!({ "option": 9 }), json!({ "accept": true, "scope": "session" }), json!({ "answers": [{}] })];
            rounds::refuses(driven, transport, unfit);
        });
        rounds::deny(&mut driven, n, transport, "keys");

        // The dialog has no place for words: they are said when it is gone.
        driven.nudge(transport, &format!("explain {n}"));
        driven.read_prompt("permission");
        driven.respond_by_keys(transport, json!({ "accept": false, "text": format!("because {n}") }));
        driven.session.shows("Understood.");
        driven.state("idle");
    }
    driven.session.finish();
}

#[test]
fn patches() {
    let scenario = "
user: change it
  edit README.md: # demo => # changed
result
  say: Changed.
user: not that
  edit README.md: # changed => # gone
";
    let mut driven = launch(scenario, &["--sandbox", "read-only", "--ask-for-approval", "on-request"], &[]);
    driven.nudge(Transport::Http, "change it");
    let prompt = driven.read_prompt("permission");
    assert_eq!(prompt["tool"], "apply_patch", "{prompt}");
    // It is in the log alone.
    driven.session.wait_json("/api/v1/agent/state", "the patch", |state| {
        state["prompt"]["input_full"]["command"].as_str().is_some_and(|patch| patch.contains("+# changed"))
    });
    driven.respond_by_keys(Transport::Http, json!({ "option": 1, "prompt_id": prompt["prompt_id"] }));
    driven.state("idle");
    let readme = driven.session.agent.project.join("README.md");
    assert!(std::fs::read_to_string(&readme).unwrap().contains("# changed"));
    driven.nudge(Transport::Grpc, "not that");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Ws, json!({ "accept": false }));
    driven.state("idle");
    assert!(std::fs::read_to_string(&readme).unwrap().contains("# changed"));
    driven.session.finish();
}

#[test]
fn a_command_allowed_for_good_is_not_asked_about_again() {
    let scenario = "
user: first
  bash: touch first.txt
result
  say: First.
user: second
  bash: touch first.txt
result
  say: Second.
";
    let mut driven = launch(scenario, &[], &[]);
    driven.nudge(Transport::Http, "first");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true, "scope": "path" }));
    driven.state("idle");
    let reply = driven.turn(Transport::Http, "second");
    assert_eq!((&reply["state_after"], &reply["last_message"]), (&json!("idle"), &json!("Second.")), "{reply}");
    driven.session.finish();
}

const QUESTIONS: &str = "
user: hello
  say: Hi there.
user: one
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Noted.
user: words
  ask Database: Which database then?
    - SQLite: Small
    - Postgres: Big
result: CockroachDB, of course
  say: Noted words.
user: several
  ask Database: Which of these?
    - SQLite: Small
    - Postgres: Big
  ask Language: Which language?
    - Rust: Fast
    - Go: Plain
  ask Style: Which style?
    - Plain: Short
    - Rich: Long
result: Rust
  say: All noted.
";

#[test]
fn questions() {
    let mut driven = launch(QUESTIONS, &[], &[]);
    driven.turn(Transport::Http, "hello");
    codex_plan_mode(&driven);
    driven.nudge(Transport::Http, "one");
    let prompt = driven.read_prompt("question");
    assert_eq!(prompt["tool"], "request_user_input", "{prompt}");
    assert_eq!(prompt["questions"][0]["question"], "Which database?");
    let refused = driven.ask(Transport::Http, &json!({ "type": "respond", "option": 9 })).unwrap_err();
    assert_eq!(refused.code, Code::BadRequest);
    driven.respond_by_keys(Transport::Http, json!({ "option": 2 }));
    driven.state("idle");
    result(&driven, "of one question", |result| result.contains("Postgres"));

    driven.nudge(Transport::Ws, "words");
    driven.read_prompt("question");
    driven.respond_by_keys(Transport::Ws, json!({ "text": "CockroachDB, of course" }));
    driven.state("idle");
    result(&driven, "in own words", |result| result.contains("user_note: CockroachDB, of course"));

    driven.nudge(Transport::Grpc, "several");
    driven.read_prompt("question");
    let prompt = driven.whole_prompt("question");
    assert_eq!(prompt["questions"].as_array().map(Vec::len), Some(3), "{prompt}");
    let answers = json!([{ "options": [2] }, { "options": [1] }, { "text": "in verse" }]);
    driven.respond_by_keys(Transport::Grpc, json!({ "answers": answers }));
    driven.state("idle");
    result(&driven, "of three questions", |result| {
        ["Postgres", "Rust", "in verse"].iter().all(|word| result.contains(word))
    });
    driven.session.finish();
}

/// Only one report tells of both dialogs.
#[test]
fn two_at_once_are_two_prompts() {
    let scenario = "user: both\n  bash: touch one.txt\n  bash: touch two.txt\nresult\n  say: Done.\n";
    let mut driven = launch(scenario, &[], &[]);
    driven.nudge(Transport::Http, "both");
    let first = driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true, "prompt_id": first["prompt_id"] }));
    let state = driven.session.wait_json("/api/v1/agent/state", "the second prompt", |state| {
        let prompt = &state["prompt"];
        prompt["ready"] == true && prompt["prompt_id"] != first["prompt_id"]
    });
    let second = &state["prompt"];
    assert_ne!(second["input_full"]["command"], first["input_full"]["command"], "{second}");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true, "prompt_id": second["prompt_id"] }));
    driven.state("idle");
    let exists = |name: &str| driven.session.agent.project.join(name).exists();
    assert!(exists("one.txt") && exists("two.txt"));
    driven.session.finish();
}

#[test]
fn answered_at_the_terminal_first() {
    let scenario = "user: ask me\n  bash: touch x.txt\nresult\n  say: Done.\n";
    let mut driven = launch(scenario, &[], &[]);
    driven.nudge(Transport::Http, "ask me");
    let prompt = driven.read_prompt("permission");
    driven.session.answer("y", "Would you like to run the following command?");
    driven.state("idle");
    let second = driven
        .ask(Transport::Http, &json!({ "type": "respond", "accept": false, "prompt_id": prompt["prompt_id"] }))
        .unwrap_err();
    assert_eq!(second.code, Code::NoPrompt);
    assert!(second.detail.contains("terminal"), "{second:?}");
    driven.session.finish();
}
