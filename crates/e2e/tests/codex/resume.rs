//! A conversation that goes on after coop and the agent were ended, and two that are under way in one folder.

use coop_e2e::{Driven, Transport};
use coop_testkit::Options;
use coop_testkit::agent::Hooks;
use serde_json::{Value, json};

use crate::launch;

const SCENARIO: &str = "
user: one
  say: The first.
user: two
  say: The second.
user: three
  say: The third.
";

#[test]
fn the_latest_conversation_goes_on() {
    let mut driven = launch(SCENARIO, &[], &[]);
    for message in ["one", "two"] {
        driven.turn(Transport::Http, message);
    }
    let id = driven.state("idle")["session_id"].clone();
    let coop = ["--resume", "latest"].map(str::to_owned).to_vec();
    let options = Options { hooks: Hooks::None, coop, ..Options::default() };
    let mut driven = Driven::of(driven.session.relaunch(&options));
    let state = driven.state("idle");
    assert_eq!(state["session_id"], id, "{state}");
    // What the log says of the time before is no state of this process.
    driven.publishes(&["idle"]);
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
    assert!(page.to_string().contains("The second."), "{page}");
    let reply = driven.turn(Transport::Http, "three");
    assert_eq!(reply["last_message"], "The third.", "{reply}");
    assert_eq!(driven.state("idle")["session_id"], id);
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
    assert!(page.to_string().contains("The third."), "{page}");
    driven.session.finish();
}

#[test]
fn there_is_nothing_to_resume_in_a_new_folder() {
    coop_e2e::driven::rounds::nothing_to_resume("codex", "CODEX_HOME");
}

/// Another Codex at work in the same folder: its log lies beside ours, and looks the same.
fn write_foreign(folder: &std::path::Path, project: &std::path::Path, number: u32) {
    std::fs::create_dir_all(folder).unwrap();
    let id = format!("01a1deac-887c-7042-a077-4ef7231b9b0{number}");
    let now = std::process::Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%S.%3NZ"]).output().unwrap();
    let now = String::from_utf8(now.stdout).unwrap().trim().to_owned();
    let line = |kind: &str, payload: Value| json!({ "timestamp": now, "type": kind, "payload": payload }).to_string();
    let said = json!({ "type": "UserMessage", "content": [{ "type": "text", "text": "of the other" }] });
    let lines = [
        line("session_meta", json!({ "id": id, "cwd": project, "timestamp": now, "thread_source": "user" })),
        line("event_msg", json!({ "type": "task_started", "turn_id": id })),
        line("event_msg", json!({ "type": "item_completed", "turn_id": id, "item": said })),
    ];
    std::fs::write(folder.join(format!("rollout-2026-11-15T00-00-00-{id}.jsonl")), lines.join("\n") + "\n").unwrap();
}

#[test]
fn other_sessions_of_the_folder_are_not_mixed_up() {
    let mut driven = launch("user: one\n  say: The first.\nuser: two\n  say: The second.\n", &[], &[]);
    let (home, project) = (driven.session.agent.home.clone(), driven.session.agent.project.clone());
    let today = std::process::Command::new("date").args(["-u", "+%Y/%m/%d"]).output().unwrap();
    let folder = home.join(".codex/sessions").join(String::from_utf8(today.stdout).unwrap().trim());
    write_foreign(&folder, &project, 1);
    driven.turn(Transport::Http, "one");
    let id = driven.state("idle")["session_id"].clone();
    write_foreign(&folder, &project, 2);
    driven.turn(Transport::Http, "two");
    let state = driven.state("idle");
    assert_eq!(state["session_id"], id, "{state}");
    driven.publishes(&["idle", "working", "idle", "working", "idle"]);
    let page = driven.ask(Transport::Http, &json!({ "type": "conversation_request" })).unwrap();
    assert!(page.to_string().contains("The second.") && !page.to_string().contains("of the other"), "{page}");
    driven.session.finish();
}
