//! Codex and the Gemini CLI, started by hand in a plain terminal with the hooks that `coop hooks install` gave them.

use coop_terminal::pty::{Signal, Target};
use coop_testkit::agent::Hooks;
use coop_testkit::{Bench, Kind, Meeting, Options, TestHub};
use serde_json::{Value, json};

use crate::Beside;

/// The newest of its kind, and a hub beside it.
#[track_caller]
fn launch(kind: Kind, name: &str, scenario: &str, args: &[&str]) -> Beside {
    let meeting = Meeting::default();
    let args = args.iter().map(ToString::to_string).collect();
    let options = Options { hooks: Hooks::None, env: vec![meeting.env()], args, ..Options::default() };
    let version = kind.versions().last().unwrap();
    let (bench, hub) = Bench::launch_beside(kind, version, scenario, &options, |agent| {
        let hub = TestHub::start(meeting, &agent.home, &[]);
        hub.does(&["hooks", "install", name, "--yes"]);
        hub
    });
    Beside { bench, hub }
}

/// Waits for the end of a turn that ends with these words.
#[track_caller]
fn said(beside: &Beside, words: &str) -> Value {
    beside.hub.session(words, |session| session["state"] == "idle" && session["last_message"] == words)
}

/// All that Codex needs to be told, but for the hooks: whoever starts it says that they may run.
const TRUSTED: &str = "--dangerously-bypass-hook-trust";

const CODEX: &str = "
user: hello
  say: Hi.
user: allow it
  bash: touch allowed.txt
result
  say: Allowed.
user: refuse it
  bash: touch refused.txt
result: not here
  say: Understood.
user: by rule
  bash: mkdir ruled
result
  say: Ruled.
user: fail
  error: 400 scripted bad request
user: take your time
  say: Well
  hang
";

#[test]
fn codex_is_on_the_board_and_answered_through_its_hook() {
    let beside = launch(Kind::Codex, "codex", CODEX, &[TRUSTED]);
    beside.bench.shows("GPT-5.5 default");
    beside.bench.submit("hello");
    let session = said(&beside, "Hi.");
    let known = ["agent", "control", "project", "answerable"].map(|field| session[field].clone());
    assert_eq!(known, [json!("codex"), json!("hooked"), json!("project"), json!(true)], "{session:#}");
    assert!(session["pid"].is_number() && session["session_id"].is_string(), "{session:#}");

    beside.bench.submit("allow it");
    let asked = beside.asks("permission");
    assert_eq!((&asked["tool"], &asked["text"]), (&json!("Bash"), &json!("touch allowed.txt")), "{asked:#}");
    assert_eq!((&asked["session"], &asked["via"]), (&session["id"], &json!("hook")), "{asked:#}");
    // It shows no dialog meanwhile, and so is not kept for as long as others.
    let most = asked["expires_ms"].as_u64().unwrap() - asked["asked_ms"].as_u64().unwrap();
    assert!(most <= 60_000, "{most}");
    beside.hub.does(&["answer", &asked["id"].to_string(), "allow"]);
    said(&beside, "Allowed.");
    assert!(beside.has("allowed.txt"));
    let settled = beside.hub.settled(&asked["id"]);
    assert_eq!((&settled["outcome"], &settled["from"]), (&json!("allow"), &json!("socket")), "{settled:#}");

    beside.bench.submit("refuse it");
    let id = beside.asks("permission")["id"].to_string();
    beside.hub.does(&["answer", &id, "deny", "--text", "not here"]);
    said(&beside, "Understood.");
    assert!(!beside.has("refused.txt"));

    beside.hub.does(&["rules", "add", "allow", "Bash(mkdir:*)"]);
    beside.bench.submit("by rule");
    said(&beside, "Ruled.");
    assert!(beside.has("ruled"));

    // No hook tells of these; its log does.
    beside.bench.submit("fail");
    beside.state("error");
    beside.bench.submit("take your time");
    beside.bench.answering("take your time");
    beside.state("working");
    beside.bench.insist("an interrupt", "Escape", |_| beside.is("idle"));
    beside.bench.terminal.signal(Signal::Kill, Target::Session).unwrap();
    let ended = beside.state("exited");
    assert_eq!((&ended["id"], &ended["control"]), (&session["id"], &json!("cold")), "{ended:#}");
    beside.bench.finish();
}

#[test]
fn codex_asks_its_user_about_the_hooks_and_runs_none_before() {
    let beside = launch(Kind::Codex, "codex", "user: hello\n  say: Hi.\n", &[]);
    beside.bench.shows("Hooks need review");
    assert_eq!(beside.hub.json("/api/v1/sessions?all=true"), json!({ "sessions": [] }));
    let config = std::fs::read_to_string(beside.bench.agent.home.join(".codex/config.toml")).unwrap();
    assert!(!config.contains("trusted_hash"), "nobody has said that they are trusted: {config}");
}

