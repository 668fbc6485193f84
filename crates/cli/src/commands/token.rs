//! `coop token`: a token nobody can guess.

use clap::Args;

use crate::{CommandError, out};

/// Print a random token, for COOP_AUTH_TOKEN
#[derive(Debug, Args)]
pub(crate) struct Token {}

impl Token {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        out::print(&random_token()?)
    }
}

/// 256 bits, in letters that need no quoting anywhere.
pub(crate) fn random_token() -> Result<String, CommandError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| CommandError::failed(format!("There are no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
