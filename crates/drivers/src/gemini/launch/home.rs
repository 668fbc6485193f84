//! A home folder for one session: settings of its own, and everything else as the user has it.
//!
//! It takes settings from files of fixed places only: those of the user, those of the project, and those of the system,
//! which have to be root's. None of them is coop's to write. So an orchestrator that wants settings, servers or hooks gets a folder in
//! which the settings are the user's with those added, and all else is a link to what the user has: conversations,
//! logins and the rest stay where they are. What is changed in the settings while the session runs is not kept.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::config::{merge, part, wants_hooks};
use crate::launch::{Launch, LaunchError, LaunchRequest, OwnFolder};
use crate::table::Table;

/// Files that it makes when they are not there, and that must not be lost with the session.
const KEPT: [&str; 6] = [
    "oauth_creds.json",
    "google_accounts.json",
    "gemini-credentials.json",
    "mcp-oauth-tokens.json",
    "installation_id",
    "state.json",
];

pub(super) fn launch(table: &Table, request: &LaunchRequest) -> Result<Launch, LaunchError> {
    let config = request.agent_config.as_ref();
    let (settings, servers) = (part(config, "settings")?, part(config, "mcp")?);
    let hooks = wants_hooks(config)?;
    if settings.is_none() && servers.is_none() && !hooks {
        return Ok(Launch::default());
    }
    let own = request.own_folder.as_ref();
    let own =
        own.ok_or(LaunchError::Config { part: "HOME".to_owned(), expected: "set: the agent's folder is in it" })?;
    let mut merged = match &own.settings {
        None => Map::new(),
        Some(Value::Object(user)) => user.clone(),
        Some(_) => return Err(LaunchError::Config { part: "the user's settings".to_owned(), expected: "an object" }),
    };
    merge(&mut merged, settings.cloned().unwrap_or_default());
    let mut added = Map::new();
    added.extend(servers.map(|servers| ("mcpServers".to_owned(), Value::Object(servers.clone()))));
    added.extend(hooks.then(|| ("hooks".to_owned(), Value::Object(entries(table, request)))));
    merge(&mut merged, added);
    Ok(Launch { hooks, ..folder(table, own, &request.session_dir, &Value::Object(merged)) })
}

fn folder(table: &Table, own: &OwnFolder, session_dir: &Path, settings: &Value) -> Launch {
    let home = session_dir.join("home");
    let inside = home.join(&table.paths.config);
    let name = table.paths.settings.as_deref().unwrap_or_default();
    let logs = table.paths.logs.as_str();
    let mut names: Vec<&str> = own.names.iter().map(String::as_str).chain(KEPT).chain([logs]).collect();
    names.retain(|other| *other != name);
    names.sort_unstable();
    names.dedup();
    let variable = |name: &str, path: &Path| (name.to_owned(), path.to_string_lossy().into_owned());
    Launch {
        files: vec![(inside.join(name), format!("{settings:#}\n"))],
        links: names.iter().map(|name| (inside.join(name), own.path.join(name))).collect(),
        folders: vec![own.path.join(logs)],
        env: vec![
            variable(&table.paths.config_variable, &home),
            // Written as a new file in the place of the old one, which would take the place of the link.
            variable("GEMINI_CLI_TRUSTED_FOLDERS_PATH", &own.path.join("trustedFolders.json")),
        ],
        ..Launch::default()
    }
}

fn entries(table: &Table, request: &LaunchRequest) -> Map<String, Value> {
    let timeout = table.timings.hook_timeout().as_millis();
    let entry = |name: &String| {
        let command = format!("{} {name}", request.hook_command);
        json!([{ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] }])
    };
    table.events.iter().map(|event| (event.name.clone(), entry(&event.name))).collect()
}
