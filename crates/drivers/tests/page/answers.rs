//! Keys that answer, by what the page says about options.

use coop_core::agent::respond::{Respond, Scope};
use coop_drivers::{Press, Progress};

use crate::{page, prompt, read};

const PAGE: &str = r#"
name = "x"
title = "X"
pointer = ">"
[resume]
id = ["--session={id}"]
latest = ["--continue"]
[[option]]
kind = ["permission", "setup"]
starts = "Yes"
meaning = "allow"
[[option]]
kind = ["permission", "setup"]
starts = "No"
meaning = "deny"
[[dialog]]
rule = "trust"
kind = "permission"
subtype = "trust"
all = ["Trust this folder?"]
arrows = true
groom = { option = "Yes", trusted_cwd = true }
[[dialog]]
rule = "tool"
kind = "permission"
all = ["Run it?"]
[[dialog]]
rule = "keys"
kind = "permission"
all = ["Really?"]
[[dialog.choice]]
label = "Yes"
keys = ["y"]
[[dialog.choice]]
label = "No"
keys = ["Right", "Enter"]
[[dialog]]
rule = "token"
kind = "setup"
all = ["Token:"]
text = true
"#;

const TOOL: &str = "Run it?\n> 1. Yes\n  2. No\n";
const TRUST: &str = "Trust this folder?\n> 1. No\n  2. Yes\n";

fn press(screen: &str, respond: &Respond, done: &mut Progress) -> Result<Press, String> {
    let page = page(PAGE);
    let reading = read(&page, screen, None);
    let answer = page.driver().press(&prompt(&reading), respond, &reading, done);
    answer.map_err(|error| error.to_string())
}

fn keys(names: &[&str]) -> Result<Press, String> {
    Ok(Press::Keys(names.iter().map(ToString::to_string).collect()))
}

fn accept(accept: bool) -> Respond {
    Respond { accept: Some(accept), ..Respond::default() }
}

#[test]
fn rows() {
    let option = |option| Respond { option: Some(option), ..Respond::default() };
    for (screen, respond, expected) in [
        (TOOL, accept(true), keys(&["1"])),
        (TOOL, accept(false), keys(&["2"])),
        (TOOL, option(2), keys(&["2"])),
        (TRUST, accept(true), keys(&["Down"])),
        (TRUST, accept(false), keys(&["Enter"])),
        ("Really?  Yes  No\n", accept(true), keys(&["y"])),
        ("Really?  Yes  No\n", option(2), keys(&["Right", "Enter"])),
    ] {
        assert_eq!(press(screen, &respond, &mut Progress::default()), expected, "{screen}: {respond:?}");
    }
    let session = Respond { scope: Scope::Session, ..accept(true) };
    assert!(press(TOOL, &session, &mut Progress::default()).is_err(), "it has no such option");
    assert!(press(TOOL, &option(3), &mut Progress::default()).is_err());
}

#[test]
fn a_key_is_pressed_once() {
    let mut done = Progress::default();
    assert_eq!(press(TOOL, &accept(true), &mut done), keys(&["1"]));
    assert_eq!(press(TOOL, &accept(true), &mut done), Ok(Press::Wait));
    let page = page(PAGE);
    let (asked, gone) = (read(&page, TOOL, None), read(&page, "", None));
    assert_eq!(page.driver().press(&prompt(&asked), &accept(true), &gone, &mut done), Ok(Press::Done));
}

#[test]
fn words_are_typed_and_given() {
    let respond = Respond { text: Some("abc".to_owned()), ..Respond::default() };
    let mut done = Progress::default();
    assert_eq!(press("Token:\n", &respond, &mut done), Ok(Press::Type("abc".to_owned())));
    assert_eq!(press("Token:\n", &respond, &mut done), keys(&["Enter"]));
}

#[test]
fn groom_answers_a_dialog_of_the_start_alone() {
    let page = page(PAGE);
    let driver = page.driver();
    let groom = |screen: &str, trusted| driver.groom(&read(&page, screen, None), trusted);
    assert_eq!(groom(TRUST, true), Some(vec!["Down".to_owned()]));
    assert_eq!(groom(TRUST, false), None);
    assert_eq!(groom(TOOL, true), None);
}

#[test]
fn a_conversation_is_resumed_as_the_page_says() {
    let page = page(PAGE);
    let driver = page.driver();
    assert_eq!(driver.resume_args(vec!["-v".to_owned()], "latest"), ["-v", "--continue"]);
    assert_eq!(driver.resume_args(Vec::new(), "a1"), ["--session=a1"]);
    assert!(page.resumes("latest") && page.resumes("a1"));
}

#[test]
fn what_it_cannot_do_is_said_before() {
    let can = page(PAGE).driver().capabilities();
    assert!(can.nudge && can.respond_by_keys);
    assert!(!can.interrupt, "the page names no keys for it");
    assert!(!(can.respond_by_hook || can.conversation || can.stop_gate || can.nudge_while_working));
}
