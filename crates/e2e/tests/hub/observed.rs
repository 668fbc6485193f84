//! Started by hand in a plain terminal, with nothing configured.

use coop_terminal::pty::{Signal, Target};
use coop_testkit::Options;
use coop_testkit::agent::Hooks;
use coop_testkit::model::What;
use serde_json::json;

use crate::{Beside, VERSIONS};

const SCENARIO: &str = "
user: hello
  tokens: 84000
  wait: seen
  say: Hi there.
user: take your time
  say: Well
  hang
user: ask me
  bash: touch made.txt
result
  say: Made.
user: again
  say: Back.
";

#[test]
fn an_agent_nobody_told_of_is_on_the_board() {
    for version in VERSIONS {
        let mut beside = Beside::launch(version, SCENARIO, false, &[]);
        turns(&beside);
        ends(&mut beside);
        beside.bench.finish();
    }
}

fn turns(beside: &Beside) {
    let session = beside.state("idle");
    let known = ["agent", "control", "project", "branch"].map(|field| session[field].clone());
    assert_eq!(known, ["claude", "observed", "project", "topic"].map(|text| json!(text)), "{session:#}");
    assert_eq!(session["pid"], beside.bench.terminal.pid());
    assert!(session["session_id"].is_string() && session["version"].is_string(), "{session:#}");

    beside.bench.submit("hello");
    beside.bench.model(&What::Waiting("seen".into()), 1);
    beside.state("working");
    beside.bench.agent.model.signal("seen");
    let session = beside.hub.session("the end of the turn, with what was said", |session| {
        session["state"] == "idle" && session["last_message"] == "Hi there."
    });
    assert!(session["model"].as_str().is_some_and(|model| model.contains("claude")), "{session:#}");
    let session = beside.hub.session("what it has used", |session| session["context"]["tokens"] == 84_000);
    assert_eq!(session["usage"]["input_tokens"], 84_000, "{session:#}");

    beside.bench.submit("take your time");
    beside.bench.answering("take your time");
    beside.state("working");
    beside.bench.insist("an interrupt", "Escape", |_| beside.is("idle"));
    beside.state("idle");

    // What it asks is seen, and can be answered only where it is asked.
    beside.bench.submit("ask me");
    let session = beside.state("prompt");
    assert_eq!((&session["attention"], &session["control"]), (&json!("asks"), &json!("observed")), "{session:#}");
    assert_eq!(beside.hub.json("/api/v1/prompts"), json!({ "prompts": [] }));
    beside.bench.answer("1", "Do you want to proceed?");
    beside.hub.session("its end", |session| session["state"] == "idle" && session["last_message"] == "Made.");

    std::fs::write(beside.bench.agent.project.join(".git/HEAD"), "ref: refs/heads/other\n").unwrap();
    beside.bench.submit("again");
    let session = beside.hub.session("the new branch", |session| session["branch"] == "other");
    let title = beside.hub.session("a title", |session| session["title"].as_str().is_some_and(|title| title.len() > 1));
    assert_eq!(title["id"], session["id"]);
}

fn ends(beside: &mut Beside) {
    let first = beside.state("idle");
    beside.bench.submit("/exit");
    let ended = beside.state("exited");
    assert_eq!((&ended["id"], &ended["control"]), (&first["id"], &json!("cold")), "{ended:#}");
    assert_eq!(beside.hub.json("/api/v1/sessions"), json!({ "sessions": [] }));

    // Another one, killed.
    let options = Options { hooks: Hooks::None, env: vec![beside.hub.meeting.env()], ..Options::default() };
    beside.bench.relaunch(&options);
    let second = beside.state("idle");
    assert_ne!(second["id"], first["id"]);
    beside.bench.terminal.signal(Signal::Kill, Target::Session).unwrap();
    beside.hub.session("its end", |session| session["id"] == second["id"] && session["state"] == "exited");
}
