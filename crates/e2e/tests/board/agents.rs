//! Ten real agents in mixed states on one board, and each that asks is answered from it, by keyboard alone.
//!
//! With `COOP_BOARD_PICTURES=1` the pictures in `docs/board` are made anew.

use std::path::Path;
use std::process::Command;
use std::thread;

use coop_testkit::agent::Hooks;
use coop_testkit::{Agent, Coop, Kind, Meeting, Options, Scenario, TestHub, coop};
use serde_json::{Value, json};

use crate::pane::Pane;

/// An agent, the folder it works in, and what it is told to do.
struct Player {
    kind: Kind,
    project: &'static str,
    script: &'static str,
    message: Option<&'static str>,
    /// The state it comes to.
    state: &'static str,
}

const fn player(
    kind: Kind,
    project: &'static str,
    message: Option<&'static str>,
    state: &'static str,
    script: &'static str,
) -> Player {
    Player { kind, project, script, message, state }
}

const PLAYERS: [Player; 10] = [
    player(
        Kind::Claude,
        "login",
        Some("make it"),
        "prompt",
        "user: make it\n  bash: touch made.txt\nresult\n  say: The file is made.\n",
    ),
    player(
        Kind::Claude,
        "colours",
        Some("ask me"),
        "prompt",
        "user: ask me\n  ask Colour: Which colour?\n    - Red: warm\n    - Blue: cold\n  ask Parts, several: Which parts?\n    - Top: above\n    - Middle: between\n    - End: below\nresult\n  say: Painted.\n",
    ),
    player(
        Kind::Claude,
        "search",
        Some("plan it"),
        "prompt",
        "user: plan it\n  enter plan\nresult\n  plan: # Faster search\n      | 1. Measure it\n      | 2. Mend it\nresult\n  say: Planned.\n",
    ),
    player(
        Kind::Claude,
        "docs",
        Some("write it"),
        "prompt",
        "user: write it\n  read: README.md\nresult\n  edit README.md: demo => pages\nresult\n  say: The pages have a name.\n",
    ),
    player(Kind::Claude, "shop", Some("hello"), "idle", "user: hello\n  say: Everything is done. The tests pass.\n"),
    player(
        Kind::Claude,
        "slow",
        Some("take your time"),
        "working",
        "user: take your time\n  say: I am looking at it.\n  hang\n",
    ),
    player(
        Kind::Codex,
        "parser",
        Some("make it"),
        "prompt",
        "user: make it\n  bash: touch made.txt\nresult\n  say: Codex has made it.\n",
    ),
    player(Kind::Codex, "limits", Some("fail"), "error", "user: fail\n  error: 400 scripted bad request\n"),
    player(
        Kind::Gemini,
        "styles",
        Some("make it"),
        "prompt",
        "user: make it\n  bash: touch made.txt\nresult\n  say: Gemini has made it.\n",
    ),
    player(Kind::Gemini, "icons", None, "idle", ""),
];

/// Agents that start at the same time only slow each other down.
const AT_ONCE: usize = 3;

