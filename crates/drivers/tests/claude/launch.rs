//! How it is started.

use std::path::PathBuf;

use coop_core::agent::gate::Groom;
use coop_drivers::{Launch, LaunchRequest};
use serde_json::{Value, json};

use crate::claude;

fn request(args: &[&str]) -> LaunchRequest {
    LaunchRequest {
        args: args.iter().map(ToString::to_string).collect(),
        hook_command: "'/usr/bin/coop' hook".into(),
        hook_program: vec!["/usr/bin/coop".into(), "hook".into()],
        hook_timeout_secs: 3600,
        session_dir: PathBuf::from("/run/s"),
        version: Some("2.1.325 (Claude Code)".into()),
        ..LaunchRequest::default()
    }
}

fn settings(launch: &Launch) -> Value {
    let (_, text) = launch.files.iter().find(|(path, _)| path.ends_with("claude-settings.json")).unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn hooks_for_every_event_and_the_arguments_before_the_users() {
    let launch = claude().launch(&LaunchRequest { session_id: Some("id".into()), ..request(&["-p", "hi"]) }).unwrap();
    assert_eq!(launch.args, ["--settings=/run/s/claude-settings.json", "--session-id=id", "-p", "hi"]);
    assert_eq!(launch.session_id.as_deref(), Some("id"));
    let hooks = &settings(&launch)["hooks"];
    assert_eq!(hooks.as_object().unwrap().len(), 13);
    let permission = &hooks["PermissionRequest"][0];
    assert_eq!(permission["matcher"], "");
    assert_eq!(
        permission["hooks"][0],
        json!({ "type": "command", "command": "/usr/bin/coop", "args": ["hook", "PermissionRequest"], "timeout": 3600 })
    );
    assert_eq!(hooks["Stop"][0]["hooks"][0]["timeout"], 30);
}

#[test]
fn a_hook_that_decides_nothing_is_not_waited_for_where_that_is_known_to_work() {
    for (version, shell) in [(Some("2.1.197"), false), (Some("2.1.196"), true), (None, true)] {
        let launch = claude().launch(&LaunchRequest { version: version.map(str::to_owned), ..request(&[]) }).unwrap();
        let hooks = &settings(&launch)["hooks"];
        for (event, background) in
            [("PreToolUse", true), ("PostToolUse", true), ("Stop", false), ("UserPromptSubmit", false)]
        {
            let hook = &hooks[event][0]["hooks"][0];
            let command = if shell { format!("'/usr/bin/coop' hook {event}") } else { "/usr/bin/coop".into() };
            assert_eq!(hook["command"], command, "{version:?}");
            assert_eq!(hook["args"], if shell { Value::Null } else { json!(["hook", event]) }, "{version:?}");
            assert_eq!(hook["async"] == true, background && !shell, "{version:?} {event}");
        }
    }
}

#[test]
fn an_old_version_gets_only_events_it_knows() {
    for (version, known) in [("2.1.197", 13), ("2.1.60", 11), ("2.0.0", 9), ("not a version", 13)] {
        let launch = claude().launch(&LaunchRequest { version: Some(version.into()), ..request(&[]) }).unwrap();
        let hooks = &settings(&launch)["hooks"];
        let names: Vec<&String> = hooks.as_object().unwrap().keys().collect();
        assert_eq!(names.len(), known, "{version}: {names:?}");
    }
}

#[test]
fn a_conversation_that_the_user_chose_is_left_alone() {
    let with = |args: &[&str]| {
        claude().launch(&LaunchRequest { session_id: Some("id".into()), ..request(args) }).unwrap().session_id
    };
    for args in [&["--resume", "x"][..], &["-c"], &["--session-id=y"], &["-r"], &["--continue"]] {
        assert_eq!(with(args), None, "{args:?}");
    }
    assert_eq!(with(&["--", "-c"]).as_deref(), Some("id"), "a message that looks like a flag");
}

#[test]
fn settings_of_three_are_one() {
    let hook = |command: &str| json!([{ "matcher": "", "hooks": [{ "type": "command", "command": command }] }]);
    let request = LaunchRequest {
        user_settings: Some(json!({
            "hooks": { "Stop": hook("user") }, "permissions": { "deny": ["Bash(rm:*)"], "allow": ["Read"] }, "model": "a",
        })),
        agent_config: Some(json!({
            "settings": { "hooks": { "Stop": hook("orchestrator") }, "permissions": { "allow": ["Bash"] }, "model": "b", "env": { "X": "1" } },
            "mcp": { "thing": { "command": "node" } },
            "start": { "text": "ignored here" },
        })),
        ..request(&["--settings", "mine.json", "hi"])
    };
    let launch = claude().launch(&request).unwrap();
    assert_eq!(launch.args, ["--settings=/run/s/claude-settings.json", "--mcp-config=/run/s/claude-mcp.json", "hi"]);
    let merged = settings(&launch);
    let stops: Vec<&Value> =
        merged["hooks"]["Stop"].as_array().unwrap().iter().map(|e| &e["hooks"][0]["command"]).collect();
    assert_eq!(stops, ["user", "orchestrator", "/usr/bin/coop"]);
    assert_eq!(merged["permissions"], json!({ "deny": ["Bash(rm:*)"], "allow": ["Read", "Bash"] }));
    assert_eq!((&merged["model"], &merged["env"]["X"]), (&json!("b"), &json!("1")));
    let (_, mcp) = &launch.files[1];
    assert_eq!(
        serde_json::from_str::<Value>(mcp).unwrap(),
        json!({ "mcpServers": { "thing": { "command": "node" } } })
    );
}

#[test]
fn pristine_installs_nothing() {
    let pristine = |config: Option<Value>| LaunchRequest {
        groom: Groom::Pristine,
        agent_config: config,
        ..request(&["--settings", "mine.json"])
    };
    let launch = claude().launch(&pristine(None)).unwrap();
    assert_eq!((launch.args.len(), launch.files.len()), (2, 0));
    let own = LaunchRequest {
        user_settings: Some(json!({ "model": "a" })),
        ..pristine(Some(json!({ "settings": { "env": {} } })))
    };
    let launch = claude().launch(&own).unwrap();
    assert_eq!(settings(&launch), json!({ "model": "a", "env": {} }));
}

#[test]
fn what_would_be_dropped_without_a_word_is_refused() {
    let refused = |config: Value| {
        claude().launch(&LaunchRequest { agent_config: Some(config), ..request(&[]) }).unwrap_err().to_string()
    };
    assert_eq!(refused(json!({ "settings": 5 })), "settings has to be an object");
    assert_eq!(refused(json!({ "mcp": [] })), "mcp has to be an object");
    assert_eq!(
        refused(json!({ "settings": { "hooks": { "Stop": {} } } })),
        "settings.hooks.Stop has to be a list of objects"
    );
    let unread = claude().launch(&request(&["--settings", "gone.json"])).unwrap_err().to_string();
    assert_eq!(unread, "the file given with --settings has to be readable JSON");
}

#[test]
fn the_users_settings_are_found() {
    let args = |args: &[&str]| -> Vec<String> { args.iter().map(ToString::to_string).collect() };
    assert_eq!(claude().settings_argument(&args(&["-p", "--settings", "a.json"])), Some("a.json"));
    assert_eq!(claude().settings_argument(&args(&["--settings={}"])), Some("{}"));
    assert_eq!(claude().settings_argument(&args(&["--", "--settings", "x"])), None);
    assert_eq!(claude().settings_argument(&args(&["--settings"])), None);
}

#[test]
fn folders_of_projects() {
    let claude = claude();
    assert_eq!(claude.log_folder("/srv/my_project.x").as_deref(), Some("-srv-my-project-x"));
    assert_eq!(claude.log_folder("/ä/😀").as_deref(), Some("-----"));
    let long = format!("/{}", "a".repeat(250));
    let name = claude.log_folder(&long).unwrap();
    assert_eq!(name, format!("-{}-feo44x", "a".repeat(199)));
    assert_eq!(claude.resume_args(vec!["-p".into()], "id"), ["-p", "--resume", "id"]);
}

#[test]
fn commands() {
    let rows = [("/clear", true), ("/compact now", true), ("!ls", true), (" /clear", true), ("/", true)];
    for (message, command) in
        rows.into_iter().chain([("/tmp/x y", false), ("a /clear", false), ("", false), ("/ x", false)])
    {
        assert_eq!(claude().is_command(message), command, "{message:?}");
    }
}
