//! Every key of the help pages does what they say, in a real terminal, with a real agent under coop.

mod answers;

use std::collections::HashSet;
use std::process::Command;

use coop_board::keys::{Action, Place, at};
use coop_testkit::agent::Hooks;
use coop_testkit::{Agent, Coop, Dialog, Kind, Meeting, Options, Scenario, TestHub, coop};
use serde_json::{Value, json};

use crate::fleet::{asks, event, questions, works};
use crate::pane::Pane;

const SCENARIO: &str = "
user: say hello
  say: Hello to the board.
user: take your time
  say: Well
  hang
user again: two
  say: Both lines came.
";

/// What a key has to lead to.
enum Then {
    Shows(&'static str),
    Hides(&'static str),
    /// Something is different, which words do not say: where the selection or the cursor is.
    Changes,
}
use Then::{Changes, Hides, Shows};

struct Walk<'a> {
    pane: &'a Pane,
    done: HashSet<(Place, Action)>,
}

impl Walk<'_> {
    /// Presses a key that means `action` at `place`.
    #[track_caller]
    fn step(&mut self, place: Place, action: Action, key: &str, then: &Then) {
        assert!(at(place).any(|binding| binding.action == action), "{action:?} is nothing at {place:?}");
        let look = || format!("{}{}", self.pane.painted(), self.pane.says("#{cursor_x},#{cursor_y}"));
        let before = look();
        self.pane.press(key);
        match then {
            Shows(text) => self.pane.shows(text),
            Hides(text) => self.pane.hides(text),
            Changes => {
                self.pane.until(&format!("{action:?} to change something"), |_| (look() != before).then_some(()));
            }
        }
        self.done.insert((place, action));
    }

    #[track_caller]
    fn steps(&mut self, place: Place, steps: &[(Action, &str, Then)]) {
        for (action, key, then) in steps {
            self.step(place, *action, key, then);
        }
    }

    /// Selects a session by its project.
    #[track_caller]
    fn go(&self, project: &str) {
        self.pane.press("/");
        self.pane.shows("search:");
        self.pane.types(&format!("project:{project}"));
        self.pane.press("Enter");
        self.pane.hides("search:");
        self.pane.until(&format!("{project} selected"), |screen| {
            let below = screen.split_once('─')?.1;
            below.lines().any(|line| line.split(' ').nth(1) == Some(project)).then_some(())
        });
    }
}

#[test]
fn every_key_does_what_the_help_says() {
    let meeting = Meeting::default();
    let options = Options {
        hooks: Hooks::None,
        env: vec![meeting.env()],
        // A dialog of its start, to be answered here.
        dialog: Some(Dialog::ApiKey),
        ..Options::default()
    };
    let scenario = Scenario::parse("keys", SCENARIO).unwrap();
    let agent = Agent::launch(Kind::Claude, "2.1.325", scenario, &options).unwrap();
    let hub = TestHub::start(meeting, &agent.home, &[]);
    let mut command = Command::new(coop::binary());
    let env = agent.command.env.iter().map(|(name, value)| (name, value));
    command
        .args(["--agent", "claude", "--groom", "manual", "--shutdown-timeout", "1", "--cwd"])
        .arg(&agent.project)
        .arg("--");
    command.arg(&agent.command.program).args(&agent.command.args).env_clear().envs(env);
    let _sidecar = Coop::run(command);
    hub.session("an owned session", |session| session["control"] == "owned" && session["state"] == "prompt");

    let permissions: Vec<_> = ["perm-a", "perm-b", "perm-c", "perm-d", "perm-e", "perm-f"]
        .map(|name| {
            let command = format!("touch {}", (0..60).map(|n| format!("made-{n:02}.txt ")).collect::<String>());
            asks(&hub, name, "Bash", &json!({ "command": command.trim() }))
        })
        .into();
    let questions = asks(&hub, "quest", "AskUserQuestion", &questions());
    let steps: String = (1..40).map(|n| format!("{n}. step\n")).collect();
    let plans: Vec<_> = ["plan-a", "plan-b"]
        .map(|name| asks(&hub, name, "ExitPlanMode", &json!({ "plan": format!("# Plan\n{steps}") })))
        .into();
    works(&hub, "busy");
    event(&hub, "broken", "session_start", &json!({}));
    event(&hub, "broken", "stop", &json!({ "error": "overloaded" }));
    for n in 0..20 {
        works(&hub, &format!("more-{n}"));
    }
    hub.until("/api/v1/prompts", "all prompts", |all| (all["prompts"].as_array()?.len() == 10).then_some(()));

    let editor = agent.home.join("editor.sh");
    std::fs::write(&editor, "#!/bin/sh\nsed -i s/made-00.txt/written.txt/ \"$2\"\n").unwrap();
    let editor = format!("sh {} --wait", editor.display());
    let pane = Pane::new(&hub, 100, 40, &[("VISUAL", ""), ("EDITOR", &editor)]);
    pane.run("board");
    pane.shows("broken");
    let mut walk = Walk { pane: &pane, done: HashSet::new() };
    answers::setup(&mut walk, &hub);
    list(&mut walk);
    help(&mut walk);
    reading(&mut walk);
    answers::permission(&mut walk);
    answers::input(&mut walk);
    answers::plan(&mut walk);
    answers::question(&mut walk);
    typing(&mut walk);
    driving(&mut walk, &hub);
    for place in Place::ALL {
        for binding in at(place).filter(|binding| !matches!(binding.action, Action::Quit | Action::Redraw)) {
            assert!(walk.done.contains(&(place, binding.action)), "{:?} at {place:?} was not pressed", binding.action);
        }
    }
    pane.press("q");
    pane.is_given_back();
    let replies = |asked: Vec<std::thread::JoinHandle<Value>>| -> Vec<Value> {
        asked.into_iter().map(|asked| asked.join().unwrap()["result"].clone()).collect()
    };
    let decided = |replies: &[Value]| replies.iter().map(|reply| reply["decision"].clone()).collect::<Vec<_>>();
    drop(hub.coop(&["hub", "--stop"]));
    let found = replies(permissions);
    let expected = ["allow", "allow", "allow", "deny", "deny", "allow"].map(|word| json!(word));
    assert_eq!(decided(&found), expected, "{found:?}");
    let changed = &found[5]["output"]["hookSpecificOutput"]["decision"]["updatedInput"];
    assert_eq!(*changed, json!({ "command": "touch typed.txt" }), "{found:?}");
    assert_eq!(decided(&replies(plans)), ["allow", "deny"].map(|word| json!(word)));
    drop(questions.join());
}