#[test]
fn each_prompt_of_ten_agents_is_answered_from_the_board() {
    let meeting = Meeting::default();
    let home = tempfile::tempdir().unwrap();
    let agents: Vec<Agent> = PLAYERS.iter().map(|player| launch(player, &meeting)).collect();
    let hub = TestHub::start(meeting, home.path(), &[]);
    let mut sidecars = Vec::new();
    for (players, agents) in PLAYERS.chunks(AT_ONCE).zip(agents.chunks(AT_ONCE)) {
        sidecars.extend(agents.iter().map(start));
        for player in players {
            let idle = |session: &Value| session["project"] == player.project && session["state"] == "idle";
            hub.session(&format!("{} at rest", player.project), idle);
        }
    }
    thread::scope(|scope| {
        for player in &PLAYERS {
            scope.spawn(|| tell(&hub, player));
        }
    });
    let asks = |kind: &str, project: &str| {
        let id = hub.session(project, |session| session["project"] == project)["id"].clone();
        hub.prompt(&format!("a {kind} of {project}"), |prompt| prompt["session"] == id && prompt["kind"] == kind)
    };
    for (kind, project) in [
        ("permission", "login"),
        ("question", "colours"),
        ("plan", "search"),
        ("permission", "docs"),
        ("permission", "parser"),
        ("permission", "styles"),
    ] {
        asks(kind, project);
    }
    for player in &PLAYERS {
        let there = |session: &Value| session["project"] == player.project && session["state"] == player.state;
        hub.session(&format!("{} in {}", player.project, player.state), there);
    }

    let pane = Pane::board(&hub, 200, 50);
    pane.shows("6 ask");
    pane.shows("1 failed");
    pictures(&pane);
    let answer = |project: &str, opened: &str, keys: &[&str], input: Option<&Value>| {
        pane.press("/");
        pane.types(&format!("project:{project}"));
        pane.press("Enter");
        pane.hides("search:");
        pane.press("Enter");
        pane.shows(opened);
        for keys in keys {
            pane.press(keys);
        }
        if let Some(input) = input {
            pane.shows("Run it with this instead");
            pane.press("C-u");
            pane.types(&input.to_string());
            pane.press("Enter");
        }
        pane.until(&format!("{project} answered"), |_| {
            let all = hub.json("/api/v1/sessions");
            let session = all["sessions"].as_array()?.iter().find(|session| session["project"] == project)?.clone();
            (session["state"] != "prompt").then_some(())
        });
    };
    let changed = json!({ "command": "touch changed.txt", "description": "Make another one" });
    answer("login", "change it first", &["e"], Some(&changed));
    answer("colours", "> ( ) 1 Red", &["2", "Enter", "Space", "Down", "Down", "Space", "Enter"], None);
    answer("search", "y approve", &["y"], None);
    answer("docs", "deny and say why", &["y"], None);
    answer("parser", "deny and say why", &["y"], None);
    answer("styles", "deny and say why", &["y"], None);
    for (project, words) in [
        ("login", "The file is made."),
        ("colours", "Painted."),
        ("search", "Planned."),
        ("docs", "The pages have a name."),
        ("parser", "Codex has made it."),
        ("styles", "Gemini has made it."),
    ] {
        hub.session(words, |session| session["project"] == project && session["last_message"] == words);
    }
    for (player, agent) in PLAYERS.iter().zip(&agents) {
        let made = player.script.contains("touch made.txt") && player.project != "login";
        assert_eq!(agent.project.join("made.txt").exists(), made, "{}", player.project);
        assert_eq!(agent.project.join("changed.txt").exists(), player.project == "login", "{}", player.project);
    }
    let history = hub.json("/api/v1/history");
    let rows = history["history"].as_array().unwrap();
    let with: Vec<&Value> = rows.iter().filter_map(|row| row.get("updated_input")).collect();
    assert_eq!(with, [&changed], "{history:#}");
    let answered =
        |row: &&Value| row["from"] == "socket" && ["allow", "answer"].iter().any(|word| row["outcome"] == *word);
    assert_eq!(rows.iter().filter(answered).count(), 6, "{history:#}");
    pane.hides(" ask ");
    pane.press("q");
    pane.is_given_back();
}

fn launch(player: &Player, meeting: &Meeting) -> Agent {
    let options = Options {
        hooks: Hooks::None,
        env: vec![meeting.env()],
        project: Some(player.project.into()),
        ..Options::default()
    };
    let scenario = Scenario::parse(player.project, player.script).unwrap();
    Agent::launch(player.kind, player.kind.versions().last().unwrap(), scenario, &options).unwrap()
}

fn start(agent: &Agent) -> Coop {
    let mut command = Command::new(coop::binary());
    let env = agent.command.env.iter().map(|(name, value)| (name, value));
    command.args(["--agent", agent.kind.name(), "--shutdown-timeout", "1", "--cwd"]).arg(&agent.project).arg("--");
    command.arg(&agent.command.program).args(&agent.command.args).env_clear().envs(env);
    Coop::run(command)
}

fn tell(hub: &TestHub, player: &Player) {
    let Some(message) = player.message else { return };
    let id = hub.session(player.project, |session| session["project"] == player.project)["id"].clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let limit = std::time::Duration::from_secs(60);
    let path = format!("/api/v1/sessions/{id}/agent/nudge");
    let told = runtime.block_on(hub.client.hub_request(limit, true, &path, &json!({ "message": message })));
    assert_eq!(told.as_ref().map(|told| &told["delivered"]).ok(), Some(&json!(true)), "{}: {told:?}", player.project);
}

/// As a person sees it at three sizes.
fn pictures(pane: &Pane) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/board");
    let wanted = std::env::var_os("COOP_BOARD_PICTURES").is_some_and(|value| value == "1");
    for (cols, rows, sign) in [(200, 50, "│"), (80, 24, "───"), (40, 15, "? ")] {
        pane.resize(cols, rows);
        pane.until("the new size", |screen| {
            let lines: Vec<&str> = screen.lines().collect();
            let foot = lines.get(usize::from(rows) - 1)?;
            (foot.contains("keys") && screen.contains(sign)).then_some(())
        });
        if wanted {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("{cols}x{rows}.svg")), pane.svg(cols, rows)).unwrap();
        }
    }
    pane.resize(200, 50);
    pane.until("the old size", |screen| screen.contains("│").then_some(()));
}
