//! Where `make agents` has put the pinned agents. The table of versions is `scripts/agents.txt`, for it and for us.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use super::{Kind, LaunchError};

const TABLE: &str = include_str!("../../../../scripts/agents.txt");

impl Kind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// The versions that tests run, oldest first.
    pub fn versions(self) -> impl Iterator<Item = &'static str> {
        pinned().filter(move |row| row[0] == self.name()).map(|row| row[1])
    }
}

/// The rows of the table: name, version, package, command.
fn pinned() -> impl Iterator<Item = [&'static str; 4]> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.split_whitespace().collect::<Vec<_>>().try_into().ok())
}

pub(super) fn program(kind: Kind, version: &str) -> Result<PathBuf, LaunchError> {
    let name = kind.name();
    let row = pinned().find(|row| row[0] == name && row[1] == version);
    let [.., command] = row.ok_or_else(|| LaunchError::NotPinned { name, version: version.to_owned() })?;
    let cache = cache().ok_or(LaunchError::NoCache)?;
    let program = cache.join(format!("{name}-{version}/node_modules/.bin/{command}"));
    if program.exists() {
        Ok(program)
    } else {
        Err(LaunchError::NotInstalled { name, version: version.to_owned(), cache })
    }
}

/// As `scripts/agents` finds it; `make` says it, so that a test with another HOME finds it too.
fn cache() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder("COOP_TEST_AGENTS").or_else(|| {
        let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
        Some(cache.join("coop/agents"))
    })
}

/// Where the agent finds node and the usual programs, and nothing else of the caller's PATH.
pub(super) fn search_path() -> Result<OsString, LaunchError> {
    let path = env::var_os("PATH").unwrap_or_default();
    let node = env::split_paths(&path).find(|folder| folder.join("node").is_file()).ok_or(LaunchError::NoNode)?;
    let usual = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    env::join_paths([node].into_iter().chain(usual)).map_err(|_| LaunchError::NoNode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        assert_eq!(Kind::Claude.versions().collect::<Vec<_>>(), ["2.1.197", "2.1.325"]);
        assert_eq!((Kind::Codex.versions().count(), Kind::Gemini.versions().count()), (1, 1));
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = program(Kind::Codex, "0.0.1").unwrap_err().to_string();
        assert!(error.contains("codex 0.0.1") && error.contains("make agents"), "{error}");
        let missing = LaunchError::NotInstalled { name: "codex", version: "1".into(), cache: "/c".into() };
        assert_eq!(missing.to_string(), "codex 1 is not installed in /c: run `make agents`");
    }
}