fn list(walk: &mut Walk<'_>) {
    use Action::*;
    walk.steps(
        Place::List,
        &[
            (Bottom, "G", Shows("↑")),
            (Top, "g", Hides("↑")),
            (PageDown, "PageDown", Changes),
            (PageUp, "PageUp", Changes),
            (Down, "j", Changes),
            (Up, "k", Changes),
            (NextAsking, "Tab", Changes),
            (Group, "o", Shows("by project")),
            (Group, "o", Shows("by host")),
            (Group, "o", Hides("by host")),
            (Ended, "e", Shows("are not shown")),
            (Ended, "e", Shows("are shown")),
            (Undo, "u", Shows("nothing to take back")),
            (Filter, "f", Shows("show only:")),
        ],
    );
    walk.pane.types("perm");
    walk.pane.shows("only: perm");
    walk.steps(
        Place::Filter,
        &[
            (Left, "Left", Changes),
            (Right, "Right", Changes),
            (Home, "Home", Changes),
            (EndOfLine, "End", Changes),
            (Backspace, "BSpace", Shows("only: per ")),
            (Home, "Home", Changes),
            (Delete, "DC", Shows("only: er ")),
            (EndOfLine, "End", Changes),
            (DeleteWord, "C-w", Hides("only: er")),
        ],
    );
    walk.pane.types("busy");
    walk.step(Place::Filter, Submit, "Enter", &Hides("show only:"));
    walk.pane.shows("only: busy");
    walk.pane.press("f");
    walk.pane.shows("show only: busy");
    walk.step(Place::Filter, Clear, "C-u", &Hides("only: busy ("));
    walk.pane.types("zzz");
    walk.pane.shows("hidden by the filter");
    walk.step(Place::Filter, Back, "Escape", &Shows("broken"));
    walk.step(Place::List, Search, "/", &Shows("search:"));
    walk.pane.types("perm");
    typed(walk, Place::Search, "search:");
    walk.step(Place::Search, Back, "Escape", &Hides("search:"));
    walk.go("perm-a");
    walk.pane.press("/");
    walk.pane.types("perm-");
    walk.step(Place::Search, Submit, "Enter", &Hides("search:"));
    walk.steps(Place::List, &[(Next, "n", Changes), (Previous, "N", Changes)]);
}

/// The keys of a place where text is typed, on a text that is there.
fn typed(walk: &mut Walk<'_>, place: Place, label: &'static str) {
    use Action::*;
    walk.pane.shows(label);
    walk.steps(
        place,
        &[
            (Left, "Left", Changes),
            (Right, "Right", Changes),
            (Home, "C-a", Changes),
            (Delete, "C-d", Changes),
            (EndOfLine, "C-e", Changes),
            (Backspace, "BSpace", Changes),
            (DeleteWord, "C-w", Changes),
        ],
    );
    walk.pane.types("again");
    walk.pane.shows("again");
    walk.step(place, Clear, "C-u", &Hides("again"));
}

