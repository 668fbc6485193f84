//! What is the same with every agent: a permission given or refused, messages that arrive, nothing to go on with.

use coop_api::Code;
use serde_json::{Value, json};

use super::Driven;
use crate::Transport;

/// Says `allow N`, gets asked about `touch allowed-N.txt`, and allows it. `look` sees the prompt before that.
#[track_caller]
pub fn allow(driven: &mut Driven, n: usize, transport: Transport, via: &str, look: impl FnOnce(&mut Driven, &Value)) {
    driven.nudge(transport, &format!("allow {n}"));
    let prompt = asked(driven, via);
    look(driven, &prompt);
    let reply = driven.respond(transport, json!({ "accept": true }));
    assert_eq!((&reply["via"], &reply["prompt_type"]), (&json!(via), &json!("permission")), "{reply}");
    driven.state("idle");
    assert!(driven.session.agent.project.join(format!("allowed-{n}.txt")).exists(), "{}", driven.session);
}

/// Keys answer what is on the screen, a hook what was told.
#[track_caller]
fn asked(driven: &Driven, via: &str) -> Value {
    driven.prompt_for("permission", via)
}

/// Says `deny N`, gets asked about `touch denied-N.txt`, and refuses it. Whoever answers then is told.
#[track_caller]
pub fn deny(driven: &mut Driven, n: usize, transport: Transport, via: &str) {
    driven.nudge(transport, &format!("deny {n}"));
    let denied = asked(driven, via);
    let reply = driven.respond(transport, json!({ "accept": false }));
    assert_eq!(reply["via"], via, "{reply}");
    driven.state("idle");
    assert!(!driven.session.agent.project.join(format!("denied-{n}.txt")).exists(), "{}", driven.session);
    let late = json!({ "type": "respond", "accept": true, "prompt_id": denied["prompt_id"] });
    assert_eq!(driven.ask(transport, &late).unwrap_err().code, Code::NoPrompt);
}

/// Answers that do not fit are refused.
#[track_caller]
pub fn refuses(driven: &mut Driven, transport: Transport, unfit: impl IntoIterator<Item = Value>) {
    for mut request in unfit {
        request["type"] = "respond".into();
        assert_eq!(driven.ask(transport, &request).unwrap_err().code, Code::BadRequest, "{request}");
    }
}

/// Each text is taken, once and whole, as one of `receipts` proves.
#[track_caller]
pub fn arrive(mut driven: Driven, texts: &[String], receipts: &[&str]) {
    for (text, transport) in texts.iter().zip(Transport::ALL.into_iter().cycle()) {
        let reply = driven.nudge(transport, text);
        assert_eq!(reply["state_before"], "idle", "{reply}");
        assert!(receipts.iter().any(|how| reply["receipt"]["how"] == *how), "{reply}");
        driven.state("idle");
    }
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = driven.conversation(Transport::Http);
    let said = page["entries"].as_array().unwrap().iter().filter(|entry| entry["kind"] == "user");
    let said: Vec<String> = said.map(|entry| folded(entry["text"].as_str().unwrap_or_default())).collect();
    assert_eq!(said, texts.iter().map(|text| folded(text)).collect::<Vec<_>>(), "{page}");
    driven.session.finish();
}

/// In a new folder there is nothing that could go on, and coop says so. `home` names the agent's own folder.
#[track_caller]
pub fn nothing_to_resume(agent: &str, home: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(coop_testkit::coop::binary());
    command.args(["--agent", agent, "--resume", "latest", "--", agent]).env("HOME", folder.path()).env_remove(home);
    let done = command.current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && said.contains("There is no earlier conversation"), "{said}");
}
