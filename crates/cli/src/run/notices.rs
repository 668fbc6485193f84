//! Flags that this version takes and cannot follow yet. Each is refused or remarked on; none is silently ignored.

use std::fs;
use std::path::Path;

use super::flags::AgentFlags;
use crate::{CommandError, args};

/// Refuses what would make the session another than was asked for.
pub(super) fn check(flags: &AgentFlags) -> Result<(), CommandError> {
    if flags.attach.is_some() {
        return Err(CommandError::usage("--attach cannot be used: this version cannot take over tmux or screen yet")
            .with_hint("Start the program under coop instead: coop -- claude"));
    }
    if flags.resume.is_some() {
        return Err(CommandError::usage("--resume cannot be used: this version cannot find old conversations yet")
            .with_hint("Let the agent do it, for example: coop -- claude --resume"));
    }
    flags.agent_config.as_deref().map_or(Ok(()), check_config)
}

/// Says once which flags have no effect.
pub(super) fn remark(flags: &AgentFlags) {
    let given = [
        (flags.agent_config.is_some(), "--agent-config"),
        (flags.idle_grace.is_some(), "--idle-grace"),
        (flags.groom.is_some(), "--groom"),
    ];
    let given: Vec<&str> = given.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag).collect();
    if !given.is_empty() {
        tracing::warn!("{} has no effect in this version yet", given.join(", "));
    }
    let outer = outer_variables();
    if !outer.is_empty() {
        tracing::warn!("inside a session variables do not count, use flags instead of {}", outer.join(", "));
    }
}

/// Settings somebody made inside a session. Its own socket and address are there always, and meant for clients.
fn outer_variables() -> Vec<String> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let setting = |name: &String| {
        let known = args::definition().get_arguments().any(|arg| arg.get_env().is_some_and(|env| env == name.as_str()));
        known && name.starts_with("COOP_") && name != "COOP_SOCKET"
    };
    if args::is_nested() { names.filter(setting).collect() } else { Vec::new() }
}

fn check_config(path: &Path) -> Result<(), CommandError> {
    let shown = path.display();
    let text = fs::read(path).map_err(|error| CommandError::usage(format!("{shown} cannot be read: {error}")))?;
    let json = serde_json::from_slice::<serde_json::Value>(&text);
    json.map(drop).map_err(|error| CommandError::usage(format!("{shown} is not JSON: {error}")))
}
