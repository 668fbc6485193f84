//! To the tmux window that an agent lives in.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use coop_testkit::agent::Hooks;
use coop_testkit::{Agent, Kind, Meeting, Options, Scenario, TestHub, coop};

use crate::pane::Pane;

/// The tmux of a person, which ends with the test.
struct Tmux(PathBuf);

impl Tmux {
    #[track_caller]
    fn does(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").arg("-S").arg(&self.0).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        drop(Command::new("tmux").arg("-S").arg(&self.0).arg("kill-server").output());
    }
}

#[test]
fn the_window_of_an_agent_is_gone_to() {
    let meeting = Meeting::default();
    let options = Options { hooks: Hooks::None, env: vec![meeting.env()], ..Options::default() };
    let scenario = Scenario::parse("jump", "user: hello\n  say: Hi there.\n").unwrap();
    let agent = Agent::launch(Kind::Claude, "2.1.325", scenario, &options).unwrap();
    let hub = TestHub::start(meeting, &agent.home, &[]);
    // A terminal with a tmux in it, and the board in its first window.
    let pane = Pane::new(&hub, 100, 30, &[]);
    let folder = tempfile::Builder::new().prefix("coop-jump-").tempdir().unwrap();
    let tmux = Tmux(folder.path().join("tmux.sock"));
    let board = format!("{} board", coop::binary().display());
    pane.line(&format!("env -u TMUX tmux -u -f /dev/null -S {} new-session -n board '{board}'", tmux.0.display()));
    pane.shows("No agent is here yet");
    let script = folder.path().join("agent.sh");
    std::fs::write(&script, in_its_folder(&agent)).unwrap();
    tmux.does(&["new-window", "-d", "-n", "agent", &format!("sh {}", quoted(script.to_str().unwrap()))]);
    hub.session("the agent at rest", |session| session["control"] == "observed" && session["state"] == "idle");
    pane.shows("idle");
    assert_eq!(tmux.does(&["display-message", "-p", "#{window_name}"]), "board");
    pane.press("t");
    pane.shows("? for shortcuts");
    assert_eq!(tmux.does(&["display-message", "-p", "#{window_name}"]), "agent");
}

/// The agent as a person would start it there.
fn in_its_folder(agent: &Agent) -> String {
    let mut line = format!("cd {} && exec env -i TERM=\"$TERM\" TMUX=\"$TMUX\"", quoted(&shown(&agent.project)));
    for (name, value) in agent.command.env.iter().filter(|(name, _)| *name != "TERM") {
        let _ = write!(line, " {}", quoted(&format!("{}={}", name.to_string_lossy(), value.to_string_lossy())));
    }
    let _ = write!(line, " {}", quoted(&agent.command.program.to_string_lossy()));
    for arg in &agent.command.args {
        let _ = write!(line, " {}", quoted(&arg.to_string_lossy()));
    }
    line + "\n"
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
