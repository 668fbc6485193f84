//! `coop hub`: every agent of this person on one board, and a way to answer what they ask.

pub(crate) mod daemon;
pub(crate) mod note;
mod unit;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use coop_core::access::Reach;
use coop_drivers::Own;
use coop_hub::{AgentFiles, Config};
use coop_machine::{lineage, private};
use coop_server::{Guard, Launcher, Listener, Options};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio_util::sync::CancellationToken;

use super::token::random_token;
use crate::config::{self, Config as Settings, Permissions};
use crate::folders::make_state_dir;
use crate::run::agent::{config_dir, prices, state_dir};
use crate::run::flags::{LogFlags, host};
use crate::run::signals::Signals;
use crate::run::tls::TlsFlags;
use crate::run::{access, logs};
use crate::{CommandError, out, pages, secret, sessions};
use note::Note;

const EXAMPLES: &str = "\
Examples:
  coop hub                    in a terminal of its own; Ctrl-C ends it, and agents go on as if it had never been
  coop hub --daemon           in the background; coop hub --stop ends it
  coop hub --install-unit     started by systemd when you log in; with --port 8123, on that port
  coop sessions               who is there, and who needs you
  coop hooks install          once, so that what agents ask can be answered from elsewhere
  coop prompts                what they ask
  coop answer 3 allow
  coop hub --port 8123        also for browsers and programs, with a token; http://127.0.0.1:8123/docs says how
  coop hub --port 8123 --host 0.0.0.0 --tls    for other machines, with a certificate that coop makes

It knows every Claude Code on this machine by itself, and all that run under coop. What it keeps (sessions, answers,
rules) is in hub.db below $XDG_STATE_HOME/coop or ~/.local/state/coop, which only you can read. The socket is as private,
and needs no token. The port needs one, always: if you give none, it is made once and kept beside the ledger in
hub.token. Beside it are some that open less: hub.view.token to look, hub.answer.token to answer too, hub.drive.token to
type into sessions too, hub.hooks.token for the hooks of agents elsewhere. `coop pair` gives a device one of its own. What you
give no flag for is as `coop config show` says.";

