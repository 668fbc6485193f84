//! The verbs: one file each, with its flags and what it does.

mod agents;
mod answer;
mod attach;
mod attach_list;
pub(crate) mod board;
mod completions;
mod config;
mod conversation;
mod devices;
mod doctor;
mod events;
mod explain;
mod hook;
mod hooks;
pub(crate) mod hub;
mod input;
mod interrupt;
mod keys;
mod lifted;
mod ls;
mod man;
mod mcp;
mod notify;
mod nudge;
mod output;
mod pair;
mod play;
mod prompts;
mod record;
mod replay;
mod report;
mod resize;
mod respond;
mod restart;
mod rules;
mod run;
mod schema;
mod screen;
mod search;
mod send;
mod session;
mod sessions;
mod signal;
mod state;
mod status;
mod stop;
pub(crate) mod token;
mod transcripts;
mod upgrade;
mod wait;

use std::process::ExitCode;

use clap::Subcommand;

use crate::CommandError;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Run(Box<run::Run>),
    Ls(ls::Ls),
    Attach(attach::Attach),
    AttachList(attach_list::AttachList),
    Screen(screen::Screen),
    Status(status::Status),
    State(state::State),
    Nudge(nudge::Nudge),
    Respond(respond::Respond),
    Wait(wait::Wait),
    Interrupt(interrupt::Interrupt),
    Lifted(lifted::Lifted),
    Explain(explain::Explain),
    Agents(agents::Agents),
    Conversation(conversation::Conversation),
    Transcripts(transcripts::Transcripts),
    Send(send::Send),
    Input(input::Input),
    Keys(keys::Keys),
    Resize(resize::Resize),
    Signal(signal::Signal),
    Output(output::Output),
    Events(events::Events),
    Restart(restart::Restart),
    Record(record::Record),
    Play(play::Play),
    Replay(replay::Replay),
    Report(report::Report),
    Stop(stop::Stop),
    Board(board::Board),
    Upgrade(upgrade::Upgrade),
    Hub(hub::Hub),
    Sessions(sessions::Sessions),
    Search(search::Search),
    Prompts(prompts::Prompts),
    Answer(answer::Answer),
    Rules(rules::Rules),
    Session(session::Session),
    Pair(pair::Pair),
    Notify(notify::Notify),
    Devices(devices::Devices),
    Mcp(mcp::Mcp),
    Hooks(hooks::Hooks),
    Doctor(doctor::Doctor),
    Config(config::Settings),
    Hook(hook::Hook),
    Token(token::Token),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Whether hooks of coop are in the settings of this agent.
pub(crate) fn has_hooks(own: coop_drivers::Own) -> bool {
    let agent = hooks::Agent::ALL.into_iter().find(|agent| agent.own() == own);
    let found = agent.and_then(|agent| hooks::found(agent).ok());
    matches!(found, Some(hooks::Found::All | hooks::Found::Some { .. }))
}

impl Verb {
    pub(crate) fn run(self) -> Result<ExitCode, CommandError> {
        // These have a runtime of their own.
        match self {
            Self::Hub(hub) => return hub.run(),
            Self::Run(run) => return run.run(),
            _ => {}
        }
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
            Self::State(verb) => verb.run().await?,
            Self::Nudge(verb) => return verb.run().await,
            Self::Respond(verb) => verb.run().await?,
            Self::Wait(verb) => return verb.run().await,
            Self::Interrupt(verb) => verb.run().await?,
            Self::Lifted(verb) => verb.run().await?,
            Self::Explain(verb) => verb.run().await?,
            Self::Agents(verb) => return verb.run(),
            Self::Conversation(verb) => verb.run().await?,
            Self::Transcripts(verb) => verb.run().await?,
            Self::Send(verb) => verb.run().await?,
            Self::Hook(verb) => verb.run()?,
            // They have a runtime of their own.
            Self::Run(verb) => return verb.run(),
            Self::Hub(verb) => return verb.run(),
            Self::Board(verb) => verb.run().await?,
            Self::Sessions(verb) => verb.run().await?,
            Self::Search(verb) => verb.run().await?,
            Self::Prompts(verb) => verb.run().await?,
            Self::Answer(verb) => verb.run().await?,
            Self::Rules(verb) => verb.run().await?,
            Self::Session(verb) => verb.run().await?,
            Self::Pair(verb) => verb.run().await?,
            Self::Notify(verb) => verb.run().await?,
            Self::Devices(verb) => verb.run().await?,
            Self::Mcp(verb) => verb.run().await?,
            Self::Hooks(verb) => verb.run()?,
            Self::Doctor(verb) => return verb.run().await,
            Self::Config(verb) => verb.run()?,
            Self::Input(verb) => verb.run().await?,
            Self::Keys(verb) => verb.run().await?,
            Self::Resize(verb) => verb.run().await?,
            Self::Signal(verb) => verb.run().await?,
            Self::Output(verb) => verb.run().await?,
            Self::Events(verb) => verb.run().await?,
            Self::AttachList(verb) => verb.run()?,
            Self::Restart(verb) => verb.run().await?,
            Self::Record(verb) => verb.run().await?,
            Self::Play(verb) => verb.run().await?,
            Self::Replay(verb) => verb.run()?,
            Self::Report(verb) => verb.run().await?,
            Self::Stop(verb) => verb.run().await?,
            Self::Upgrade(verb) => verb.run().await?,
            Self::Token(verb) => verb.run()?,
            Self::Schema(verb) => verb.run()?,
            Self::Completions(verb) => verb.run()?,
            Self::Man(verb) => verb.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
