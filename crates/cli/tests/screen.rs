//! `coop --attach screen:…`: a program that runs in GNU Screen already.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::process::Command;
use std::time::Instant;

use common::{LIMIT, Running, World};
use serde_json::Value;

/// A server of Screen with one session, `work`. Ends with what runs in it.
struct Screen {
    world: World,
}

impl Screen {
    fn new(script: &str) -> Self {
        let screen = Self { world: World::new() };
        screen.start("work", &["/bin/bash", "--norc", "-c", script]);
        screen
    }

    fn start(&self, name: &str, program: &[&str]) {
        self.run(&[&["-U", "-c", "/dev/null", "-dmS", name][..], program].concat());
        let deadline = Instant::now() + LIMIT;
        while !self.run(&["-ls"]).contains(&format!(".{name}\t")) {
            assert!(Instant::now() < deadline, "Screen does not start");
        }
    }

    /// It is found by its environment, in a folder of the test's own.
    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = self.world.command(program, args);
        command.env("SCREENDIR", self.world.path()).env("LC_ALL", "C.UTF-8");
        command
    }

    fn run(&self, args: &[&str]) -> String {
        let output = self.command("screen", args).output().expect("screen, which tests need");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn attach(&self, args: &[&str]) -> Running {
        let mut command = self.world.coop(&[&["--attach", "screen:work", "--name", "work"], args].concat());
        command.env("SCREENDIR", self.world.path()).env("LC_ALL", "C.UTF-8");
        common::start(command)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended with what ran in it.
        drop(self.command("screen", &["-S", "work", "-X", "quit"]).output());
    }
}

#[test]
fn what_was_there_is_painted_and_what_comes_follows() {
    let script =
        "stty -echo; echo before; while read -r line; do printf 'got \\033[1m%s\\033[0m ● é\\n' \"$line\"; done";
    let screen = Screen::new(script);
    let mut coop = screen.attach(&["--agent", "unknown"]);
    let shown = screen.world.shows("work", "before");
    assert!(!shown.contains("got"), "{shown}");
    // Nothing of it is a word of Screen's or of a shell's.
    let hard = "a$HOME ^C \\015 `x` \"q\" 'ä ❯ %s";
    screen.world.verb(&["input", "-s", "work", "--enter", hard]);
    screen.world.shows("work", &format!("got {hard} ● é"));
    let long = "0123456789".repeat(300);
    for word in ["first", &long, "last"] {
        screen.world.verb(&["input", "-s", "work", "--enter", word]);
    }
    screen.world.shows("work", "got last ● é");
    let output = screen.world.verb(&["output", "-s", "work"]);
    assert!(output.contains(&format!("got \x1b[1m{long}\x1b[0m ●")), "the bytes that the program printed: {output}");
    let status: Value = serde_json::from_str(&screen.world.verb(&["status", "-s", "work", "--json"])).unwrap();
    assert_eq!(status["control"], "attached");
    for refused in [&["resize", "-s", "work", "90", "20"][..], &["restart", "work"], &["signal", "-s", "work", "INT"]] {
        let done = screen.world.run(refused);
        assert!(done.code != Some(0), "{done:?}");
    }
    // It goes on without coop, and Screen writes no log any more.
    screen.world.verb(&["stop", "work"]);
    assert_eq!(coop.wait().0, Some(0));
    assert!(screen.run(&["-ls"]).contains(".work"));
    let left = || {
        let entries = std::fs::read_dir(screen.world.path()).unwrap().flatten();
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| name.starts_with("coop-screen"))
            .count()
    };
    assert_eq!(left(), 0);
}

#[test]
fn the_end_of_the_program_is_noticed() {
    let screen = Screen::new("stty -echo; echo here; read line; echo last words; sleep 0.2; exit 3");
    let mut coop = screen.attach(&["--agent", "unknown"]);
    screen.world.shows("work", "here");
    screen.world.verb(&["input", "-s", "work", "--enter", "x"]);
    let (code, log) = coop.wait();
    assert_eq!(code, Some(0), "how it ended Screen does not tell: {log}");
    assert!(log.contains("the program has exited"), "{log}");
}

#[test]
fn agents_in_screen_are_listed_and_what_is_not_there_is_said() {
    let screen = Screen::new("read end");
    let agent = screen.world.path().join("codex");
    std::os::unix::fs::symlink("/bin/sleep", &agent).unwrap();
    screen.run(&["-S", "work", "-X", "screen", "5", agent.to_str().unwrap(), "1000"]);
    let list = |args: &[&str]| {
        let mut command = screen.world.coop(&[&["attach-list"], args].concat());
        command.env("SCREENDIR", screen.world.path()).env("TMUX_TMPDIR", screen.world.path());
        common::finish(command).stdout
    };
    let deadline = Instant::now() + LIMIT;
    while !list(&[]).contains("codex") {
        assert!(Instant::now() < deadline, "{}", list(&[]));
    }
    let rows: Value = serde_json::from_str(&list(&["--json"])).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(rows[0]["agent"], "codex");
    let spec = rows[0]["spec"].as_str().unwrap();
    assert!(spec.starts_with("screen:") && spec.ends_with(".work:5"), "{spec}");
    assert_eq!(rows[0]["command"], format!("coop --attach {spec}").as_str());
    for (spec, expected) in [
        ("screen:wor", "There is no Screen session wor"),
        ("screen:work:7", "no window 7"),
        ("screen:work:x", "no number"),
        ("screen:", "it is tmux:NAME"),
    ] {
        let mut command = screen.world.coop(&["--attach", spec]);
        command.env("SCREENDIR", screen.world.path());
        let done = common::finish(command);
        assert!(done.code != Some(0) && done.stderr.contains(expected), "{spec}: {done:?}");
    }
}