fn help(walk: &mut Walk<'_>) {
    use Action::*;
    walk.step(Place::List, Help, "?", &Shows("Keys: the board"));
    walk.pane.resize(100, 12);
    walk.pane.shows("↓");
    walk.steps(
        Place::Help,
        &[
            (Bottom, "G", Hides("Keys: the board")),
            (Top, "g", Shows("Keys: the board")),
            (Down, "j", Hides("Keys: the board")),
            (Up, "k", Shows("Keys: the board")),
            (PageDown, "PageDown", Hides("Keys: the board")),
            (PageUp, "PageUp", Shows("Keys: the board")),
            (Back, "Escape", Shows("broken")),
        ],
    );
    walk.pane.resize(100, 40);
}

/// One session, its conversation and its screen.
fn reading(walk: &mut Walk<'_>) {
    use Action::*;
    walk.go("broken");
    walk.step(Place::List, Open, "Enter", &Shows("Esc back"));
    walk.pane.resize(100, 6);
    walk.steps(
        Place::Look,
        &[
            (Down, "j", Changes),
            (Up, "k", Changes),
            (PageDown, "PageDown", Changes),
            (PageUp, "PageUp", Changes),
            (Bottom, "G", Changes),
            (Top, "g", Changes),
        ],
    );
    walk.pane.resize(100, 40);
    walk.pane.shows("overloaded");
    walk.steps(
        Place::Look,
        &[
            (Undo, "u", Shows("nothing to take back")),
            (Nudge, "m", Shows("only what runs under coop")),
            (Interrupt, "i", Shows("only what runs under coop")),
            (Peek, "p", Shows("only what runs under coop")),
            (Attach, "a", Shows("only what runs under coop")),
            (End, "x", Shows("only what runs under coop")),
            (Resume, "r", Shows("It has not ended.")),
            (Jump, "t", Hides("It has not ended.")),
            (Help, "?", Shows("Keys: one session")),
        ],
    );
    walk.pane.press("Escape");
    walk.pane.hides("Keys:");
    walk.step(Place::Look, Talk, "c", &Shows("No log of session"));
    walk.pane.press("Escape");
    walk.pane.shows("Enter open");
    walk.pane.press("Enter");
    walk.pane.shows("Esc back");
    walk.step(Place::Look, Back, "Escape", &Shows("Enter open"));
    walk.steps(
        Place::List,
        &[
            (Nudge, "m", Shows("only what runs under coop")),
            (Resume, "r", Shows("It has not ended.")),
            (Jump, "t", Hides("It has not ended.")),
        ],
    );
    // Enter is for what asks, wherever one is.
    walk.done.insert((Place::Look, Open));
}

/// Where text of several lines is typed.
fn several_lines(walk: &mut Walk<'_>, place: Place) {
    use Action::*;
    walk.steps(place, &[(Newline, "C-j", Changes), (Older, "Up", Changes), (Newer, "Down", Changes)]);
    walk.pane.types("second line");
    walk.pane.shows("second line");
    typed(walk, place, "second line");
}

fn typing(walk: &mut Walk<'_>) {
    use Action::*;
    walk.step(Place::List, Find, "s", &Shows("look in conversations for:"));
    walk.pane.types("touch");
    typed(walk, Place::Find, "look in conversations for:");
    walk.step(Place::Find, Back, "Escape", &Hides("look in conversations"));
    walk.pane.press("s");
    walk.pane.types("touch");
    walk.step(Place::Find, Submit, "Enter", &Shows("prompt: "));
    walk.steps(
        Place::Found,
        &[
            (Down, "j", Changes),
            (Up, "k", Changes),
            (PageDown, "PageDown", Changes),
            (PageUp, "PageUp", Changes),
            (Bottom, "G", Changes),
            (Top, "g", Changes),
            (Help, "?", Shows("Keys: what was found")),
        ],
    );
    walk.pane.press("Escape");
    walk.pane.hides("Keys:");
    walk.step(Place::Found, Back, "Escape", &Shows("Enter open"));
    walk.pane.press("s");
    walk.pane.types("touch");
    walk.pane.press("Enter");
    walk.pane.shows("prompt: ");
    walk.step(Place::Found, Open, "Enter", &Shows("Enter open"));

    walk.step(Place::List, Start, "+", &Shows("Start a session"));
    walk.step(Place::Start, NextAgent, "C-t", &Changes);
    typed(walk, Place::Start, "folder");
    walk.step(Place::Start, NextField, "Tab", &Shows("> arguments"));
    walk.step(Place::Start, Back, "Escape", &Hides("Start a session"));
    walk.pane.press("+");
    walk.pane.press("C-u");
    walk.step(Place::Start, Submit, "Enter", &Shows("a path from the root"));
    walk.pane.press("Escape");
    walk.pane.hides("Start a session");
}

