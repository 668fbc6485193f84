//! With hooks in the agent's own settings: what it asks is answered from elsewhere, by rules, or at the keyboard.

use coop_testkit::agent::Hooks;
use coop_testkit::{Bench, Kind, Meeting, Options, TestHub};
use serde_json::{Value, json};

use crate::{Beside, VERSIONS};

const SCENARIO: &str = "
user: allow it
  bash: touch allowed.txt
result
  say: Allowed.
user: explain it
  bash: touch explained.txt
result: because
  say: Understood.
user: pick one
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Picked.
user: pick several
  ask Database: Which of these?
    - SQLite: Small
    - Postgres: Big
  ask Features, several: Which features?
    - Auth
    - Search
    - Export
result: Export
  say: All picked.
user: at the keyboard
  bash: touch typed.txt
result
  say: Typed.
user: for the session
  bash: touch first.txt
result
  bash: touch first.txt
result
  say: Both.
user: files
  write one.py: 1
result
  write three.rs: 3
result
  say: Written.
user: by rule
  bash: mkdir ruled
result
  bash: rmdir ruled
result
  say: Ruled.
user: never here
  bash: cp README.md one.txt
result
  bash: cp README.md one.txt
result
  say: Refused.
";

#[test]
fn what_is_asked_is_answered_from_elsewhere() {
    for version in VERSIONS {
        let beside = Beside::launch(version, SCENARIO, true, &[]);
        by_command(&beside);
        by_rpc(&beside);
        at_the_keyboard(&beside);
        for_the_session(&beside);
        files_for_the_session(&beside);
        by_rule(&beside);
        denied_for_the_session(&beside);
        beside.bench.finish();
    }
}

/// Waits for the end of a turn that ends with these words.
#[track_caller]
fn said(beside: &Beside, words: &str) {
    beside.hub.session(words, |session| session["state"] == "idle" && session["last_message"] == words);
}

fn by_command(beside: &Beside) {
    beside.bench.submit("allow it");
    let asked = beside.asks("permission");
    assert_eq!((&asked["tool"], &asked["text"]), (&json!("Bash"), &json!("touch allowed.txt")), "{asked:#}");
    assert_eq!(asked["input"]["command"], "touch allowed.txt");
    let session = beside.state("prompt");
    assert_eq!((&session["control"], &session["id"]), (&json!("hooked"), &asked["session"]), "{session:#}");
    let id = asked["id"].to_string();
    let shown = beside.hub.does(&["prompts"]);
    assert!(shown.contains("touch allowed.txt") && shown.contains("Allow once"), "{shown}");
    beside.hub.does(&["answer", &id, "allow"]);
    said(beside, "Allowed.");
    assert!(beside.has("allowed.txt"));
    let settled = beside.hub.settled(&asked["id"]);
    assert_eq!((&settled["outcome"], &settled["from"]), (&json!("allow"), &json!("socket")), "{settled:#}");
    let second = beside.hub.coop(&["answer", &id, "deny"]);
    let error = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(!second.status.success() && error.contains("answered already"), "{error}");

    beside.bench.submit("explain it");
    let id = beside.asks("permission")["id"].to_string();
    beside.hub.does(&["answer", &id, "deny", "--text", "because"]);
    said(beside, "Understood.");
    assert!(!beside.has("explained.txt"));

    beside.bench.submit("pick one");
    let asked = beside.asks("question");
    assert_eq!(asked["questions"][0]["question"], "Which database?", "{asked:#}");
    let id = asked["id"].to_string();
    assert!(!beside.hub.coop(&["answer", &id, "9"]).status.success(), "there is no ninth option");
    beside.hub.does(&["answer", &id, "2"]);
    said(beside, "Picked.");
}

fn rpc(beside: &Beside, method: &str, params: &Value) -> Value {
    let call = json!({ "jsonrpc": "2.0", "method": method, "params": params, "id": 1 });
    beside.hub.post("/rpc", &call).unwrap_or_else(|error| panic!("{method}: {error}"))
}

