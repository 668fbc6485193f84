//! Tokens of this process: taken out of the environment and the arguments that other processes can read, kept in memory,
//! and handed to a child over a socket.
//!
//! The kernel shows the environment and the arguments a process was started with for as long as the process lives
//! (`/proc/PID/environ`, `/proc/PID/cmdline`). A token that arrived there is overwritten in place before the process
//! starts a child. A child gets tokens after it has reported that its memory is closed to others: before that, processes
//! of the same account can open what the child has inherited.

mod hand;
mod wipe;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

pub use hand::Given;

/// Variable that names the process and the descriptor that tokens come from.
pub const VARIABLE: &str = "COOP_SECRETS";

/// Shown in place of a token among the arguments.
const COVER: u8 = b'*';

/// Places where a token may arrive.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Names of environment variables.
    pub variables: &'static [&'static str],
    /// Long flags that take a token, as their next argument or after `=`.
    pub flags: &'static [&'static str],
}

/// Tokens of this process, and the arguments they were among. Never printed.
pub struct Secrets {
    places: Places,
    args: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets(…)")
    }
}

impl Secrets {
    /// Takes the tokens from the process that started this one, or out of the environment and the arguments. A process
    /// that has any is closed to debuggers and core dumps from then on. Call first thing, before there is another thread.
    pub fn take(places: Places, args: impl Iterator<Item = OsString>) -> io::Result<Self> {
        let mut args: Vec<OsString> = args.collect();
        let mut variables = Vec::new();
        for name in places.variables {
            // An empty variable counts as none.
            let value = std::env::var_os(name).filter(|value| !value.is_empty());
            variables.extend(value.map(|value| (OsString::from(name), value)));
        }
        let in_args = covered(&args, places.flags);
        let given = hand::giver()?;
        if given.is_some() || !variables.is_empty() || !in_args.is_empty() {
            close_memory()?;
        }
        wipe::variables(places.variables);
        wipe::arguments(&args, &in_args, COVER);
        if let Some(giver) = given {
            let (numbered, named) = giver.receive()?;
            for (at, arg) in numbered {
                if let Some(covered) = args.get_mut(at) {
                    *covered = arg;
                }
            }
            variables.extend(named);
        }
        Ok(Self { places, args, variables })
    }

    /// Returns the arguments of this process, with the tokens that were among them.
    #[must_use]
    pub fn args(&self) -> &[OsString] {
        &self.args
    }

    /// Returns the value of a variable that was taken out of the environment or handed over.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }

    /// Has the variables in the environment while `run` runs. The kernel does not show those: they are on the heap. Call
    /// before there is another thread.
    pub fn lend<T>(&self, run: impl FnOnce() -> T) -> T {
        wipe::set(&self.variables);
        let done = run();
        wipe::unset(&self.variables);
        done
    }

    /// Has `command` started with `args` and with the tokens of this process and `more`, none of which is among what the
    /// kernel shows. [`Given::deliver`] hands them over once the child runs.
    pub fn give(
        &self,
        command: &mut std::process::Command,
        args: &[OsString],
        more: &[(&str, &OsStr)],
    ) -> io::Result<Given> {
        let hidden = covered(args, self.places.flags);
        let mut shown = args.to_vec();
        for (at, from) in &hidden {
            let mut bytes = std::mem::take(&mut shown[*at]).into_vec();
            bytes[*from..].fill(COVER);
            shown[*at] = OsString::from_vec(bytes);
        }
        command.args(&shown);
        // Counted from the name of the program, which `args` is without.
        let numbered = hidden.iter().map(|(at, _)| (at + 1, args[*at].as_os_str()));
        let own = self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        let own = own.filter(|(name, _)| more.iter().all(|(other, _)| name != other));
        let named = own.chain(more.iter().map(|(name, value)| (OsStr::new(*name), *value)));
        hand::give(command, numbered, named)
    }
}

/// Closes the memory of this process to other processes of the account: no debugger, no core dump, no `/proc/PID/mem`.
/// Root, and processes with `CAP_SYS_PTRACE`, are not kept out by it.
pub fn close_memory() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Finds tokens among arguments: which argument, and from which byte on. What follows `--` belongs to another program.
fn covered(args: &[OsString], flags: &[&str]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| *arg != "--") {
        let bytes = arg.as_bytes();
        if flags.iter().any(|flag| arg == flag) {
            at += 1;
            if args.get(at).is_some() {
                found.push((at, 0));
            }
        } else {
            let value = |flag: &&str| bytes.strip_prefix(flag.as_bytes())?.strip_prefix(b"=");
            found.extend(flags.iter().find_map(value).map(|value| (at, bytes.len() - value.len())));
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_among_arguments() {
        let flags = ["--auth-token", "--token"];
        for (line, expected) in [
            ("coop", &[][..]),
            ("coop --auth-token s3cret -- x", &[(2, 0)]),
            ("coop --auth-token=s3cret -- x", &[(1, 13)]),
            ("coop --auth-token-file f", &[]),
            ("coop ls --token a --auth-token=b", &[(3, 0), (4, 13)]),
            ("coop -- x --token a", &[]),
            ("coop --token -- a", &[(2, 0)]),
            ("coop --token", &[]),
        ] {
            let args: Vec<OsString> = line.split(' ').map(Into::into).collect();
            assert_eq!(covered(&args, &flags), expected, "{line}");
        }
    }
}