/// Run the hub: all agents on one board, and a way to answer what they ask
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hub {
    /// Run in the background, if none runs yet; an older one is replaced, and what waits there is asked again
    #[arg(long)]
    daemon: bool,
    /// End the one that runs
    #[arg(long, conflicts_with_all = ["daemon", "port", "ledger"])]
    stop: bool,
    /// Have systemd start the hub when you log in, with the other arguments that are given here
    #[arg(long, conflicts_with_all = ["daemon", "stop", "auth_token"])]
    install_unit: bool,
    /// What `--daemon` starts.
    #[arg(long, hide = true, conflicts_with = "daemon")]
    detached: bool,
    /// Claim to be of this version. For tests
    #[arg(long, hide = true, value_name = "VERSION")]
    says_version: Option<String>,
    /// TCP port for HTTP; 0 picks a free one [default: none]
    #[arg(long)]
    port: Option<u16>,
    /// Address of the port [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR", value_parser = host)]
    host: Option<IpAddr>,
    /// Unix socket for the same. With another one than the default, tell agents and commands with COOP_HUB=unix:PATH
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// File for what the hub keeps; each hub needs its own [default: hub.db where coop keeps its state]
    #[arg(long, value_name = "PATH")]
    ledger: Option<PathBuf>,
    /// Token that clients of the port must send. It never leaves the hub. Others on this machine can see it in the list of processes; the variable
    /// or the file is better
    #[arg(long, env = "COOP_AUTH_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    auth_token: Option<String>,
    /// File with the token
    #[arg(long, value_name = "PATH", conflicts_with = "auth_token")]
    auth_token_file: Option<PathBuf>,
    /// File with the token of this machine's sessions, where they were started with one. The hub sends it to their
    /// sockets, so it must not be the hub's own
    #[arg(long, value_name = "PATH")]
    sidecar_token_file: Option<PathBuf>,
    /// Name besides localhost that clients may call this machine by; may be given several times
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Origin of web pages that may connect; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    #[command(flatten)]
    tls: TlsFlags,
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
        if self.detached {
            daemon::leave_terminal();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let Settings { hub: settings, permissions, notify, .. } =
            if self.stop { Settings::default() } else { Settings::read()? };
        let socket = match &self.socket {
            Some(path) => path.clone(),
            None => sessions::trusted_hub_socket()?,
        };
        if let Some(session) = lineage::mark_of_this_process().filter(|_| self.socket.is_none() && !self.stop) {
            // It would be a process of that agent, and not the operator's.
            let message = format!("The hub of this machine is not started from inside session `{session}`");
            return Err(CommandError::failed(message).with_hint(
                "Start it in a terminal outside of the session, or one of its own with --socket and --ledger.",
            ));
        }
        match () {
            () if self.install_unit => unit::install(&note::arguments(secret::args().into_iter().skip(2)))?,
            () if self.stop => runtime.block_on(daemon::stop(socket))?,
            () if self.daemon => runtime.block_on(daemon::start(socket))?,
            () => runtime.block_on(self.with(settings).serve(permissions, notify))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What was not said is as the person's file has it.
    fn with(self, settings: config::Hub) -> Self {
        let config::Hub { port, host, ledger, auth_token_file, allow_host, allow_origin, tls, tls_cert, tls_key } =
            settings;
        let tls = if self.tls.is_wanted() {
            self.tls.clone()
        } else {
            TlsFlags { tls, tls_cert: tls_cert.map(|file| file.0), tls_key: tls_key.map(|file| file.0) }
        };
        let token_file = auth_token_file.map(|file| file.0).filter(|_| self.auth_token.is_none());
        Self {
            port: self.port.or(port),
            host: self.host.or(Some(host)),
            ledger: self.ledger.or(ledger.map(|file| file.0)),
            auth_token_file: self.auth_token_file.or(token_file),
            tls,
            allow_host: self.allow_host.into_iter().chain(allow_host).collect(),
            allow_origin: self.allow_origin.into_iter().chain(allow_origin).collect(),
            ..self
        }
    }

    async fn serve(self, permissions: Permissions, notify: config::Notify) -> Result<(), CommandError> {
        let given = access::token_of(self.auth_token.as_deref(), self.auth_token_file.as_deref())?;
        // Whoever can use the port could answer for the person.
        let own = state_dir()?.join("hub.token");
        let token = match (&given, self.port) {
            (None, Some(_)) => Some(own_token(&own)?),
            _ => given.clone(),
        };
        let sidecar_token = access::token_of(None, self.sidecar_token_file.as_deref())?;
        if sidecar_token.is_some() && sidecar_token == token {
            return Err(CommandError::usage("The token of the sessions is the hub's own, which never leaves the hub")
                .with_hint(
                    "Give the sessions a token of their own: coop token > FILE, COOP_AUTH_TOKEN=\"$(cat FILE)\".",
                ));
        }
        let limited = match self.port {
            Some(_) => limited_tokens()?,
            None => Vec::new(),
        };
        logs::start(&self.logs)?;
        // It has tokens of its own, and starts sessions.
        access::hide_from_program();
        open_more_files();
        let mut signals = Signals::new()?;
        let listeners = self.bind()?;
        let ledger = match &self.ledger {
            Some(path) => path.clone(),
            None => make_state_dir()?.join("hub.db"),
        };
        let config = Config {
            agents: agents(),
            sockets: Some(sessions::folder()),
            sidecar_token: sidecar_token.clone().map(coop_hub::Token),
            ledger: Some(ledger),
            memory: permissions.memory(),
            wait: permissions.wait(),
            render: Some(coop_server::render_hub_event),
            prices: Arc::new(prices()?),
            ..Config::default()
        };
        let hub = coop_hub::start(config).map_err(|error| {
            let in_use = matches!(error, coop_hub::StartError::Ledger(coop_hub::LedgerError::InUse { .. }));
            let failed = CommandError::failed(error.to_string());
            if in_use { failed.with_hint("Another hub needs a --socket and a --ledger of its own.") } else { failed }
        })?;
        let place = |listener: &Listener| {
            let pin = listener.pin().map(|pin| format!("; its certificate has sha256={pin}"));
            let token = listener.port().filter(|_| given.is_none());
            let token = token.map(|_| format!("; its token is in {}", own.display()));
            format!("{}{}", token.unwrap_or_default(), pin.unwrap_or_default())
        };
        let lines =
            listeners.iter().map(|listener| format!("The hub listens on {}{}", listener.address(), place(listener)));
        let lines = lines.collect::<Vec<_>>().join("\n");
        let note = Note {
            addresses: listeners.iter().map(Listener::address).collect(),
            arguments: note::arguments(secret::args().into_iter().skip(2)),
            cwd: std::env::current_dir().unwrap_or_default(),
            told_token: self.auth_token.is_some(),
            token_file: (given.is_none() && token.is_some()).then_some(own),
        };
        // Only those who would replace it miss it.
        if let Err(error) = note.leave(&self.socket.clone().unwrap_or_else(sessions::hub_socket)) {
            tracing::warn!(%error, "the hub cannot leave a note of how it was started");
        }
        out::print(&lines)?;
        if self.detached {
            daemon::let_go_of_output()?;
        }
        let (defaults, state) = (Options::new("hub"), state_dir()?);
        // Beside the hub's own socket.
        let hosts = self.socket.clone().unwrap_or_else(sessions::hub_socket).with_extension("hosts");
        let options = Options {
            token,
            limited_tokens: limited,
            sidecar_token: sidecar_token.map(|token| (sessions::folder(), token)),
            allowed_hosts: self.allow_host,
            allowed_origins: self.allow_origin,
            // Each hook that waits is a connection.
            max_connections: 8192,
            launcher: std::env::current_exe().ok().map(|coop| Launcher {
                coop,
                sockets: sessions::folder(),
                logs: state.join("sessions"),
            }),
            hosts: Some(hosts),
            guard: Some(Guard::new(pages::commands, false, false)),
            notify: coop_server::Notify {
                folder: self.port.map(|_| state.clone()),
                push_services: notify.push_services,
                ntfy: notify.ntfy.map(|address| address.0),
                webhook: notify.webhook.map(|address| address.0),
                desktop: notify.desktop,
                command: notify.command,
            },
            version: self.says_version.unwrap_or(defaults.version),
            ..defaults
        };
        let stop = CancellationToken::new();
        let mut server = tokio::spawn(coop_server::serve_hub(hub, listeners, options, stop.clone()));
        let ended = tokio::select! {
            name = signals.next() => {
                tracing::info!("{name}: the hub ends");
                stop.cancel();
                server.await
            }
            // Somebody asked for it.
            ended = &mut server => ended,
        };
        if let Err(error) = ended {
            tracing::error!(%error, "the server failed");
        }
        Ok(())
    }

    /// The port shows a certificate that could be read before anything listens.
    fn bind(&self) -> Result<Vec<Listener>, CommandError> {
        if self.tls.is_wanted() && self.port.is_none() {
            return Err(CommandError::usage("TLS is spoken on a port, and there is none")
                .with_hint("Give it a --port: coop hub --port 8123 --tls"));
        }
        let tls = self.tls.read(&self.allow_host)?;
        let failed = |error: coop_server::BindError| CommandError::failed(error.to_string());
        let (path, _until_bound) = match &self.socket {
            Some(path) => (path.clone(), None),
            None => {
                sessions::make_folder()?;
                // Of two that start at once, neither takes the other's socket for one that was left behind.
                (sessions::hub_socket(), Some(sessions::lock()?))
            }
        };
        let socket = Listener::unix(&path).map_err(|error| match error {
            coop_server::BindError::SocketInUse { .. } => {
                CommandError::failed(format!("A hub is running already, on {}", path.display()))
                    .with_hint("`coop sessions` talks to it. Another one needs a --socket and a --ledger of its own.")
            }
            error => failed(error),
        })?;
        let host = self.host.unwrap_or(Ipv4Addr::LOCALHOST.into());
        let port = self.port.map(|port| Listener::tcp(host, port)).transpose().map_err(failed)?;
        let port = port.map(|port| port.with_tls(tls));
        Ok(std::iter::once(socket).chain(port).collect())
    }
}

/// As many as may be: each agent whose end is waited for is one, and each hook that waits.
fn open_more_files() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::debug!(%error, "the hub has no more files than others");
    }
}

