//! The hub of another machine: where it is, and what it is told of this one.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use coop_api::client::{Client, Endpoint};
use coop_api::host::Registration;
use coop_machine::{git, process};
use coop_server::Dial;

use super::access::token_of;
use super::flags::{Flags, HubFlags};
use crate::CommandError;

const WHICH_TOKEN: &str = "Give it the one in hub.hooks.token of the hub's machine (`coop hub` says where), in COOP_HUB_TOKEN or with --hub-token-file.";

/// Who is called, if anybody. What is wrong with it is said before anything is touched.
pub(super) fn client(flags: &HubFlags) -> Result<Option<Client>, CommandError> {
    let Some(url) = flags.hub_url.as_deref().filter(|url| !url.is_empty()) else { return Ok(None) };
    let endpoint: Endpoint = url.parse().map_err(|error| CommandError::usage(format!("--hub-url: {error}")))?;
    let token = token_of(flags.hub_token.as_deref(), flags.hub_token_file.as_deref())?;
    if token.is_none() && !matches!(endpoint, Endpoint::Unix(_)) {
        return Err(CommandError::usage(format!("The hub at {endpoint} needs a token")).with_hint(WHICH_TOKEN));
    }
    Ok(Some(Client::new(endpoint, token)))
}

pub(super) fn dial(client: Client, flags: &Flags, name: &str, program: u32) -> Dial {
    let cwd = flags.session.cwd.clone().or_else(|| std::env::current_dir().ok());
    let cwd = cwd.map(|cwd| std::path::absolute(&cwd).unwrap_or(cwd));
    let registration = Registration {
        host: flags.hub.hub_host.clone().unwrap_or_else(host),
        name: name.to_owned(),
        instance: instance(program),
        branch: cwd.as_deref().and_then(git::branch),
        cwd: cwd.as_deref().map(Path::to_string_lossy).map(Into::into),
    };
    Dial { client, registration }
}

/// Of the program and not of this process, which may have a successor: which system it runs in, and which process it is
/// there.
fn instance(program: u32) -> u64 {
    let system = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    (system, space, program, process::started(program)).hash(&mut hasher);
    hasher.finish()
}

/// What this machine, or the pod, is called.
fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { "unnamed".into() } else { name }
}