const LATE: &str = "
user: wait for it
  bash: touch late.txt
result
  say: Late.
";

#[test]
fn codex_shows_its_dialog_when_the_hub_is_gone() {
    let beside = launch(Kind::Codex, "codex", LATE, &[TRUSTED]);
    beside.bench.shows("GPT-5.5 default");
    beside.bench.submit("wait for it");
    beside.asks("permission");
    beside.hub.does(&["hub", "--stop"]);
    beside.bench.answer("y", "Would you like to run the following command?");
    beside.bench.shows("Late.");
    assert!(beside.has("late.txt"));
    beside.bench.finish();
}

const GEMINI: &str = "
user: hello
  say: Hi.
user: ask me
  bash: touch made.txt
result
  say: Made.
user: not that
  bash: touch never.txt
user: fail
  error: 400 scripted bad request
user: again
  say: Back.
";

#[test]
fn gemini_is_on_the_board_and_answered_at_its_terminal() {
    let beside = launch(Kind::Gemini, "gemini", GEMINI, &[]);
    let session = beside.state("idle");
    let known = ["agent", "control", "project", "answerable"].map(|field| session[field].clone());
    assert_eq!(known, [json!("gemini"), json!("hooked"), json!("project"), json!(false)], "{session:#}");
    beside.bench.submit("hello");
    said(&beside, "Hi.");

    beside.bench.submit("ask me");
    let asks = beside.state("prompt");
    assert_eq!((&asks["attention"], &asks["prompt"]["type"]), (&json!("asks"), &json!("permission")), "{asks:#}");
    assert_eq!(beside.hub.json("/api/v1/prompts"), json!({ "prompts": [] }), "no hook of it can answer");
    assert!(beside.hub.does(&["sessions"]).contains("hooked (look)"));
    beside.bench.answer("1", "Allow execution");
    said(&beside, "Made.");
    assert!(beside.has("made.txt"));

    // No hook tells of these; its log does.
    beside.bench.submit("not that");
    beside.state("prompt");
    beside.bench.answer("Escape", "Allow execution");
    beside.state("idle");
    beside.bench.submit("fail");
    beside.state("error");
    beside.bench.submit("again");
    let last = said(&beside, "Back.");
    assert_eq!(last["id"], session["id"], "{last:#}");
    beside.bench.terminal.signal(Signal::Kill, Target::Session).unwrap();
    beside.state("exited");
    beside.bench.finish();
}

#[test]
fn their_hooks_are_removed_to_the_byte() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let foreign = r#"{"hooks":[{"type":"command","command":"say done","timeout":5}]}"#;
    let mine =
        format!("{{ \"z\": 1,\n  \"hooks\": {{\"Stop\":[{foreign}], \"SessionEnd\" : [ {foreign} ]}}, \"a\": 2}}");
    for (agent, file, event, timeout, words) in [
        ("codex", ".codex/hooks.json", "PermissionRequest", 75, "Hooks need review"),
        ("gemini", ".gemini/settings.json", "Notification", 30_000, "No hook of Gemini CLI can answer"),
    ] {
        let path = home.path().join(file);
        let status = |state: &str| {
            let said = hub.does(&["hooks", "status", agent]);
            assert!(said.contains(state), "{said}");
        };
        status("not installed");
        hub.does(&["hooks", "install", agent, "--yes"]);
        status("installed");
        hub.does(&["hooks", "remove", agent, "--yes"]);
        assert!(!path.exists(), "there was none before");

        std::fs::write(&path, &mine).unwrap();
        let shown = hub.does(&["hooks", "install", agent, "--yes"]);
        assert!(shown.contains('+') && shown.contains(words), "{shown}");
        let installed = std::fs::read_to_string(&path).unwrap();
        let value: Value = serde_json::from_str(&installed).unwrap();
        let hook = &value["hooks"][event][0]["hooks"][0];
        assert!(hook["command"].as_str().unwrap().ends_with(&format!("/coop' 'hook' {event} {agent}")), "{installed}");
        assert_eq!(hook["timeout"], timeout, "{installed}");
        assert!(installed.find("\"z\"") < installed.find("\"a\"") && installed.contains("say done"), "{installed}");
        hub.does(&["hooks", "remove", agent, "--yes"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), mine);

        // Comments are somebody's words, and not for us to lose.
        std::fs::write(&path, "// mine\n{}").unwrap();
        let refused = hub.coop(&["hooks", "install", agent, "--yes"]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("left alone"), "{refused:?}");
        std::fs::remove_file(&path).unwrap();
    }
}
