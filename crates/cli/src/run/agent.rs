//! The agent to run: its settings, its hooks, and where it keeps its files.

mod files;
mod pipe;
mod resume;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use coop_core::agent::evidence::Source;
use coop_core::agent::gate::{Groom, StartConfig, StopConfig};
use coop_drivers::{Driver, LaunchRequest};
use coop_session::{AgentConfig, SessionHandle};
use coop_terminal::pty;
use serde::Deserialize;
use serde_json::Value;

use files::AgentFiles;

use super::flags::{self, AgentFlags};
use crate::CommandError;
use crate::sessions::Name;

/// A hook that asks may wait this long for its answer; coop gives up a little before the agent does.
const HOOK_TIMEOUT_SECS: u64 = 3600;

/// What an orchestrator says about the agent, in the file of `--agent-config`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct ConfigFile {
    stop: StopConfig,
    start: StartConfig,
}

/// An agent that is ready to be started.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) config: AgentConfig,
    /// Removed when the session is over.
    #[allow(dead_code, reason = "held, not looked at")]
    files: AgentFiles,
    pipe: Option<PathBuf>,
}

impl Prepared {
    /// The session is there: hooks may write to their pipe.
    pub(super) fn listen(&self, session: &SessionHandle) {
        let read = self.pipe.as_deref().map(|path| pipe::read(path, session.clone()));
        if let Some(Err(error)) = read {
            tracing::warn!(%error, "the hooks' pipe cannot be read");
        }
    }
}

/// Fits `command` for the agent it runs. Nothing for a program without a driver.
pub(super) fn prepare(
    flags: &AgentFlags,
    agent: flags::Agent,
    name: &Name,
    command: &mut pty::Command,
) -> Result<Option<Prepared>, CommandError> {
    let given = flags.agent_config.as_deref().map(read_json).transpose()?;
    let Some(driver) = coop_drivers::driver(agent.name()) else {
        if flags.resume.is_some() {
            return Err(CommandError::usage("--resume needs an agent that coop knows")
                .with_hint("Say which one it is, for example: --agent claude"));
        }
        remark(flags);
        return Ok(None);
    };
    let file: ConfigFile = match (&given, &flags.agent_config) {
        (Some(value), Some(path)) => serde_json::from_value(value.clone())
            .map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))?,
        _ => ConfigFile::default(),
    };
    let groom = groom(flags.groom);
    let config_dir = config_dir(driver.as_ref(), &command.env);
    let cwd = command.cwd.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let mut files = AgentFiles::new(name)?;
    let mut args: Vec<String> = command.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let for_shell = is_shell(&command.program, &args);
    let resumed = match &flags.resume {
        Some(hint) if for_shell => {
            return Err(CommandError::usage(format!("--resume {hint} needs the agent's command without a shell")));
        }
        Some(hint) => Some(resume::find(driver.as_ref(), config_dir.as_deref(), &cwd, hint)?),
        None => None,
    };
    if let Some(id) = &resumed {
        args.extend(driver.resume_args(id));
    }
    let request = LaunchRequest {
        user_settings: user_settings(&args)?,
        args,
        hook_command: hook_command()?,
        hook_timeout_secs: HOOK_TIMEOUT_SECS,
        groom,
        agent_config: given,
        session_dir: files.folder().to_owned(),
        version: version(&command.program, &command.env),
        session_id: None,
    };
    let mut session_id = resumed;
    if for_shell {
        tracing::warn!("the agent is started by a shell: coop cannot give it its hooks, and sees less");
    } else {
        let request = LaunchRequest { session_id: Some(random_uuid()?), ..request.clone() };
        let launch = driver.launch(&request).map_err(|error| CommandError::usage(error.to_string()))?;
        for (path, text) in &launch.files {
            files.write(path, text)?;
        }
        command.args = launch.args.into_iter().map(OsString::from).collect();
        command.env.extend(launch.env.into_iter().map(|(name, value)| (name.into(), value.into())));
        session_id = session_id.or(launch.session_id);
    }
    let spool = files.folder().join("spool.jsonl");
    let mut pipe = None;
    if groom != Groom::Pristine {
        command.env.push(("COOP_SPOOL".into(), spool.clone().into()));
        let path = files.folder().join("hooks.pipe");
        match pipe::make(&path) {
            Ok(()) => {
                command.env.push(("COOP_HOOK_PIPE".into(), path.clone().into()));
                pipe = Some(path);
            }
            Err(error) => tracing::warn!(%error, "there is no pipe for hooks"),
        }
    }
    let stdout_json = request.args.iter().any(|arg| arg.contains("stream-json"));
    let mut without: Vec<Source> = flags.without.iter().map(|source| source.0).collect();
    if stdout_json && !request.args.iter().any(|arg| arg.starts_with("--input-format")) {
        // It has its one message already, and still registers as idle before it takes it.
        without.push(Source::Registry);
    }
    let config = AgentConfig {
        config_dir,
        session_id,
        groom,
        trusted_cwd: true,
        idle_grace: flags.idle_grace.unwrap_or(Duration::from_secs(60)),
        stop: file.stop,
        start: file.start,
        without,
        spool: Some(spool),
        record: flags.record_evidence.clone(),
        stdout_json,
        ..AgentConfig::new(driver.name(), state_dir())
    };
    Ok(Some(Prepared { config, files, pipe }))
}

