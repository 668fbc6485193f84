//! The agent to run: its settings, its hooks, and where it keeps its files.

mod again;
mod comments;
mod files;
mod pipe;
mod resume;
mod server;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use coop_core::agent::cost::Prices;
use coop_core::agent::evidence::Source;
use coop_core::agent::gate::{Groom, StartConfig, StopConfig};
use coop_core::agent::lifted::LiftedConfig;
use coop_drivers::page::ScreenPatterns;
use coop_drivers::{Driver, LaunchRequest, OwnFolder, Recipe};
use coop_session::{AgentConfig, Launcher, SessionHandle};
use coop_terminal::pty;
use serde::Deserialize;
use serde_json::Value;

use files::AgentFiles;
pub(super) use files::folder;

use super::flags::{self, AgentFlags};
use super::held::Before;
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
    lifted: LiftedConfig,
}

/// An agent that is ready to be started.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) config: AgentConfig,
    /// How it is started again.
    pub(super) launcher: Arc<dyn Launcher>,
    /// Removed when the session is over.
    files: AgentFiles,
    pipe: Option<PathBuf>,
    /// Where the agent's own server listens.
    server: Option<PathBuf>,
}

impl Prepared {
    /// Where its files are.
    pub(super) fn folder(&self) -> &Path {
        self.files.folder()
    }

    /// The session is there: hooks may write to their pipe.
    pub(super) fn listen(&self, session: &SessionHandle) {
        let read = self.pipe.as_deref().map(|path| pipe::read(path, session.clone()));
        if let Some(Err(error)) = read {
            tracing::warn!(%error, "the hooks' pipe cannot be read");
        }
        if let Some(socket) = &self.server {
            tokio::spawn(server::follow(socket.clone(), self.config.recipe.clone(), session.clone()));
        }
    }
}

/// Fits `command` for the agent it runs. Nothing for a program without a driver.
pub(super) fn prepare(
    flags: &AgentFlags,
    recipe: Option<Recipe>,
    name: &Name,
    command: &mut pty::Command,
    before: Option<&Before>,
) -> Result<Option<Prepared>, CommandError> {
    let given = flags.agent_config.as_deref().map(read_json).transpose()?;
    let recipe = match recipe {
        None => patterns(given.as_ref(), flags)?,
        known => known,
    };
    let Some(recipe) = recipe else {
        if flags.resume.is_some() {
            return Err(CommandError::usage("--resume needs an agent that coop knows")
                .with_hint("Say which one it is, for example: --agent claude"));
        }
        remark(flags);
        return Ok(None);
    };
    let driver = recipe.driver();
    let file: ConfigFile = match (&given, &flags.agent_config) {
        (Some(value), Some(path)) => serde_json::from_value(value.clone())
            .map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))?,
        _ => ConfigFile::default(),
    };
    let file = ConfigFile { lifted: lifted(flags, file.lifted)?, ..file };
    let groom = groom(flags.groom);
    let files = match before {
        Some(Before { folder: Some(folder), .. }) => AgentFiles::adopt(folder),
        _ => AgentFiles::new(name)?,
    };
    let mut pipe = None;
    if groom != Groom::Pristine {
        let path = files.folder().join("hooks.pipe");
        let made = if before.is_some() && path.exists() { Ok(()) } else { pipe::make(&path) };
        match made {
            Ok(()) => pipe = Some(path),
            Err(error) => tracing::warn!(%error, "there is no pipe for hooks"),
        }
    }
    let fitting = Fitting {
        recipe: recipe.clone(),
        given,
        file,
        groom,
        idle_grace: flags.idle_grace.or(driver.idle_grace()).unwrap_or(Duration::from_secs(60)),
        without: flags.without.iter().map(|source| source.0).collect(),
        record: flags.record_evidence.clone(),
        prices: Arc::new(prices()?),
        folder: files.folder().to_owned(),
        pipe: pipe.clone(),
    };
    let args = strings(&command.args);
    // Of one that runs, the conversation is known already.
    let resumed = match flags.resume.as_ref().filter(|_| before.is_none()) {
        Some(hint) if is_shell(&command.program, &args) => {
            return Err(CommandError::usage(format!("--resume {hint} needs the agent's command without a shell")));
        }
        Some(hint) if let Recipe::Page(page) = &recipe => {
            if !page.resumes(hint) {
                let what = format!("--resume {hint}: the page of {} does not say how", page.name());
                return Err(CommandError::usage(what).with_hint("It is said in its [resume], by `latest` and `id`."));
            }
            Some(hint.clone())
        }
        Some(hint) => {
            let config_dir = config_dir(driver.as_ref(), &command.env);
            Some(resume::find(driver.as_ref(), config_dir.as_deref(), &working_folder(command), hint)?)
        }
        None => None,
    };
    let base = command.clone();
    let fitted = fitting.fit(base.clone(), args, resumed)?;
    if before.is_none() {
        fitted.write()?;
    }
    *command = fitted.command;
    let server = fitted.server;
    let launcher = Arc::new(again::Relaunch { fitting, base });
    Ok(Some(Prepared { config: fitted.config, launcher, files, pipe, server }))
}

