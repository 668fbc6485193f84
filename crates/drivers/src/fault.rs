//! Where a file that a person wrote is wrong.

use serde::de::DeserializeOwned;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, `{key}`: {what}")]
pub struct Fault {
    /// From 1.
    pub line: usize,
    pub key: String,
    pub what: String,
}

/// Reads a file of TOML; what is wrong with it is said with its line and key.
pub fn read_toml<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    toml::from_str(text).map_err(|error| Fault::of(text, &error))
}

impl Fault {
    pub(crate) fn of(text: &str, error: &toml::de::Error) -> Self {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let whole = text.lines().nth(line - 1).unwrap_or_default();
        let key = whole.split('=').next().unwrap_or_default().trim().to_owned();
        Self { line, key, what: error.message().trim().replace('\n', " ") }
    }

    /// About a value that is well written but does not fit the rest: the first line that gives it to the key. A key
    /// that is missing is missed at the end.
    pub(crate) fn about(text: &str, key: &str, value: Option<&str>, what: impl Into<String>) -> Self {
        let gives = |line: &str| {
            let named = line.split_once('=').is_some_and(|(name, _)| name.trim() == key);
            value.map_or(named, |value| line.contains(value) && (named || !line.contains('=')))
        };
        let found = text.lines().position(gives);
        Self {
            line: found.map_or_else(|| text.lines().count().max(1), |at| at + 1),
            key: key.to_owned(),
            what: what.into(),
        }
    }
}
