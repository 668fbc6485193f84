//! `coop devices`: who has a token of the hub, and how it is taken back.

use clap::{Args, Subcommand};
use coop_api::hub::Device;
use coop_machine::clock::now_ms;

use super::ls::uptime;
use super::sessions::columns;
use crate::sessions::HubTarget;
use crate::{CommandError, out};

/// List devices that have a token of the hub, and take tokens back
#[derive(Debug, Args)]
#[command(after_help = "`coop pair` gives a device a token.")]
pub(crate) struct Devices {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List them
    List {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        target: HubTarget,
    },
    /// Take back the token of one. It opens nothing from now on, and what the device follows ends
    Revoke {
        /// Its number, as `coop devices list` shows it
        id: u64,
        #[command(flatten)]
        target: HubTarget,
    },
}

impl Devices {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self.what {
            What::List { json, target } => {
                let found = target.client()?.hub_devices().await?;
                match (json, found.devices.is_empty()) {
                    (true, _) => out::json(&found),
                    (false, true) => out::print("No device has a token. `coop pair` gives it one."),
                    (false, false) => out::print(&table(&found.devices, now_ms())),
                }
            }
            What::Revoke { id, target } => {
                let device = target.client()?.hub_revoke(id).await?;
                out::print(&format!("Device {id}, {}, is shut out", out::harmless(&device.name)))
            }
        }
    }
}

fn table(devices: &[Device], now: u64) -> String {
    let head = ["ID", "NAME", "SCOPE", "FOR"].map(String::from);
    let rows = devices.iter().map(|device| {
        let secs = i64::try_from(now.saturating_sub(device.added_ms) / 1000).unwrap_or(i64::MAX);
        [device.id.to_string(), out::harmless(&device.name), device.scope.clone(), uptime(secs)]
    });
    columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}
