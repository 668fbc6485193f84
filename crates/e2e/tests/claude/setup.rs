//! Dialogs of the agent's start: dismissed by groom, or reported and answered.

use coop_e2e::{Driven, Transport};
use coop_testkit::{Dialog, Options};
use serde_json::json;

use crate::{VERSIONS, begin};

const SCENARIO: &str = "user: hello\n  say: Hi there.\n";

fn launch(version: &str, dialog: Dialog, groom: &str) -> Driven {
    let options = Options { dialog: Some(dialog), ..Options::default() };
    begin(version, SCENARIO, &["--groom", groom], options)
}

fn talks(mut driven: Driven) {
    driven.state("idle");
    driven.nudge(Transport::Http, "hello");
    driven.state("idle");
    driven.session.shows("Hi there.");
    driven.session.finish();
}

#[test]
fn groom_dismisses_them() {
    for version in VERSIONS {
        for dialog in [Dialog::Trust, Dialog::ApiKey] {
            let driven = launch(version, dialog, "auto");
            driven.state("idle");
            let log = driven.session.log();
            assert!(log.iter().any(|line| line.contains("groom answers a dialog")), "{log:?}");
            talks(driven);
        }
    }
}

/// Reported with what can be chosen, and answered like any other prompt.
fn reported(version: &str, dialog: Dialog, (kind, subtype): (&str, &str), option: &str) {
    let mut driven = launch(version, dialog, "manual");
    let prompt = driven.prompt(kind);
    assert_eq!(prompt["subtype"], subtype, "{prompt}");
    let options: Vec<&str> =
        prompt["options"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
    let place = options.iter().position(|label| label.starts_with(option));
    let place = place.unwrap_or_else(|| panic!("no {option:?} in {prompt}"));
    let refused = driven.ask(Transport::Http, &json!({ "type": "respond", "option": 9 })).unwrap_err();
    assert_eq!(refused.code, coop_api::Code::BadRequest);
    let reply = driven.respond(Transport::Http, json!({ "option": place + 1, "prompt_id": prompt["prompt_id"] }));
    assert_eq!(reply["via"], "keys");
    talks(driven);
}

#[test]
fn trust_is_reported_and_answered() {
    for version in VERSIONS {
        reported(version, Dialog::Trust, ("permission", "trust"), "Yes");
    }
}

#[test]
fn the_key_is_reported_and_answered() {
    for version in VERSIONS {
        reported(version, Dialog::ApiKey, ("setup", "api_key"), "Yes");
    }
}

#[test]
fn a_first_start_is_reported() {
    for version in VERSIONS {
        let driven = launch(version, Dialog::Login, "manual");
        driven.session.wait_json("/api/v1/agent/state", "all themes", |state| {
            let prompt = &state["prompt"];
            let all = prompt["options"].as_array().is_some_and(|options| options.len() > 3);
            prompt["ready"] == true && prompt["subtype"] == "theme_picker" && all
        });
    }
}
