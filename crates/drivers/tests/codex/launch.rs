//! How it is started.

use coop_drivers::{LaunchError, LaunchRequest};
use serde_json::{Value, json};

use crate::codex;

fn launch(args: &[&str], config: Value) -> Result<Vec<String>, LaunchError> {
    let request = LaunchRequest {
        args: args.iter().map(ToString::to_string).collect(),
        hook_command: "'/usr/bin/coop' hook".into(),
        agent_config: Some(config),
        ..LaunchRequest::default()
    };
    let launch = codex().launch(&request)?;
    assert!(launch.files.is_empty() && launch.env.is_empty() && launch.session_id.is_none());
    Ok(launch.args)
}

#[test]
fn in_a_process_of_its_own_and_otherwise_as_it_is() {
    let rows: &[(&[&str], &[&str])] = &[
        (&[], &["--no-daemon"]),
        (&["--no-daemon", "-m", "x"], &["--no-daemon", "-m", "x"]),
        (&["--remote", "unix://S"], &["--remote", "unix://S"]),
        (&["exec", "--json", "go"], &["--no-daemon", "exec", "--json", "go"]),
    ];
    for (args, expected) in rows {
        assert_eq!(&launch(args, json!({})).unwrap(), expected);
    }
}

#[test]
fn settings_and_servers_are_arguments() {
    let config = json!({
        "settings": {
            "model": "gpt-5.5",
            "sandbox_workspace_write": { "network_access": true, "writable_roots": ["/a \"b\"", "/c"] },
            "projects": { "/srv/x": { "trust_level": "trusted" } },
        },
        "mcp": {
            "files": { "type": "stdio", "command": "srv", "args": ["-v"], "env": { "A": "1" } },
            "web": { "type": "http", "url": "http://localhost/", "headers": { "X-Key": "k" } },
        },
    });
    let args = launch(&["go"], config).unwrap();
    let settings: Vec<&str> = args.iter().filter(|arg| arg.contains('=')).map(String::as_str).collect();
    assert_eq!(
        settings,
        [
            r#"model="gpt-5.5""#,
            r#"projects={ "/srv/x" = { "trust_level" = "trusted" } }"#,
            "sandbox_workspace_write.network_access=true",
            r#"sandbox_workspace_write.writable_roots=["/a \"b\"", "/c"]"#,
            r#"mcp_servers.files={ "args" = ["-v"], "command" = "srv", "env" = { "A" = "1" } }"#,
            r#"mcp_servers.web={ "http_headers" = { "X-Key" = "k" }, "url" = "http://localhost/" }"#,
        ]
    );
    assert_eq!(args.iter().filter(|arg| *arg == "-c").count(), settings.len());
    assert_eq!(args.last().map(String::as_str), Some("go"));
    for setting in settings {
        let value: Result<toml::Table, _> = setting.parse();
        assert!(value.is_ok(), "{setting}: {value:?}");
    }
    for wrong in [
        json!({ "settings": [] }),
        json!({ "settings": { "a": null } }),
        json!({ "mcp": { "x": 1 } }),
        json!({ "hooks": 1 }),
    ] {
        assert!(launch(&[], wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn hooks_only_on_demand_and_never_vouched_for() {
    let args = launch(&[], json!({ "hooks": true })).unwrap();
    let stop = r#"hooks.Stop=[{ "hooks" = [{ "command" = "'/usr/bin/coop' hook Stop", "timeout" = 3, "type" = "command" }] }]"#;
    assert!(args.contains(&stop.to_owned()), "{args:?}");
    assert!(!args.iter().any(|arg| arg.contains("trust")), "{args:?}");
    for config in [json!({}), json!({ "hooks": false })] {
        assert_eq!(launch(&[], config).unwrap(), ["--no-daemon"]);
    }
}

#[test]
fn a_conversation_goes_on() {
    let resume = |args: &[&str]| codex().resume_args(args.iter().map(ToString::to_string).collect(), "id");
    assert_eq!(resume(&[]), ["resume", "id"]);
    assert_eq!(resume(&["-m", "x", "go"]), ["resume", "id", "-m", "x", "go"]);
    assert_eq!(resume(&["exec", "--json", "go"]), ["exec", "resume", "id", "--json", "go"]);
}

#[test]
fn what_it_prints() {
    let json = |args: &[&str]| codex().prints(&args.iter().map(ToString::to_string).collect::<Vec<_>>()).json;
    assert!(json(&["exec", "--json", "go"]) && json(&["-m", "x", "e", "--json"]));
    assert!(!json(&["exec", "go"]) && !json(&["--json"]) && !json(&[]));
}

#[test]
fn commands_are_not_messages() {
    for (message, command) in [
        ("/clear", true),
        (" /clear x", true),
        ("!ls", true),
        (" !ls", true),
        ("/srv/x is it", false),
        ("a /b", false),
        ("/ x", false),
    ] {
        assert_eq!(codex().is_command(message), command, "{message}");
    }
}
