//! `--survive`: coop twice. The process that was started holds what must not be lost and sleeps; a second one serves, and
//! is started again if it dies. See docs/adr/0005.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use coop_session::{Left, SessionHandle, Survival};
use coop_terminal::survive::{self, End, Inherited, Link, MASTER, Notes, Tape};
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

use super::access;
use super::agent::Prepared;
use super::listen::{self, Bound};
use crate::{CommandError, secret};

/// What is kept besides the terminal and the listeners.
const TAPE: &str = "tape";
const NOTES: &str = "notes";
const SETTINGS: &str = "settings";
const RECORDING: &str = "recording";

/// So long a message or an answer that is being typed is waited for.
const CALM_LIMIT: Duration = Duration::from_secs(5);
const CALM_GLANCE: Duration = Duration::from_millis(20);

/// A server's own code for having failed, of which it has told already.
const DIED: i32 = 70;

/// What was settled when the program was started, and has to stay so.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Before {
    pub(super) name: String,
    /// Kept in the memory of the holder. Written down here by older coops only.
    #[serde(default, skip_serializing)]
    pub(super) token: Option<String>,
    pub(super) hook_token: Option<String>,
    pub(super) socket: Option<PathBuf>,
    pub(super) url: Option<String>,
    /// Of the agent's files.
    pub(super) folder: Option<PathBuf>,
}

/// A server that is held.
pub(super) struct Held {
    pub(super) link: Link,
    pub(super) survival: Survival,
    /// What the server before this one had settled; nothing for the first.
    pub(super) before: Option<Before>,
    pub(super) deaths: u32,
    pub(super) handed: bool,
    pub(super) token: Option<String>,
    /// Which recording goes on.
    pub(super) recording: Arc<Notes>,
    settings: Notes,
    inherited: Inherited,
}

/// Runs coop as a child of this process, with the same arguments, until all is over. `guarded` says that the program is an
/// agent.
pub(super) fn hold(guarded: bool) -> Result<ExitCode, CommandError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::Unsupported => CommandError::usage("--survive needs Linux"),
        _ => CommandError::failed(format!("The program cannot be held: {error}")),
    };
    // It keeps the token for the next server.
    access::hide_from_program();
    // By its path: if there is another coop by then, the next server is that one.
    let program = std::env::current_exe().map_err(failed)?;
    let args = secret::args();
    let mut unmarked = guarded;
    let end = survive::hold(|start| {
        if std::mem::take(&mut unmarked) {
            // Processes of the agent become children of this one when their server dies. The thread of the mark begins
            // here, where signals are blocked.
            coop_machine::lineage::guard()?;
        }
        let (name, value) = start.env;
        let mut command = Command::new(&program);
        // In a group of its own: Ctrl-C reaches it through us, once, and not twice.
        command.env(name, value).process_group(0);
        let token = start.secret.map(|token| (secret::SESSION_TOKEN, OsStr::from_bytes(token)));
        secret::spawn(&mut command, &args[1..], token.as_slice())
    });
    match end.map_err(failed)? {
        End::Status(status) => Ok(code(status.shell_code())),
        End::GivenUp { last, program } => {
            let how = format!("it ended with {} the last time", last.shell_code());
            let error =
                CommandError::failed(format!("The process that serves the program dies again and again; {how}"))
                    .with_hint("The program was ended. What is wrong is in the log above.");
            let reported = error.report();
            Ok(program.map_or(reported, |status| code(status.shell_code())))
        }
    }
}

fn code(number: i32) -> ExitCode {
    ExitCode::from(u8::try_from(number).unwrap_or(1))
}

/// Says why a server ends before its time, and with what.
pub(super) fn died(error: &CommandError) -> i32 {
    tracing::error!("{}", error.message());
    DIED
}

