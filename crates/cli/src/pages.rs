//! The agents that are known here: those with a driver, the pages that are part of coop, and the user's own pages, which
//! are merged over them.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coop_drivers::{Own, Page, Recipe, page};
use coop_machine::private;
use coop_terminal::keys::Key;

use crate::CommandError;

/// The agent that every terminal has.
pub(crate) const SHELL: &str = "shell";

/// An agent, and where what is known of it comes from.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) recipe: Recipe,
    pub(crate) origin: Origin,
    /// Its page as text, with all that is merged.
    pub(crate) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Coop,
    User(PathBuf),
    Merged(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Coop => f.write_str("part of coop"),
            Self::User(path) => write!(f, "{}", path.display()),
            Self::Merged(path) => write!(f, "part of coop, with {} over it", path.display()),
        }
    }
}

/// Where the user's own pages are.
pub(crate) fn folder() -> PathBuf {
    config_folder().join("agents")
}

/// Where the user's settings of coop are.
pub(crate) fn config_folder() -> PathBuf {
    crate::folders::config_dir()
}

/// The agent that `--agent` names. A page that is wrong is an error.
pub(crate) fn named(name: &str) -> Result<Known, CommandError> {
    let unknown = || {
        let hint = format!("Known are {} and unknown; `coop agents list` says more.", names().join(", "));
        CommandError::usage(format!("There is no agent named {name}")).with_hint(hint)
    };
    find(&folder(), name)?.ok_or_else(unknown)
}

/// The agent that a program of this file name is, started with `args`: nothing where a shell makes them of a line. A user's
/// page that is wrong is remarked on, and left out.
pub(crate) fn of_program(program: &OsStr, args: Option<&[OsString]>) -> Option<Recipe> {
    let program = Path::new(program).file_name()?.to_str()?;
    if let Some(own) = Own::ALL.into_iter().find(|own| own.name() == program) {
        return Some(Recipe::Own(own));
    }
    let args: Option<Vec<_>> = args.map(|args| args.iter().map(|arg| arg.to_string_lossy()).collect());
    let args: Option<Vec<&str>> = args.as_ref().map(|args| args.iter().map(AsRef::as_ref).collect());
    let is_it = |recipe: &Recipe| matches!(recipe, Recipe::Page(page) if page.is_started_by(program, args.as_deref()));
    names().into_iter().find_map(|name| match find(&folder(), &name) {
        Ok(known) => known.map(|known| known.recipe).filter(is_it),
        Err(error) => {
            tracing::warn!("{}", error.message());
            None
        }
    })
}

/// File names of the programs that are agents. Shells are a person's.
pub(crate) fn commands() -> HashSet<String> {
    let own = Own::ALL.map(|own| own.name().to_owned());
    // A page that is wrong is remarked on where it is used.
    let pages =
        names().into_iter().filter(|name| name != SHELL).filter_map(|name| find(&folder(), &name).ok().flatten());
    let commands = pages.flat_map(|known| match known.recipe {
        Recipe::Page(page) => page.commands().to_vec(),
        Recipe::Own(_) => Vec::new(),
    });
    own.into_iter().chain(commands).collect()
}

/// The names of all agents, those with a driver first.
pub(crate) fn names() -> Vec<String> {
    let own = Own::ALL.map(|own| own.name().to_owned());
    let embedded = page::embedded().iter().map(|(name, _)| (*name).to_owned());
    let mut pages: Vec<String> = embedded.chain(files(&folder()).iter().filter_map(|path| stem(path))).collect();
    pages.sort();
    pages.dedup();
    own.into_iter().chain(pages.into_iter().filter(|name| Own::ALL.iter().all(|own| own.name() != name))).collect()
}

/// The user's own pages.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> Option<String> {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
}

