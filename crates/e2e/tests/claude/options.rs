//! Each option of each dialog has the same effect by API as by its key at the terminal: what runs, and what is asked
//! after it and what is not.

use coop_e2e::{Driven, Transport};
use coop_testkit::Options;
use serde_json::{Value, json};

use crate::launch_with;

/// A dialog, its options that change what is asked later, and the calls that show what they have changed.
#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    /// The step that opens the dialog.
    opens: &'static str,
    /// Beginnings of the labels of these options, and what each probe does after them.
    keeps: &'static [(&'static str, &'static [&'static str])],
    probes: &'static [&'static str],
    /// Plan mode is entered by Shift+Tab, through the mode that accepts edits.
    plan: bool,
}

const RAN: &str = "ran";
const ASKS: &str = "permission";
/// The notice about auto mode, which 2.1.325 shows before the first call that it checks.
const NOTICE: &str = "setup";

const OUTSIDE: Row = Row {
    name: "a command outside the project",
    opens: "bash: touch ../outside/one.txt",
    keeps: &[("Yes, and always allow access", &[RAN, RAN, ASKS])],
    probes: &["bash: touch ../outside/two.txt", "write probe.txt: x", "bash: curl -s http://127.0.0.1:1/x"],
    plan: false,
};
const PREFIX: Row = Row {
    name: "a command that a prefix covers",
    opens: "bash: curl -s http://127.0.0.1:1/one",
    keeps: &[("Yes, and don’t ask again for: curl *", &[RAN, ASKS, ASKS])],
    probes: &["bash: curl -s http://127.0.0.1:1/two", "bash: touch probe.txt", "write probe.txt: x"],
    plan: false,
};
const EDIT: Row = Row {
    name: "an edit",
    opens: "write one.txt: x",
    keeps: &[("Yes, allow all edits during this session", &[RAN, ASKS, ASKS])],
    probes: &["write two.txt: x", "write ../outside/three.txt: x", "bash: curl -s http://127.0.0.1:1/x"],
    plan: false,
};
const PLAN: Row = Row {
    name: "a plan",
    opens: "plan: # The plan",
    keeps: &[("Yes, manually approve edits", &[ASKS, ASKS]), ("Yes, and use auto mode", &[RAN, RAN])],
    probes: &["write probe.txt: x", "bash: curl -s http://127.0.0.1:1/x"],
    plan: true,
};

/// The newer version keeps access to a folder apart from the mode, and can change to auto mode in each dialog.
const NEWER_OUTSIDE: Row = Row {
    keeps: &[
        ("Yes, and always allow access", &[ASKS, ASKS, ASKS]),
        ("Yes, and switch to auto mode", &[NOTICE, RAN, NOTICE]),
    ],
    ..OUTSIDE
};
const NEWER_EDIT: Row = Row { keeps: &[("Yes, and switch to accept edits", &[RAN, ASKS, ASKS])], ..EDIT };
const NEWER_PLAN: Row = Row {
    keeps: &[("Yes, manually approve edits", &[ASKS, ASKS]), ("Yes, and use auto mode", &[RAN, NOTICE])],
    ..PLAN
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Key,
    Option,
    /// `accept`, for the option that allows and keeps nothing.
    Accept,
}

/// Starts a session whose model opens the dialog three times and then plays the probes.
fn start(version: &str, row: Row) -> Driven {
    let opens = (0..3).map(|n| format!("user: open {n}\n  {}\n", row.opens));
    let probes = row.probes.iter().enumerate().map(|(n, probe)| format!("user: probe {n}\n  {probe}\n"));
    let mut rules: Vec<String> = opens.filter(|rule| !row.plan || rule.contains("open 0")).chain(probes).collect();
    // A rule that answers again does so once its turn has come.
    rules.insert(1, "result again\n  say: Done.\n".to_owned());
    let options = Options { args: ["--permission-mode", "default"].map(str::to_owned).to_vec(), ..Options::default() };
    let driven = launch_with(version, &rules.concat(), &[], options);
    std::fs::create_dir_all(driven.session.agent.project.join("../outside")).unwrap();
    if row.plan {
        for mode in ["accept edits on", "plan mode on"] {
            driven.session.press("BTab");
            driven.session.shows(mode);
        }
    }
    driven
}