impl Held {
    pub(super) fn new(mut inherited: Inherited, ring_size: u64) -> Result<Self, CommandError> {
        let failed = |error: io::Error| CommandError::failed(format!("What was left cannot be taken over: {error}"));
        let link = inherited.link().ok_or(io::ErrorKind::NotConnected.into()).flatten().map_err(failed)?;
        let fds = [TAPE, NOTES, SETTINGS].map(|name| inherited.fd(name));
        let (deaths, handed) = (inherited.deaths, inherited.handed);
        let (survival, settings) = match fds {
            [Some(tape), Some(notes), Some(settings)] => {
                let (tape, notes) = (Tape::of(tape).map_err(failed)?, Notes::of(notes));
                let link = Some(link.clone());
                (Survival { link, tape: Arc::new(tape), notes: Arc::new(notes) }, Notes::of(settings))
            }
            _ => {
                let log_size = usize::try_from(ring_size).unwrap_or(usize::MAX);
                (Survival::new(Some(link.clone()), log_size).map_err(failed)?, Notes::new().map_err(failed)?)
            }
        };
        // One that an older coop has left has none.
        let recording = match inherited.fd(RECORDING) {
            Some(fd) => Notes::of(fd),
            None => {
                let recording = Notes::new().map_err(failed)?;
                link.keep(RECORDING, recording.as_fd()).map_err(failed)?;
                recording
            }
        };
        let recording = Arc::new(recording);
        let before: Option<Before> = settings.read().and_then(|text| serde_json::from_slice(&text).ok());
        let token = secret::variable(secret::SESSION_TOKEN).and_then(|token| token.into_string().ok());
        let before = before.map(|before| Before { token: token.or(before.token), ..before });
        Ok(Self { link, survival, before, deaths, handed, token: None, recording, settings, inherited })
    }

    pub(super) fn inherited(&mut self, name: &str) -> Option<OwnedFd> {
        self.inherited.fd(name)
    }

    pub(super) fn keep(&self, name: &str, fd: BorrowedFd<'_>) -> io::Result<()> {
        self.link.keep(name, fd)
    }

    /// The program that was left, if one was. Else everything is kept for the next server, before there is a program.
    pub(super) fn left(&mut self, bound: &Bound, prepared: Option<&Prepared>) -> Result<Option<Left>, CommandError> {
        let failed = |error: io::Error| CommandError::failed(format!("The program cannot be held: {error}"));
        if self.before.is_some() {
            let master = self.inherited(MASTER).ok_or(io::ErrorKind::NotFound.into()).map_err(failed)?;
            return Left::find(&self.survival, master).map(Some).map_err(failed);
        }
        self.keep_all(bound, prepared).map_err(failed)?;
        Ok(None)
    }

    fn keep_all(&self, bound: &Bound, prepared: Option<&Prepared>) -> io::Result<()> {
        let addresses = &bound.addresses;
        let settled = Before {
            name: bound.name.to_string(),
            token: None,
            hook_token: addresses.hook_token.clone(),
            socket: addresses.socket.clone().map(Into::into),
            url: addresses.url.clone(),
            folder: prepared.map(|prepared| prepared.folder().to_owned()),
        };
        if let Some(token) = &self.token {
            self.link.secret(token.as_bytes())?;
        }
        self.settings.write(&serde_json::to_vec(&settled)?)?;
        self.keep(TAPE, self.survival.tape.as_fd())?;
        self.keep(NOTES, self.survival.notes.as_fd())?;
        self.keep(SETTINGS, self.settings.as_fd())?;
        listen::keep(bound, self)
    }

    /// Ends when somebody asks for it, as soon as nothing is half typed, so that the holder starts the coop that is
    /// installed now.
    pub(super) fn hand_over_when_asked(&self, session: &SessionHandle) -> io::Result<()> {
        let mut asked = signal(SignalKind::user_defined2())?;
        let (link, session) = (self.link.clone(), session.clone());
        tokio::spawn(async move {
            asked.recv().await;
            let until = Instant::now() + CALM_LIMIT;
            while Instant::now() < until && session.is_calm().await == Ok(false) {
                tokio::time::sleep(CALM_GLANCE).await;
            }
            tracing::info!("handing over to another process");
            match link.hand_over() {
                // At once: whatever was read is kept, and everything else stays as it is for the next one.
                Ok(()) => std::process::exit(0),
                Err(error) => tracing::warn!(%error, "there is nobody to hand over to"),
            }
        });
        Ok(())
    }

    /// All is over, and the holder may end.
    pub(super) fn over(&self) {
        if let Err(error) = self.link.bye() {
            tracing::debug!(%error, "the holder is gone");
        }
    }
}
