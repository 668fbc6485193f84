//! Dialogs that follow each other: of the main agent and of a background subagent, and of a notice and what comes after
//! it. Each is a prompt of its own, shows its own call, and takes no answer that was meant for another.

use std::collections::{BTreeMap, BTreeSet};

use coop_api::Code;
use coop_e2e::{Driven, Transport};
use coop_testkit::{HookLine, Options};
use serde_json::{Value, json};

use crate::{VERSIONS, launch, launch_with};

const MAIN: &str = "touch main.txt";
const SUB: &str = "rm -rf sub-dir";

/// The subagent's request comes before or after that of its master: its rule answers whenever the next does not fit.
const SCENARIO: &str = r#"
user again: SUBAGENT
  bash: rm -rf sub-dir
user: queue
  tool Agent: {"description": "helper", "prompt": "SUBAGENT", "subagent_type": "general-purpose", "run_in_background": true}
result: Async agent
  wait: main
  bash: touch main.txt
result again
  wait: end
  say: Done.
"#;

/// The rule of the subagent is next: it is used once, and denied, so that it may answer again.
fn begin(version: &str, coop: &[&str]) -> Driven {
    begin_with(version, SCENARIO, coop)
}

fn begin_with(version: &str, scenario: &str, coop: &[&str]) -> Driven {
    let mut driven = launch(version, scenario, coop);
    std::fs::create_dir(driven.session.agent.project.join("sub-dir")).unwrap();
    driven.nudge(Transport::Http, "SUBAGENT");
    driven.read_prompt("permission");
    driven.respond(Transport::Http, json!({ "accept": false }));
    driven.state("idle");
    driven.nudge(Transport::Http, "queue");
    driven
}

/// Waits until this command is asked about, by this prompt or a later one.
#[track_caller]
fn asks(driven: &Driven, command: &str) -> Value {
    let state = driven.session.wait_json("/api/v1/agent/state", &format!("a prompt about {command}"), |state| {
        state["prompt"]["input_full"]["command"] == command
    });
    state["prompt"].clone()
}

/// Every command that was published with each prompt.
fn published(driven: &Driven) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, event) in driven.session.timed_events() {
        let prompt = &event["prompt"];
        if let (Some(id), Some(command)) = (prompt["prompt_id"].as_str(), prompt["input_full"]["command"].as_str()) {
            found.entry(id.to_owned()).or_default().insert(command.to_owned());
        }
    }
    found
}

#[track_caller]
fn one_command_each(driven: &Driven) {
    let published = published(driven);
    assert!(published.values().all(|commands| commands.len() == 1), "{published:?}\n{}", driven.session);
}

/// Waits until the command has had its effect.
#[track_caller]
fn has_run(driven: &Driven, command: &str) {
    driven.session.until(command, |session| {
        let exists = |name: &str| session.agent.project.join(name).exists();
        let done = if command == MAIN { exists("main.txt") } else { !exists("sub-dir") };
        done.then_some(())
    });
}

/// Waits for a prompt that can be answered, other than this one.
#[track_caller]
fn next_prompt(driven: &Driven, last: &Value) -> Value {
    let state = driven.session.wait_json("/api/v1/agent/state", "a prompt with options", |state| {
        let prompt = &state["prompt"];
        prompt["ready"] == true && prompt["tool"] == "Bash" && prompt["prompt_id"] != *last
    });
    state["prompt"].clone()
}

/// The older version puts the dialog of the main agent before that of its subagent; the newer one queues it.
#[track_caller]
fn queued(version: &str, coop: &[&str]) {
    let mut driven = begin(version, coop);
    // While its hook waits the subagent shows no dialog. coop lets the hook go before a person would miss it.
    driven.session.shows("from the general-purpose agent");
    let mut last = next_prompt(&driven, &Value::Null)["prompt_id"].clone();
    driven.session.agent.model.signal("main");
    driven.session.until("the request of the main agent", |session| {
        let asks = |hook: &HookLine| hook.event == "PermissionRequest" && hook.payload["tool_input"]["command"] == MAIN;
        session.agent.hook_lines().iter().any(asks).then_some(())
    });
    let order = if version == "2.1.197" { [MAIN, SUB] } else { [SUB, MAIN] };
    for command in order {
        let queued = command == SUB && version != "2.1.197";
        let prompt = next_prompt(&driven, if queued { &Value::Null } else { &last });
        let id = &prompt["prompt_id"];
        // Without hooks, no source tells of the subagent's call; the newer version's dialog shows it apart from the rest.
        let known = prompt["input_full"]["command"].as_str();
        assert!(known.is_none_or(|known| known == command), "{version}: {prompt:#}\n{}", driven.session);
        assert!(known.is_some() || !coop.is_empty(), "{version}: {prompt:#}\n{}", driven.session);
        if *id != last {
            let late = json!({ "type": "respond", "accept": true, "prompt_id": last });
            assert_eq!(driven.ask(Transport::Http, &late).unwrap_err().code, Code::NoPrompt);
        }
        if known.is_none() && command == SUB {
            let blind = json!({ "type": "respond", "accept": true, "prompt_id": id });
            let refused = driven.ask(Transport::Http, &blind).unwrap_err();
            assert_eq!(refused.code, Code::BadRequest, "{refused:?}");
            assert!(refused.detail.contains("unseen"), "{refused:?}");
        }
        driven.respond(Transport::Http, json!({ "accept": true, "unseen": known.is_none(), "prompt_id": id }));
        has_run(&driven, command);
        last = id.clone();
    }
    one_command_each(&driven);
}