fn by_rpc(beside: &Beside) {
    beside.bench.submit("pick several");
    let asked = beside.asks("question");
    let pending = rpc(beside, "permission/pending", &json!({}));
    let pending = &pending["result"][0];
    assert_eq!((&pending["id"], &pending["type"]), (&asked["id"], &json!("question")), "{pending:#}");
    // More than yes or no is for the other door.
    let answers = json!({ "answers": [{ "options": [1] }, { "options": [1, 3] }] });
    let answered = beside.hub.post(&format!("/api/v1/prompts/{}/answer", asked["id"]), &answers).unwrap();
    assert_eq!(answered["delivered"], true, "{answered}");
    said(beside, "All picked.");
}

fn at_the_keyboard(beside: &Beside) {
    beside.bench.submit("at the keyboard");
    let asked = beside.asks("permission");
    beside.bench.answer("1", "Do you want to proceed?");
    let settled = beside.hub.settled(&asked["id"]);
    assert_eq!((&settled["outcome"], &settled["by"]), (&json!("terminal"), &json!("terminal")), "{settled:#}");
    said(beside, "Typed.");
}

fn for_the_session(beside: &Beside) {
    beside.bench.submit("for the session");
    let asked = beside.asks("permission");
    assert_eq!(asked["suggestion"], "Bash(touch first.txt)", "{asked:#}");
    let tool = rpc(beside, "permission/pending", &json!({}))["result"][0]["tool_use_id"].clone();
    let params = json!({ "tool_use_id": tool, "decision": "allow", "scope": "session" });
    let reply = rpc(beside, "permission/respond", &params);
    assert_eq!(reply["result"]["delivered"], true, "{reply}");
    assert_eq!(reply["result"]["remembered"], "Bash(touch first.txt)", "{reply}");
    said(beside, "Both.");
    assert!(beside.has("first.txt"));
    let last = &beside.hub.json("/api/v1/history?limit=1")["history"][0];
    assert_eq!(last["id"], asked["id"], "the second asked nobody: {last:#}");
    let session = asked["session"].to_string();
    assert!(beside.hub.does(&["session", "clear-permissions", &session]).contains("1 pattern"));
}

/// The file that was shown is allowed, and no other.
fn files_for_the_session(beside: &Beside) {
    beside.bench.submit("files");
    let asked = beside.asks("permission");
    let exactly = |prompt: &Value| format!("Write({})", prompt["input"]["file_path"].as_str().unwrap_or_default());
    assert_eq!(asked["suggestion"], exactly(&asked), "{asked:#}");
    let answered = beside.hub.does(&["answer", &asked["id"].to_string(), "allow", "--session"]);
    assert!(answered.contains(&format!("for this session: {}", exactly(&asked))), "{answered}");
    let is_second = |prompt: &Value| exactly(prompt).ends_with("three.rs)") && prompt["suggestion"] == exactly(prompt);
    let second = beside.hub.prompt("the second file", is_second);
    assert!(beside.has("one.py") && !beside.has("three.rs"));
    beside.hub.does(&["answer", &second["id"].to_string(), "allow", "--path"]);
    said(beside, "Written.");
    assert!(beside.has("three.rs"));
    assert!(beside.hub.does(&["rules", "list"]).contains(&exactly(&second)));
}

fn by_rule(beside: &Beside) {
    beside.hub.does(&["rules", "add", "allow", "Bash(mkdir:*)"]);
    let listed = beside.hub.does(&["rules", "add", "deny", "Bash(rmdir:*)"]);
    assert!(listed.contains("deny Bash(rmdir:*)"), "{listed}");
    assert!(beside.hub.does(&["rules", "test", "Bash", "mkdir x; rmdir y"]).starts_with("deny"));
    assert!(beside.hub.does(&["rules", "test", "Bash", "mkdir x && ls"]).starts_with("ask"));
    beside.bench.submit("by rule");
    said(beside, "Ruled.");
    assert!(beside.has("ruled"), "made, and not removed");
    let history = beside.hub.json("/api/v1/history?limit=2");
    let [denied, allowed] = [0, 1].map(|index| history["history"][index].clone());
    assert_eq!((&allowed["outcome"], &allowed["by"]), (&json!("allow"), &json!("rule")), "{allowed:#}");
    assert_eq!((&denied["outcome"], &denied["by"]), (&json!("deny"), &json!("rule")), "{denied:#}");
}