/// What is known about an agent that was not started by coop: nothing can be told to it but by its terminal, and by its
/// hooks if they were installed.
pub(super) fn attached(
    flags: &AgentFlags,
    recipe: Option<Recipe>,
    env: &[(OsString, OsString)],
) -> Result<Option<AgentConfig>, CommandError> {
    let given = flags.agent_config.as_deref().map(read_json).transpose()?;
    let recipe = match recipe {
        None => patterns(given.as_ref(), flags)?,
        known => known,
    };
    let Some(recipe) = recipe else {
        remark(flags);
        return Ok(None);
    };
    let file: ConfigFile = given
        .map(serde_json::from_value)
        .transpose()
        .map_err(|error| {
            CommandError::usage(format!(
                "{}: {error}",
                flags.agent_config.as_deref().unwrap_or(Path::new("")).display()
            ))
        })?
        .unwrap_or_default();
    let driver = recipe.driver();
    let hooks = match &recipe {
        Recipe::Own(own) => crate::commands::has_hooks(*own),
        Recipe::Page(_) => false,
    };
    Ok(Some(AgentConfig {
        config_dir: config_dir(driver.as_ref(), env),
        // The person at the terminal answers what it asks at its start, unless coop is told to.
        groom: flags.groom.map_or(Groom::Manual, |_| groom(flags.groom)),
        idle_grace: flags.idle_grace.or(driver.idle_grace()).unwrap_or(Duration::from_secs(60)),
        stop: file.stop,
        start: file.start,
        lifted: lifted(flags, file.lifted)?,
        without: flags.without.iter().map(|source| source.0).collect(),
        record: flags.record_evidence.clone(),
        prices: Arc::new(prices()?),
        hooks,
        ..AgentConfig::new(recipe, state_dir_or_none())
    }))
}

/// What a command is fitted with, the first time and again.
#[derive(Clone, Debug)]
struct Fitting {
    recipe: Recipe,
    given: Option<Value>,
    file: ConfigFile,
    groom: Groom,
    idle_grace: Duration,
    without: Vec<Source>,
    record: Option<PathBuf>,
    prices: Arc<Prices>,
    folder: PathBuf,
    pipe: Option<PathBuf>,
}

/// A command that is ready to be started when the files it needs are written.
#[derive(Debug)]
struct Fitted {
    command: pty::Command,
    files: Vec<(PathBuf, String)>,
    links: Vec<(PathBuf, PathBuf)>,
    folders: Vec<PathBuf>,
    config: AgentConfig,
    server: Option<PathBuf>,
}

impl Fitted {
    fn write(&self) -> Result<(), CommandError> {
        self.files.iter().try_for_each(|(path, text)| files::write(path, text))?;
        self.links.iter().try_for_each(|(link, target)| files::link(link, target))?;
        self.folders.iter().try_for_each(|folder| files::make_folder(folder))
    }
}

