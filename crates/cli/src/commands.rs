//! The verbs: one file each, with its flags and what it does.

mod attach;
mod completions;
mod events;
mod input;
mod keys;
mod ls;
mod man;
mod output;
mod resize;
mod schema;
mod screen;
mod signal;
mod status;
mod stop;
pub(crate) mod token;

use std::process::ExitCode;

use clap::Subcommand;

use crate::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Ls(ls::Ls),
    Attach(attach::Attach),
    Screen(screen::Screen),
    Status(status::Status),
    Input(input::Input),
    Keys(keys::Keys),
    Resize(resize::Resize),
    Signal(signal::Signal),
    Output(output::Output),
    Events(events::Events),
    Stop(stop::Stop),
    Token(token::Token),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Verb {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        // One thread is enough for one client.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(self.perform());
        // A thread may be waiting for the keyboard; nobody waits for it.
        runtime.shutdown_background();
        done
    }

    async fn perform(self) -> Result<ExitCode, CommandError> {
        match self {
            Self::Ls(verb) => verb.run().await?,
            Self::Attach(verb) => return verb.run().await,
            Self::Screen(verb) => verb.run().await?,
            Self::Status(verb) => verb.run().await?,
            Self::Input(verb) => verb.run().await?,
            Self::Keys(verb) => verb.run().await?,
            Self::Resize(verb) => verb.run().await?,
            Self::Signal(verb) => verb.run().await?,
            Self::Output(verb) => verb.run().await?,
            Self::Events(verb) => verb.run().await?,
            Self::Stop(verb) => verb.run().await?,
            Self::Token(verb) => verb.run()?,
            Self::Schema(verb) => verb.run()?,
            Self::Completions(verb) => verb.run()?,
            Self::Man(verb) => verb.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