fn denied_for_the_session(beside: &Beside) {
    beside.bench.submit("never here");
    let asked = beside.asks("permission");
    beside.hub.does(&["answer", &asked["id"].to_string(), "deny", "--session", "--text", "Leave it."]);
    said(beside, "Refused.");
    assert!(!beside.has("one.txt"));
    let last = &beside.hub.json("/api/v1/history?limit=1")["history"][0];
    assert_eq!((&last["outcome"], &last["by"]), (&json!("deny"), &json!("session memory")), "{last:#}");
}

const SLOW: &str = "
user: one by one
  bash: mkdir one
result
  bash: rmdir one
result
  bash: mkdir two
result
  bash: touch three
result
  ask Database: Which database?
    - SQLite: Small
    - Postgres: Big
result: Postgres
  say: Slowly.
";

/// On a busy machine everything else has told of a dialog, and of the tool before it, when its hook is heard.
#[test]
fn a_hook_that_is_slow_to_start_is_answered() {
    for version in VERSIONS {
        let meeting = Meeting::default();
        let options = Options { hooks: Hooks::None, env: vec![meeting.env()], ..Options::default() };
        let (bench, hub) = Bench::launch_beside(Kind::Claude, version, SLOW, &options, |agent| {
            let hub = TestHub::start(meeting, &agent.home, &[]);
            hub.does(&["hooks", "install", "--yes"]);
            let settings = agent.home.join(".claude/settings.json");
            let installed = std::fs::read_to_string(&settings).unwrap();
            let command = format!("'{}' 'hook' PermissionRequest", coop_testkit::coop::binary().display());
            assert!(installed.contains(&command), "{installed}");
            std::fs::write(settings, installed.replace(&command, &format!("sleep 0.3; exec {command}"))).unwrap();
            hub
        });
        let beside = Beside { bench, hub };
        beside.state("idle");
        beside.hub.does(&["rules", "add", "allow", "Bash(mkdir:*)"]);
        beside.hub.does(&["rules", "add", "deny", "Bash(rmdir:*)"]);
        beside.bench.submit("one by one");
        let asked = beside.hub.prompt("the last", |prompt| prompt["text"] == "touch three");
        assert!(beside.has("one") && beside.has("two"), "made, and one not removed");
        beside.hub.does(&["answer", &asked["id"].to_string(), "allow"]);
        let asked = beside.asks("question");
        assert!(beside.has("three"));
        assert_eq!(beside.state("prompt")["prompt"]["type"], "question", "the board says what it is");
        beside.hub.does(&["answer", &asked["id"].to_string(), "2"]);
        said(&beside, "Slowly.");
        let history = beside.hub.json("/api/v1/history");
        let outcomes = history["history"].as_array().unwrap().iter().map(|settled| settled["outcome"].clone());
        assert_eq!(outcomes.collect::<Vec<_>>(), ["answer", "allow", "allow", "deny", "allow"], "{history:#}");
        beside.bench.finish();
    }
}

const PLAN: &str = "
user: plan it
  plan: # Long plan
      | 1. Think
result: shorter, please
  plan: # Short plan
      | 1. Do
result: approved
  say: Implemented.
";

#[test]
fn a_plan_is_sent_back_and_approved() {
    for version in VERSIONS {
        let beside = Beside::launch(version, PLAN, true, &["--permission-mode", "plan"]);
        beside.bench.submit("plan it");
        let asked = beside.hub.prompt("the long plan", |prompt| {
            prompt["kind"] == "plan" && prompt["text"].as_str().is_some_and(|text| text.contains("1. Think"))
        });
        beside.hub.does(&["answer", &asked["id"].to_string(), "deny", "--text", "shorter, please"]);
        let asked = beside.hub.prompt("the short plan", |prompt| {
            prompt["kind"] == "plan" && prompt["text"].as_str().is_some_and(|text| text.contains("Short plan"))
        });
        beside.hub.does(&["answer", &asked["id"].to_string(), "1"]);
        said(&beside, "Implemented.");
        beside.bench.finish();
    }
}

