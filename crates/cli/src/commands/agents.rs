//! `coop agents`: which agents are known, and what their pages say.

mod installed;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use coop_drivers::page::Explained;
use coop_drivers::{Own, Page, Recipe, ScreenLine, ScreenView};

use crate::pages::{self, Known};
use crate::{CommandError, out};

const HELP: &str = "\
coop knows Claude Code, Codex and the Gemini CLI by drivers of their own: by hooks, logs and screens. Any other agent is
a page: one TOML file that says what its screen looks like and which keys it takes. Pages that you write go into
~/.config/coop/agents/NAME.toml; one with the name of a page of coop is merged over it.

  coop agents list                                what is known, and what is installed here
  coop agents show opencode                       a page to begin with
  coop screen -s NAME > idle.txt                  capture what your agent shows
  coop agents check ~/.config/coop/agents/my.toml
  coop agents explain my --screen idle.txt        which rule fits it, and why
  coop --agent my -- my-agent                     run it";

/// Show which agents coop knows, and check what a page says about them
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Agents {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the agents that are known, and which of them are installed here
    List,
    /// Print the page of an agent, as it is with your own over it
    Show { name: String },
    /// Check pages, all of your own if none is named; what is wrong is said with file, line and key
    Check { files: Vec<PathBuf> },
    /// Say what the page of an agent makes of a screen: the rule that fits, its state, dialog and options
    Explain {
        name: String,
        /// The screen as text, as `coop screen` prints it
        #[arg(long, value_name = "FILE")]
        screen: PathBuf,
        /// The title the terminal had then
        #[arg(long)]
        title: Option<String>,
    },
}

impl Agents {
    pub(super) fn run(self) -> Result<ExitCode, CommandError> {
        match self.what {
            What::List => list()?,
            What::Show { name } => show(&name)?,
            What::Check { files } => return check(files),
            What::Explain { name, screen, title } => explain(&name, &screen, title.as_deref())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list() -> Result<(), CommandError> {
    let mut known = Vec::new();
    for name in pages::names() {
        match pages::named(&name) {
            Ok(agent) => known.push(agent),
            Err(error) => out::complain(&format!("coop: {}\n", error.message())),
        }
    }
    let versions = installed::versions(&known);
    let mut text = format!("{:14} {:18} {:10} {:12} {}\n", "NAME", "TITLE", "KNOWN BY", "VERIFIED", "HERE");
    for (agent, version) in known.iter().zip(versions) {
        let (title, by, verified) = match &agent.recipe {
            Recipe::Own(own) => (own.title(), "driver", "in tests"),
            Recipe::Page(page) => (page.title(), "page", page.verified().unwrap_or("no")),
        };
        let here = out::harmless(version.as_deref().unwrap_or("-"));
        writeln!(text, "{:14} {title:18} {by:10} {verified:12} {here}", agent.recipe.name())
            .map_err(|error| CommandError::failed(error.to_string()))?;
    }
    out::print(&text)
}

fn show(name: &str) -> Result<(), CommandError> {
    let known = pages::named(name)?;
    if let Recipe::Own(own) = &known.recipe {
        return out::print(&format!("# {} has a driver of its own, and no page.\n", own.title()));
    }
    out::document(&format!("# From: {}\n\n{}", known.origin, known.text))
}

fn check(files: Vec<PathBuf>) -> Result<ExitCode, CommandError> {
    let files = if files.is_empty() { pages::files(&pages::folder()) } else { files };
    if files.is_empty() {
        out::print(&format!("There are no pages in {}\n", pages::folder().display()))?;
    }
    let mut wrong = false;
    for file in files {
        match checked(&file) {
            Ok(known) => out::print(&format!("{}: {}\n", file.display(), described(&known)))?,
            Err(error) => {
                out::complain(&format!("{}\n", error.message()));
                wrong = true;
            }
        }
    }
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn checked(file: &Path) -> Result<Known, CommandError> {
    let text = fs::read_to_string(file)
        .map_err(|error| CommandError::failed(format!("{} cannot be read: {error}", file.display())))?;
    pages::read(file, &text)
}

fn described(known: &Known) -> String {
    let verified = match &known.recipe {
        Recipe::Page(page) => {
            page.verified().map_or("not verified".to_owned(), |version| format!("verified with {version}"))
        }
        Recipe::Own(own) => own.title().to_owned(),
    };
    format!("all right, {verified}")
}

fn explain(name: &str, screen: &Path, title: Option<&str>) -> Result<(), CommandError> {
    let shown = screen.display();
    let text =
        fs::read_to_string(screen).map_err(|error| CommandError::usage(format!("{shown} cannot be read: {error}")))?;
    let lines: Vec<ScreenLine> = text.lines().map(ScreenLine::plain).collect();
    let view = ScreenView { lines: &lines, cursor: None, title };
    let known = pages::named(name)?;
    match &known.recipe {
        Recipe::Page(page) => out::print(&explained(page, &page.explain(&view))),
        Recipe::Own(own) => out::print(&by_driver(*own, &view)),
    }
}

/// The rules as they were tried, what the regions held, and what came of it.
fn explained(page: &Page, explained: &Explained) -> String {
    let mut lines = vec![format!("{}, by its page:", page.title())];
    for tried in &explained.tried {
        let fits = if tried.fits { "fits" } else { "no" };
        lines.push(format!("  {fits:4} {:16} {:18} in {}", tried.rule, tried.says, tried.region));
    }
    if !explained.tried.iter().any(|tried| tried.fits) {
        lines.push("  no rule fits: the state stays what it was".to_owned());
    }
    for (name, held) in &explained.regions {
        lines.push(format!("region {name}:"));
        lines.extend(held.iter().map(|line| format!("  | {line}")));
    }
    lines.push(outcome(&explained.reading));
    lines.join("\n") + "\n"
}

fn by_driver(own: Own, view: &ScreenView<'_>) -> String {
    format!("{}, by its driver:\n{}\n", own.title(), outcome(&Recipe::Own(own).driver().screen(view)))
}

fn outcome(reading: &coop_drivers::Reading) -> String {
    use coop_core::agent::Look;
    let state = match &reading.look {
        Some(Look::Idle) if reading.interrupted => "idle, interrupted".to_owned(),
        Some(Look::Idle | Look::Interrupted) => "idle".to_owned(),
        Some(Look::Working) => "working".to_owned(),
        Some(Look::Failed { detail }) => format!("error: {detail}"),
        Some(Look::Dialog { .. }) => "prompt".to_owned(),
        Some(Look::Unclear | Look::NoDialog { .. }) | None => "not known from this screen".to_owned(),
    };
    let mut lines = vec![format!("state: {state}")];
    if let Some(draft) = reading.draft.as_ref().filter(|draft| !draft.is_empty()) {
        lines.push(format!("in the input box: {draft:?}"));
    }
    if let Some(dialog) = &reading.dialog {
        lines.push(format!("dialog: {} ({})", dialog.rule, dialog.context.kind()));
        let options = dialog.options.iter().enumerate();
        lines.extend(options.map(|(at, option)| {
            let keys = if option.keys.is_empty() { String::new() } else { format!(", keys {}", option.keys.join(" ")) };
            format!("  {}. {} ({:?}{keys})", at + 1, option.label, option.meaning)
        }));
    }
    lines.join("\n")
}
