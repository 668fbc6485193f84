//! Which session a verb is about.

use std::path::PathBuf;

use clap::Args;
use coop_api::client::{Client, Endpoint};

use super::{Found, live};
use crate::{CommandError, args};

/// For verbs whose arguments are something else.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Which session")]
pub(crate) struct Target {
    /// Name, address or socket path of the session; without it, the one you are in or the only one there is
    #[arg(short, long, env = "COOP_SESSION", hide_env_values = true, value_name = "NAME|URL|PATH")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    token: Token,
}

/// For verbs that take the session as their argument too.
#[derive(Clone, Debug, Args)]
pub(crate) struct NamedTarget {
    /// The same as --session
    #[arg(value_name = "SESSION", conflicts_with = "session")]
    named: Option<String>,
    #[command(flatten)]
    target: Target,
}

#[derive(Clone, Args)]
pub(crate) struct Token {
    /// Token of the session, if it needs one. Others on this machine can see it in the list of processes; the variable
    /// is better
    #[arg(long, env = "COOP_AUTH_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl From<Option<String>> for Token {
    fn from(token: Option<String>) -> Self {
        Self { token }
    }
}

impl Token {
    pub(crate) fn value(&self) -> Option<String> {
        self.token.clone().filter(|token| !token.is_empty())
    }
}

impl NamedTarget {
    pub(crate) fn client(&self) -> Result<Client, CommandError> {
        let mut target = self.target.clone();
        target.session = self.named.clone().or(target.session);
        target.client()
    }
}

impl Target {
    pub(crate) fn client(&self) -> Result<Client, CommandError> {
        let given = self.session.as_deref().filter(|given| !given.is_empty());
        let endpoint = match given {
            Some(given) => named(given)?,
            None => match own_session() {
                Some(endpoint) => endpoint,
                None => only_one(live())?,
            },
        };
        Ok(Client::new(endpoint, self.token.value()))
    }
}

/// What the agent inside can use without a token of its own.
impl Target {
    /// For the session this was typed in, if nobody says which one is meant and with what token.
    pub(crate) fn hook_client(&self) -> Result<Option<Client>, CommandError> {
        let token = std::env::var("COOP_HOOK_TOKEN").ok().filter(|token| !token.is_empty());
        let told = self.session.as_deref().is_some_and(|given| !given.is_empty()) || self.token.value().is_some();
        Ok(own_session().filter(|_| !told).map(|endpoint| Client::new(endpoint, token)))
    }
}

fn named(given: &str) -> Result<Endpoint, CommandError> {
    let wrong = |error: coop_api::client::EndpointError| CommandError::usage(error.to_string());
    if given.contains("://") || given.starts_with("unix:") {
        return given.parse().map_err(wrong);
    }
    if given.contains('/') {
        return Ok(Endpoint::Unix(PathBuf::from(given)));
    }
    if given.contains(':') {
        let host = if given.starts_with(':') { "127.0.0.1" } else { "" };
        return format!("http://{host}{given}").parse().map_err(wrong);
    }
    let running = live();
    match running.iter().find(|found| found.name == given) {
        Some(found) => Ok(Endpoint::Unix(found.path.clone())),
        None => Err(CommandError::failed(format!("There is no session `{given}`")).with_hint(list(&running))),
    }
}

/// Whether this command was typed in the session at that address.
pub(crate) fn is_own(endpoint: &Endpoint) -> bool {
    own_addresses().any(|own| own == *endpoint)
}

/// The session this command was typed in.
fn own_session() -> Option<Endpoint> {
    own_addresses().next()
}

fn own_addresses() -> impl Iterator<Item = Endpoint> {
    let variable = |name| std::env::var_os(name).filter(|_| args::is_nested());
    let socket = variable("COOP_SOCKET").map(|path| Endpoint::Unix(path.into()));
    let url = variable("COOP_URL").and_then(|url| url.to_str()?.parse().ok());
    socket.into_iter().chain(url)
}

fn only_one(running: Vec<Found>) -> Result<Endpoint, CommandError> {
    match <[Found; 1]>::try_from(running) {
        Ok([found]) => Ok(Endpoint::Unix(found.path)),
        Err(running) if running.is_empty() => {
            Err(CommandError::failed("No session is running").with_hint("Start one, for example: coop -- claude"))
        }
        Err(running) => {
            Err(CommandError::usage("Several sessions are running: say which one with --session")
                .with_hint(list(&running)))
        }
    }
}

fn list(running: &[Found]) -> String {
    match running {
        [] => "None is running; start one, for example: coop -- claude".into(),
        _ => format!("Running: {}", running.iter().map(|found| found.name.as_str()).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type() {
        for (given, expected) in [
            ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("localhost:8080", Some("http://localhost:8080")),
            (":8080", Some("http://127.0.0.1:8080")),
            ("/run/a.sock", Some("unix:/run/a.sock")),
            ("./a.sock", Some("unix:./a.sock")),
            ("unix:/run/a.sock", Some("unix:/run/a.sock")),
            ("https://x:1", Some("https://x:1")),
            ("no-such-session", None),
        ] {
            assert_eq!(named(given).ok().map(|e| e.to_string()).as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn without_a_name_there_must_be_one() {
        let found = |name: &str| Found { name: name.into(), path: format!("/x/{name}.sock").into() };
        assert_eq!(only_one(vec![found("a")]).unwrap(), Endpoint::Unix("/x/a.sock".into()));
        assert!(format!("{:?}", only_one(vec![found("a"), found("b")]).unwrap_err()).contains("a, b"));
        assert!(only_one(Vec::new()).is_err());
    }
}