#[test]
fn queued_dialogs_show_their_own_commands_with_hooks() {
    for version in VERSIONS {
        queued(version, &[]);
    }
}

#[test]
fn queued_dialogs_show_their_own_commands_without_hooks() {
    for version in VERSIONS {
        queued(version, &["--groom", "pristine"]);
    }
}

/// The subagent asks before its master is done, and still asks after that.
#[test]
fn prompt_of_a_subagent_outlives_the_turn_of_its_master() {
    let main = "  wait: main\n  bash: touch main.txt\nresult again\n  wait: end\n  say: Done.\n";
    let scenario = SCENARIO.replace(main, "  wait: end\n  say: Done.\nresult again\n  say: Over.\n");
    // The main agent is told of the end of its subagent, in a turn of its own.
    let scenario = scenario + "user again: task-notification\n  say: Noted.\n";
    for (version, by) in VERSIONS.into_iter().flat_map(|version| [(version, "hook"), (version, "keys")]) {
        let mut driven = begin_with(version, &scenario, &[]);
        let sub = asks(&driven, SUB);
        if by == "keys" {
            driven.session.shows("from the general-purpose agent");
            driven.session.agent.model.signal("end");
            driven.session.until("the end of the main turn", |session| {
                let lines = session.agent.hook_lines();
                let since = lines.iter().rposition(|hook| hook.event == "UserPromptSubmit").unwrap_or(0);
                lines[since..].iter().any(|hook| hook.event == "Stop").then_some(())
            });
        }
        let prompt = asks(&driven, SUB);
        assert_eq!(prompt["prompt_id"], sub["prompt_id"], "{version} by {by}: {}", driven.session);
        let reply = driven.respond(Transport::Http, json!({ "accept": true, "prompt_id": sub["prompt_id"] }));
        assert!(by == "hook" || reply["via"] == "keys", "{version}: {reply}");
        has_run(&driven, SUB);
        if by == "hook" {
            driven.session.agent.model.signal("end");
        }
        driven.state("idle");
        one_command_each(&driven);
    }
}

/// Older versions have no such notice: they ask a model of their own, or deny.
#[test]
fn notice_is_no_permission_and_its_answer_is_void_for_the_next_dialog() {
    let scenario = "user: fetch\n  say: I will.\n  bash: curl http://127.0.0.1:1/x | sh\nresult again\n  say: Done.\n";
    let options = || Options { args: ["--permission-mode", "auto"].map(str::to_owned).to_vec(), ..Options::default() };
    for coop in [&[][..], &["--groom", "pristine"]] {
        let mut driven = launch_with("2.1.325", scenario, coop, options());
        driven.nudge(Transport::Http, "fetch");
        driven.session.shows("Enter to stay in auto mode");
        let notice = driven
            .session
            .wait_json("/api/v1/agent/state", "the notice", |state| state["prompt"]["subtype"] == "auto_mode_notice");
        let notice = notice["prompt"].clone();
        assert_eq!((&notice["type"], &notice["options"]), (&json!("setup"), &json!([])), "{notice:#}");
        // An answer that only the permission after it would take waits in vain; the person goes on.
        let answer = json!({ "type": "respond", "option": 1, "prompt_id": notice["prompt_id"] });
        assert!(driven.ask(Transport::Http, &answer).is_err(), "it has no options");
        driven.session.answer("Enter", "Enter to stay in auto mode");
        let asked = driven.session.wait_json("/api/v1/agent/state", "the permission", |state| {
            state["prompt"]["type"] == "permission" && state["prompt"]["ready"] == true
        });
        let asked = &asked["prompt"];
        assert_ne!(asked["prompt_id"], notice["prompt_id"]);
        let late = json!({ "type": "respond", "accept": true, "prompt_id": notice["prompt_id"] });
        assert_eq!(driven.ask(Transport::Http, &late).unwrap_err().code, Code::NoPrompt);
        let asked = asks(&driven, "curl http://127.0.0.1:1/x | sh");
        assert_eq!(asked["options"], json!(["No", "Yes"]), "{asked:#}");
        driven.respond(Transport::Http, json!({ "accept": false, "prompt_id": asked["prompt_id"] }));
        // No prompt of this session was ever a permission with options that were not read.
        let invented = driven
            .session
            .timed_events()
            .into_iter()
            .map(|(_, event)| event)
            .find(|event| event["prompt"]["type"] == "permission" && event["prompt"]["options_fallback"] == true);
        assert_eq!(invented, None);
    }
}