/// The one that was made before, or a new one, for our eyes only.
fn own_token(path: &Path) -> Result<String, CommandError> {
    match private::read_secret(path) {
        Ok(text) if access::token_of(Some(text.trim()), None).is_ok() => return Ok(text.trim().to_owned()),
        // A token that another account has put there lets that account in.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Err(CommandError::failed(format!("The token cannot be used: {error}"))
                .with_hint("Remove the file: the hub makes a new token."));
        }
        _ => {}
    }
    let token = random_token()?;
    let failed = |error| CommandError::failed(format!("The token cannot be kept in {}: {error}", path.display()));
    private::write(path, format!("{token}\n").as_bytes()).map_err(failed)?;
    Ok(token)
}

/// For those who are to do less: made once, and kept beside the other.
fn limited_tokens() -> Result<Vec<(String, Reach)>, CommandError> {
    let reaches = [Reach::Hooks, Reach::View, Reach::Answer, Reach::Drive];
    let token = |reach: Reach| Ok((own_token(&state_dir()?.join(format!("hub.{reach}.token")))?, reach));
    reaches.into_iter().map(token).collect()
}

/// Where agents keep the files of their sessions, as far as coop knows them.
fn agents() -> Vec<AgentFiles> {
    let env: Vec<_> = std::env::vars_os().collect();
    let agent = |name: &str| {
        let driver = coop_drivers::driver(name)?;
        Some(AgentFiles { agent: name.to_owned(), folder: config_dir(driver.as_ref(), &env)? })
    };
    Own::ALL.iter().filter_map(|own| agent(own.name())).collect()
}