/// Says once which flags have no effect on a program that coop knows nothing about.
fn remark(flags: &AgentFlags) {
    let given = [
        (flags.agent_config.is_some(), "--agent-config"),
        (flags.idle_grace.is_some(), "--idle-grace"),
        (flags.groom.is_some(), "--groom"),
    ];
    let given: Vec<&str> = given.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag).collect();
    if !given.is_empty() {
        tracing::warn!("{} has no effect on a program that is no agent coop knows", given.join(", "));
    }
}

fn groom(flag: Option<flags::Groom>) -> Groom {
    match flag {
        None | Some(flags::Groom::Auto) => Groom::Auto,
        Some(flags::Groom::Manual) => Groom::Manual,
        Some(flags::Groom::Pristine) => Groom::Pristine,
    }
}

fn read_json(path: &Path) -> Result<Value, CommandError> {
    let shown = path.display();
    let text = fs::read(path).map_err(|error| CommandError::usage(format!("{shown} cannot be read: {error}")))?;
    serde_json::from_slice(&text).map_err(|error| CommandError::usage(format!("{shown} is not JSON: {error}")))
}

/// The settings that the user's own arguments give: a file, or the JSON itself.
fn user_settings(args: &[String]) -> Result<Option<Value>, CommandError> {
    let inline = args.iter().find_map(|arg| arg.strip_prefix("--settings="));
    let next = args.iter().position(|arg| arg == "--settings").and_then(|at| args.get(at + 1)).map(String::as_str);
    let Some(given) = inline.or(next) else { return Ok(None) };
    if given.trim_start().starts_with('{') {
        let value = serde_json::from_str(given);
        return value.map(Some).map_err(|error| CommandError::usage(format!("--settings is not JSON: {error}")));
    }
    read_json(Path::new(given)).map(Some)
}

fn is_shell(program: &OsStr, args: &[String]) -> bool {
    program == "/bin/sh" && args.first().is_some_and(|arg| arg == "-c")
}

pub(crate) fn hook_command() -> Result<String, CommandError> {
    let exe =
        std::env::current_exe().map_err(|error| CommandError::failed(format!("coop cannot find itself: {error}")))?;
    Ok(format!("{} hook", quoted(&exe.to_string_lossy())))
}

/// For a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn variable<'a>(env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    env.iter().rev().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_os_str())
}

pub(crate) fn config_dir(driver: &dyn Driver, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let paths = driver.paths();
    let own = variable(env, &paths.config_variable).map(PathBuf::from);
    own.or_else(|| variable(env, "HOME").map(|home| Path::new(home).join(&paths.config)))
}

/// Where coop keeps what outlives a session.
pub(crate) fn state_dir() -> PathBuf {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = from("XDG_STATE_HOME").or_else(|| from("HOME").map(|home| home.join(".local/state")));
    state.unwrap_or_else(std::env::temp_dir).join("coop")
}

/// The agent's version, from the package its program belongs to: starting the agent to ask it would take a second.
pub(crate) fn version(program: &OsStr, env: &[(OsString, OsString)]) -> Option<String> {
    let path = if Path::new(program).components().count() > 1 {
        PathBuf::from(program)
    } else {
        let folders = variable(env, "PATH")?;
        std::env::split_paths(folders).map(|folder| folder.join(program)).find(|path| path.is_file())?
    };
    let real = fs::canonicalize(path).ok()?;
    real.ancestors().skip(1).take(3).find_map(|folder| {
        let package: Value = serde_json::from_slice(&fs::read(folder.join("package.json")).ok()?).ok()?;
        package.get("version")?.as_str().map(str::to_owned)
    })
}

fn random_uuid() -> Result<String, CommandError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| CommandError::failed(format!("No random numbers: {error}")))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}

/// A source of evidence, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceName(pub(crate) Source);

impl std::str::FromStr for SourceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Source::ALL.into_iter().find(|source| source.name() == text);
        named.map(Self).ok_or_else(|| format!("it is one of {}", Source::ALL.map(Source::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_in_arguments() {
        let find = |args: &[&str]| user_settings(&args.iter().map(ToString::to_string).collect::<Vec<_>>());
        let model = serde_json::json!({ "model": "x" });
        assert_eq!(find(&["--settings", r#"{"model":"x"}"#]).ok(), Some(Some(model.clone())));
        assert_eq!(find(&[r#"--settings={"model":"x"}"#, "-p"]).ok(), Some(Some(model)));
        assert_eq!(find(&["-p", "hello"]).ok(), Some(None));
        assert_eq!(find(&["--settings"]).ok(), Some(None));
        assert!(find(&["--settings", "{"]).is_err());
        assert!(find(&["--settings", "/no/such/file"]).is_err());
    }

    #[test]
    fn paths_with_quotes_survive_a_shell() {
        assert_eq!(quoted("/a b/it's"), r"'/a b/it'\''s'");
    }

    #[test]
    fn ids_are_uuids_of_version_4() {
        let id = random_uuid().unwrap();
        let parts: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(&id[14..15], "4");
        assert_ne!(id, random_uuid().unwrap());
    }
}
