//! `coop doctor`: whether what coop needs is there, and what to do where it is not.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::ExitCode;

use clap::Args;
use coop_api::client::ClientError;
use serde::Serialize;

use super::hooks::{self, Agent, Found};
use super::hub::daemon::is_older;
use super::sessions::columns;
use crate::config::{self, Config};
use crate::run::agent::{state_dir, version};
use crate::run::sealed;
use crate::{CommandError, out, sessions};

const EXAMPLES: &str = "\
Examples:
  coop doctor
  coop doctor --json     for scripts: the ids of checks do not change

Exits with 0 when nothing is wrong, with 1 otherwise. What is only not set up is not wrong.";

/// Say whether what coop needs is there, and what to do where it is not
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Ok,
    /// Not set up; all else works.
    Missing,
    Wrong,
}

#[derive(Debug, Serialize)]
struct Check {
    /// Never changes.
    id: &'static str,
    health: Health,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Check {
    fn ok(id: &'static str, says: impl Into<String>) -> Self {
        Self { id, health: Health::Ok, says: says.into(), fix: None }
    }

    fn missing(id: &'static str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { id, health: Health::Missing, says: says.into(), fix: Some(fix.into()) }
    }

    fn wrong(id: &'static str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { id, health: Health::Wrong, says: says.into(), fix: Some(fix.into()) }
    }
}

impl Doctor {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let mut checks = vec![sockets(), config(), hub().await, ledger(), contained()];
        checks.extend(Agent::ALL.into_iter().flat_map(|agent| [installed(agent), hooks_of(agent)]));
        if self.json {
            out::json(&checks)?;
        } else {
            out::print(&describe(&checks))?;
        }
        let wrong = checks.iter().any(|check| check.health == Health::Wrong);
        Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn describe(checks: &[Check]) -> String {
    let line = |check: &Check| {
        let health = match check.health {
            Health::Ok => "ok",
            Health::Missing => "-",
            Health::Wrong => "WRONG",
        };
        let fix = check.fix.as_ref().map(|fix| format!(": {fix}")).unwrap_or_default();
        [health.to_owned(), check.id.to_owned(), out::harmless(&format!("{}{fix}", check.says))]
    };
    columns(&checks.iter().map(line).collect::<Vec<_>>())
}

fn sockets() -> Check {
    let folder = sessions::folder();
    let shown = folder.display();
    match (folder.exists(), sessions::is_ours(&folder)) {
        (false, _) => Check::ok("sockets", format!("{shown} is made when it is needed")),
        (true, true) => Check::ok("sockets", format!("{shown} is yours alone")),
        (true, false) => Check::wrong(
            "sockets",
            format!("{shown} belongs to another account, or other accounts can use it"),
            format!("chmod 700 {shown}, if it is yours"),
        ),
    }
}

fn config() -> Check {
    let path = config::path();
    match Config::of(&path) {
        Ok(Some(_)) => Check::ok("config", format!("{} is right", path.display())),
        Ok(None) => Check::ok("config", "every setting has its default"),
        Err(error) => Check::wrong("config", error.message(), "coop config show prints every setting there is"),
    }
}

async fn hub() -> Check {
    let ours = env!("CARGO_PKG_VERSION");
    let client = match sessions::hub_client() {
        Ok(client) => client,
        Err(_) if !sessions::hub_socket().exists() => {
            return Check::missing("hub", "it does not run", "coop hub --daemon");
        }
        Err(error) => return Check::wrong("hub", error.message(), "chmod 700 the folder, if it is yours"),
    };
    match client.hub_version().await {
        Ok(theirs) if theirs == ours => Check::ok("hub", format!("it runs, version {ours}")),
        Ok(theirs) if is_older(&theirs, ours) => Check::wrong(
            "hub",
            format!("it is version {theirs}, and this is {ours}"),
            "coop hub --daemon, which replaces it",
        ),
        Ok(theirs) => Check::wrong(
            "hub",
            format!("it is version {theirs}, and this is {ours}"),
            "coop hub --stop, then coop hub --daemon",
        ),
        Err(ClientError::Unreachable { .. }) => Check::missing("hub", "it does not run", "coop hub --daemon"),
        Err(error) => Check::wrong("hub", format!("it does not answer as a hub does: {error}"), "coop hub --stop"),
    }
}

fn ledger() -> Check {
    let path = match state_dir() {
        Ok(folder) => folder.join("hub.db"),
        Err(error) => return Check::wrong("ledger", error.message(), "set HOME to a folder of your own"),
    };
    let shown = path.display();
    match fs::metadata(&path).map(|meta| meta.permissions().mode() & 0o077) {
        Ok(0) => Check::ok("ledger", format!("{shown} is yours alone")),
        Ok(_) => Check::wrong("ledger", format!("others can read {shown}"), format!("chmod 600 {shown}")),
        Err(_) => Check::ok("ledger", format!("{shown} is made by the first hub")),
    }
}

/// Checks what keeps agents from answering themselves: the guard rail always does, the wall where the kernel allows it.
fn contained() -> Check {
    match sealed::works_here() {
        Ok(()) => Check::ok("sealed", "agents have the guard rail; with --sealed they have the wall, which works here"),
        Err((why, fix)) => Check::missing("sealed", format!("agents have the guard rail, not the wall: {why}"), fix),
    }
}

fn installed(agent: Agent) -> Check {
    let (id, title) = (agent.own().name(), agent.own().title());
    let env: Vec<_> = std::env::vars_os().collect();
    let on_path = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(id).is_file()));
    match (on_path, version(OsStr::new(id), &env)) {
        (true, Some(version)) => Check::ok(id, format!("{title} {version}")),
        (true, None) => Check::ok(id, format!("{title}, of a version that does not show")),
        (false, _) => Check::missing(id, format!("{title} is not on the PATH"), "install it, if you want to use it"),
    }
}

fn hooks_of(agent: Agent) -> Check {
    let (id, without) = match agent {
        Agent::Claude => ("claude-hooks", "it can be looked at, not answered"),
        Agent::Codex => ("codex-hooks", "outside coop it is not on the board"),
        Agent::Gemini => ("gemini-hooks", "outside coop it is not on the board"),
    };
    let with = match agent {
        Agent::Claude => "what it asks can be answered from elsewhere",
        Agent::Codex => "what it asks can be answered from elsewhere, once you have said in Codex that you trust them",
        Agent::Gemini => "it is on the board; what it asks is answered at its terminal",
    };
    let install = format!("coop hooks install {}", agent.own().name());
    match hooks::found(agent) {
        Ok(Found::All) => Check::ok(id, format!("installed: {with}")),
        Ok(Found::None) => Check::missing(id, format!("not installed: {without}"), install),
        Ok(Found::Some { have, of }) => Check::wrong(id, format!("{have} of {of} are installed"), install),
        Ok(Found::Elsewhere) => Check::wrong(id, "they call a coop that is somewhere else", install),
        Err(error) => Check::wrong(id, error.message(), "mend the file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        let checks = [Check::ok("sockets", "fine"), Check::missing("hub", "it does not run", "coop hub --daemon")];
        assert_eq!(describe(&checks), "ok  sockets  fine\n-   hub      it does not run: coop hub --daemon\n");
    }
}
