//! What a board has to bear: a hub that dies, windows of any size, text that is no friend, too many sessions, its own end.

use coop_testkit::{Meeting, TestHub};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::fleet::{asks, event, works};
use crate::pane::Pane;

fn hub() -> (tempfile::TempDir, TestHub) {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    (home, hub)
}

#[test]
fn the_terminal_is_given_back() {
    let (_home, hub) = hub();
    works(&hub, "shop");
    let pane = Pane::board(&hub, 80, 24);
    assert_eq!(pane.says("#{alternate_on}#{cursor_flag}"), "10");
    pane.press("q");
    pane.is_given_back();

    pane.run("board");
    pane.shows("shop");
    pane.press("C-c");
    pane.is_given_back();

    pane.run("board");
    pane.shows("shop");
    kill_process(Pid::from_raw(pane.pid().try_into().unwrap()).unwrap(), Signal::TERM).unwrap();
    pane.is_given_back();

    pane.line("clear");
    pane.run("board --panic 2>&1 | grep -v backtrace");
    pane.until("a board without a terminal", |screen| screen.contains("for a person at a terminal").then_some(()));
    pane.line("clear");
    pane.run("board --panic");
    pane.shows("as was asked for");
    pane.is_given_back();

    // With nothing said it is the board, and without a hub it says what to do.
    pane.run("");
    pane.shows("shop");
    pane.press("q");
    pane.is_given_back();
    hub.does(&["hub", "--stop"]);
    pane.line("clear");
    pane.run("board");
    pane.shows("coop hub --daemon");
}

#[test]
fn any_size_and_any_text() {
    let (_home, hub) = hub();
    works(&hub, "日本語のプロジェクト名");
    event(&hub, "日本語のプロジェクト名", "stop", &json!({}));
    works(&hub, "שלום עולם");
    works(&hub, "e\u{301}te\u{301}");
    let bad = "echo \u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}evil\u{200b}";
    let asked = asks(&hub, "hostile", "Bash", &json!({ "command": bad }));
    let pane = Pane::board(&hub, 80, 24);
    pane.shows("日本語");
    pane.shows("שלום");
    pane.shows("␛[2J␛]0;owned␇<U+202E>evil<U+200B>");
    assert_ne!(pane.says("#{pane_title}"), "owned");
    for (cols, rows) in [(200, 50), (40, 15), (20, 5), (3, 2), (1, 1), (2, 40), (300, 2), (40, 15), (1, 1), (80, 24)] {
        pane.resize(cols, rows);
        for keys in ["Enter", "Escape", "?", "Escape", "j", "f", "Escape", "k"] {
            pane.press(keys);
        }
    }
    pane.shows("日本語");
    pane.shows("keys");
    pane.press("g Enter");
    pane.shows("deny and say why");
    pane.press("n");
    let decision = asked.join().unwrap();
    assert_eq!(decision["result"]["decision"], "deny", "{decision}");
    pane.shows("Denied");
    pane.press("q");
    pane.is_given_back();
}

#[test]
fn a_hub_that_dies_and_comes_back() {
    let (_home, mut hub) = hub();
    works(&hub, "shop");
    let pane = Pane::board(&hub, 80, 24);
    pane.shows("shop");
    hub.crash();
    pane.shows("The hub is back");
    let asked = asks(&hub, "later", "Bash", &json!({ "command": "touch made.txt" }));
    pane.shows("Bash: touch made.txt");
    hub.does(&["hub", "--stop"]);
    pane.shows("the hub is away");
    pane.shows("later");
    drop(asked.join());
    pane.press("q");
    pane.is_given_back();
}

#[test]
fn two_thousand_sessions() {
    let (_home, hub) = hub();
    for number in 0..2000 {
        event(&hub, &format!("project-{number}"), "prompt_submit", &json!({}));
    }
    let pane = Pane::board(&hub, 120, 40);
    pane.shows("2000 working");
    pane.press("G");
    pane.shows("project-1999");
    pane.press("f");
    pane.types("project-77");
    pane.shows("(1989 hidden)");
    pane.press("Enter");
    let asked = asks(&hub, "project-77", "Bash", &json!({ "command": "touch made.txt" }));
    pane.shows("Bash: touch made.txt");
    pane.press("q");
    pane.is_given_back();
    // The filter was remembered.
    pane.run("board");
    pane.shows("only: project-77");
    pane.shows("Bash: touch made.txt");
    pane.press("g Enter");
    pane.shows("allow once");
    pane.press("n");
    assert_eq!(asked.join().unwrap()["result"]["decision"], "deny");
    pane.press("q");
    pane.is_given_back();
}

#[test]
fn without_colour() {
    let (_home, hub) = hub();
    works(&hub, "shop");
    let pane = Pane::new(&hub, 80, 24, &[("NO_COLOR", "1")]);
    pane.run("board");
    pane.shows("works");
    let svg = pane.svg(80, 24);
    let colours: std::collections::BTreeSet<&str> =
        svg.match_indices("fill=\"#").map(|(at, _)| &svg[at + 6..at + 13]).collect();
    assert!(colours.len() <= 2, "letters and what is behind them: {colours:?}");
    pane.press("q");
    pane.is_given_back();
}
