//! `coop -- COMMAND`: the sidecar. Binds, starts the program, serves it, and ends as it ends.

pub(crate) mod access;
pub(crate) mod agent;
pub(crate) mod attached;
mod board;
mod dial;
pub(crate) mod flags;
mod held;
mod init;
mod inside;
mod listen;
pub(crate) mod logs;
mod notices;
pub(crate) mod program;
pub(crate) mod sealed;
pub(crate) mod signals;
pub(crate) mod tls;
mod welcome;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::time::Duration;

use coop_core::status::Exit;
use coop_drivers::Recipe;
use coop_machine::lineage;
use coop_server::{Guard, Options};
use coop_session::{AgentConfig, Config, SessionHandle, StartError};
use coop_terminal::pty::{self, SpawnError};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use coop_terminal::survive::Inherited;
pub(crate) use flags::Flags;
use held::Held;
use inside::Inside;
use sealed::Sealed;
use signals::Signals;

use crate::commands::token::random_token;
use crate::{CommandError, pages};

/// A program that is no agent coop knows.
const UNKNOWN: &str = "unknown";

/// The session has a thread of its own. These serve clients, and a machine may run many sidecars.
const MAX_WORKERS: usize = 4;

/// With a hub, one is started if none runs.
pub(crate) fn run(flags: Flags, with_hub: bool) -> Result<ExitCode, CommandError> {
    if init::is_needed() {
        return init::run();
    }
    let inherited = Inherited::take();
    if flags.session.survive && inherited.is_none() {
        let inside = Inside::new(&flags)?;
        if with_hub && dial::client(&flags.hub)?.is_none() {
            // From here, so that it is not below the process that holds the session.
            board::check(&flags)?;
            logs::start(&flags.logs)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(board::provide(flags.session.welcome));
        }
        return held::hold(is_guarded(recipe(&flags, &inside)?.as_ref()));
    }
    let held = inherited.map(|inherited| Held::new(inherited, flags.terminal.ring_size)).transpose()?;
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_WORKERS));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
    let exit = runtime.block_on(sidecar(flags, with_hub, held))?;
    Ok(ExitCode::from(u8::try_from(exit.shell_code()).unwrap_or(1)))
}

/// From the flags to the end of the program. What is wrong with the flags is said before anything is touched, and a
/// program that cannot be started is an error before anything is served.
async fn sidecar(mut flags: Flags, with_hub: bool, mut held: Option<Held>) -> Result<Exit, CommandError> {
    let inside = Inside::new(&flags)?;
    let before = held.as_ref().and_then(|held| held.before.clone());
    let mut token = match &before {
        Some(before) => before.token.clone(),
        None => access::token(&flags.access)?,
    };
    let hub = dial::client(&flags.hub)?;
    if with_hub {
        board::check(&flags)?;
    }
    if flags.session.sealed {
        sealed::check(&flags, token.is_some() || flags.session.welcome)?;
    }
    // The board is shown then, and needs no port and no token of the session.
    let shows_board = with_hub && std::mem::take(&mut flags.session.welcome) && before.is_none();
    flags.session.welcome &= before.is_none();
    if flags.session.welcome && token.is_none() {
        token = Some(random_token()?);
    }
    access::check_host(flags.listen.host, token.as_deref())?;
    logs::start(&flags.logs)?;
    notices::remark();
    if token.is_some() || hub.is_some() {
        access::hide_from_program();
    }
    if with_hub && hub.is_none() {
        board::provide(shows_board).await;
    }
    let recipe = recipe(&flags, &inside)?;
    let guarded = is_guarded(recipe.as_ref());
    let agent = recipe.as_ref().map_or(UNKNOWN, Recipe::name).to_owned();
    let mut bound = match (&before, &mut held) {
        (Some(before), Some(held)) => listen::inherit(held, before, &flags)?,
        _ => {
            let mut bound = listen::bind(&flags, &inside.name())?;
            // Where everybody may do everything, hooks need no token either.
            bound.addresses.hook_token = token.is_some().then(random_token).transpose()?;
            bound
        }
    };
    if let Some(held) = &mut held {
        held.token.clone_from(&token);
    }
    let sealed = match flags.session.sealed {
        true => {
            let (sealed, listener) = Sealed::new(&flags, &bound.name, token.is_some())?;
            bound.listeners.hooks.push(listener);
            Some(sealed)
        }
        false => None,
    };
    if guarded {
        bound.addresses.mark = Some(bound.name.to_string());
        guard(&inside)?;
    }
    let mut signals = Signals::new()?;
    let (session, kept) = inside.run(&flags, recipe, &bound, held.as_mut(), sealed.as_ref())?;
    announce(&bound, &session, &agent, held.as_ref());
    if let Some(token) = token.as_deref().filter(|_| flags.session.welcome) {
        welcome::print(&bound, token)?;
    }
    if shows_board {
        welcome::print_board(&bound.name).await?;
    }

    let tokens = (token, bound.addresses.hook_token.clone());
    let dial = hub.map(|hub| dial::dial(hub, &flags, &bound.name.to_string(), session.status().pid));
    let recording = held.as_ref().map(|held| held.recording.clone());
    let guard = Some(Guard::new(pages::commands, guarded, held.is_some()));
    let options = Options {
        dial,
        recording,
        guard,
        sealed: sealed.is_some(),
        ..options(&flags, &bound.name.to_string(), &agent, tokens)
    };
    let stop = CancellationToken::new();
    let server = tokio::spawn(coop_server::serve(session.clone(), bound.listeners, options, stop.clone()));
    if let Some(held) = &held {
        signals.end_with(held)?;
        held.hand_over_when_asked(&session)?;
    }
    let exit = match until_over(&session, &mut signals, flags.session.linger, &stop).await {
        // Ends at once, and leaves everything as it is for the next one.
        Err(error) if held.is_some() => std::process::exit(held::died(&error)),
        exit => exit?,
    };
    stop.cancel();
    if let Err(error) = server.await {
        tracing::error!(%error, "the server failed");
    }
    drop((kept, sealed));
    if let Some(held) = held {
        held.over();
    }
    Ok(exit)
}

