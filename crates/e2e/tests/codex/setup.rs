//! Dialogs of the agent's start: dismissed by groom, or reported and answered.

use coop_e2e::{Driven, Transport};
use coop_testkit::agent::Hooks;
use coop_testkit::{Dialog, Options};
use serde_json::{Value, json};

use crate::begin;

const SCENARIO: &str = "user: hello\n  say: Hi there.\n";
/// On a busy machine Codex exits now and then when a dialog of its start is answered: "timed out discarding buffered
/// terminal input". It is a fault of Codex, so it is started again.
const TRIES: u32 = 3;
const FAULT: &str = "discarding buffered terminal input";

fn launch(dialog: Dialog, groom: &str) -> Driven {
    let hooks = if dialog == Dialog::HooksReview { Hooks::Record } else { Hooks::None };
    let options = Options { dialog: Some(dialog), hooks, ..Options::default() };
    begin(SCENARIO, &["--groom", groom, "--linger"], options)
}

/// True when it is idle, false when it has lost its input.
fn starts(driven: &Driven) -> bool {
    let state = driven.session.wait_json("/api/v1/agent/state", "idle, or the end", |state| {
        state["state"] == "idle" || state["state"] == "exited"
    });
    let fine = state["state"] == "idle";
    if !fine {
        driven.session.shows(FAULT);
    }
    fine
}

fn talks(mut driven: Driven) {
    driven.nudge(Transport::Http, "hello");
    driven.session.shows("Hi there.");
    driven.state("idle");
    driven.session.finish();
}

#[test]
fn groom_dismisses_them() {
    for dialog in [Dialog::Trust, Dialog::ModelMigration] {
        let driven = (0..TRIES).map(|_| launch(dialog, "auto")).find(starts).unwrap();
        let log = driven.session.log();
        assert!(log.iter().any(|line| line.contains("groom answers a dialog")), "{log:?}");
        // Between them it starts, if that can be told.
        let published = driven.session.until("idle among the events", |_| {
            let published = driven.published();
            (published.last().map(String::as_str) == Some("idle")).then_some(published)
        });
        let told: Vec<&String> = published.iter().filter(|state| *state != "starting").collect();
        assert_eq!(told, ["prompt", "idle"], "{}", driven.session);
        talks(driven);
    }
}

/// Reported with what can be chosen, and answered like any other prompt.
fn reported(dialog: Dialog, groom: &str, (kind, subtype): (&str, &str), option: &str) {
    for _ in 0..TRIES {
        let mut driven = launch(dialog, groom);
        let prompt = driven.read_prompt(kind);
        assert_eq!(prompt["subtype"], subtype, "{prompt}");
        let options = prompt["options"].as_array().unwrap().iter().map(|label| label.as_str().unwrap());
        let place = options.clone().position(|label| label.starts_with(option));
        let place = place.unwrap_or_else(|| panic!("no {option:?} in {prompt}"));
        let refused = driven.ask(Transport::Http, &json!({ "type": "respond", "option": 9 })).unwrap_err();
        assert_eq!(refused.code, coop_api::Code::BadRequest);
        let answer = json!({ "type": "respond", "option": place + 1, "prompt_id": prompt["prompt_id"] });
        let reply: Result<Value, _> = driven.ask(Transport::Http, &answer);
        if starts(&driven) {
            assert_eq!(reply.unwrap()["via"], "keys");
            return talks(driven);
        }
    }
    panic!("{dialog:?}: it has lost its input {TRIES} times");
}

#[test]
fn trust_is_reported_and_answered() {
    reported(Dialog::Trust, "manual", ("permission", "trust"), "Trust and continue");
}

#[test]
fn a_new_model_is_reported_and_answered() {
    reported(Dialog::ModelMigration, "manual", ("setup", "model_migration"), "Use existing model");
}

/// Nobody but the user says that hooks are trusted, whatever groom may do.
#[test]
fn hooks_are_left_to_the_user() {
    reported(Dialog::HooksReview, "auto", ("setup", "hooks_review"), "Trust all and continue");
    reported(Dialog::HooksReview, "auto", ("setup", "hooks_review"), "Continue without trusting");
}

#[test]
fn the_login_is_reported() {
    for groom in ["auto", "manual"] {
        let driven = launch(Dialog::Login, groom);
        driven.session.wait_json("/api/v1/agent/state", "all ways to log in", |state| {
            let prompt = &state["prompt"];
            let all = prompt["options"].as_array().is_some_and(|options| options.len() == 4);
            prompt["ready"] == true && prompt["subtype"] == "login_method" && all
        });
    }
}
