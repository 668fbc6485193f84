//! The hub that `coop run` wants there to be. A session is worth more than the board it is shown on: what goes wrong here
//! is remarked on, and the program is run all the same.

use super::flags::Flags;
use coop_machine::lineage;

use crate::commands::hub::daemon::{self, Outcome};
use crate::config::Config;
use crate::{CommandError, sessions};

/// The hub finds sessions by their sockets.
pub(super) fn check(flags: &Flags) -> Result<(), CommandError> {
    if flags.listen.socket.is_none() {
        return Ok(());
    }
    let folder = sessions::folder();
    Err(CommandError::usage(format!(
        "The hub finds sessions by their sockets in {}, and --socket is elsewhere",
        folder.display()
    ))
    .with_hint("Leave --socket out (--name chooses the file name), or do without the hub: coop run --no-hub."))
}

/// Has one run, unless somebody has said where the hub is. One that is started to be shown listens on a port too.
pub(super) async fn provide(with_port: bool) {
    if std::env::var_os("COOP_HUB").is_some_and(|hub| !hub.is_empty()) {
        return tracing::info!("no hub is started: COOP_HUB says where it is");
    }
    if lineage::mark_of_this_process().is_some() {
        // It would be a process of that agent, which other sessions let report and look, and nothing else.
        return tracing::warn!(
            "no hub is started from inside an agent's session: start it outside, with coop hub --daemon"
        );
    }
    // A port of the person's own is as good.
    let own = Config::read().is_ok_and(|config| config.hub.port.is_some());
    let port: &[&str] = if with_port && !own { &["--port", "0"] } else { &[] };
    match daemon::provide(port).await {
        Ok(Outcome::Ran) => tracing::debug!("a hub runs"),
        Ok(Outcome::Stays { version }) => tracing::warn!(
            "the hub is of an older coop ({version}), and was given a token: start it anew, with `coop hub --stop` and then as it was"
        ),
        Ok(Outcome::Started { instead_of: Some(version), pid, .. }) => {
            tracing::info!(pid, "the hub was of an older coop ({version}) and has been replaced");
        }
        Ok(Outcome::Started { pid, log, .. }) => {
            tracing::info!(pid, log = %log.display(), "a hub was started; `coop hub --stop` ends it");
        }
        Err(error) => tracing::warn!("the session is on no board: {}", error.message()),
    }
}