fn find(folder: &Path, name: &str) -> Result<Option<Known>, CommandError> {
    if let Some(own) = Own::ALL.into_iter().find(|own| own.name() == name) {
        return Ok(Some(Known { recipe: Recipe::Own(own), origin: Origin::Coop, text: String::new() }));
    }
    // A name is no path.
    let path = Path::new(name).file_name().filter(|file| *file == name).map(|_| folder.join(format!("{name}.toml")));
    match path.map(|path| (private::read_to_string(&path), path)) {
        Some((Ok(text), path)) => read(&path, &text).map(Some),
        Some((Err(error), path)) if !is_missing(&error) => {
            Err(CommandError::usage(format!("{} cannot be read: {error}", path.display())))
        }
        _ => embedded(name)
            .map(|text| build(text, None, Origin::Coop).map_err(|fault| at(Path::new(name), &fault)))
            .transpose(),
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn embedded(name: &str) -> Option<&'static str> {
    page::embedded().iter().find(|(page, _)| *page == name).map(|(_, text)| *text)
}

/// A user's page, over the one of coop that has its name.
pub(crate) fn read(path: &Path, text: &str) -> Result<Known, CommandError> {
    let name = stem(path).unwrap_or_default();
    let known = match embedded(&name) {
        Some(base) => build(base, Some(text), Origin::Merged(path.to_owned())),
        None => build(text, None, Origin::User(path.to_owned())),
    };
    let known = known.map_err(|fault| at(path, &fault))?;
    let wrong = |line: usize, key: &str, what: String| {
        Err(CommandError::usage(format!("{}, line {line}, `{key}`: {what}", path.display())))
    };
    let line = |word: &str| text.lines().position(|line| line.contains(word)).map_or(1, |at| at + 1);
    let Recipe::Page(page) = &known.recipe else { return Ok(known) };
    if Own::ALL.iter().any(|own| own.name() == page.name()) {
        return wrong(line("name"), "name", format!("{name} has a driver of its own, which no page replaces"));
    }
    if page.name() != name {
        return wrong(line("name"), "name", format!("it is {:?}, and the file is named {name:?}", page.name()));
    }
    if let Some(key) = page.keys().find(|key| key.parse::<Key>().is_err()) {
        return wrong(line(key), "keys", format!("there is no key {key:?}: `coop keys --list` shows all names"));
    }
    Ok(known)
}

fn build(text: &str, over: Option<&str>, origin: Origin) -> Result<Known, coop_drivers::Fault> {
    let (page, table) = Page::layered(text, over)?;
    let text = if over.is_some() { table.to_string() } else { text.to_owned() };
    Ok(Known { recipe: Recipe::Page(Arc::new(page)), origin, text })
}

fn at(path: &Path, fault: &coop_drivers::Fault) -> CommandError {
    CommandError::usage(format!("{}, {fault}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "name = \"mine\"\ncommands = [\"my-agent\"]\n[[state]]\nrule = \"idle\"\nstate = \"idle\"\nall = [\"ready>\"]\n";

    fn wrong(file: &str, text: &str) -> String {
        read(Path::new(file), text).map(drop).unwrap_err().message().to_owned()
    }

    #[test]
    fn what_is_wrong_names_file_line_and_key() {
        for (file, text, expected) in [
            ("/c/mine.toml", PAGE.replace("all =", "al ="), "/c/mine.toml, line 6, `al`: unknown field"),
            ("/c/mine.toml", PAGE.replace("\"idle\"\nall", "\"resting\"\nall"), "/c/mine.toml, line 5, `state`"),
            ("/c/other.toml", PAGE.to_owned(), "/c/other.toml, line 1, `name`: it is \"mine\""),
            (
                "/c/mine.toml",
                format!("{PAGE}region = \"box\"\n"),
                "/c/mine.toml, line 7, `region`: there is no [[region]]",
            ),
            (
                "/c/mine.toml",
                format!("{PAGE}[input]\nsubmit = \"Entre\"\n"),
                "/c/mine.toml, line 8, `keys`: there is no key",
            ),
            ("/c/mine.toml", format!("{PAGE}pattern = [\"(\"]\n"), "/c/mine.toml, line 7, `pattern`"),
            ("/c/claude.toml", PAGE.replace("mine", "claude"), "/c/claude.toml, line 1, `name`: claude has a driver"),
            (
                "/c/mine.toml",
                PAGE.replace("all = [\"ready>\"]\n", ""),
                "/c/mine.toml, line 4, `rule`: it fits every screen",
            ),
        ] {
            let said = wrong(file, &text);
            assert!(said.starts_with(expected), "{said}");
        }
    }

    #[test]
    fn a_users_page_is_merged_over_the_one_of_coop() {
        let known = read(Path::new("/c/opencode.toml"), "verified = false\n[timing]\nidle_ms = 5\n").unwrap();
        let Recipe::Page(page) = &known.recipe else { panic!("it is a page") };
        assert_eq!((page.name(), page.verified()), ("opencode", None));
        assert_eq!(page.idle_grace(), Some(std::time::Duration::from_millis(5)));
        assert_eq!(page.commands(), ["opencode"], "the rest stays");
        assert!(matches!(known.origin, Origin::Merged(_)));
        assert!(known.text.contains("idle_ms = 5") && known.text.contains("Ask anything"), "{}", known.text);
    }

    #[test]
    fn a_page_is_found_by_its_name_and_a_name_is_no_path() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.toml"), PAGE).unwrap();
        let name = |name: &str| find(folder.path(), name).unwrap().map(|known| known.recipe.name().to_owned());
        assert_eq!(name("mine").as_deref(), Some("mine"));
        assert_eq!(name("opencode").as_deref(), Some("opencode"));
        assert_eq!(name("claude").as_deref(), Some("claude"));
        for none in ["other", "", "..", "../mine", "/mine"] {
            assert_eq!(name(none), None, "{none}");
        }
    }
}