fn driving(walk: &mut Walk<'_>, hub: &TestHub) {
    use Action::*;
    walk.go("project");
    walk.step(Place::List, Nudge, "m", &Shows("Message"));
    walk.pane.types("first");
    several_lines(walk, Place::Nudge);
    walk.step(Place::Nudge, Back, "Escape", &Hides("Message ─"));
    walk.pane.press("m");
    walk.pane.types("say hello");
    walk.step(Place::Nudge, Submit, "Enter", &Shows("The agent has the message"));
    walk.pane.shows("Hello to the board.");
    walk.pane.press("m Up");
    walk.pane.shows("│ say hello");
    walk.done.insert((Place::Nudge, Older));
    walk.pane.press("Down");
    walk.pane.hides("│ say hello");
    walk.pane.press("Escape");

    walk.step(Place::List, Peek, "p", &Shows("? for shortcuts"));
    pages(walk, Place::Peek);
    walk.step(Place::Peek, Help, "?", &Shows("Keys: the live screen"));
    walk.pane.press("Escape");
    walk.pane.hides("Keys:");
    walk.step(Place::Peek, Peek, "p", &Shows("? for shortcuts"));
    walk.step(Place::Peek, Talk, "c", &Shows("Hello to the board."));
    walk.pane.shows("you");
    pages(walk, Place::Talk);
    walk.step(Place::Talk, Help, "?", &Shows("Keys: the conversation"));
    walk.pane.press("Escape");
    walk.pane.hides("Keys:");
    walk.step(Place::Talk, Talk, "c", &Shows("Hello to the board."));
    walk.step(Place::Talk, Peek, "p", &Shows("? for shortcuts"));
    for place in [Place::Peek, Place::Talk] {
        for (action, key, says) in
            [(Nudge, "m", "Message ─"), (Interrupt, "i", "Interrupt claude"), (End, "x", "End claude")]
        {
            walk.pane.press("Escape");
            walk.pane.shows("Enter open");
            walk.pane.press(if place == Place::Peek { "p" } else { "c" });
            walk.pane.hides("Enter open");
            walk.step(place, action, key, &Shows(says));
        }
        walk.pane.press("Escape");
        walk.pane.shows("Enter open");
        walk.pane.press(if place == Place::Peek { "p" } else { "c" });
        walk.pane.hides("Enter open");
        walk.step(place, Jump, "t", &Changes);
        walk.step(place, Attach, "a", &Shows("Ctrl-\\"));
        walk.pane.press("C-\\");
        walk.pane.shows("Enter open");
        walk.pane.press(if place == Place::Peek { "p" } else { "c" });
        walk.pane.hides("Enter open");
        walk.step(place, Back, "q", &Shows("Enter open"));
    }
    walk.step(Place::List, Talk, "c", &Shows("you"));
    walk.pane.press("q");
    walk.pane.shows("Enter open");
    walk.step(Place::List, Attach, "a", &Shows("Ctrl-\\"));
    walk.pane.press("C-\\");
    walk.pane.shows("Enter open");

    walk.pane.press("m");
    walk.pane.types("take your time");
    walk.pane.press("Enter");
    hub.session("work", |session| session["control"] == "owned" && session["state"] == "working");
    walk.step(Place::List, Interrupt, "i", &Shows("Interrupt claude"));
    walk.step(Place::Confirm, Back, "n", &Hides("Interrupt claude"));
    walk.pane.press("i");
    walk.pane.shows("Interrupt claude");
    walk.step(Place::Confirm, Yes, "y", &Shows("Interrupted"));
    hub.session("rest", |session| session["control"] == "owned" && session["state"] == "idle");
    walk.step(Place::List, End, "x", &Shows("End claude"));
    walk.pane.press("y");
    hub.session("its end", |session| session["control"] == "cold" && session["project"] == "project");
    walk.pane.shows("1 ended");
}

/// Reads up and down in a small window.
fn pages(walk: &mut Walk<'_>, place: Place) {
    use Action::*;
    walk.pane.resize(100, 5);
    walk.steps(
        place,
        &[
            (Up, "k", Changes),
            (Down, "j", Changes),
            (PageUp, "PageUp", Changes),
            (PageDown, "PageDown", Changes),
            (Top, "g", Changes),
            (Bottom, "G", Changes),
        ],
    );
    walk.pane.resize(100, 40);
}
