//! `coop hub`: every agent of this person on one board, and a way to answer what they ask.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use coop_hub::{AgentFiles, Config};
use coop_server::{Listener, Options};
use tokio_util::sync::CancellationToken;

use crate::run::agent::{config_dir, state_dir};
use crate::run::flags::{LogFlags, host};
use crate::run::signals::Signals;
use crate::run::{access, logs};
use crate::{CommandError, out, sessions};

const EXAMPLES: &str = "\
Examples:
  coop hub                    in a terminal of its own; Ctrl-C ends it, and agents go on as if it had never been
  coop sessions               who is there, and who needs you
  coop hooks install          once, so that what agents ask can be answered from elsewhere
  coop prompts                what they ask
  coop answer 3 allow
  coop hub --port 8123        also for browsers and programs; http://127.0.0.1:8123/docs says how

It knows every Claude Code on this machine by itself, and all that run under coop. What it keeps (sessions, answers,
rules) is in one file below $XDG_STATE_HOME/coop or ~/.local/state/coop.";

/// Run the hub: all agents on one board, and a way to answer what they ask
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hub {
    /// TCP port for HTTP; 0 picks a free one [default: none]
    #[arg(long)]
    port: Option<u16>,
    /// Address of the port. Any but that of this machine itself needs a token
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1", value_parser = host)]
    host: IpAddr,
    /// Unix socket for the same. With another one than the default, tell agents and commands with COOP_HUB=unix:PATH
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Token that clients of the port must send, and that the hub sends to sidecars which need one. Others on this machine can see it in the list of processes; the variable
    /// or the file is better
    #[arg(long, env = "COOP_AUTH_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    auth_token: Option<String>,
    /// File with the token
    #[arg(long, value_name = "PATH", conflicts_with = "auth_token")]
    auth_token_file: Option<PathBuf>,
    /// Name besides localhost that clients may call this machine by; may be given several times
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Origin of web pages that may connect; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    #[command(flatten)]
    logs: LogFlags,
}

impl std::fmt::Debug for Hub {
    /// Without the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").finish_non_exhaustive()
    }
}

impl Hub {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(self.serve())?;
        Ok(ExitCode::SUCCESS)
    }

    async fn serve(self) -> Result<(), CommandError> {
        let token = access::token_of(self.auth_token.as_deref(), self.auth_token_file.as_deref())?;
        access::check_host(self.host, token.as_deref())?;
        logs::start(&self.logs)?;
        let mut signals = Signals::new()?;
        let listeners = self.bind()?;
        let ledger = state_dir().join("hub.db");
        let config = Config {
            agents: agents(),
            sockets: Some(sessions::folder()),
            token: token.clone().map(coop_hub::Token),
            ledger: Some(ledger),
            ..Config::default()
        };
        let hub = coop_hub::start(config).map_err(|error| CommandError::failed(error.to_string()))?;
        for listener in &listeners {
            out::print(&format!("The hub listens on {}", listener.address()))?;
        }
        let options = Options {
            token,
            allowed_hosts: self.allow_host,
            allowed_origins: self.allow_origin,
            // Each hook that waits is a connection.
            max_connections: 8192,
            ..Options::new("hub")
        };
        let stop = CancellationToken::new();
        let server = tokio::spawn(coop_server::serve_hub(hub, listeners, options, stop.clone()));
        let name = signals.next().await;
        tracing::info!("{name}: the hub ends");
        stop.cancel();
        if let Err(error) = server.await {
            tracing::error!(%error, "the server failed");
        }
        Ok(())
    }

    fn bind(&self) -> Result<Vec<Listener>, CommandError> {
        let failed = |error: coop_server::BindError| CommandError::failed(error.to_string());
        let path = match &self.socket {
            Some(path) => path.clone(),
            None => {
                sessions::make_folder()?;
                sessions::hub_socket()
            }
        };
        let socket = Listener::unix(&path).map_err(|error| match error {
            coop_server::BindError::SocketInUse { .. } => {
                CommandError::failed(format!("A hub is running already, on {}", path.display()))
                    .with_hint("`coop sessions` talks to it. Another one needs a --socket of its own.")
            }
            error => failed(error),
        })?;
        let port = self.port.map(|port| Listener::tcp(self.host, port)).transpose().map_err(failed)?;
        Ok(std::iter::once(socket).chain(port).collect())
    }
}

/// Where agents keep the files of their sessions, as far as coop knows them.
fn agents() -> Vec<AgentFiles> {
    let env: Vec<_> = std::env::vars_os().collect();
    let agent = |name: &str| {
        let driver = coop_drivers::driver(name)?;
        Some(AgentFiles { agent: name.to_owned(), folder: config_dir(driver.as_ref(), &env)? })
    };
    agent("claude").into_iter().collect()
}
