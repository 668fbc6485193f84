//! The agent started again in its session.

use std::process::{Command, Stdio};

use coop_e2e::{Driven, Transport};
use coop_testkit::coop;
use serde_json::{Value, json};

use crate::{VERSIONS, launch, log_lines};

/// What was published, from the first event on: generation and state.
fn states(driven: &Driven) -> Vec<(u64, String)> {
    let events = driven.session.timed_events();
    let changes = events.iter().map(|(_, event)| event).filter(|event| event["type"] == "state_change");
    changes.map(|event| (event["generation"].as_u64().unwrap(), event["next"].as_str().unwrap().to_owned())).collect()
}

#[track_caller]
fn restart(driven: &mut Driven, transport: Transport, mut request: Value) -> Value {
    request["type"] = "restart".into();
    let reply = driven.ask(transport, &request);
    reply.unwrap_or_else(|problem| panic!("{request}: {problem:?}\n{}", driven.session))
}

#[test]
fn the_conversation_goes_on_with_another_environment() {
    let scenario = "
user: one
  say: The first.
user: show
  bash: echo word=$FOO > word.txt
result
  say: Shown.
";
    for (version, transport) in VERSIONS.into_iter().zip([Transport::Http, Transport::Grpc]) {
        let mut driven = launch(version, scenario, &[]);
        driven.nudge(Transport::Http, "one");
        let before = driven.state("idle");
        let reply = restart(&mut driven, transport, json!({ "env": { "FOO": "bar" } }));
        assert_eq!((&reply["generation"], &reply["resumed"]), (&json!(2), &json!(true)), "{reply}");
        assert_eq!(reply["session_id"], before["session_id"], "{reply}");
        let idle = driven.session.event("state_change", |event| event["generation"] == 2 && event["next"] == "idle");
        assert_eq!(idle["prev"], "starting", "{idle}");
        let expected = [(1, "idle"), (1, "working"), (1, "idle"), (1, "restarting"), (2, "starting"), (2, "idle")];
        assert_eq!(states(&driven), expected.map(|(generation, state)| (generation, state.to_owned())));

        // Its hooks reach the session: one asks, and is answered.
        driven.nudge(Transport::Ws, "show");
        driven.hook_prompt("permission");
        driven.respond(Transport::Http, json!({ "accept": true }));
        let after = driven.said("Shown.");
        assert_eq!(after["session_id"], before["session_id"], "{after}");
        let word = std::fs::read_to_string(driven.session.agent.project.join("word.txt")).unwrap();
        assert_eq!(word, "word=bar\n");
        // And so do its registry and its log.
        driven.session.wait_json("/api/v1/agent/explain", "what they said", |explained| {
            let sources = explained["sources"].to_string();
            sources.contains("\"registry\"") && sources.contains("\"log\"")
        });
        driven.session.wait_json("/api/v1/conversation", "both parts of it", |page| {
            let page = page.to_string();
            page.contains("The first.") && page.contains("Shown.")
        });
        let exits = driven.session.timed_events().iter().filter(|(_, event)| event["type"] == "exit").count();
        assert_eq!(exits, 0, "{}", driven.session);
        driven.session.finish();
    }
}

#[test]
fn before_anything_was_said() {
    for version in VERSIONS {
        let mut driven = launch(version, "user: one\n  say: The first.\n", &[]);
        let reply = restart(&mut driven, Transport::Ws, json!({}));
        assert_eq!((&reply["generation"], &reply["resumed"]), (&json!(2), &json!(false)), "{reply}");
        driven.session.event("state_change", |event| event["generation"] == 2 && event["next"] == "idle");
        driven.nudge(Transport::Http, "one");
        driven.said("The first.");
        driven.session.finish();
    }
}

/// `coop nudge`, in a process of its own.
fn nudge(driven: &Driven, words: &[&str]) -> std::process::Child {
    let mut command = Command::new(coop::binary());
    command.arg("nudge").arg("-s").arg(&driven.session.socket).args(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn what_waits_for_it() {
    let scenario = "
user: go
  bash: touch never.txt
user: later
  say: Said to the new one.
";
    for version in VERSIONS {
        let mut driven = launch(version, scenario, &[]);
        let turn = nudge(&driven, &["--wait", "go"]);
        let prompt = driven.prompt("permission");
        let queued = nudge(&driven, &["--when", "idle", "later"]);
        driven.session.wait_json("/api/v1/agent/state", "a queue", |state| state["queued"] == 1);
        // What was not written yet cannot be gone on with.
        let written = || log_lines(&driven).iter().any(|line| line["type"] == "user");
        driven.session.until("the message in the log", |_| written().then_some(()));
        let reply = restart(&mut driven, Transport::Http, json!({}));
        assert_eq!(reply["resumed"], true, "{reply}");
        // Its prompt is over, and nobody can answer it any more.
        driven.session.event("prompt_resolved", |event| event["prompt_id"] == prompt["prompt_id"]);
        let late = json!({ "type": "respond", "accept": true, "prompt_id": prompt["prompt_id"] });
        assert_eq!(driven.ask(Transport::Http, &late).unwrap_err().code, coop_api::Code::NoPrompt);
        drop(turn.wait_with_output().unwrap());
        // What had not been said yet is said to the new one.
        let queued = queued.wait_with_output().unwrap();
        assert!(queued.status.success(), "{}\n{}", String::from_utf8_lossy(&queued.stderr), driven.session);
        driven.session.shows("Said to the new one.");
        assert!(!driven.session.agent.project.join("never.txt").exists());
        driven.session.finish();
    }
}
