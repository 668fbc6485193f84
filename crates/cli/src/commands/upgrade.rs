//! `coop upgrade`: has a session served by the coop that is installed now.

use std::fs;
use std::time::Duration;

use clap::Args;
use coop_api::client::{Follow, Socket};
use coop_api::ws::Topic;
use coop_machine::process;
use rustix::process::{Signal, kill_process};

use crate::sessions::NamedTarget;
use crate::{CommandError, out};

/// It waits for what is half typed, 5 s at the most, and another process starts.
const LIMIT: Duration = Duration::from_secs(30);

const EXAMPLES: &str = "\
Examples:
  coop --survive --name work -- claude     a session that can be upgraded
  (install another coop in the place of the old one)
  coop upgrade work                        the agent goes on with what it does, and does not notice

The process that serves the session ends, and the one that holds it starts the coop that is at the same path now. Clients
lose their connection and go on by offset; `coop attach` and `coop record` do so by themselves. The program, its terminal and
output, the port, the token and the name stay. The process that holds stays the old coop until the session ends.";

/// Have a session that was started with --survive served by the coop that is installed now
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Upgrade {
    #[command(flatten)]
    target: NamedTarget,
}

impl Upgrade {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        let status = client.status().await?;
        let before = client.health().await?;
        let program = status.pid.and_then(|pid| u32::try_from(pid).ok());
        let program =
            program.ok_or_else(|| CommandError::failed("The program has exited: there is nothing to keep"))?;
        let parent = process::parent_of(program).filter(|parent| takes_the_signal(*parent)).and_then(process::raw);
        let parent = parent.ok_or_else(|| {
            CommandError::failed(format!("Session `{}` cannot be upgraded", out::harmless(&before.name)))
                .with_hint("It must have been started with --survive, on this machine.")
        })?;
        let mut socket = client.connect(&Follow { topics: vec![Topic::State], ..Follow::default() }).await?;
        kill_process(parent, Signal::USR2)
            .map_err(|error| CommandError::failed(format!("The session cannot be told: {error}")))?;
        if tokio::time::timeout(LIMIT, until_over(&mut socket)).await.is_err() {
            return Err(CommandError::failed("The process that serves it does not end").with_hint("Look at its log."));
        }
        let after = client.health().await?;
        let (old, new) = (out::harmless(&before.version), out::harmless(&after.version));
        let name = out::harmless(&after.name);
        out::print(&match old == new {
            true => format!("{name} is served by another process, of the same version {new}\n"),
            false => format!("{name} is served by coop {new}; before, it was {old}\n"),
        })
    }
}

async fn until_over(socket: &mut Socket) {
    while let Ok(Some(_)) = socket.next().await {}
}

/// Whether it is a coop that knows what the signal means: any other would be ended by it.
fn takes_the_signal(pid: u32) -> bool {
    let is_coop = fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == "coop");
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    is_coop && listens(&status, Signal::USR2)
}

/// A server has a handler; a process that holds one reads signals that it has blocked.
fn listens(status: &str, signal: Signal) -> bool {
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    let bit = 1 << (signal.as_raw() - 1);
    ["SigCgt:", "SigBlk:"].into_iter().filter_map(mask).any(|mask| mask & bit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens() {
        let status = |caught: &str, blocked: &str| format!("Name:\tcoop\nSigBlk:\t{blocked}\nSigCgt:\t{caught}\n");
        assert!(listens(&status("0000000100014c41", "0000000000000000"), Signal::USR2));
        assert!(listens(&status("0000000000000440", "0000000000014a07"), Signal::USR2));
        assert!(!listens(&status("0000000100014441", "0000000000000000"), Signal::USR2));
        assert!(!listens("", Signal::USR2));
    }
}
