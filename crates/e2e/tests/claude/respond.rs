//! Every kind of prompt, answered over every transport, by hook and by keys, with the result in the agent's own log.

use std::time::Duration;

use coop_api::Code;
use coop_e2e::driven::rounds;
use coop_e2e::{Driven, Transport};
use serde_json::json;

use crate::{VERSIONS, launch, result};

pub(crate) const ROUND: &str = "
user: allow N
  bash: touch allowed-N.txt
result
  say: Allowed.
user: deny N
  bash: touch denied-N.txt
user: explain N
  bash: touch explained-N.txt
result: because N
  say: Understood.
user: pick N
  ask Database: Which database N?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Picked.
user: several N
  ask Database: Which of these N?
    - SQLite: Small
    - Postgres: Big
  ask Features, several: Which features N?
    - Auth
    - Search
    - Export
result: Export
  say: All picked.
";

fn scenario() -> String {
    (0..Transport::ALL.len()).map(|n| ROUND.replace('N', &n.to_string())).collect()
}

pub(crate) fn round(driven: &mut Driven, n: usize, transport: Transport, via: &str) {
    rounds::allow(driven, n, transport, via, |driven, prompt| {
        assert_eq!(prompt["tool"], "Bash");
        // Without hooks the dialog may be seen before the agent has logged the call.
        let command = format!("touch allowed-{n}.txt");
        driven.session.wait_json("/api/v1/agent/state", "the whole command", |state| {
            state["prompt"]["input_full"]["command"] == command
        });
    });
    rounds::deny(driven, n, transport, via);

    driven.nudge(transport, &format!("explain {n}"));
    driven.prompt("permission");
    driven.respond(transport, json!({ "accept": false, "text": format!("because {n}") }));
    driven.state("idle");
    result(driven, "with the reason", |result| result.contains(&format!("because {n}")));

    driven.nudge(transport, &format!("pick {n}"));
    let prompt = driven.prompt("question");
    assert_eq!(prompt["questions"][0]["question"], format!("Which database {n}?"));
    let refused = driven.ask(transport, &json!({ "type": "respond", "option": 9 })).unwrap_err();
    assert_eq!(refused.code, Code::BadRequest);
    driven.respond(transport, json!({ "option": 2 }));
    driven.state("idle");
    result(driven, "of the first question", |result| result.contains("Postgres"));

    driven.nudge(transport, &format!("several {n}"));
    driven.whole_prompt("question");
    driven.respond(transport, json!({ "answers": [{ "options": [1] }, { "options": [1, 3] }] }));
    driven.state("idle");
    result(driven, "of both questions", |result| {
        ["SQLite", "Auth", "Export"].iter().all(|word| result.contains(word)) && !result.contains("Search")
    });
}

fn all(version: &str, via: &str, coop: &[&str]) {
    let mut driven = launch(version, &scenario(), coop);
    for (n, transport) in Transport::ALL.into_iter().enumerate() {
        round(&mut driven, n, transport, via);
    }
}

#[test]
fn by_hook() {
    for version in VERSIONS {
        all(version, "hook", &[]);
    }
}

#[test]
fn by_keys() {
    for version in VERSIONS {
        all(version, "keys", &["--groom", "pristine"]);
    }
}

/// People are told of an edit by another name than hooks are.
#[test]
fn an_edit_is_one_prompt_by_whatever_name() {
    let scenario = "user: make it\n  write notes.md: one\nresult\n  say: Made.\n\
                    user: change it\n  edit notes.md: one => two\nresult\n  say: Changed.\n";
    for (version, via, coop) in VERSIONS
        .into_iter()
        .flat_map(|version| [(version, "hook", &[][..]), (version, "keys", &["--groom", "pristine"][..])])
    {
        let mut driven = launch(version, scenario, coop);
        for (message, tool, text) in [("make it", "Write", "one"), ("change it", "Edit", "two")] {
            driven.nudge(Transport::Http, message);
            let asked = driven.prompt_for("permission", via);
            assert_eq!(asked["tool"], tool, "{version}: {asked:#}");
            let responded = driven.respond(Transport::Http, json!({ "accept": true }));
            assert_eq!(responded["via"], via, "{version}: {responded}");
            driven.state("idle");
            let written = std::fs::read_to_string(driven.session.agent.project.join("notes.md")).unwrap();
            assert_eq!(written.trim(), text, "{version} by {via}");
        }
    }
}

/// A person presses Escape while an answer is on its way: the reply says what became of the call.
#[test]
fn reply_is_true_when_the_dialog_is_dismissed_meanwhile() {
    let rounds = 0..6;
    let scenario: String =
        rounds.clone().map(|n| format!("user: ask {n}\n  bash: touch raced-{n}.txt\n")).collect::<String>();
    for version in VERSIONS {
        let first = "user: begin\n  read: README.md\nresult again\n  say: Done.\n";
        let mut driven = launch(version, &format!("{first}{scenario}"), &[]);
        driven.turn(Transport::Http, "begin");
        for n in rounds.clone() {
            driven.nudge(Transport::Http, &format!("ask {n}"));
            driven.prompt_for("permission", "hook");
            driven.session.shows("Do you want to proceed?");
            std::thread::sleep(Duration::from_millis(500)); // tidy: a dialog that was just painted takes no keys
            let request = json!({ "type": "respond", "accept": true });
            let reply = driven.ask_while(Transport::Http, &request, |session| {
                std::thread::sleep(Duration::from_millis(n * 5)); // tidy: whatever comes first, the reply is true
                session.press("Escape");
            });
            driven.state("idle");
            let ran = driven.session.agent.project.join(format!("raced-{n}.txt")).exists();
            let delivered = reply.as_ref().is_ok_and(|reply| reply["delivered"] == true);
            assert!(ran || !delivered, "{version} {n}: {reply:?}\n{}", driven.session);
        }
    }
}

#[test]
fn answered_at_the_terminal_first() {
    let scenario = "user: ask me\n  bash: touch x.txt\nresult\n  say: Done.\n";
    let mut driven = launch("2.1.325", scenario, &[]);
    driven.nudge(Transport::Http, "ask me");
    let prompt = driven.prompt("permission");
    driven.session.answer("1", "Do you want to proceed?");
    driven.state("idle");
    let second = driven
        .ask(Transport::Http, &json!({ "type": "respond", "accept": false, "prompt_id": prompt["prompt_id"] }))
        .unwrap_err();
    assert_eq!(second.code, Code::NoPrompt);
    assert!(second.detail.contains("terminal"), "{second:?}");
    // A recording of it has a marker for each change.
    let cast = driven.session.ask(driven.session.client.recording(2));
    let markers: Vec<&str> =
        cast.lines().filter_map(|line| line.split_once(", \"m\", ")).map(|(_, name)| name).collect();
    let expected = ["\"working\"]", "\"prompt: permission\"]", "\"working\"]", "\"idle\"]"];
    assert!(markers.ends_with(&expected), "{markers:?}");
    driven.session.finish();
}
