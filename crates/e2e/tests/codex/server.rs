//! With Codex's own app-server, which coop is a second client of: no answer is typed where the server takes it.

use std::fs;

use coop_api::Code;
use coop_e2e::driven::moves::{Move, Mover, play};
use coop_e2e::driven::rounds;
use coop_e2e::driven::talks::{CODEX, Talk, codex_plan_mode};
use coop_e2e::{Driven, Transport};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{launch, result};

#[track_caller]
fn served(scenario: &str) -> (Driven, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agent.json");
    fs::write(&config, json!({ "app_server": true }).to_string()).unwrap();
    (launch(scenario, &[], &["--agent-config", config.to_str().unwrap()]), folder)
}

/// Waits until the server asks too: the terminal's own signals may be first.
#[track_caller]
fn asked(driven: &Driven, kind: &str) -> Value {
    let state = driven.session.wait_json("/api/v1/agent/state", &format!("a {kind} that the server asks"), |state| {
        state["prompt"]["type"] == kind && state["prompt"]["by_hook"] == true
    });
    state["prompt"].clone()
}

/// All that Codex does, but for two commands at once: a person may be shown the second first, while coop says what is asked
/// in the order of the server.
#[test]
fn no_state_is_wrong() {
    let two = "user: two at once\n  bash: touch one.txt\n  bash: touch two.txt\nresult\n  say: Both.\n";
    assert!(CODEX.script.contains(two));
    let at = CODEX.moves.iter().position(|(what, _)| matches!(what, Move::Say("two at once"))).unwrap();
    let moves = [&CODEX.moves[..at], &CODEX.moves[at + 3..]].concat();
    let (mut driven, _folder) = served(&CODEX.script.replace(two, ""));
    play(&mut driven, &Talk { moves: moves.leak(), ..CODEX }, Mover::Person);
    driven.session.finish();
}

#[test]
fn two_at_once_are_answered_one_after_the_other() {
    let scenario = "user: both\n  bash: touch one.txt\n  bash: touch two.txt\nresult\n  say: Both.\n";
    let (mut driven, _folder) = served(scenario);
    driven.nudge(Transport::Http, "both");
    let first = asked(&driven, "permission");
    let reply = driven.respond(Transport::Http, json!({ "accept": true, "prompt_id": first["prompt_id"] }));
    assert_eq!(reply["via"], "hook", "{reply}");
    driven.session.wait_json("/api/v1/agent/state", "the other one", |state| {
        let prompt = &state["prompt"];
        prompt["by_hook"] == true && prompt["input_full"]["command"] != first["input_full"]["command"]
    });
    driven.respond(Transport::Http, json!({ "accept": true }));
    driven.state("idle");
    assert!(["one.txt", "two.txt"].iter().all(|name| driven.session.agent.project.join(name).exists()));
    driven.session.finish();
}

#[test]
fn commands_are_answered_through_it() {
    let round = "
user: allow N
  bash: touch allowed-N.txt
result
  say: Allowed.
user: deny N
  bash: touch denied-N.txt
";
    let scenario: String = (0..Transport::ALL.len()).map(|n| round.replace('N', &n.to_string())).collect();
    let (mut driven, _folder) = served(&scenario);
    for (n, transport) in Transport::ALL.into_iter().enumerate() {
        rounds::allow(&mut driven, n, transport, "hook", |driven, _| {
            let prompt = asked(driven, "permission");
            let command = json!(format!("touch allowed-{n}.txt"));
            assert_eq!((&prompt["tool"], &prompt["input_full"]["command"]), (&json!("Bash"), &command), "{prompt}");
            rounds::refuses(driven, transport, [json!({ "option": 9 }), json!({ "answers": [{}] })]);
        });
        rounds::deny(&mut driven, n, transport, "hook");
    }
    assert_eq!(driven.state("idle")["capabilities"]["respond_by_hook"], true);
    driven.session.finish();
}

#[test]
fn allowed_for_good_is_not_asked_again() {
    let scenario = "
user: first
  bash: touch same.txt
result
  say: One.
user: second
  bash: touch same.txt
result
  say: Two.
";
    let (mut driven, _folder) = served(scenario);
    driven.nudge(Transport::Http, "first");
    asked(&driven, "permission");
    let reply = driven.respond(Transport::Http, json!({ "option": 2 }));
    assert_eq!(reply["via"], "hook", "{reply}");
    driven.state("idle");
    let reply = driven.turn(Transport::Http, "second");
    assert_eq!(reply["last_message"], "Two.", "{reply}");
    driven.publishes(&["idle", "working", "prompt", "working", "idle", "working", "idle"]);
    driven.session.finish();
}

#[test]
fn questions_are_answered_through_it_and_plans_at_the_terminal() {
    let scenario = "
user: hello
  say: Hi there.
user: ask me
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Chosen.
user: plan it
  plan: # Long plan
      | 1. Think
";
    let (mut driven, _folder) = served(scenario);
    // A mode that is chosen while it starts is forgotten.
    driven.turn(Transport::Http, "hello");
    codex_plan_mode(&driven);
    driven.nudge(Transport::Grpc, "ask me");
    let prompt = asked(&driven, "question");
    assert_eq!(prompt["questions"][0]["question"], "Which database?", "{prompt}");
    let reply = driven.respond(Transport::Grpc, json!({ "answers": [{ "options": [2] }] }));
    assert_eq!(reply["via"], "hook", "{reply}");
    driven.state("idle");
    result(&driven, "of the question", |output| output.contains("Postgres"));
    driven.nudge(Transport::Ws, "plan it");
    driven.read_prompt("plan");
    driven.respond_by_keys(Transport::Ws, json!({ "accept": false }));
    driven.state("idle");
    driven.session.finish();
}

#[test]
fn whoever_answers_first_has_it_and_the_server_ends_with_the_agent() {
    let scenario = "user: ask me\n  bash: touch x.txt\nresult\n  say: Done.\n";
    let (mut driven, _folder) = served(scenario);
    driven.nudge(Transport::Http, "ask me");
    let prompt = asked(&driven, "permission");
    driven.session.answer("y", "Would you like to run");
    driven.state("idle");
    let late = json!({ "type": "respond", "accept": false, "prompt_id": prompt["prompt_id"] });
    let late = driven.ask(Transport::Http, &late).unwrap_err();
    assert!(late.code == Code::NoPrompt && late.detail.contains("terminal"), "{late:?}");
    let home = driven.session.agent.home.clone();
    assert!(!servers(&home).is_empty(), "{}", driven.session);
    driven.session.types("/quit");
    driven.session.shows("› /quit");
    driven.session.press("Enter");
    driven.session.until("the end of its server", |_| servers(&home).is_empty().then_some(()));
    driven.session.finish();
}

/// Processes of the app-server of an agent with this home.
fn servers(home: &std::path::Path) -> Vec<String> {
    let of = |file: &str, pid: &std::path::Path| {
        String::from_utf8_lossy(&fs::read(pid.join(file)).unwrap_or_default()).into_owned()
    };
    let home = format!("HOME={}\0", home.display());
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let ours = processes.filter(|pid| of("environ", pid).contains(&home));
    ours.map(|pid| of("cmdline", &pid)).filter(|line| line.contains("app-server\0--listen")).collect()
}
