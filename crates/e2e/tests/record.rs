//! Recordings: written while the program runs, read by the asciinema of others, and painting the same screen.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use coop_e2e::program::python;
use coop_terminal::cast::{Event, Reader};
use coop_terminal::{Options, Screen, Size};
use coop_testkit::coop::{Coop, binary};

/// Colours, wide and combined characters, a torn one, the other screen, and a program that ends by itself.
const SCRIPT: &str = "stty -echo; printf 'ready\\r\\n'; read go; seq 1 60; printf '\\033[?1049hother\\033[?1049l'; \
    printf '\\033[1;31mred\\033[m \\344\\270\\255 e\\314\\201 \\360\\237'; printf '\\246\\200\\r\\n'; printf 'end'; exit 3";

fn run(socket: &Path, args: &[&str]) -> String {
    let output = Command::new(binary()).args(args).arg("-s").arg(socket).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "waited in vain for {what}");
        std::thread::yield_now();
    }
}

/// What the output of a recording paints.
fn painted(size: Size, pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<String> {
    let mut screen = Screen::new(size, Options::default());
    for piece in pieces {
        screen.feed(&piece).unwrap();
    }
    screen.text(0)
}

fn check(format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (socket, cast) = (folder.path().join("a.sock"), folder.path().join("a.cast"));
    let flags = ["--linger", "--cols", "60", "--rows", "10", "--socket", socket.to_str().unwrap()];
    let _coop = Coop::start(flags, SCRIPT);
    until("the program to be ready", || run(&socket, &["screen"]).contains("ready"));
    let mut record = Command::new(binary());
    record.args(["record", "--format", format, "-o", cast.to_str().unwrap(), "-s", socket.to_str().unwrap()]);
    let mut record = record.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(record.stderr.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().starts_with("Recording"));
    // The picture it begins with is in the file, so that nothing is missed from here on.
    until("the picture to be recorded", || std::fs::read_to_string(&cast).unwrap().contains("ready"));
    run(&socket, &["input", "go", "--enter"]);
    assert!(record.wait().unwrap().success());
    assert!(said.next().unwrap().unwrap().starts_with("The program has exited"));

    let shown: Vec<String> = run(&socket, &["screen"]).lines().map(str::to_owned).collect();
    let text = std::fs::read_to_string(&cast).unwrap();
    let mut lines = text.lines();
    let mut reader = Reader::new(lines.next().unwrap()).unwrap();
    let events: Vec<Event> = lines.filter_map(|line| reader.line(line).unwrap()).map(|(_, event)| event).collect();
    let outputs = events.iter().filter_map(|event| match event {
        Event::Output(text) => Some(text.clone().into_bytes()),
        _ => None,
    });
    let replayed = painted(reader.head.size, outputs);
    let same = |painted: &[String]| painted.iter().zip(&shown).all(|(one, other)| one.trim_end() == other.trim_end());
    assert!(
        same(&replayed) && replayed.iter().any(|line| line.contains("red 中 e\u{301} 🦀")),
        "{replayed:#?}\n{shown:#?}"
    );
    assert_eq!(events.last() == Some(&Event::Exit(3)), format == "3", "{events:?}");

    let played = Command::new(binary()).args(["play", "--speed", "1000", cast.to_str().unwrap()]).output().unwrap();
    assert!(same(&painted(reader.head.size, [played.stdout])), "by our own player");
    // The one on PyPI does not read version 3.
    if format == "2" {
        let mut cat = Command::new(python());
        let cat = cat.args(["-m", "asciinema", "cat"]).arg(&cast).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
        let Output { status, stdout, stderr } = cat.output().unwrap();
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
        assert!(same(&painted(reader.head.size, [stdout])), "by asciinema's");
    }
}

#[test]
fn a_recording_paints_the_same_screen_in_version_2() {
    check("2");
}

#[test]
fn a_recording_paints_the_same_screen_in_version_3() {
    check("3");
}
