//! `coop session`: one session of the hub is started, gone on with, ended, or forgets what it was allowed.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use coop_api::hub::{NewSession, ResumeSession, Session as Started};

use crate::sessions::HubTarget;
use crate::{CommandError, out};

const EXAMPLES: &str = "\
Examples:
  coop session start claude --cwd ~/shop -- --model opus    without a terminal, under coop; coop attach gets into it
  coop session resume 3                                     one that has ended goes on with its conversation
  coop session end 3
  coop session clear-permissions 3";

/// Start a session through the hub, go on with one, end it, or have it forget what it was allowed
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Session {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Start an agent under coop on the machine of the hub, without a terminal
    Start {
        /// claude, codex or gemini
        agent: String,
        /// The folder it is to work in [default: this one]
        #[arg(long, value_name = "FOLDER")]
        cwd: Option<PathBuf>,
        /// What it is called [default: it gets a name]
        #[arg(long)]
        name: Option<String>,
        /// For the agent, after --
        #[arg(last = true)]
        args: Vec<String>,
        #[command(flatten)]
        target: HubTarget,
    },
    /// Go on with one that has ended, under coop, with its conversation
    Resume {
        /// The number of the session, as `coop sessions --all` shows it
        id: u64,
        /// For the agent, after --
        #[arg(last = true)]
        args: Vec<String>,
        #[command(flatten)]
        target: HubTarget,
    },
    /// End one that runs under coop
    End {
        /// The number of the session, as `coop sessions` shows it
        id: u64,
        #[command(flatten)]
        target: HubTarget,
    },
    /// Forget what was allowed or denied for the rest of a session. What the agent itself was told to allow, it keeps
    ClearPermissions {
        /// The number of the session, as `coop sessions` shows it
        id: u64,
        #[command(flatten)]
        target: HubTarget,
    },
}

impl Session {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self.what {
            What::Start { agent, cwd, name, args, target } => {
                let cwd = std::path::absolute(cwd.unwrap_or_else(|| ".".into()))?;
                let cwd = cwd.components().collect::<PathBuf>().to_string_lossy().into_owned();
                let new = NewSession { agent, cwd, args, name, ..NewSession::default() };
                runs(&target.client()?.hub_start(&new).await?)
            }
            What::Resume { id, args, target } => {
                let how = ResumeSession { args, ..ResumeSession::default() };
                runs(&target.client()?.hub_resume(id, &how).await?)
            }
            What::End { id, target } => {
                target.client()?.hub_end(id).await?;
                out::print(&format!("Session {id} ends"))
            }
            What::ClearPermissions { id, target } => {
                let cleared = target.client()?.hub_clear_permissions(id).await?.cleared;
                let patterns = if cleared == 1 { "pattern" } else { "patterns" };
                out::print(&format!("Session {id} has forgotten {cleared} {patterns}"))
            }
        }
    }
}

fn runs(session: &Started) -> Result<(), CommandError> {
    let socket = session.socket.as_deref().map(std::path::Path::new).and_then(|socket| socket.file_stem());
    let name = socket.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    out::print(&format!("Session {} runs; coop attach {name} gets into it", session.id))
}
