//! A real agent, prepared to run offline: a folder that is its home, a project, the scripted model as its vendor, and the
//! command that starts it.
//!
//! Its environment is made here, whole. Of the caller's nothing is passed on: not a key, not a proxy, not a home.

mod claude;
mod codex;
mod gemini;
mod install;
mod opencode;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use coop_terminal::Size;
use coop_terminal::pty::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::bell::Bell;
use crate::hooks::{self, HookLine};
use crate::{Model, Scenario};

/// The key that agents have for the scripted model. It is nobody's.
pub const KEY: &str = "sk-scripted-0123456789abcdef0123456789abcdef";

/// Wide enough that no dialog wraps its options, high enough for a few turns.
const COLS: u32 = 120;
const ROWS: u32 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Claude,
    Codex,
    Gemini,
    OpenCode,
}

/// What an agent may ask before it starts. Without one of these it starts at its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Whether to trust the project's folder.
    Trust,
    /// Whether to use the key of the environment.
    ApiKey,
    /// How to log in.
    Login,
    /// Whether hooks that nobody has looked at may run.
    HooksReview,
    /// Whether to go on with a newer model.
    ModelMigration,
}

/// Who is told by the agent's hooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Hooks {
    None,
    /// A script that writes down what it is told, for [`Agent::hook_lines`].
    #[default]
    Record,
    /// The agent's own hooks table: event → matchers.
    Table(Value),
    /// The same, and for one of its events the script beside it.
    Beside(Value, &'static str),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resume {
    #[default]
    New,
    /// The latest conversation of the project.
    Latest,
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub dialog: Option<Dialog>,
    pub hooks: Hooks,
    pub resume: Resume,
    /// After those that make it run offline.
    pub args: Vec<String>,
    /// In addition to what it needs; later ones win.
    pub env: Vec<(String, String)>,
    pub size: Option<Size>,
    /// The name of the folder it works in [project].
    pub project: Option<String>,
    /// For coop itself, in a session of its.
    pub coop: Vec<String>,
    /// The agent is started in a tmux of its own, and coop attaches to that.
    pub tmux: bool,
    /// coop takes that for a tmux of before 3.2.
    pub old_tmux: bool,
    /// The same in a GNU Screen.
    pub screen: bool,
    /// Another coop than the one that was built.
    pub program: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("{name} {version} is not installed in {}: run `make agents`", cache.display())]
    NotInstalled { name: &'static str, version: String, cache: PathBuf },
    #[error("{name} {version} is not among the agents of scripts/agents.txt: add it there and run `make agents`")]
    NotPinned { name: &'static str, version: String },
    #[error("where agents are installed is not known: set HOME, XDG_CACHE_HOME or COOP_TEST_AGENTS")]
    NoCache,
    #[error("node, which agents run on, is not in PATH")]
    NoNode,
    #[error("{0:?} has no {1:?} dialog")]
    NoSuchDialog(Kind, Dialog),
    #[error("the agent's home could not be prepared: {0}")]
    Home(#[from] io::Error),
}

/// An agent's home, project and model. They end with it, so keep it as long as the agent runs.
#[derive(Debug)]
pub struct Agent {
    pub kind: Kind,
    pub version: String,
    pub model: Model,
    pub home: PathBuf,
    pub project: PathBuf,
    /// What starts it with the options it was launched with.
    pub command: Command,
    program: PathBuf,
    pub(crate) bell: Bell,
    /// Removes it all.
    _folder: TempDir,
}

impl Agent {
    /// Prepares `version` of an agent to play `scenario`. It starts when somebody runs `command`.
    pub fn launch(kind: Kind, version: &str, scenario: Scenario, options: &Options) -> Result<Self, LaunchError> {
        let program = install::program(kind, version)?;
        let folder = tempfile::Builder::new().prefix("coop-bench-").tempdir()?;
        // As the agent will see it: it asks the system where it is, and trust is given to a path.
        let root = folder.path().canonicalize()?;
        let (home, project) = (root.join("home"), root.join(options.project.as_deref().unwrap_or("project")));
        fs::create_dir(&home)?;
        fs::create_dir(&project)?;
        fs::write(project.join("README.md"), "# demo\n")?;
        let bell = Bell::default();
        let model = Model::start_with(scenario, &project, bell.clone())?;
        hooks::write_recorder(&home)?;
        let place = Place { home: &home, project: &project, url: &model.url() };
        let command = command(kind, &program, &place, options)?;
        Ok(Self { kind, version: version.to_owned(), model, command, home, project, program, bell, _folder: folder })
    }

    /// A command that starts it again in the same home, such as to resume.
    pub fn relaunch(&mut self, options: &Options) -> Result<(), LaunchError> {
        let place = Place { home: &self.home, project: &self.project, url: &self.model.url() };
        self.command = command(self.kind, &self.program, &place, options)?;
        Ok(())
    }

    /// What hooks were told so far, oldest first.
    #[must_use]
    pub fn hook_lines(&self) -> Vec<HookLine> {
        hooks::read(&self.home)
    }
}

/// Where an agent lives and whom it talks to.
struct Place<'a> {
    home: &'a Path,
    project: &'a Path,
    url: &'a str,
}

/// What is particular to one kind of agent.
#[derive(Default)]
struct Setup {
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

fn command(kind: Kind, program: &Path, place: &Place<'_>, options: &Options) -> Result<Command, LaunchError> {
    let setup = match kind {
        Kind::Claude => claude::set_up(place, options)?,
        Kind::Codex => codex::set_up(place, options)?,
        Kind::Gemini => gemini::set_up(place, options)?,
        Kind::OpenCode => opencode::set_up(place, options)?,
    };
    let size = options.size.unwrap_or_else(|| Size::new(COLS, ROWS).unwrap_or_default());
    let common = [
        ("PATH", install::search_path()?),
        ("HOME", place.home.as_os_str().to_owned()),
        ("TERM", "xterm-256color".into()),
        ("LANG", "C.UTF-8".into()),
    ];
    let common = common.into_iter().map(|(name, value)| (OsString::from(name), value));
    let own = setup.env.into_iter().map(|(name, value)| (name.into(), value.into()));
    let extra = options.env.iter().map(|(name, value)| (name.into(), value.into()));
    Ok(Command {
        program: program.as_os_str().to_owned(),
        args: setup.args.iter().chain(&options.args).map(OsString::from).collect(),
        cwd: Some(place.project.to_owned()),
        env: common.chain(own).chain(extra).collect(),
        size,
        runner: Vec::new(),
    })
}

/// The hooks table with the recorder for each of `events`, or the caller's own.
fn hooks_table(place: &Place<'_>, options: &Options, events: &[&str], timeout: u32) -> Option<Value> {
    match &options.hooks {
        Hooks::None => None,
        Hooks::Record => Some(hooks::table(place.home, events, timeout)),
        Hooks::Table(table) => Some(table.clone()),
        Hooks::Beside(table, event) => {
            let (mut table, mut recorder) = (table.clone(), hooks::table(place.home, &[event], timeout));
            if let (Some(matchers), Some(more)) = (table[event].as_array_mut(), recorder[event].as_array_mut()) {
                matchers.append(more);
            }
            Some(table)
        }
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
