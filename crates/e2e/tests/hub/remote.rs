//! Agents of other machines: their sidecars call the hub, and nobody has to reach them.

use std::path::Path;
use std::process::Command;

use coop_e2e::Address;
use coop_e2e::http::Call;
use coop_testkit::agent::Hooks;
use coop_testkit::{Agent, Coop, Kind, Meeting, Options, Scenario, TestHub, coop};
use serde_json::{Value, json};

const SCENARIO: &str = "
user: ask me
  bash: touch made.txt
result
  say: Made.
user: and again
  say: Again.
";

/// Nothing of the sidecar's machine is the hub's: not its home, nor the folder of its socket.
fn sidecar(agent: &Agent, hub: &TestHub) -> Coop {
    let mut command = Command::new(coop::binary());
    let env = agent.command.env.iter().map(|(name, value)| (name, value));
    command.args(["--agent", "claude", "--shutdown-timeout", "1", "--socket"]).arg(agent.home.join("own.sock"));
    command.arg("--cwd").arg(&agent.project).arg("--");
    command.arg(&agent.command.program).args(&agent.command.args).env_clear().envs(env);
    command.env("COOP_HUB_URL", format!("unix:{}", hub.meeting.socket().display())).env("COOP_HUB_HOST", "pod-7");
    // It needs a token on its own socket, as in deploy/. The hub that it called does not.
    command.env("COOP_AUTH_TOKEN", "of-the-sidecar");
    Coop::run(command)
}

fn is_there(session: &Value) -> bool {
    session["host"] == "pod-7" && session["control"] == "owned" && session["state"] == "idle"
}

#[test]
fn an_agent_of_another_machine_is_driven_through_the_connection_it_made() {
    let options = Options { hooks: Hooks::None, ..Options::default() };
    let scenario = Scenario::parse("remote", SCENARIO).unwrap();
    let agent = Agent::launch(Kind::Claude, "2.1.325", scenario, &options).unwrap();
    std::fs::create_dir(agent.project.join(".git")).unwrap();
    std::fs::write(agent.project.join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let sidecar = sidecar(&agent, &hub);

    let session = hub.session("an agent of another machine", is_there);
    assert_eq!((&session["project"], &session["branch"]), (&json!("project"), &json!("topic")), "{session:#}");
    assert_eq!(session["answerable"], true, "{session:#}");
    let path = |rest: &str| format!("/api/v1/sessions/{}{rest}", session["id"]);
    let nudged = hub.post(&path("/agent/nudge"), &json!({ "message": "ask me" })).unwrap();
    assert_eq!(nudged["delivered"], true, "{nudged}");
    let asked = hub.prompt("a permission", |prompt| prompt["text"] == "touch made.txt");
    hub.does(&["answer", &asked["id"].to_string(), "allow"]);
    hub.session("its end", |session| session["state"] == "idle" && session["last_message"] == "Made.");
    assert!(agent.project.join("made.txt").exists());
    // Its socket on the hub's machine is as good as its own.
    let socket = format!("unix:{}", session["socket"].as_str().unwrap());
    // The end of a turn may be told before it is painted.
    hub.until(&path("/screen"), "its words on the screen", |screen| screen.to_string().contains("Made.").then_some(()));
    assert!(hub.does(&["screen", "--session", &socket]).contains("Made."));

    // It calls the next hub, where it has the number it had.
    hub.crash();
    let again = hub.session("the same agent", is_there);
    assert_eq!(again["id"], session["id"], "{again:#}");
    let nudged = hub.post(&path("/agent/nudge"), &json!({ "message": "and again", "wait": "turn_end" })).unwrap();
    assert_eq!((&nudged["delivered"], &nudged["last_message"]), (&json!(true), &json!("Again.")), "{nudged}");

    drop(sidecar);
    let ended = hub.session("its end", |ended| ended["id"] == session["id"] && ended["state"] == "exited");
    assert_eq!(ended["control"], "cold", "{ended:#}");
}

#[test]
fn what_became_of_an_agent_that_is_cut_off_is_not_known() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &[]);
    let mut command = Command::new(coop::binary());
    command.arg("--socket").arg(home.path().join("own.sock")).args(["--hub-host", "far", "--hub-url"]);
    command.arg(format!("unix:{}", hub.meeting.socket().display())).args(["--", "bash", "--norc", "-i"]);
    let mut sidecar = Coop::run(command);
    let session = hub.session("a shell of another machine", |session| session["state"] == "idle");
    sidecar.process.kill().unwrap();
    let gone = hub.session("that it is gone", |session| session["control"] == "cold");
    assert_eq!((&gone["id"], &gone["state"]), (&session["id"], &json!("unknown")), "{gone:#}");
    assert!(gone["reason"].as_str().unwrap().contains("not connected"), "{gone:#}");
}

#[test]
fn who_may_call() {
    let home = tempfile::tempdir().unwrap();
    let hub = TestHub::start(Meeting::default(), home.path(), &["--port", "0"]);
    let url = format!("http://127.0.0.1:{}", hub.port().unwrap());
    let run = |name: &str, token: &str| {
        let mut command = Command::new(coop::binary());
        command.arg("--socket").arg(home.path().join(name)).env("COOP_HUB_URL", &url).env("COOP_HUB_TOKEN", token);
        Coop::run({
            command.args(["--", "sh", "-c", "echo \"[$COOP_HUB_URL$COOP_HUB_TOKEN]\"; sleep 1000"]);
            command
        })
    };
    // It is told so, and its program runs all the same.
    let mut refused = run("refused.sock", "wrong");
    refused.log_has("not on the board of the hub");
    assert!(refused.log_so_far.contains("token"), "{}", refused.log_so_far);
    assert_eq!(hub.json("/api/v1/sessions")["sessions"], json!([]));
    // A token that opens no more than this is enough, and is not for the program inside.
    let token = std::fs::read_to_string(state(home.path()).join("hub.hooks.token")).unwrap();
    let _taken = run("taken.sock", token.trim());
    let session = hub.session("a program of another machine", |session| session["control"] == "owned");
    let screen = format!("/api/v1/sessions/{}/screen", session["id"]);
    hub.until(&screen, "what it prints", |screen| (screen["lines"][0] == "[]").then_some(()));

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let address = Address::Unix(hub.meeting.socket());
    let status = |call: Call| runtime.block_on(call.begin(&address)).status().as_u16();
    let register = |body: &Value| Call::post("/api/v1/hosts/register", body).header("upgrade", "coop-sidecar");
    let fine = json!({ "host": "h", "name": "n", "instance": 1 });
    assert_eq!(status(Call::post("/api/v1/hosts/register", &fine)), 400, "it does not ask for the protocol");
    for wrong in [
        json!({}),
        json!({ "host": "", "name": "n", "instance": 1 }),
        json!({ "host": "h".repeat(201), "name": "n", "instance": 1 }),
    ] {
        assert_eq!(status(register(&wrong)), 400, "{wrong}");
    }
    for (arguments, words) in [
        (&["--hub-url", "https://hub.example"][..], "https"),
        (&["--hub-url", "http://127.0.0.1:1"], "needs a token"),
        (&["--hub-url", "nonsense"], "--hub-url"),
    ] {
        let mut command = hub.command();
        let output = command.args(arguments).args(["--", "true"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(words), "{arguments:?}: {said}");
    }
}

fn state(home: &Path) -> std::path::PathBuf {
    home.join(".local/state/coop")
}
