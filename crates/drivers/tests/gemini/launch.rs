//! How it is started.

use coop_core::agent::gate::Groom;
use coop_drivers::{Launch, LaunchRequest, OwnFolder};
use serde_json::json;

use crate::gemini;

fn launch(args: &[&str], groom: Groom) -> Launch {
    let request = LaunchRequest {
        args: args.iter().map(ToString::to_string).collect(),
        groom,
        session_dir: "/run/session".into(),
        session_id: Some("the-id".into()),
        ..LaunchRequest::default()
    };
    gemini().launch(&request).unwrap()
}

#[test]
fn it_is_given_a_conversation_unless_it_has_one() {
    for (args, given) in [
        (&["-m", "x"][..], true),
        (&["-p", "hi"], true),
        (&["--resume", "latest"], false),
        (&["-r", "latest"], false),
        (&["--session-id=other"], false),
        (&["mcp", "list"], false),
    ] {
        let launch = launch(args, Groom::Auto);
        assert_eq!(launch.session_id.is_some(), given, "{args:?}");
        assert_eq!(launch.args.iter().any(|arg| arg == "--session-id=the-id"), given, "{args:?}");
        assert!(launch.args.ends_with(&args.iter().map(ToString::to_string).collect::<Vec<_>>()));
        assert_eq!(launch.files, []);
    }
}

#[test]
fn only_groom_trusts_the_folder() {
    for (groom, trusts) in [(Groom::Auto, true), (Groom::Manual, false), (Groom::Pristine, false)] {
        let env = launch(&[], groom).env;
        assert_eq!(env.iter().any(|(name, _)| name == "GEMINI_CLI_TRUST_WORKSPACE"), trusts, "{groom:?}");
        // Who trusts it in its dialog needs the process that starts it again.
        assert_eq!(env.iter().any(|(name, _)| name == "GEMINI_CLI_NO_RELAUNCH"), trusts, "{groom:?}");
    }
}

#[test]
fn what_is_printed() {
    let json = |args: &[&str]| gemini().prints(&args.iter().map(ToString::to_string).collect::<Vec<_>>()).json;
    assert!(json(&["-p", "hi", "-o", "stream-json"]) && json(&["--output-format=stream-json"]));
    assert!(!json(&["-p", "hi", "-o", "json"]) && !json(&[]));
}

#[test]
fn commands() {
    let driver = gemini();
    for (message, is) in [
        ("/clear", true),
        (" /help me", true),
        ("/tmp/x is a file", false),
        ("!ls", false),
        ("?", false),
        ("/ x", false),
    ] {
        assert_eq!(driver.is_command(message), is, "{message}");
    }
}

#[test]
fn replies_of_hooks() {
    use coop_core::agent::gate::StopVerdict;
    let driver = gemini();
    let block = StopVerdict::Block { reason: "more".into() };
    assert_eq!(driver.stop_reply(&block), json!({ "decision": "deny", "reason": "more" }));
    assert_eq!(driver.start_reply("x")["hookSpecificOutput"]["additionalContext"], "x");
    assert!(driver.stops_again(&json!({ "stop_hook_active": true })));
    assert_eq!(driver.resume_args(vec!["-m".into()], "id"), ["-m", "--resume", "id"]);
}

#[test]
fn settings_are_added_in_a_home_whose_rest_is_the_users() {
    let config =
        json!({ "settings": { "ui": { "theme": "x" } }, "mcp": { "mine": { "command": "m" } }, "hooks": true });
    let user = json!({ "ui": { "hideTips": true }, "hooks": { "AfterAgent": [{ "hooks": [] }] } });
    let own = OwnFolder {
        path: "/srv/me/.gemini".into(),
        names: vec!["settings.json".into(), "GEMINI.md".into(), "tmp".into()],
        settings: Some(user),
    };
    let request = LaunchRequest {
        hook_command: "coop hook".into(),
        agent_config: Some(config),
        own_folder: Some(own),
        session_dir: "/run/session".into(),
        ..LaunchRequest::default()
    };
    let launch = gemini().launch(&request).unwrap();
    let (path, text) = &launch.files[0];
    assert_eq!(path.to_str(), Some("/run/session/home/.gemini/settings.json"));
    let settings: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!((&settings["ui"]["theme"], &settings["ui"]["hideTips"]), (&json!("x"), &json!(true)));
    assert_eq!(settings["mcpServers"]["mine"]["command"], "m");
    assert_eq!(settings["hooks"]["AfterAgent"].as_array().map(Vec::len), Some(2), "the user's hook stays");
    let hook = &settings["hooks"]["BeforeTool"][0]["hooks"][0];
    assert_eq!((&hook["command"], &hook["timeout"]), (&json!("coop hook BeforeTool"), &json!(30_000)));
    let linked = |name: &str| {
        launch.links.iter().any(|(link, target)| {
            link.ends_with(format!("home/.gemini/{name}"))
                && *target == std::path::Path::new("/srv/me/.gemini").join(name)
        })
    };
    assert!(linked("GEMINI.md") && linked("tmp") && linked("oauth_creds.json") && !linked("settings.json"));
    assert!(launch.env.contains(&("GEMINI_CLI_HOME".into(), "/run/session/home".into())));
    assert!(launch.hooks);
    for unfit in [json!({ "settings": 1 }), json!({ "mcp": [] }), json!({ "hooks": "yes" })] {
        let request = LaunchRequest { agent_config: Some(unfit), ..request.clone() };
        assert!(gemini().launch(&request).is_err());
    }
}
