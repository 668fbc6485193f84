//! How Codex is started: settings in its arguments, so that the user's files are left alone.

use serde_json::{Map, Value, json};

use super::server;
use crate::config::{part, wants, wants_hooks};
use crate::launch::{Launch, LaunchError, LaunchRequest, Printing};
use crate::table::Table;

/// A shared daemon would outlive the terminal, and run the hooks of one session in the environment of another.
const OWN_PROCESS: &str = "--no-daemon";
/// The agent's server is somebody else's then.
const REMOTE: &str = "--remote";
/// Runs without a terminal.
const EXEC: [&str; 2] = ["exec", "e"];

pub(super) fn launch(table: &Table, request: &LaunchRequest) -> Result<Launch, LaunchError> {
    let config = request.agent_config.as_ref();
    let mut settings: Vec<(String, Value)> = Vec::new();
    for (name, value) in part(config, "settings")?.into_iter().flatten() {
        flatten(name, value, &mut settings);
    }
    for (name, server) in part(config, "mcp")?.into_iter().flatten() {
        let Value::Object(server) = server else {
            return Err(LaunchError::Config { part: format!("mcp.{name}"), expected: "an object" });
        };
        settings.push((format!("mcp_servers.{name}"), Value::Object(mcp_server(server))));
    }
    // They bring up a dialog in which the user is asked to trust them, so that they are there only on demand.
    let hooks = wants_hooks(config)?;
    if hooks {
        settings.extend(hook_entries(table, request));
    }
    let given = |flag: &str| request.args.iter().any(|arg| arg == flag || arg.starts_with(&format!("{flag}=")));
    let mut given_settings = Vec::new();
    for (name, value) in settings {
        given_settings.extend(["-c".to_owned(), format!("{name}={}", toml_value(&name, &value)?)]);
    }
    if wants(config, "app_server")? {
        if given(REMOTE) || request.args.iter().any(|arg| EXEC.contains(&arg.as_str())) {
            let expected = "left out with --remote, and with exec, which has no terminal";
            return Err(LaunchError::Config { part: "app_server".to_owned(), expected });
        }
        return Ok(with_server(request, given_settings, hooks));
    }
    let own_process = (!given(OWN_PROCESS) && !given(REMOTE)).then(|| OWN_PROCESS.to_owned());
    let args = own_process.into_iter().chain(given_settings).chain(request.args.iter().cloned()).collect();
    Ok(Launch { args, hooks, ..Launch::default() })
}

/// The server does the work, so that settings are its; the terminal shows it.
fn with_server(request: &LaunchRequest, settings: Vec<String>, hooks: bool) -> Launch {
    let own: Vec<String> = settings.iter().cloned().chain(settings_of(&request.args)).collect();
    let companion = server::companion(&request.session_dir, &own);
    let mut args = vec![REMOTE.to_owned(), server::address(&companion.socket)];
    args.extend(settings);
    args.extend(request.args.iter().filter(|arg| *arg != OWN_PROCESS).cloned());
    Launch { args, hooks, companion: Some(companion), ..Launch::default() }
}

/// What the user's own arguments set.
fn settings_of(args: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut args = args.iter().take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if ["-c", "--config", "--enable", "--disable"].contains(&arg.as_str()) {
            found.extend([arg.clone()].into_iter().chain(args.next().cloned()));
        } else if ["-c", "--config=", "--enable=", "--disable="].iter().any(|flag| arg.starts_with(flag)) {
            found.push(arg.clone());
        }
    }
    found
}

fn hook_entries(table: &Table, request: &LaunchRequest) -> Vec<(String, Value)> {
    let timeout = table.timings.hook_timeout().as_secs();
    let entry = |name: &String| {
        let command = format!("{} {name}", request.hook_command);
        let hook = json!({ "type": "command", "command": command, "timeout": timeout });
        (format!("hooks.{name}"), json!([{ "hooks": [hook] }]))
    };
    table.events.iter().map(|event| entry(&event.name)).collect()
}

/// A server in the words of others: `headers` are `http_headers` here, and its kind follows from what it has.
fn mcp_server(server: &Map<String, Value>) -> Map<String, Value> {
    let renamed = |name: &str| if name == "headers" { "http_headers".to_owned() } else { name.to_owned() };
    let fields = server.iter().filter(|(name, value)| *name != "type" && !value.is_null());
    fields.map(|(name, value)| (renamed(name), value.clone())).collect()
}

/// As many settings as possible by their own path, so that they are added to what the user has.
fn flatten(path: &str, value: &Value, found: &mut Vec<(String, Value)>) {
    let plain =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    match value {
        Value::Object(fields) if !fields.is_empty() && fields.keys().all(|name| plain(name)) => {
            for (name, value) in fields {
                flatten(&format!("{path}.{name}"), value, found);
            }
        }
        _ => found.push((path.to_owned(), value.clone())),
    }
}

/// In one line. What JSON escapes in a text, TOML does the same way.
fn toml_value(name: &str, value: &Value) -> Result<String, LaunchError> {
    let joined = |parts: Result<Vec<String>, LaunchError>| parts.map(|parts| parts.join(", "));
    match value {
        Value::Null => {
            Err(LaunchError::Config { part: name.to_owned(), expected: "a value: there is no null in TOML" })
        }
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::String(_) => Ok(quoted(value)),
        Value::Array(items) => {
            let items = items.iter().map(|item| toml_value(name, item)).collect();
            joined(items).map(|items| format!("[{items}]"))
        }
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                Ok(format!("{} = {}", quoted(&Value::String(key.clone())), toml_value(name, value)?))
            };
            joined(fields.iter().map(field).collect()).map(|fields| format!("{{ {fields} }}"))
        }
    }
}

fn quoted(text: &Value) -> String {
    text.to_string().replace('\u{7f}', "\\u007f")
}

pub(super) fn prints(args: &[String]) -> Printing {
    let exec = args.iter().any(|arg| EXEC.contains(&arg.as_str()));
    let json = exec && args.iter().any(|arg| arg == "--json" || arg == "--experimental-json");
    Printing { json, without: Vec::new() }
}

/// `resume` is a command of its own, and one of `exec`.
pub(super) fn resume(args: Vec<String>, id: &str) -> Vec<String> {
    let place = args.iter().position(|arg| EXEC.contains(&arg.as_str())).map_or(0, |exec| exec + 1);
    let mut args = args;
    args.splice(place..place, ["resume".to_owned(), id.to_owned()]);
    args
}

/// A message that begins with a word after `/`, or with `!`, is a command; a path is not.
pub(super) fn is_command(message: &str) -> bool {
    let message = message.trim_start();
    let Some(rest) = message.strip_prefix('/') else {
        return message.starts_with('!');
    };
    let word = rest.split_whitespace().next().unwrap_or_default();
    !rest.starts_with(char::is_whitespace) && !word.contains('/')
}
