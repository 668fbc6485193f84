//! A program in a mount and a process namespace of its own, where folders are empty and the processes outside cannot be
//! seen or signalled. Linux only.
//!
//! Three processes: the one on the terminal, which waits and ends as the program ends; the first process of the new
//! namespace, which mounts, starts the program and reaps; and the program. The program gets a second user namespace below
//! that of the mounts: there the kernel has locked them, so that no right the program has within it uncovers a folder.

#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod start;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What a sealed program cannot see, and what of that it can.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seal {
    /// Folders that are empty, and files that read as empty. Those that are not there are left out.
    pub hidden: Vec<PathBuf>,
    /// Folders below hidden ones that stay as they are. Those that are not there are left out.
    pub kept: Vec<PathBuf>,
}

/// Why a program cannot be sealed here.
#[derive(Debug)]
pub struct SealError {
    step: &'static str,
    error: io::Error,
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.step, self.error)
    }
}

impl std::error::Error for SealError {}

impl Seal {
    /// Returns the words of a command line that [`Seal::parse`] reads.
    #[must_use]
    pub fn words(&self) -> Vec<OsString> {
        let flagged = |flag: &'static str, paths: &[PathBuf]| {
            paths.iter().flat_map(move |path| [flag.into(), path.clone().into()]).collect::<Vec<OsString>>()
        };
        [flagged("hide", &self.hidden), flagged("keep", &self.kept), vec!["run".into()]].concat()
    }

    /// Reads what [`Seal::words`] wrote; the rest is the program and its arguments.
    #[must_use]
    pub fn parse(mut words: impl Iterator<Item = OsString>) -> Option<(Self, Vec<OsString>)> {
        let mut seal = Self::default();
        loop {
            let word = words.next()?;
            match word.to_str()? {
                "hide" => seal.hidden.push(words.next()?.into()),
                "keep" => seal.kept.push(words.next()?.into()),
                "run" => return Some((seal, words.collect())),
                _ => return None,
            }
        }
    }

    /// Runs a program sealed, and ends this process as the program ends. Returns only if the program cannot be sealed or
    /// started. Call it before there is another thread.
    pub fn run(&self, program: &[OsString]) -> SealError {
        #[cfg(target_os = "linux")]
        {
            match start::run(self, program) {
                Ok(never) => match never {},
                Err(error) => error,
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = program;
            SealError { step: "namespaces are a part of Linux", error: io::ErrorKind::Unsupported.into() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_written() {
        let seal = Seal { hidden: vec!["/a b".into(), "/c".into()], kept: vec!["/c/d".into()] };
        let words = seal.words().into_iter().chain(["claude".into(), "hide".into()]);
        assert_eq!(Seal::parse(words), Some((seal, vec!["claude".into(), "hide".into()])));
        for broken in [&["hide"][..], &["hide", "/a"], &["what", "run"], &[]] {
            assert_eq!(Seal::parse(broken.iter().map(OsString::from)), None, "{broken:?}");
        }
    }
}