impl Fitting {
    /// `command` with other arguments, which go on with a conversation if there is one to.
    fn fit(
        &self,
        mut command: pty::Command,
        mut args: Vec<String>,
        resumed: Option<String>,
    ) -> Result<Fitted, CommandError> {
        let driver = self.recipe.driver();
        let config_dir = config_dir(driver.as_ref(), &command.env);
        let for_shell = is_shell(&command.program, &args);
        if let Some(id) = &resumed {
            args = driver.resume_args(args, id);
        }
        let own_folder = own_folder(driver.as_ref(), config_dir.as_deref(), self.given.as_ref())?;
        let request = LaunchRequest {
            own_folder,
            user_settings: user_settings(driver.as_ref(), &args)?,
            args,
            hook_command: hook_command()?,
            hook_program: hook_program()?,
            hook_timeout_secs: HOOK_TIMEOUT_SECS,
            groom: self.groom,
            agent_config: self.given.clone(),
            session_dir: self.folder.clone(),
            version: version(&command.program, &command.env),
            session_id: None,
        };
        let mut session_id = resumed;
        let (mut hooks, mut server) = (false, None);
        let (mut files, mut links, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        command.args = request.args.iter().map(OsString::from).collect();
        if for_shell {
            tracing::warn!("the agent is started by a shell: coop cannot give it its hooks, and sees less");
        } else {
            let request = LaunchRequest { session_id: Some(random_uuid()?), ..request.clone() };
            let launch = driver.launch(&request).map_err(|error| CommandError::usage(error.to_string()))?;
            (files, links, folders) = (launch.files, launch.links, launch.folders);
            command.args = launch.args.into_iter().map(OsString::from).collect();
            command.env.extend(launch.env.into_iter().map(|(name, value)| (name.into(), value.into())));
            session_id = session_id.or(launch.session_id);
            hooks = launch.hooks;
            if let Some(companion) = launch.companion {
                server::start_before(&mut command, &companion, &self.folder);
                server = Some(companion.socket);
            }
        }
        let spool = self.folder.join("spool.jsonl");
        if self.groom != Groom::Pristine {
            command.env.push(("COOP_SPOOL".into(), spool.clone().into()));
            command.env.extend(self.pipe.iter().map(|path| ("COOP_HOOK_PIPE".into(), path.clone().into())));
        }
        let printing = driver.prints(&request.args);
        let mut without = self.without.clone();
        without.extend(printing.without);
        let config = AgentConfig {
            config_dir,
            session_id,
            groom: self.groom,
            trusted_cwd: true,
            idle_grace: self.idle_grace,
            stop: self.file.stop.clone(),
            start: self.file.start.clone(),
            lifted: self.file.lifted.clone(),
            without,
            spool: Some(spool),
            record: self.record.clone(),
            prices: self.prices.clone(),
            stdout_json: printing.json,
            hooks,
            server: server.is_some(),
            ..AgentConfig::new(self.recipe.clone(), state_dir_or_none())
        };
        Ok(Fitted { command, files, links, folders, config, server })
    }
}

fn strings(args: &[OsString]) -> Vec<String> {
    args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

fn working_folder(command: &pty::Command) -> PathBuf {
    command.cwd.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// A page made of the patterns of `--agent-config`, for a program that has none.
fn patterns(given: Option<&Value>, flags: &AgentFlags) -> Result<Option<Recipe>, CommandError> {
    let Some(screen) = given.and_then(|config| config.get("screen")) else { return Ok(None) };
    let file = flags.agent_config.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let patterns: ScreenPatterns = serde_json::from_value(screen.clone())
        .map_err(|error| CommandError::usage(format!("{file}, `screen`: {error}")))?;
    Ok(patterns.page("unknown").map(|page| Recipe::Page(Arc::new(page))))
}

/// Says once which flags have no effect on a program that coop knows nothing about.
fn remark(flags: &AgentFlags) {
    let given = [
        (flags.agent_config.is_some(), "--agent-config"),
        (flags.idle_grace.is_some(), "--idle-grace"),
        (flags.groom.is_some(), "--groom"),
        (flags.resume_when_lifted.is_some(), "--resume-when-lifted"),
    ];
    let given: Vec<&str> = given.into_iter().filter(|(given, _)| *given).map(|(_, flag)| flag).collect();
    if !given.is_empty() {
        tracing::warn!("{} has no effect on a program that is no agent coop knows", given.join(", "));
    }
}

/// The flag counts more than the file.
fn lifted(flags: &AgentFlags, file: LiftedConfig) -> Result<LiftedConfig, CommandError> {
    match &flags.resume_when_lifted {
        Some(message) if message.trim().is_empty() => {
            Err(CommandError::usage("--resume-when-lifted needs a message, or none for `continue`"))
        }
        Some(message) => Ok(LiftedConfig { enabled: true, message: message.clone() }),
        None => Ok(file),
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
fn user_settings(driver: &dyn Driver, args: &[String]) -> Result<Option<Value>, CommandError> {
    let Some(given) = driver.settings_argument(args) else { return Ok(None) };
    if given.trim_start().starts_with('{') {
        let value = serde_json::from_str(given);
        return value.map(Some).map_err(|error| CommandError::usage(format!("--settings is not JSON: {error}")));
    }
    read_json(Path::new(given)).map(Some)
}

/// What the user has in the agent's own folder, if the orchestrator wants something that has to be put beside it.
fn own_folder(
    driver: &dyn Driver,
    config_dir: Option<&Path>,
    config: Option<&Value>,
) -> Result<Option<OwnFolder>, CommandError> {
    let wanted =
        config.is_some_and(|config| ["settings", "mcp", "hooks"].iter().any(|name| config.get(name).is_some()));
    let (Some(settings), Some(path)) = (driver.paths().settings.filter(|_| wanted), config_dir) else {
        return Ok(None);
    };
    let names = fs::read_dir(path).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let file = path.join(settings);
    let settings = match fs::read_to_string(&file) {
        Ok(text) => Some(
            serde_json::from_str(&comments::without(&text))
                .map_err(|error| CommandError::usage(format!("{} is not JSON: {error}", file.display())))?,
        ),
        Err(_) => None,
    };
    Ok(Some(OwnFolder { path: path.to_owned(), names, settings }))
}

fn is_shell(program: &OsStr, args: &[String]) -> bool {
    program == "/bin/sh" && args.first().is_some_and(|arg| arg == "-c")
}

fn hook_program() -> Result<Vec<String>, CommandError> {
    let exe =
        std::env::current_exe().map_err(|error| CommandError::failed(format!("coop cannot find itself: {error}")))?;
    Ok(vec![exe.to_string_lossy().into_owned(), "hook".to_owned()])
}

/// The same for a shell.
pub(crate) fn hook_command() -> Result<String, CommandError> {
    Ok(hook_program()?.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
}

/// For a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn variable<'a>(env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    env.iter().rev().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_os_str())
}

pub(crate) fn config_dir(driver: &dyn Driver, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let paths = driver.paths();
    let own = variable(env, &paths.config_variable).map(PathBuf::from);
    let own = own.map(|folder| if paths.config_below { folder.join(&paths.config) } else { folder });
    own.or_else(|| variable(env, "HOME").map(|home| Path::new(home).join(&paths.config)))
}

/// What models cost, with what the user says about it.
pub(crate) fn prices() -> Result<Prices, CommandError> {
    let path = crate::pages::config_folder().join("prices.toml");
    let text = match crate::folders::read_config(&path) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(coop_drivers::prices::known()),
        Err(error) => return Err(CommandError::usage(format!("{} cannot be read: {error}", path.display()))),
    };
    coop_drivers::prices::with(&text).map_err(|error| CommandError::usage(format!("{}, {error}", path.display())))
}

pub(crate) use crate::folders::state_dir;

/// A session runs without the folder too: it keeps no transcripts then.
pub(super) fn state_dir_or_none() -> Option<PathBuf> {
    state_dir().inspect_err(|error| tracing::warn!("nothing is kept of this session: {}", error.message())).ok()
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
        let driver = coop_drivers::driver("claude").unwrap();
        let find =
            |args: &[&str]| user_settings(driver.as_ref(), &args.iter().map(ToString::to_string).collect::<Vec<_>>());
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
