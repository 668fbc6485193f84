//! `coop completions`: what a shell needs to complete our flags.

use clap::Args;
use clap_complete::Shell;

use crate::{CommandError, args, out};

/// Print completions for a shell, for example: coop completions bash > ~/.local/share/bash-completion/completions/coop
#[derive(Debug, Args)]
pub(crate) struct Completions {
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        // Written to memory first: the generator panics where a pipe is closed.
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut args::definition(), "coop", &mut text);
        out::write(&text)
    }
}
