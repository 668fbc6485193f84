//! `coop attach`: the person's terminal becomes the session's.

mod conversation;
mod cut;
mod keyboard;
mod layout;
mod link;
mod modes;
mod painter;
mod remote;
mod status;
mod terminal;
mod typing;

use std::process::ExitCode;

use clap::Args;
use coop_api::v1::{ExitEvent, GetStatusResponse};

use conversation::{Conversation, Farewell};
use keyboard::DetachKey;
use layout::Layout;
use remote::{End, Remote};
use terminal::Terminal;

use crate::sessions::{self, NamedTarget};
use crate::{CommandError, out};

/// Get into a session with your own terminal. Ctrl-\ leaves again, and the session goes on
#[derive(Debug, Args)]
pub(crate) struct Attach {
    #[command(flatten)]
    target: NamedTarget,
    /// Only look: what you type is not sent, and the session keeps its size
    #[arg(long, short)]
    read_only: bool,
    /// Type although somebody else is typing
    #[arg(long, conflicts_with = "read_only")]
    take_over: bool,
    /// Leave the session the size it has. What does not fit into your window is cut off
    #[arg(long)]
    no_resize: bool,
    /// Use the last row for the session, too
    #[arg(long)]
    no_status: bool,
    /// The key that leaves; `coop keys --list` shows the names
    #[arg(long, env = "COOP_DETACH_KEY", value_name = "KEY", default_value = r"Ctrl-\")]
    detach_key: DetachKey,
}

impl Attach {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let client = self.target.client()?;
        if sessions::is_own(client.endpoint()) {
            return Err(CommandError::usage("You are in this session already")
                .with_hint("Attached to itself, it would paint itself for ever."));
        }
        let (name, call) = (client.health().await?.name, sessions::call(client.endpoint()));
        let status = client.status().await?;
        if status.state == "exited" {
            return over(&name, &call, &status);
        }
        if !Terminal::is_there() {
            return Err(CommandError::usage("attach is for a person at a terminal, and here is none")
                .with_hint("`coop screen` prints what the program shows, and `coop input` types."));
        }
        let layout = Layout::new(terminal::window(), !self.no_status);
        let mut remote = Remote::connect(client.clone(), typing::holder(), status.state).await?;
        // Changes are told from here on, and not what it is now. Of other programs it is known that they run.
        let now = client.agent_state().await?.state;
        if now != "unknown" {
            remote.state = now;
        }
        if !self.read_only {
            remote.take_lease(self.take_over).await?;
        }
        remote.wanted_size = (!self.read_only && !self.no_resize).then(|| layout.size());
        remote.first_picture().await?;

        let terminal = Terminal::enter()?;
        let mut conversation = Conversation::new(&mut remote, &terminal, layout, &name, &self);
        let farewell = conversation.run().await;
        drop(terminal);
        remote.leave().await;
        say(farewell?, &name, &call)
    }
}

/// A session that is kept for its last screen.
fn over(name: &str, call: &str, status: &GetStatusResponse) -> Result<ExitCode, CommandError> {
    let exit = ExitEvent { code: status.exit_code, signal: status.exit_signal };
    out::print(&format!("{} Its last screen: coop screen {call}", ended(name, &exit)))?;
    Ok(exit_code(&exit))
}

fn say(farewell: Farewell, name: &str, call: &str) -> Result<ExitCode, CommandError> {
    match farewell {
        Farewell::Detached => {
            out::print(&format!("Detached. `{name}` goes on; come back with: coop attach {call}"))?;
            Ok(ExitCode::SUCCESS)
        }
        Farewell::Ended(End::Exited(exit)) => {
            out::print(&ended(name, &exit))?;
            Ok(exit_code(&exit))
        }
        Farewell::Ended(End::Closed) => Err(CommandError::failed(format!("The session `{name}` was closed"))),
        Farewell::Ended(End::Lost(error)) => {
            Err(CommandError::failed(format!("The session `{name}` is gone. {error}"))
                .with_hint("coop was killed, or the network is down. `coop ls` shows the sessions that run."))
        }
        Farewell::Signal(number) => Ok(ExitCode::from(128 + number)),
    }
}

fn ended(name: &str, exit: &ExitEvent) -> String {
    match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("`{name}` was ended by signal {signal}."),
        (code, None) => format!("`{name}` exited with code {}.", code.unwrap_or_default()),
    }
}

fn exit_code(exit: &ExitEvent) -> ExitCode {
    let code = exit.code.or_else(|| exit.signal.map(|signal| 128 + signal)).unwrap_or_default();
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