const CRASH: &str = "
user: wait for it
  bash: touch late.txt
result
  say: Late.
";

#[test]
fn a_hub_that_was_killed_asks_again_and_forgets_nothing() {
    for version in VERSIONS {
        let mut beside = Beside::launch(version, CRASH, true, &[]);
        beside.hub.does(&["rules", "add", "deny", "Bash(rm:*)"]);
        beside.bench.submit("wait for it");
        let first = beside.asks("permission");
        beside.hub.crash();
        let again = beside.asks("permission");
        assert_ne!(again["id"], first["id"]);
        assert_eq!((&again["session"], &again["input"]), (&first["session"], &first["input"]), "{again:#}");
        assert_eq!(beside.hub.settled(&first["id"])["outcome"], "hub ended");
        assert!(beside.hub.does(&["rules", "list"]).contains("Bash(rm:*)"));
        beside.hub.does(&["answer", &again["id"].to_string(), "allow"]);
        said(&beside, "Late.");
        beside.bench.finish();
    }
}

#[test]
fn installed_hooks_are_removed_to_the_byte() {
    let home = tempfile::tempdir().unwrap();
    let settings = home.path().join(".claude/settings.json");
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    assert!(hub.does(&["hooks", "status"]).contains("claude  not installed"));
    // Nobody is here to say yes.
    assert!(!hub.coop(&["hooks", "install"]).status.success() && !settings.exists());
    hub.does(&["hooks", "install", "--yes"]);
    assert!(hub.does(&["hooks", "status"]).lines().any(|line| line.starts_with("claude  installed ")));
    hub.does(&["hooks", "remove", "--yes"]);
    assert!(!settings.exists(), "there was none before");

    let mine =
        "{ \"model\":\"x\",\n  \"hooks\": {\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]}}";
    std::fs::write(&settings, mine).unwrap();
    let shown = hub.does(&["hooks", "install", "--yes"]);
    assert!(shown.contains("+") && shown.contains("/coop' 'hook' PermissionRequest"), "{shown}");
    assert!(std::fs::read_to_string(&settings).unwrap().contains("say done"));
    assert!(hub.does(&["hooks", "install", "--yes"]).contains("already"));
    hub.does(&["hooks", "remove", "--yes"]);
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), mine);

    // Of a coop that is elsewhere by now.
    assert!(hub.does(&["doctor"]).contains("not installed"), "which is not wrong");
    hub.does(&["hooks", "install", "--yes"]);
    let checked: Vec<serde_json::Value> = serde_json::from_str(&hub.does(&["doctor", "--json"])).unwrap();
    let health = |id: &str| checked.iter().find(|check| check["id"] == id).map(|check| check["health"].clone());
    for id in ["sockets", "hub", "ledger", "claude-hooks"] {
        assert_eq!(health(id), Some("ok".into()), "{id}");
    }
    let own = format!("'{}'", coop_testkit::coop::binary().display());
    let installed = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, installed.replace(&own, "'/opt/old/coop'")).unwrap();
    assert!(hub.does(&["hooks", "status", "claude"]).contains("of another coop"));
    let doctor = hub.coop(&["doctor"]);
    assert!(!doctor.status.success() && String::from_utf8_lossy(&doctor.stdout).contains("WRONG  claude-hooks"));
    hub.does(&["hooks", "install", "--yes"]);
    assert!(!std::fs::read_to_string(&settings).unwrap().contains("/opt/old"));
    std::fs::write(&settings, mine).unwrap();

    // Changed by somebody else since: only what was added goes.
    hub.does(&["hooks", "install", "--yes"]);
    let changed = std::fs::read_to_string(&settings).unwrap().replace("\"x\"", "\"y\"");
    std::fs::write(&settings, changed).unwrap();
    hub.does(&["hooks", "remove", "--yes"]);
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), mine.replace("\"x\"", "\"y\""));
}