/// The agent inside, if coop knows it.
fn recipe(flags: &Flags, inside: &Inside) -> Result<Option<Recipe>, CommandError> {
    match flags.agent.agent.as_deref() {
        None => Ok(inside.agent()),
        Some(UNKNOWN) => Ok(None),
        Some(name) => pages::named(name).map(|known| Some(known.recipe)),
    }
}

/// Whether what runs inside may only report and look. A program that coop does not know may be an agent; a shell is a
/// person's.
fn is_guarded(recipe: Option<&Recipe>) -> bool {
    recipe.is_none_or(|recipe| recipe.name() != pages::SHELL)
}

/// Has every process below this one known as one of the agent, also those that lose their parent.
fn guard(inside: &Inside) -> io::Result<()> {
    if matches!(inside, Inside::Attach(_)) {
        return Ok(());
    }
    lineage::guard()?;
    pty::adopt_orphans()?;
    let mut ended = signal(SignalKind::child())?;
    tokio::spawn(async move {
        while ended.recv().await.is_some() {
            if let Err(error) = pty::reap_orphans() {
                tracing::debug!(%error, "orphans of the program stay zombies");
            }
        }
    });
    Ok(())
}

/// Waits until the program has ended and, where its last screen is kept, until nobody wants to see it or to start it
/// again.
async fn until_over(
    session: &SessionHandle,
    signals: &mut Signals,
    linger: bool,
    stop: &CancellationToken,
) -> Result<Exit, CommandError> {
    loop {
        let (exit, asked) = until_exit(session, signals).await?;
        tracing::info!(code = exit.shell_code(), "the program has exited");
        if !linger || asked {
            return Ok(exit);
        }
        tokio::select! {
            name = signals.next() => tracing::info!("{name}: no longer lingering"),
            () = stop.cancelled() => {}
            Ok(()) = session.started_again() => continue,
        }
        return Ok(exit);
    }
}

/// Waits for the program to end, and says whether a signal asked it to. A second one kills it.
async fn until_exit(session: &SessionHandle, signals: &mut Signals) -> Result<(Exit, bool), CommandError> {
    let gone = |error: coop_session::SessionError| CommandError::failed(error.to_string());
    let mut asked = false;
    loop {
        tokio::select! {
            exit = session.exited() => return Ok((exit.map_err(gone)?, asked)),
            name = signals.next() => {
                asked = true;
                tracing::info!("{name}: ending the program");
                session.shutdown(name).await.map_err(gone)?;
            }
        }
    }
}

fn config(flags: &Flags, command: coop_terminal::pty::Command, agent: Option<AgentConfig>) -> Config {
    let mut config = Config::new(command);
    config.screen.scrollback = flags.terminal.scrollback as usize;
    config.log_size = usize::try_from(flags.terminal.ring_size).unwrap_or(usize::MAX);
    config.shutdown_grace = flags.session.shutdown_timeout;
    config.agent = agent;
    config.idle_timeout = Some(flags.session.idle_timeout).filter(|time| *time > Duration::ZERO);
    config
}

fn options(flags: &Flags, name: &str, agent: &str, tokens: (Option<String>, Option<String>)) -> Options {
    let defaults = Options::new(name);
    Options {
        agent: agent.into(),
        token: tokens.0,
        hook_token: tokens.1,
        allowed_hosts: flags.access.allow_host.clone(),
        allowed_origins: flags.access.allow_origin.clone(),
        input_rate: flags.access.input_rate.unwrap_or(defaults.input_rate),
        recordings: agent::state_dir_or_none().map(|folder| folder.join("recordings")),
        ..defaults
    }
}

fn announce(bound: &listen::Bound, session: &SessionHandle, agent: &str, held: Option<&Held>) {
    if let Some(held) = held.filter(|held| held.before.is_some()) {
        let pid = session.status().pid;
        if held.handed {
            let version = env!("CARGO_PKG_VERSION");
            return tracing::info!(name = %bound.name, agent, pid, version, "this process has taken over, and the program goes on");
        }
        return tracing::warn!(
            name = %bound.name,
            agent,
            pid,
            deaths = held.deaths,
            "the process that served the program has died; this one goes on, and the program has not noticed"
        );
    }
    let listeners = &bound.listeners;
    let all = [("http", &listeners.http), ("grpc", &listeners.grpc), ("health", &listeners.health)];
    for (serves, listeners) in all {
        for listener in listeners {
            match listener.pin() {
                None => tracing::info!(serves, address = listener.address(), "listening"),
                Some(sha256) => tracing::info!(serves, address = listener.address(), %sha256, "listening"),
            }
        }
    }
    tracing::info!(name = %bound.name, agent, pid = session.status().pid, "the program has started");
    // A person who sees this does not see the program.
    if std::io::stderr().is_terminal() {
        tracing::info!("get into it from another terminal: coop attach {}", bound.name);
    }
}

fn not_started(error: &StartError) -> CommandError {
    let message = error.to_string();
    match error {
        StartError::Spawn(SpawnError::BadCwd { .. } | SpawnError::Pty(_)) | StartError::Thread(_) => {
            CommandError::failed(message)
        }
        StartError::Spawn(_) => CommandError::cannot_execute(message),
    }
}