/// Waits for the next prompt whose options are read, or for the end of the turn.
#[track_caller]
fn asked(driven: &Driven) -> Option<Value> {
    let state = driven.session.wait_json("/api/v1/agent/state", "a prompt or the end of the turn", |state| {
        let prompt = &state["prompt"];
        let read = prompt["ready"] == true && prompt["options_fallback"] != true || prompt["type"] == NOTICE;
        state["state"] == "idle" || state["state"] == "prompt" && read
    });
    Some(state["prompt"].clone()).filter(|prompt| !prompt.is_null())
}

/// Opens the dialog, and chooses the option whose label begins like this.
#[track_caller]
fn choose(driven: &mut Driven, message: &str, label: &str, by: By) {
    driven.nudge(Transport::Http, message);
    let prompt = asked(driven).unwrap_or_else(|| panic!("{message}, for {label:?}: no dialog\n{}", driven.session));
    let labels = prompt["options"].as_array().cloned().unwrap_or_default();
    let is_it = |shown: &Value| shown.as_str().is_some_and(|shown| shown == label || shown.starts_with(label));
    let number = labels.iter().position(is_it).unwrap_or_else(|| panic!("no {label:?} in {labels:?}")) + 1;
    let id = &prompt["prompt_id"];
    match by {
        By::Key => driven.session.answer(&number.to_string(), &format!("{number}. {label}")),
        By::Option => drop(driven.respond(Transport::Http, json!({ "option": number, "prompt_id": id }))),
        By::Accept => drop(driven.respond(Transport::Http, json!({ "accept": true, "prompt_id": id }))),
    }
    driven.state("idle");
}

/// What each probe does: it runs, or asks a prompt of this kind.
fn probe(driven: &mut Driven, row: Row) -> Vec<String> {
    let mut effects = Vec::new();
    for n in 0..row.probes.len() {
        driven.nudge(Transport::Http, &format!("probe {n}"));
        let Some(prompt) = asked(driven) else {
            effects.push(RAN.to_owned());
            continue;
        };
        driven.respond(Transport::Http, json!({ "accept": false, "prompt_id": prompt["prompt_id"] }));
        driven.state("idle");
        effects.push(prompt["type"].as_str().unwrap_or_default().to_owned());
    }
    effects
}

#[track_caller]
fn same_effect(version: &str, rows: &[Row]) {
    for row in rows {
        for (label, expected) in row.keeps {
            let accepts = row.plan && label.contains("manually");
            for by in [By::Key, By::Option, By::Accept].into_iter().filter(|by| *by != By::Accept || accepts) {
                let mut driven = start(version, *row);
                let mut message = "open 0";
                if !row.plan {
                    // Yes and No keep nothing: the dialog comes again after each.
                    choose(&mut driven, message, "Yes", by);
                    choose(&mut driven, "open 1", "No", by);
                    message = "open 2";
                }
                choose(&mut driven, message, label, by);
                let effects = probe(&mut driven, *row);
                assert_eq!(effects, *expected, "{version}: {}: {label} by {by:?}\n{}", row.name, driven.session);
            }
        }
    }
}

#[test]
fn option_by_api_has_the_effect_of_its_key() {
    same_effect("2.1.197", &[OUTSIDE, PREFIX, EDIT, PLAN]);
}

#[test]
fn option_by_api_has_the_effect_of_its_key_in_the_newer_version() {
    same_effect("2.1.325", &[NEWER_OUTSIDE, PREFIX, NEWER_EDIT, NEWER_PLAN]);
}
