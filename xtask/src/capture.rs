//! `cargo xtask capture`: the recorder of agents is a program of the testkit, and this starts it.

use std::process::{Command, ExitCode};

use anyhow::Context as _;

pub(crate) fn run(agents: &[&str]) -> anyhow::Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--package", "coop-testkit", "--bin", "capture", "--"])
        .args(agents)
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
