//! `--sealed`: the program runs where coop's folders are empty and coop's processes cannot be seen. See docs/containment.md.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use coop_server::Listener;
use coop_terminal::seal::Seal;

use super::agent::state_dir;
use super::flags::Flags;
use crate::sessions::{self, Name};
use crate::{CommandError, out, pages};

/// The word after `coop` by which coop runs a program sealed. Not for people.
const VERB: &str = "run-sealed";
const SOCKET: &str = "hooks.sock";

const NEXT_STEP: &str = "Allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, \
                         kernel.apparmor_restrict_unprivileged_userns), run coop in a container of its own, or start \
                         without --sealed: the session has the guard rail then.";

/// A seal that is ready for its program. Dropping it removes its folder.
#[derive(Debug)]
pub(super) struct Sealed {
    folder: PathBuf,
}

impl Sealed {
    /// Makes the folder that the program sees of coop, with a socket for its hooks.
    pub(super) fn new(flags: &Flags, name: &Name, has_token: bool) -> Result<(Self, Listener), CommandError> {
        check(flags, has_token)?;
        sessions::make_folder()?;
        let folder = sessions::folder().join(format!("{name}.{}.sealed", std::process::id()));
        let made = fs::DirBuilder::new().mode(0o700).create(&folder);
        made.map_err(|error| CommandError::failed(format!("{} cannot be made: {error}", folder.display())))?;
        let sealed = Self { folder };
        let listener = Listener::unix(&sealed.socket()).map_err(|error| CommandError::failed(error.to_string()))?;
        Ok((sealed, listener))
    }

    /// Where hooks go.
    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join(SOCKET)
    }

    /// The command that runs the program sealed, once it has run coop so. `files` are those of the agent.
    pub(super) fn runner(&self, files: &Path) -> Result<Vec<OsString>, CommandError> {
        for folder in own_folders() {
            // One that is made later would not be hidden.
            let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            made.map_err(|error| CommandError::failed(format!("{} cannot be made: {error}", folder.display())))?;
        }
        let kept = vec![self.folder.clone(), files.to_owned()];
        let seal = Seal { hidden: own_folders().chain(doors()).collect(), kept };
        let runner = runner(&seal)?;
        let failed = |why| CommandError::failed(format!("The program cannot be sealed: {why}")).with_hint(NEXT_STEP);
        probe(&runner)?.map_err(failed)?;
        Ok(runner)
    }
}

fn runner(seal: &Seal) -> io::Result<Vec<OsString>> {
    Ok([vec![std::env::current_exe()?.into(), VERB.into()], seal.words()].concat())
}

/// Runs coop itself so. The error says why that does not work here.
fn probe(runner: &[OsString]) -> io::Result<Result<(), String>> {
    let Some((coop, words)) = runner.split_first() else { return Ok(Ok(())) };
    let tried = Command::new(coop).args(words).arg(coop).arg("--version").stdin(Stdio::null()).output()?;
    if tried.status.success() {
        return Ok(Ok(()));
    }
    let why = String::from_utf8_lossy(&tried.stderr).into_owned();
    let why = why.trim().trim_start_matches("coop: ");
    Ok(Err(out::harmless(why.lines().next().unwrap_or_default())))
}

/// Whether programs can be sealed on this machine; if not, why, and what to do.
pub(crate) fn works_here() -> Result<(), (String, &'static str)> {
    let tried = runner(&Seal::default()).and_then(|runner| probe(&runner));
    tried.unwrap_or_else(|error| Err(error.to_string())).map_err(|why| (why, NEXT_STEP))
}

impl Drop for Sealed {
    fn drop(&mut self) {
        // What cannot be removed is in a folder that is emptied at the next boot.
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// What `--sealed` does not go with is said before anything is touched.
pub(super) fn check(flags: &Flags, has_token: bool) -> Result<(), CommandError> {
    if !cfg!(target_os = "linux") {
        return Err(CommandError::usage("--sealed needs Linux")
            .with_hint("Run coop in a container, or without --sealed: the session has the guard rail then."));
    }
    let has_port = flags.listen.port.or(flags.listen.grpc_port).is_some();
    if has_port && !has_token {
        return Err(CommandError::usage(
            "With --sealed a port needs a token: the program inside can connect to it too",
        )
        .with_hint("Make one with `coop token`, and give it in the variable COOP_AUTH_TOKEN."));
    }
    Ok(())
}

/// Where coop has its sockets, its state and its settings.
fn own_folders() -> impl Iterator<Item = PathBuf> {
    // Without a home there is no folder with a state.
    [sessions::folder(), pages::config_folder()].into_iter().chain(state_dir())
}

/// Where other services of this account listen that start programs outside of the seal.
fn doors() -> impl Iterator<Item = PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let services = runtime.into_iter().flat_map(|folder| [folder.join("systemd"), folder.join("bus")]);
    let uid = rustix::process::getuid().as_raw();
    services.chain([format!("/tmp/tmux-{uid}").into(), "/run/screen".into()])
}

/// Runs what the command line says sealed, if it says so. Returns only if that cannot be done.
pub(crate) fn requested(mut args: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    args.next()?;
    args.next().filter(|verb| verb == VERB)?;
    let (seal, program) = Seal::parse(args)?;
    let error = seal.run(&program);
    out::complain(&format!("coop: {error}\n"));
    Some(ExitCode::from(126))
}
