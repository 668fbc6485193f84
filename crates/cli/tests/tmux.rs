//! `coop --attach tmux:NAME`: the real tmux on a server of its own, with a shell in it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Instant;

use common::person::Person;
use common::{LIMIT, Running, World};
use serde_json::Value;

/// What coop takes the tmux for: one that can be followed, or one that is looked at.
#[derive(Clone, Copy, Debug)]
enum Age {
    New,
    Old,
}

/// Tests that hold for any tmux.
macro_rules! for_both {
    ($($test:ident,)*) => {
        mod new {
            $(#[test] fn $test() { super::$test(super::Age::New); })*
        }
        mod old {
            $(#[test] fn $test() { super::$test(super::Age::Old); })*
        }
    };
}

for_both! {
    what_is_there_already_is_seen_and_what_comes_is_too,
    the_layout_of_the_person_stays_as_it_is,
    somebody_who_scrolls_back_is_not_disturbed,
    after_a_flood_the_screen_is_right,
    a_pane_that_is_killed_ends_the_session,
    the_code_of_a_program_is_known_where_tmux_keeps_it,
    a_server_that_comes_back_is_attached_to_again,
    what_scrolls_by_is_kept,
}

/// A server that ends with the test.
struct Tmux {
    world: World,
    age: Age,
}

impl Tmux {
    /// With a session `work` of this size, in which `script` is run by a shell.
    fn new(age: Age, script: &str) -> Self {
        let tmux = Self { world: World::new(), age };
        tmux.start(script);
        tmux
    }

    fn start(&self, script: &str) {
        self.run(&["new-session", "-d", "-s", "work", "-x", "80", "-y", "24", "/bin/bash", "--norc", "-c", script]);
    }

    /// A shell at its prompt, which `coop` knows too.
    fn shell(age: Age) -> Self {
        let tmux = Self { world: World::new(), age };
        tmux.run(&["new-session", "-d", "-s", "work", "-x", "80", "-y", "24", "/bin/bash", "--norc"]);
        tmux
    }

    fn socket(&self) -> PathBuf {
        self.world.path().join("tmux.sock")
    }

    fn command(&self, args: &[&str]) -> Command {
        let socket = self.socket();
        self.world.command("tmux", &[&["-f", "/dev/null", "-u", "-S", socket.to_str().unwrap()], args].concat())
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap().trim_end().to_owned()
    }

    fn attach(&self, more: &[&str]) -> Running {
        self.attach_to("work", more)
    }

    fn attach_to(&self, pane: &str, more: &[&str]) -> Running {
        let (spec, socket) = (format!("tmux:{pane}"), self.socket());
        let attach = ["--attach", &spec, "--tmux-socket", socket.to_str().unwrap()];
        let mut coop = self.world.coop(&[&attach, more].concat());
        if matches!(self.age, Age::Old) {
            let old = self.world.path().join("old");
            std::fs::create_dir_all(&old).unwrap();
            let program = old.join("tmux");
            std::fs::write(&program, include_str!("../../testkit/old-tmux")).unwrap();
            std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
            coop.env("PATH", format!("{}:{}", old.display(), std::env::var("PATH").unwrap()));
        }
        common::start(coop)
    }

    /// Waits until a format of tmux has become `expected`.
    #[track_caller]
    fn until(&self, format: &str, expected: &str) {
        let deadline = Instant::now() + LIMIT;
        let mut last = String::new();
        while Instant::now() < deadline {
            last = self.run(&["display-message", "-p", "-t", "work", format]);
            if last == expected {
                return;
            }
            std::thread::yield_now();
        }
        panic!("{format} is {last:?} and never {expected:?}");
    }

    fn status(&self) -> Value {
        serde_json::from_str(&self.world.verb(&["status", "-s", "work", "--json"])).unwrap()
    }
}

/// Waits until programs on this terminal find this size.
#[track_caller]
fn until_size(tty: &str, expected: &str) {
    let deadline = Instant::now() + LIMIT;
    let size = || Command::new("stty").args(["-F", tty, "size"]).output().unwrap().stdout;
    while String::from_utf8_lossy(&size()).trim_end() != expected {
        assert!(Instant::now() < deadline, "{tty} never has the size {expected}");
        std::thread::yield_now();
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        drop(self.command(&["kill-server"]).output());
    }
}

fn what_is_there_already_is_seen_and_what_comes_is_too(age: Age) {
    let script = "seq 100 160; printf '\\033[31mred\\033[m\\n'; read line; echo \"got $line\"; read end";
    let tmux = Tmux::new(age, script);
    // All of it is there before coop comes.
    tmux.until("#{history_size} #{cursor_y}", "39 23");
    let coop = tmux.attach(&["--agent", "unknown"]);
    let screen = tmux.world.shows("work", "red");
    assert!(screen.contains("160\nred"), "{screen}");
    let whole = tmux.world.verb(&["screen", "-s", "work", "--scrollback", "100"]);
    assert!(whole.starts_with("100\n101\n"), "{whole}");
    tmux.world.verb(&["input", "-s", "work", "häl;lo \"$x\" {y}", "--enter"]);
    let screen = tmux.world.shows("work", "got");
    assert!(screen.contains("got häl;lo \"$x\" {y}"), "{screen}");
    let status = tmux.status();
    assert_eq!(status["control"], "attached");
    assert_eq!(status["pid"].to_string(), tmux.run(&["display-message", "-p", "-t", "work", "#{pane_pid}"]));
    // What is not ours to do is refused, with what to do instead.
    for verb in
        [&["resize", "-s", "work", "100", "30"][..], &["signal", "-s", "work", "INT"], &["restart", "-s", "work"]]
    {
        let refused = tmux.world.run(verb);
        assert!(refused.code != Some(0) && refused.stderr.contains("was there before coop"), "{refused:?}");
    }
    // To stop is to let go.
    tmux.world.verb(&["stop", "-s", "work"]);
    let mut coop = coop;
    let (code, log) = coop.wait();
    assert_eq!(code, Some(0), "{log}");
    tmux.until("#{pane_dead} #{session_attached}", "0 0");
}

fn the_layout_of_the_person_stays_as_it_is(age: Age) {
    let tmux = Tmux::shell(age);
    let socket = tmux.socket();
    let mut person = Person::with(
        &tmux.world,
        100,
        30,
        "tmux",
        &["-f", "/dev/null", "-S", socket.to_str().unwrap(), "attach", "-t", "work"],
    );
    tmux.until("#{client_width} #{window_width}x#{window_height}", "100 100x29");
    tmux.run(&["split-window", "-h", "-t", "work:0.0", "-l", "30", "/bin/cat"]);
    let layout = || tmux.run(&["display-message", "-p", "-t", "work", "#{window_layout} #{pane_id}"]);
    // tmux tells programs of their size a little later.
    let tty = tmux.run(&["display-message", "-p", "-t", "work:0.0", "#{pane_tty}"]);
    until_size(&tty, "29 69");
    let before = layout();
    let coop = tmux.attach_to("work:0.0", &[]);
    tmux.world.shows("work", "$");
    tmux.world.verb(&["input", "-s", "work", "echo $((40 + 2)) $(stty size)", "--enter"]);
    let screen = tmux.world.shows("work", "42 29 69");
    person.sees("42 29 69");
    assert_eq!(layout(), before, "{screen}");
    // Sizes follow the person.
    person.resizes(90, 25);
    tmux.world.shows("work", "42 29 69");
    tmux.until("#{window_width}x#{window_height}", "90x24");
    let size = tmux.run(&["display-message", "-p", "-t", "work:0.0", "#{pane_height} #{pane_width}"]);
    until_size(&tty, &size);
    tmux.world.verb(&["input", "-s", "work", "clear; stty size", "--enter"]);
    tmux.world.shows("work", &size);
    drop(coop);
}

fn somebody_who_scrolls_back_is_not_disturbed(age: Age) {
    let tmux = Tmux::new(age, "seq 100; read line; echo \"got $line\"; read end");
    let _coop = tmux.attach(&["--agent", "unknown"]);
    tmux.world.shows("work", "100");
    tmux.run(&["copy-mode", "-t", "work"]);
    tmux.run(&["send-keys", "-t", "work", "-X", "history-top"]);
    tmux.until("#{pane_in_mode} #{scroll_position}", "1 77");
    tmux.world.verb(&["input", "-s", "work", "q$x", "--enter"]);
    tmux.world.shows("work", "got q$x");
    tmux.until("#{pane_in_mode} #{scroll_position}", "1 77");
}

fn what_scrolls_by_is_kept(age: Age) {
    let tmux = Tmux::new(
        age,
        "for i in 1 2 3; do read go; printf '\\033]2;part %s\\007' $i; seq ${i}00 ${i}60; done; read end",
    );
    let _coop = tmux.attach(&["--agent", "unknown"]);
    for i in 1..=3 {
        tmux.world.verb(&["input", "-s", "work", "--enter", ""]);
        tmux.world.shows("work", &format!("{i}60"));
    }
    let whole = tmux.world.verb(&["screen", "-s", "work", "--scrollback", "1000"]);
    let lines: Vec<String> = whole.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect();
    let expected: Vec<String> = (1..=3).flat_map(|i| i * 100..=i * 100 + 60).map(|line| line.to_string()).collect();
    assert_eq!(lines, expected);
    let screen: Value = serde_json::from_str(&tmux.world.verb(&["screen", "-s", "work", "--json"])).unwrap();
    assert_eq!(screen["title"], "part 3");
}

fn after_a_flood_the_screen_is_right(age: Age) {
    let tmux = Tmux::new(age, "read go; seq 1 2000000; echo fin; read line; echo \"got $line\"; read end");
    let _coop = tmux.attach(&["--agent", "unknown"]);
    tmux.world.verb(&["input", "-s", "work", "go", "--enter"]);
    let screen = tmux.world.shows("work", "fin");
    assert!(screen.contains("1999999\n2000000\nfin"), "{screen}");
    tmux.world.verb(&["input", "-s", "work", "on", "--enter"]);
    tmux.world.shows("work", "got on");
}

fn a_pane_that_is_killed_ends_the_session(age: Age) {
    let tmux = Tmux::shell(age);
    tmux.run(&["split-window", "-t", "work:0.0", "/bin/cat"]);
    let mut coop = tmux.attach_to("work:0.0", &[]);
    tmux.world.shows("work", "$");
    tmux.run(&["kill-pane", "-t", "work:0.0"]);
    let (code, log) = coop.wait();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("the program has exited"), "{log}");
}

fn the_code_of_a_program_is_known_where_tmux_keeps_it(age: Age) {
    let tmux = Tmux::new(age, "read line; exit 7");
    tmux.run(&["set-option", "-t", "work", "remain-on-exit", "on"]);
    let mut coop = tmux.attach(&["--agent", "unknown"]);
    tmux.world.verb(&["input", "-s", "work", "--enter", ""]);
    let (code, log) = coop.wait();
    assert_eq!(code, Some(7), "{log}");
}

fn a_server_that_comes_back_is_attached_to_again(age: Age) {
    let tmux = Tmux::new(age, "echo first; read end");
    let mut coop = tmux.attach(&["--agent", "unknown"]);
    tmux.world.shows("work", "first");
    tmux.run(&["kill-server"]);
    coop.logs("coop waits for it to come back");
    tmux.start("echo second; read line; echo \"got $line\"; read end");
    coop.logs("another program is there");
    let screen = tmux.world.shows("work", "second");
    assert!(!screen.contains("first"), "{screen}");
    tmux.world.verb(&["input", "-s", "work", "again", "--enter"]);
    tmux.world.shows("work", "got again");
    assert_eq!(tmux.status()["generation"], 2);
    // And one that does not is the end.
    tmux.run(&["kill-server"]);
    let (code, log) = coop.wait();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn agents_in_tmux_are_listed_with_the_command_that_attaches() {
    let tmux = Tmux::shell(Age::New);
    // What counts is how it was called.
    let agent = tmux.world.path().join("codex");
    std::os::unix::fs::symlink("/bin/sleep", &agent).unwrap();
    tmux.run(&["new-window", "-t", "work:3", "/bin/bash", "-c", &format!("{} 1000; true", agent.display())]);
    let folder = tmux.world.path().join(format!("tmux-{}", rustix::process::getuid().as_raw()));
    // As tmux makes it: for its own account alone.
    std::fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    std::os::unix::fs::symlink(tmux.socket(), folder.join("mine")).unwrap();
    let list = |args: &[&str]| {
        let mut command = tmux.world.coop(&[&["attach-list"], args].concat());
        command.env("TMUX_TMPDIR", tmux.world.path());
        common::finish(command)
    };
    let deadline = Instant::now() + LIMIT;
    while !list(&[]).stdout.contains("codex") {
        assert!(Instant::now() < deadline, "{:?}", list(&[]));
    }
    let rows: Value = serde_json::from_str(&list(&["--json"]).stdout).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1, "a shell is no agent: {rows}");
    assert_eq!((&rows[0]["spec"], &rows[0]["agent"]), (&"tmux:work:3.0".into(), &"codex".into()));
    let expected = format!("coop --attach tmux:work:3.0 --tmux-socket {}", folder.join("mine").display());
    assert_eq!(rows[0]["command"], expected.as_str());
    drop(tmux.command(&["kill-server"]).output());
    assert!(list(&[]).stdout.starts_with("No agent runs in tmux or Screen"), "{:?}", list(&[]));
}

#[test]
fn what_is_not_there_is_said() {
    let tmux = Tmux::new(Age::New, "read end");
    let socket = tmux.socket();
    for (spec, expected) in [
        ("tmux:wor", "There is no tmux pane wor: can't find session"),
        ("tmux:work:7", "can't find window"),
        ("tmux:work:0.9", "can't find pane"),
        ("zellij:work", "it is tmux:NAME"),
        ("tmux:", "it is tmux:NAME"),
    ] {
        let done = tmux.world.run(&["--attach", spec, "--tmux-socket", socket.to_str().unwrap()]);
        assert!(done.code != Some(0) && done.stderr.contains(expected), "{spec}: {done:?}");
    }
    let done = tmux.world.run(&["--attach", "tmux:work", "--", "bash"]);
    assert!(done.stderr.contains("it goes without a command"), "{done:?}");
}
