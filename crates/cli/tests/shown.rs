//! What a session says of its agent, and what goes wrong, reaches the operator's terminal as text and whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may")]

mod common;

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixListener;

use common::{Done, World};
use coop_api::v1::{GetAgentStateResponse, PromptContext, PromptOption};
use serde_json::{Value, json};

/// Changes of direction, blanks of no width, tags, and what moves a cursor, titles a window or rings.
const NASTY: &str =
    "a\u{202e}b\u{2066}c\u{200b}d\u{1b}[2Je\u{1b}]0;owned\u{7}f\u{9b}1mg\u{feff}h\u{e0041}i\rj\u{2028}k";
/// The same as it is shown.
const SEEN: &str = "a<U+202E>b<U+2066>c<U+200B>d␛[2Je␛]0;owned␇f<U+009B>1mg<U+FEFF>h<U+E0041>i␍j<U+2028>k";

/// Nothing that a terminal or an eye could be fooled by.
#[track_caller]
fn assert_harmless(text: &str) {
    let shown = coop_core::text::shown(text);
    assert_eq!(shown, text);
}

/// A session that answers every request so, at `fake.sock`.
fn session(world: &World, status: &'static str, body: String) -> String {
    let path = world.path().join("fake.sock");
    drop(std::fs::remove_file(&path));
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
                head.push(byte[0]);
            }
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n");
            // A client that only looks whether the socket is there has gone.
            drop(stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes()));
        }
    });
    path.display().to_string()
}

fn asks(command: &str) -> GetAgentStateResponse {
    GetAgentStateResponse {
        agent: NASTY.into(),
        state: "prompt".into(),
        reason: NASTY.into(),
        last_message: Some(format!("{NASTY}\nmore\nand more")),
        prompt: Some(PromptContext {
            r#type: "permission".into(),
            tool: Some("Bash".into()),
            input: Some("make…".into()),
            input_full: Some(json!({ "command": command }).to_string()),
            option_details: vec![PromptOption { label: NASTY.into(), ..PromptOption::default() }],
            ..PromptContext::default()
        }),
        ..GetAgentStateResponse::default()
    }
}

#[test]
fn state_shows_all_of_what_is_asked_and_nothing_acts() {
    let world = World::new();
    let state = asks(&format!("make\nrm -rf ~/{NASTY}\n  1      Yes\n{}", "x".repeat(5_000)));
    let socket = session(&world, "200 OK", serde_json::to_string(&state).unwrap());
    let text = world.verb(&["state", "-s", &socket]);
    assert_harmless(&text);
    let asked: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("asks")).collect();
    assert_eq!(asked[0], "asks     Bash: make");
    assert_eq!(asked[1], format!("       | rm -rf ~/{SEEN}"));
    assert_eq!(asked[2], "       |   1      Yes");
    assert_eq!(asked[3], format!("       | {}", "x".repeat(5_000)));
    assert_eq!(asked[4..], [format!("  1      {SEEN}")]);
    assert!(text.contains(&format!("said     {SEEN} … (+2 lines)")), "{text}");

    let json = world.verb(&["state", "--json", "-s", &socket]);
    assert_harmless(&json);
    let parsed: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(parsed, serde_json::to_value(&state).unwrap(), "escaped, and the same");
}

#[test]
fn errors_cannot_act_on_the_terminal() {
    let world = World::new();
    let problem = json!({
        "type": "about:blank", "title": "x", "status": 400, "code": "BAD_REQUEST",
        "detail": format!("no {NASTY}"), "hint": NASTY,
    });
    let socket = session(&world, "400 Bad Request", problem.to_string());
    let fails = |args: &[&str]| -> Done {
        let done = world.run(args);
        assert_ne!(done.code, Some(0), "{done:?}");
        assert_harmless(&done.stderr);
        assert_harmless(&done.stdout);
        done
    };
    for args in [&["state"][..], &["screen"], &["explain"], &["conversation"], &["events"], &["input", "x"]] {
        let done = fails(&[args, &["-s", &socket]].concat());
        assert!(done.stderr.contains(SEEN), "{args:?}: {done:?}");
    }
    // Not an API at all.
    let socket = session(&world, "200 OK", NASTY.to_owned());
    fails(&["state", "-s", &socket]);
    // The parser of the command line quotes what it does not know.
    for args in [&["--port", NASTY, "--", "x"][..], &[NASTY], &["ls", NASTY], &["state", "-s", NASTY]] {
        let done = fails(args);
        assert!(done.stderr.contains("<U+202E>"), "{done:?}");
    }
}
