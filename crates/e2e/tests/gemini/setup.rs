//! Dialogs of the agent's start: avoided by groom, or reported and answered.

use coop_e2e::driven::meanings;
use coop_e2e::{Driven, Transport};
use coop_testkit::{Dialog, Options};
use serde_json::json;

use crate::{Told, begin, launch, options};

const SCENARIO: &str = "user: hello\n  say: Hi there.\n";

fn starts_with(dialog: Dialog, groom: &str) -> Driven {
    let options = Options { dialog: Some(dialog), ..options(Told::WithoutHooks, &[]) };
    begin(SCENARIO, &["--groom", groom], options)
}

fn talks(mut driven: Driven) {
    driven.state("idle");
    driven.nudge(Transport::Http, "hello");
    driven.state("idle");
    driven.session.shows("Hi there.");
    driven.session.finish();
}

/// The folder is the one that the user named.
#[test]
fn groom_lets_it_start_without_asking_for_trust() {
    let driven = starts_with(Dialog::Trust, "auto");
    driven.state("idle");
    assert_eq!(driven.published(), ["idle"], "{}", driven.session);
    talks(driven);
}

#[test]
fn trust_is_reported_and_answered() {
    let mut driven = starts_with(Dialog::Trust, "manual");
    let prompt = driven.read_prompt("permission");
    assert_eq!(prompt["subtype"], "trust", "{prompt}");
    assert_eq!(meanings(&prompt), ["allow", "answer", "deny"], "{prompt}");
    let refused = driven.ask(Transport::Http, &json!({ "type": "respond", "option": 9 })).unwrap_err();
    assert_eq!(refused.code, coop_api::Code::BadRequest);
    driven.respond_by_keys(Transport::Http, json!({ "accept": true, "prompt_id": prompt["prompt_id"] }));
    talks(driven);
}

#[test]
fn the_login_is_reported() {
    for groom in ["auto", "manual"] {
        let driven = starts_with(Dialog::Login, groom);
        driven.session.wait_json("/api/v1/agent/state", "all ways to log in", |state| {
            let prompt = &state["prompt"];
            let all = prompt["options"].as_array().is_some_and(|options| options.len() == 3);
            prompt["ready"] == true && prompt["subtype"] == "login_method" && all
        });
        assert_eq!(driven.published(), ["prompt"], "{}", driven.session);
    }
}

/// Its title says that it works, and no hook says anything.
#[test]
fn a_limit_is_a_prompt() {
    let scenario = "user again: fail\n  error: 429 too much, resets in 1h\n";
    let mut driven = launch(Told::WithHooks, scenario, &[]);
    driven.nudge(Transport::Http, "fail");
    let prompt = driven.read_prompt("setup");
    assert_eq!(prompt["subtype"], "usage_limit", "{prompt}");
    driven.respond_by_keys(Transport::Http, json!({ "accept": false }));
    let state = driven.state("error");
    assert!(state.to_string().contains("quota"), "{state}");
    // For a moment it still looks like work.
    let states: Vec<String> = driven.published();
    assert!(states.starts_with(&["idle", "working", "prompt"].map(str::to_owned)), "{states:?}");
    assert!(!states[1..].contains(&"idle".to_owned()), "{states:?}\n{}", driven.session);
}
