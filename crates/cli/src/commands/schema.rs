//! `coop schema`: the API for machines to read.

use clap::Args;

use crate::{CommandError, out};

/// Print the OpenAPI document of the HTTP interface
#[derive(Debug, Args)]
pub(crate) struct Schema {}

impl Schema {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        out::json(&coop_server::openapi())
    }
}
