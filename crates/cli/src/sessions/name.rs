//! Names of sessions. They become file names and are typed by people.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Letters, digits, `-`, `_` and `.`, and no dot or dash at the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

/// So that a socket's path stays well below the kernel's limit.
const MAX: usize = 40;

/// For programs whose name has nothing in it that could be used.
const FALLBACK: &str = "session";

/// Its socket is in the same folder.
const HUB: &str = "hub";

impl Name {
    /// The file name of a program, with what a name may not have left out.
    pub(crate) fn of_program(program: &OsStr) -> Self {
        let file = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
        let kept: String = file.chars().filter(|c| is_allowed(*c)).take(MAX).collect();
        let kept = kept.trim_start_matches(['.', '-']);
        Self(if kept.is_empty() || kept == HUB { FALLBACK } else { kept }.into())
    }

    /// The name, `name-2`, `name-3` and so on.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = Self> {
        let numbers = (2_u32..).map(move |n| Self(format!("{self}-{n}")));
        std::iter::once(self.clone()).chain(numbers)
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        if given.is_empty() || given.len() > MAX {
            return Err(format!("a name has 1 to {MAX} characters"));
        }
        if !given.chars().all(is_allowed) || given.starts_with(['.', '-']) {
            return Err("a name has letters, digits, `-`, `_` and `.`, and begins with a letter, a digit or `_`".into());
        }
        if given == HUB {
            return Err("this is the name of the hub".into());
        }
        Ok(Self(given.into()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (given, ok) in [
            ("claude", true),
            ("my-agent_2.x", true),
            ("", false),
            ("hub", false),
            ("-x", false),
            (".hidden", false),
            ("a/b", false),
            ("a b", false),
            ("ä", false),
        ] {
            assert_eq!(given.parse::<Name>().is_ok(), ok, "{given}");
        }
        assert!("x".repeat(41).parse::<Name>().is_err());
    }

    #[test]
    fn of_programs() {
        for (program, name) in [
            ("/bin/bash", "bash"),
            ("claude", "claude"),
            ("./my agent", "myagent"),
            ("/bin/[", "session"),
            ("..", "session"),
            ("-bash", "bash"),
            ("./hub", "session"),
        ] {
            assert_eq!(Name::of_program(OsStr::new(program)).to_string(), name);
        }
        let numbered: Vec<String> =
            Name::of_program(OsStr::new("sh")).numbered().take(3).map(|n| n.to_string()).collect();
        assert_eq!(numbered, ["sh", "sh-2", "sh-3"]);
    }
}
