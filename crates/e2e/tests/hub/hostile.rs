//! What an agent, or whoever can call its hooks, may say: it is shown harmlessly wherever a person reads it.

use coop_testkit::{Meeting, TestHub};
use serde_json::json;

/// Changes of direction, blanks of no width, and what moves a cursor, titles a window or rings.
const NASTY: &str = "a\u{202e}b\u{2066}c\u{200b}d\u{1b}[2Je\u{1b}]0;owned\u{7}f\u{9b}1mg\u{feff}h\u{e0041}i\rj";

/// Nothing that a terminal or an eye could be fooled by.
#[track_caller]
fn harmless(what: &str, text: &str) {
    let hides = |c: &char| {
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
            || matches!(c, '\u{e0000}'..='\u{e0fff}')
            || (c.is_control() && *c != '\n')
    };
    let found = text.chars().find(hides);
    assert!(found.is_none(), "{what} has {found:?}: {text:?}");
}

#[test]
fn whatever_an_agent_says_is_shown_harmlessly() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let cwd = format!("/srv/{NASTY}");
    let start = json!({ "event_type": "session_start", "session_id": NASTY, "cwd": cwd, "git_branch": NASTY });
    hub.post("/events", &start).unwrap();
    let input = json!({ "command": format!("rm {NASTY}\nls"), "description": NASTY });
    let params = json!({ "session_id": NASTY, "cwd": cwd, "tool_name": NASTY, "tool_input": input });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "permission/request", "params": params });
    let decided = std::thread::scope(|scope| {
        let asking = scope.spawn(|| hub.post("/rpc", &call).unwrap());
        let asked = hub.prompt("the request", |prompt| prompt["session_id"] == NASTY);
        // What is approved is what is shown: nothing is left out of it, and what runs is as it was.
        let text = asked["text"].as_str().unwrap();
        for part in ["<U+202E>", "<U+2066>", "<U+200B>", "␛[2J", "␛]0;owned␇", "<U+009B>", "<U+FEFF>", "<U+E0041>", "␍"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(asked["input"], input);
        for field in ["text", "tool", "project"] {
            harmless(field, asked[field].as_str().unwrap());
        }
        let id = asked["id"].to_string();
        for command in [
            &["sessions"][..],
            &["sessions", "--json"],
            &["prompts"],
            &["prompts", "--json"],
            &["search", "rm"],
            &["search", "rm", "--json"],
            &["answer", &id, "deny", "--text", NASTY, "--json"],
        ] {
            harmless(&command.join(" "), &hub.does(command));
        }
        asking.join().unwrap()
    });
    assert_eq!(decided["result"]["decision"], "deny");
    let history = hub.json("/api/v1/history?limit=1");
    for field in ["text", "tool", "answer"] {
        harmless(field, history["history"][0][field].as_str().unwrap());
    }
    let second = hub.coop(&["answer", "1", "allow"]);
    harmless("an error", &String::from_utf8_lossy(&second.stderr));
}
