//! `coop man`: the manual.

use clap::Args;

use crate::{CommandError, args, out};

/// Print the manual page, for example: coop man | man -l -
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The page of one verb
    verb: Option<String>,
}

impl Man {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let mut coop = args::definition();
        coop.build();
        let command = match &self.verb {
            None => &coop,
            Some(verb) => coop.find_subcommand(verb).ok_or_else(|| {
                CommandError::usage(format!("There is no verb `{verb}`")).with_hint("`coop --help` lists them.")
            })?,
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(command.clone()).render(&mut page)?;
        out::write(&page)
    }
}
