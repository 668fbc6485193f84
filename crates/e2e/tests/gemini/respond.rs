//! Every kind of prompt, answered over every transport, with the result as the model was told it.

use coop_api::Code;
use coop_e2e::driven::{meanings, rounds};
use coop_e2e::{Driven, Transport};
use serde_json::{Value, json};

use crate::{RELEASED, Told, begin, holding, launch, result};

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

fn commands(told: Told) {
    let scenario: String = (0..Transport::ALL.len()).map(|n| ROUND.replace('N', &n.to_string())).collect();
    let mut driven = launch(told, &scenario, &[]);
    for (n, transport) in Transport::ALL.into_iter().enumerate() {
        rounds::allow(&mut driven, n, transport, "keys", |driven, prompt| {
            let expected = (&json!("run_shell_command"), &json!(format!("touch allowed-{n}.txt")));
            assert_eq!((&prompt["tool"], &prompt["input_full"]["command"]), expected, "{prompt}");
            assert_eq!(meanings(prompt), ["allow", "allow_session", "deny"], "{prompt}");
            let unfit =
                [json!({ "option": 9 }), json!({ "accept": true, "scope": "path" }), json!({ "answers": [{}] })];
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
fn commands_without_hooks() {
    commands(Told::WithoutHooks);
}

#[test]
fn commands_with_hooks() {
    commands(Told::WithHooks);
}

#[test]
fn files_for_once_and_for_the_session() {
    let scenario = "
user: change it
  edit README.md: # demo => # changed
result
  say: Changed.
user: not that
  edit README.md: # changed => # gone
user: write
  write first.txt: one
result
  say: Written.
user: more
  write second.txt: two
result
  say: Written too.
";
    let mut driven = launch(Told::WithHooks, scenario, &[]);
    driven.nudge(Transport::Http, "change it");
    let prompt = driven.read_prompt("permission");
    assert_eq!(
        (&prompt["tool"], &prompt["input_full"]["new_string"]),
        (&json!("replace"), &json!("# changed")),
        "{prompt}"
    );
    // The third option opens an editor; the last says no.
    assert_eq!(meanings(&prompt), ["allow", "allow_session", "answer", "deny"], "{prompt}");
    driven.respond_by_keys(Transport::Http, json!({ "option": 1, "prompt_id": prompt["prompt_id"] }));
    driven.state("idle");
    let readme = driven.session.agent.project.join("README.md");
    assert!(std::fs::read_to_string(&readme).unwrap().contains("# changed"));
    driven.nudge(Transport::Grpc, "not that");
    driven.read_prompt("permission");
    driven.respond_by_keys(Transport::Ws, json!({ "accept": false }));
    driven.state("idle");
    assert!(std::fs::read_to_string(&readme).unwrap().contains("# changed"));
    driven.nudge(Transport::Http, "write");
    assert_eq!(driven.read_prompt("permission")["tool"], "write_file");
    driven.respond_by_keys(Transport::Http, json!({ "accept": true, "scope": "session" }));
    driven.state("idle");
    let reply = driven.turn(Transport::Http, "more");
    assert_eq!((&reply["state_after"], &reply["last_message"]), (&json!("idle"), &json!("Written too.")), "{reply}");
    driven.session.finish();
}

const QUESTIONS: &str = "
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
";

const SEVERAL: &str = "
user: several
  ask Database: Which of these?
    - SQLite: Small
    - Postgres: Big
  ask Features, several: Which features?
    - Auth
    - Search
    - Export
result: Export
  say: All noted.
user: boxes
  ask Features, several: Which features then?
    - Auth
    - Search
    - Export
result: a wiki
  say: Noted boxes.
";

fn one_question(driven: &mut Driven) {
    driven.nudge(Transport::Http, "one");
    let prompt = driven.read_prompt("question");
    assert_eq!(prompt["questions"][0]["question"], "Which database?", "{prompt}");
    let refused = driven.ask(Transport::Http, &json!({ "type": "respond", "option": 9 })).unwrap_err();
    assert_eq!(refused.code, Code::BadRequest);
    driven.respond_by_keys(Transport::Http, json!({ "option": 2 }));
    driven.state("idle");
    result(driven, "of one question", |result| result.contains("Postgres"));

    driven.nudge(Transport::Ws, "words");
    driven.read_prompt("question");
    driven.respond_by_keys(Transport::Ws, json!({ "text": "CockroachDB, of course" }));
    driven.state("idle");
    result(driven, "in own words", |result| result.contains("CockroachDB, of course"));
}

#[test]
fn a_question_without_hooks() {
    let mut driven = launch(Told::WithoutHooks, QUESTIONS, &[]);
    one_question(&mut driven);
    driven.session.finish();
}

#[test]
fn questions() {
    let mut driven = launch(Told::WithHooks, &format!("{QUESTIONS}{SEVERAL}"), &[]);
    one_question(&mut driven);
    driven.nudge(Transport::Grpc, "several");
    let prompt = driven.read_prompt("question");
    assert_eq!(prompt["questions"].as_array().map(Vec::len), Some(2), "{prompt}");
    driven.respond_by_keys(Transport::Grpc, json!({ "answers": [{ "options": [1] }, { "options": [1, 3] }] }));
    driven.state("idle");
    result(&driven, "of both questions", |result| {
        ["SQLite", "Auth", "Export"].iter().all(|word| result.contains(word)) && !result.contains("Search")
    });
    driven.nudge(Transport::Http, "boxes");
    driven.read_prompt("question");
    driven.respond_by_keys(Transport::Http, json!({ "answers": [{ "options": [2], "text": "a wiki" }] }));
    driven.state("idle");
    result(&driven, "with boxes and words", |result| result.contains("Search, a wiki"));
    driven.session.finish();
}

const BOTH: &str = "user: both\n  bash: touch one.txt\n  bash: touch two.txt\nresult\n  say: Done.\n";

/// Waits until it asks about a command.
#[track_caller]
fn asks_about(driven: &Driven, command: &str) -> Value {
    let state = driven.session.wait_json("/api/v1/agent/state", &format!("a prompt about {command}"), |state| {
        state["prompt"]["ready"] == true && state["prompt"]["input_full"]["command"] == command
    });
    state["prompt"].clone()
}

#[track_caller]
fn allow_both(mut driven: Driven) {
    for command in ["touch one.txt", "touch two.txt"] {
        let prompt = asks_about(&driven, command);
        driven.respond_by_keys(Transport::Http, json!({ "accept": true, "prompt_id": prompt["prompt_id"] }));
    }
    driven.state("idle");
    let exists = |name: &str| driven.session.agent.project.join(name).exists();
    assert!(exists("one.txt") && exists("two.txt"));
    driven.session.finish();
}

#[test]
fn two_at_once_are_two_prompts() {
    let mut driven = launch(Told::WithoutHooks, BOTH, &[]);
    driven.nudge(Transport::Http, "both");
    allow_both(driven);
}

/// The hooks of both run at the same time. It asks about the first tool that is through, and about an earlier one as soon
/// as that is through too: only the screen tells which it is.
#[test]
fn two_at_once_and_the_first_is_through_later() {
    let mut driven = begin(BOTH, &[], holding("one.txt"));
    driven.state("idle");
    driven.nudge(Transport::Http, "both");
    asks_about(&driven, "touch two.txt");
    std::fs::write(driven.session.agent.project.join(RELEASED), "").unwrap();
    allow_both(driven);
}

#[test]
fn two_at_once_and_the_second_is_through_later() {
    let mut driven = begin(BOTH, &[], holding("two.txt"));
    driven.state("idle");
    driven.nudge(Transport::Http, "both");
    let first = asks_about(&driven, "touch one.txt");
    std::fs::write(driven.session.agent.project.join(RELEASED), "").unwrap();
    let both_ask = |(_, event): &(_, Value)| event["type"] == "hook" && event["event"] == "Notification";
    driven.session.until("the hook that was held", |session| {
        (session.timed_events().iter().filter(|event| both_ask(event)).count() == 2).then_some(())
    });
    assert_eq!(asks_about(&driven, "touch one.txt")["prompt_id"], first["prompt_id"], "{}", driven.session);
    allow_both(driven);
}

#[test]
fn answered_at_the_terminal_first() {
    let scenario = "user: ask me\n  bash: touch x.txt\nresult\n  say: Done.\n";
    let mut driven = launch(Told::WithHooks, scenario, &[]);
    driven.nudge(Transport::Http, "ask me");
    let prompt = driven.read_prompt("permission");
    driven.session.answer("1", "Allow execution of");
    driven.state("idle");
    let second = driven
        .ask(Transport::Http, &json!({ "type": "respond", "accept": false, "prompt_id": prompt["prompt_id"] }))
        .unwrap_err();
    assert_eq!(second.code, Code::NoPrompt);
    assert!(second.detail.contains("terminal"), "{second:?}");
    driven.session.finish();
}
