//! `coop status`: a session in numbers.

use clap::Args;
use coop_api::v1::{GetHealthResponse, GetStatusResponse};

use super::ls::{size, state, uptime};
use crate::sessions::NamedTarget;
use crate::{CommandError, out};

/// Show what a session is doing
#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    target: NamedTarget,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        let status = client.status().await?;
        if self.json {
            return out::json(&status);
        }
        out::print(&describe(&client.health().await?, &status))
    }
}

/// Returns the meaning of the API's word, for people.
fn containment(name: &str) -> &'static str {
    match name {
        "sealed" => "sealed: a wall, it sees nothing of coop but its hooks",
        "guarded" => "guarded: a guard rail, its processes may only report and look",
        "none" => "none: it may do on coop's sockets what you may",
        _ => "-",
    }
}

fn describe(health: &GetHealthResponse, status: &GetStatusResponse) -> String {
    let rows = [
        ("name", out::harmless(&health.name)),
        ("agent", out::harmless(&health.agent)),
        ("state", state(status)),
        ("pid", status.pid.map_or_else(|| "-".into(), |pid| pid.to_string())),
        ("size", size(health)),
        ("uptime", uptime(status.uptime_secs)),
        ("output", format!("{} bytes, kept from {}", status.bytes_read, status.output_start)),
        ("input", format!("{} bytes", status.bytes_written)),
        ("clients", status.ws_clients.to_string()),
        ("guard", containment(&status.containment).to_owned()),
    ];
    rows.iter().map(|(name, value)| format!("{name:<8} {value}\n")).collect()
}
